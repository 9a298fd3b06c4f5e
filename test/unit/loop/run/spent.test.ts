import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type {
  AgentOptions,
  Price,
  Provider,
  ProviderEvent,
  RunResult,
  ScriptStep,
  Usage,
} from '../../../../src/index.ts';
import { createAgent, fallback, scripted, tool } from '../../../../src/index.ts';

const look = tool({
  name: 'get_it',
  description: 'Gets it.',
  schema: z.looseObject({}),
  effect: 'read',
  execute: (input) => `got ${JSON.stringify(input)}`,
});

const run = async (options: AgentOptions): Promise<RunResult> =>
  createAgent({ tools: [look], retry: { baseDelayMs: 0, maxDelayMs: 0 }, ...options }).stream('Get it.').result;

const tokensOf = ({ usage }: RunResult): number => (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);

/** A reply that cost 60 tokens, or 0.06 dollars at {@link dear}. */
const paid = (step: object): ScriptStep => ({ ...step, usage: { inputTokens: 50, outputTokens: 10 } });
const dear: Price = { input: 1000, output: 1000 };

describe('replies that are no use', () => {
  const useless: readonly { readonly name: string; readonly step: object; readonly more?: Partial<AgentOptions> }[] = [
    { name: 'empty', step: { text: '' } },
    { name: 'described', step: { text: 'Use get_it.' }, more: { slips: 'rewind' } },
    {
      name: 'refused, and given to the model by a hook',
      step: { text: 'No.', finishReason: 'content-filter' },
      more: { hooks: [{ onFailure: () => 'model' as const }] },
    },
  ];
  const limits: readonly { readonly limit: AgentOptions['limits']; readonly stopReason: string }[] = [
    { limit: { totalTokens: 100 }, stopReason: 'max-tokens' },
    { limit: { costUsd: 0.1 }, stopReason: 'max-cost' },
  ];
  const cases = useless.flatMap((reply) => limits.map((limit) => ({ ...reply, ...limit })));
  test.each(cases)('count as the last request: $name, $stopReason', async ({ step, more, limit, stopReason }) => {
    const provider = scripted([paid(step), paid(step), paid({ text: 'End.' })]);
    const result = await run({ provider, limits: limit, prices: () => dear, ...more });
    expect(result).toMatchObject({ status: 'stopped', stopReason });
    expect(provider.requests).toHaveLength(1);
  });

  test('count where the next provider is asked', async () => {
    const next = scripted([paid({ text: 'End.' })]);
    const provider = fallback([scripted([paid({ text: 'No.', finishReason: 'content-filter' })]), next], {
      onRefusal: true,
    });
    expect(await run({ provider, limits: { totalTokens: 100 } })).toMatchObject({ stopReason: 'max-tokens' });
    expect(next.requests).toHaveLength(0);
  });

  test('are not asked for again in the last turn after a limit, beyond what was kept aside for it', async () => {
    const call = (n: number): ScriptStep => ({
      calls: [{ name: 'get_it', input: { n } }],
      usage: { inputTokens: 20, outputTokens: 10 },
    });
    const empty: ScriptStep = { text: '', usage: { inputTokens: 20, outputTokens: 10 } };
    const provider = scripted([call(1), call(2), empty, empty, { text: 'End.' }]);
    const result = await run({ provider, limits: { totalTokens: 100 }, onLimit: 'finish' });
    expect(result).toMatchObject({ status: 'stopped', stopReason: 'max-tokens', failures: [{ kind: 'empty-reply' }] });
    expect(tokensOf(result)).toBe(90);
    expect(provider.requests).toHaveLength(3);
  });

  test('that cost nothing change nothing', async () => {
    const provider = scripted([{ failure: { kind: 'overloaded', message: 'Busy.' } }, paid({ text: 'End.' })]);
    expect(await run({ provider, limits: { totalTokens: 50 } })).toMatchObject({ status: 'completed' });
  });
});

describe('a price that is none', () => {
  const wrong: readonly [string, unknown][] = [
    ['NaN', { input: NaN, output: NaN }],
    ['an empty object', {}],
    ['endless', { input: Infinity, output: 1 }],
    ['half a price', { input: 1 }],
    ['negative', { input: 1, output: -1 }],
    ['a NaN for what is cached', { input: 1, output: 1, cachedInput: NaN }],
    ['null', null],
    ['a promise', Promise.resolve(dear)],
  ];
  const steps = (): ScriptStep[] => [paid({ calls: [{ name: 'get_it', input: {} }] }), paid({ text: 'End.' })];

  test.each(wrong)('is refused when the agent is made: %s', (_what, price) => {
    // What a user without types may give.
    const prices = (): Price => price as Price;
    const refused = expect.objectContaining({
      code: 'invalid-option',
      message: expect.stringMatching(/^Expected the price of `script` in `prices` to be { input, output/),
    });
    expect(() => createAgent({ provider: scripted([]), prices, limits: { costUsd: 1 } })).toThrow(refused);
    expect(() => createAgent({ provider: scripted([]), prices: { script: price as Price } })).toThrow(refused);
  });

  test('is told with what came', () => {
    const make = (): unknown => createAgent({ provider: scripted([]), prices: () => ({ input: NaN, output: 2 }) });
    expect(make).toThrow(/got { input: NaN, output: 2, cachedInput: undefined }\.$/);
  });

  test('is refused at the start of a run, before anything is spent', async () => {
    let price: Price = dear;
    const provider = scripted(steps());
    const agent = createAgent({ provider, prices: () => price, limits: { costUsd: 1 } });
    price = { input: NaN, output: NaN };
    await expect(agent.run('Get it.')).rejects.toMatchObject({ code: 'invalid-option' });
    expect(provider.requests).toHaveLength(0);
  });

  test('changes nothing in a run that has begun: it goes by the prices of its start', async () => {
    let price: Price = dear;
    const tools = [tool({ ...look.options, execute: () => ((price = { input: NaN, output: NaN }), 'ok') })];
    const result = await run({ provider: scripted(steps()), tools, prices: () => price, limits: { costUsd: 0.1 } });
    expect(result).toMatchObject({ status: 'stopped', stopReason: 'max-cost', costUsd: expect.closeTo(0.06) });
  });

  test('of a provider that a hook chose ends the run before the request where the cost is limited', async () => {
    const other = scripted(steps(), { model: 'other' });
    const hooks = [{ beforeModel: () => ({ provider: other }) }];
    const prices = ({ model }: Provider): Price => (model === 'other' ? { input: NaN, output: NaN } : dear);
    const result = await run({ provider: scripted([]), hooks, prices, limits: { costUsd: 1 } });
    expect(result).toMatchObject({
      status: 'failed',
      failure: { kind: 'bug', message: expect.stringContaining('Expected the price of `other` in `prices`') },
    });
    expect(other.requests).toHaveLength(0);
  });

  test('loses no reply of a provider that a hook chose where the cost is not limited', async () => {
    const hooks = [{ beforeModel: () => ({ provider: scripted(['End.'], { model: 'other' }) }) }];
    const prices = ({ model }: Provider): Price => (model === 'other' ? { input: NaN, output: NaN } : dear);
    const result = await run({ provider: scripted([]), hooks, prices });
    expect(result).toMatchObject({ status: 'completed', text: 'End.' });
    expect(result.costUsd).toBeUndefined();
  });

  test('is an error with its cause where the function throws', () => {
    const cause = new TypeError('No table.');
    const prices = (): never => {
      throw cause;
    };
    expect(() => createAgent({ provider: scripted([]), prices })).toThrow(
      expect.objectContaining({
        code: 'invalid-option',
        message: expect.stringContaining('TypeError: No table.'),
        cause,
      }),
    );
  });

  test('is not found under the name of what every object has', () => {
    expect(() => createAgent({ provider: scripted([], { model: 'toString' }), prices: {} })).not.toThrow();
  });
});

describe('a count that is none', () => {
  /** A provider of the user's own that calls a tool for ever and tells these counts. */
  function telling(usage: unknown): Provider {
    let asked = 0;
    return {
      ...scripted([]),
      async *stream(): AsyncGenerator<ProviderEvent> {
        asked += 1;
        yield {
          type: 'reply',
          reply: {
            content: [
              { type: 'tool-call', id: `c${asked}`, name: 'get_it', arguments: { value: { asked } }, isComplete: true },
            ],
            finishReason: 'tool-calls',
            rawFinishReason: undefined,
            // What a provider without types may tell.
            usage: usage as Usage,
          },
        };
      },
    };
  }

  test.each<[string, unknown]>([
    ['NaN', { inputTokens: NaN, outputTokens: NaN }],
    ['negative', { inputTokens: -1000, outputTokens: -1000 }],
    ['a text', { inputTokens: '9', outputTokens: '9' }],
    ['half NaN', { inputTokens: 5, outputTokens: NaN }],
  ])('counts as not told, so that an estimate stands in: %s', async (_what, usage) => {
    for (const limits of [{ totalTokens: 500 }, { costUsd: 0.5 }]) {
      const result = await run({ provider: telling(usage), prices: () => dear, limits });
      expect(result).toMatchObject({ status: 'stopped', stopReason: 'costUsd' in limits ? 'max-cost' : 'max-tokens' });
      for (const count of Object.values(result.usage)) expect(count === undefined || count > 0).toBe(true);
      expect(result.costUsd).toBeGreaterThan(0);
    }
  });

  test('of a tool adds nothing, and the limit holds', async () => {
    const spending = tool({
      ...look.options,
      execute: (_input, { budget }) => {
        budget?.spend({ inputTokens: NaN, outputTokens: 7 }, NaN);
        return 'ok';
      },
    });
    const provider = scripted([paid({ calls: [{ name: 'get_it', input: {} }] }), paid({ text: 'End.' })]);
    const result = await run({ provider, tools: [spending], prices: () => dear, limits: { totalTokens: 100 } });
    expect(result).toMatchObject({ stopReason: 'max-tokens', usage: { inputTokens: 50, outputTokens: 17 } });
    expect(result.costUsd).toBeCloseTo(0.06);
  });
});
