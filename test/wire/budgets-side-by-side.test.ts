import { describe, expect, test } from 'vitest';
import type { Agent, AgentOptions, Provider, RunResult, ScriptStep } from '../../src/index.ts';
import { createAgent, scripted } from '../../src/index.ts';
import { answer, anyTool, calls, onWire } from './wire-agent.ts';

const usage = { inputTokens: 60, outputTokens: 40 };
const hundred: ScriptStep = { text: 'Done.', usage };

/** A provider whose replies take some turns of the event loop, so that runs side by side really overlap. */
function slow(provider: Provider): Provider {
  return {
    ...provider,
    async *stream(request, options) {
      for (let round = 0; round < 3; round += 1) await new Promise((resolve) => setImmediate(resolve));
      yield* provider.stream(request, options);
    },
  };
}

interface Fanned {
  readonly result: RunResult;
  readonly children: readonly RunResult<unknown>[];
}

/** A tool that starts `count` runs at once inside a run with limits. Each reply of theirs costs 100 tokens. */
async function fan(count: number, options: Partial<AgentOptions>, child: Partial<AgentOptions> = {}): Promise<Fanned> {
  const children: RunResult<unknown>[] = [];
  const inner = createAgent({ provider: slow(scripted([() => hundred])), ...child });
  const split = anyTool('split', async (_input, context) => {
    const handles = Array.from({ length: count }, () => inner.stream('Work.', { within: context }));
    children.push(...(await Promise.all(handles.map((handle) => handle.result))));
    return 'split';
  });
  const outer = createAgent({
    provider: scripted([
      { calls: [{ name: 'split', input: {} }], usage: { inputTokens: 0, outputTokens: 0 } },
      hundred,
    ]),
    tools: [split],
    ...options,
  });
  return { result: await outer.stream('Split.').result, children };
}

const statuses = (runs: readonly RunResult<unknown>[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { status } of runs) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
const tokensOf = ({ usage: { inputTokens = 0, outputTokens = 0 } }: RunResult): number => inputTokens + outputTokens;

describe('a budget with runs side by side', () => {
  test('50 runs of 100 tokens under 1,000 spend 1,000, and those that found no room stop, typed', async () => {
    const { result, children } = await fan(50, { limits: { totalTokens: 1000 } });
    expect(tokensOf(result)).toBe(1000);
    expect(statuses(children)).toEqual({ completed: 10, stopped: 40 });
    expect(children.find(({ status }) => status === 'stopped')).toMatchObject({ stopReason: 'max-tokens' });
    expect(result).toMatchObject({ status: 'stopped', stopReason: 'max-tokens' });
  });

  test('and so with a cost', async () => {
    const prices = { script: { input: 10, output: 10 } };
    const { result, children } = await fan(50, { limits: { costUsd: 0.005 }, prices }, { prices });
    expect(result.costUsd).toBe(0.005);
    expect(statuses(children)).toEqual({ completed: 5, stopped: 45 });
  });

  test('a budget with room for all is no reason to wait', async () => {
    const { children } = await fan(50, { limits: { totalTokens: 1_000_000 } });
    expect(statuses(children)).toEqual({ completed: 50 });
  });

  test('runs inside runs share the outermost budget', async () => {
    const inner = createAgent({ provider: slow(scripted([() => hundred])) });
    const middle = createAgent({
      provider: slow(
        scripted([
          ({ messages }) =>
            messages.length > 1 ? hundred : { calls: [{ name: 'inner', input: { task: 'Work.' } }], usage },
        ]),
      ),
      tools: [inner.asTool({ name: 'inner', description: 'Works.' })],
    });
    const split = anyTool('split', async (_input, context) => {
      const handles = Array.from({ length: 20 }, () => middle.stream('Work.', { within: context }));
      await Promise.all(handles.map((handle) => handle.result));
      return 'split';
    });
    const provider = scripted([{ calls: [{ name: 'split', input: {} }], usage: { inputTokens: 0, outputTokens: 0 } }]);
    const result = await createAgent({ provider, tools: [split], limits: { totalTokens: 1000 } }).stream('Go.').result;
    expect(tokensOf(result)).toBeLessThanOrEqual(1000);
    expect(tokensOf(result)).toBeGreaterThanOrEqual(900);
  });

  test('an abort ends the wait for room', async () => {
    const inner: Agent = createAgent({
      provider: {
        ...scripted([]),
        // A server that never answers.
        stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }),
      },
    });
    const abort = new AbortController();
    const split = anyTool('split', async (_input, context) => {
      const handles = Array.from({ length: 5 }, () => inner.stream('Work.', { within: context }));
      setImmediate(() => abort.abort(new Error('enough')));
      return Promise.all(handles.map((handle) => handle.result));
    });
    const provider = scripted([{ calls: [{ name: 'split', input: {} }] }]);
    const agent = createAgent({ provider, tools: [split], limits: { totalTokens: 1000 } });
    expect((await agent.stream('Go.', { signal: abort.signal }).result).status).toBe('aborted');
  });

  test('a tool that asks how much is left hears what is not on its way', async () => {
    const left: number[] = [];
    const inner = createAgent({ provider: slow(scripted([() => hundred])) });
    const split = anyTool('split', async (_input, context) => {
      const first = inner.stream('Work.', { within: context }).result;
      await new Promise((resolve) => setImmediate(resolve));
      left.push(context.budget?.tokensLeft ?? NaN);
      await first;
      left.push(context.budget?.tokensLeft ?? NaN);
      return 'split';
    });
    const provider = scripted([
      { calls: [{ name: 'split', input: {} }], usage: { inputTokens: 0, outputTokens: 0 } },
      hundred,
    ]);
    await createAgent({ provider, tools: [split], limits: { totalTokens: 10_000 } }).run('Go.');
    expect(left[0]).toBeLessThan(8_100);
    expect(left[1]).toBe(9_900);
  });
});

describe('what is told of a budget', () => {
  test('a stop by an estimated count says that it is one', async () => {
    const provider = scripted([() => ({ calls: [{ name: 'go', input: {} }] })]);
    const tools = [anyTool('go', () => `gone ${Math.random()}`)];
    const run = await createAgent({ provider, tools, limits: { totalTokens: 300 } }).stream('Go.').result;
    expect(run).toMatchObject({ status: 'stopped', stopReason: 'max-tokens', message: /an estimate/ });
  });

  test('a stop by a count of the server does not', async () => {
    const provider = scripted([() => ({ calls: [{ name: 'go', input: {} }], usage })]);
    const tools = [anyTool('go', () => `gone ${Math.random()}`)];
    const run = await createAgent({ provider, tools, limits: { totalTokens: 300 } }).stream('Go.').result;
    expect(run).toMatchObject({ stopReason: 'max-tokens', message: expect.not.stringMatching(/estimate/) as string });
  });

  test.each([
    { input: 0.15, output: 0.6, inputTokens: 400, outputTokens: 600, costUsd: 0.00042 },
    { input: 0.1, output: 0.2, inputTokens: 1, outputTokens: 1, costUsd: 0.0000003 },
    { input: 3, output: 15, inputTokens: 33, outputTokens: 7, costUsd: 0.000204 },
  ])('a cost is a sum without the dust of floating point: $costUsd', async ({ input, output, costUsd, ...told }) => {
    const provider = scripted([
      { calls: [{ name: 'go' }], usage: told },
      { text: 'Done.', usage: told },
    ]);
    const agent = createAgent({ provider, tools: [anyTool('go', () => 1)], prices: { script: { input, output } } });
    expect((await agent.run('Go.')).costUsd).toBe(Number((2 * costUsd).toPrecision(12)));
  });
});

describe('the failures of one tool', () => {
  const failing = (log: string[]) => [
    anyTool('bad', (input) => {
      log.push('bad');
      throw new Error(`No luck with ${JSON.stringify(input)}.`);
    }),
    anyTool('good', () => (log.push('good'), `fine ${log.length}`)),
  ];

  test('have a budget of their own, whatever other tools do in between', async () => {
    const log: string[] = [];
    let turn = 0;
    const provider = scripted([
      () => {
        turn += 1;
        const name = turn % 2 === 0 ? 'good' : 'bad';
        return turn > 16 ? 'I give up.' : { calls: [{ name, input: { turn } }] };
      },
    ]);
    const agent = createAgent({ provider, tools: failing(log), limits: { toolFailures: 3 } });
    const told: string[] = [];
    agent.on('tool-end', ({ output, toolName }) => void (toolName === 'bad' && told.push(output)));
    const guards: string[] = [];
    agent.on('guard', ({ message }) => void guards.push(message));
    const run = await agent.run('Go.');
    expect(log.filter((name) => name === 'bad')).toHaveLength(3);
    expect(log.filter((name) => name === 'good')).toHaveLength(8);
    expect(told[3]).toMatch(/^bad was not run: it has failed 3 times/);
    expect(guards[0]).toMatch(/limits\.toolFailures/);
    expect(run.status).toBe('completed');
  });

  test('begin anew after a result of that tool', async () => {
    let ran = 0;
    const flaky = anyTool('flaky', (input) => {
      ran += 1;
      if (ran % 3 !== 0) throw new Error(`No luck with ${JSON.stringify(input)}.`);
      return `fine ${ran}`;
    });
    let turn = 0;
    const provider = scripted([
      () => ((turn += 1), turn > 12 ? 'Done.' : { calls: [{ name: 'flaky', input: { turn } }] }),
    ]);
    await createAgent({ provider, tools: [flaky], limits: { toolFailures: 3, errorsInARow: 20 } }).run('Go.');
    expect(ran).toBe(12);
  });

  test('are 10 by default, also where a good call stands beside each', async () => {
    const log: string[] = [];
    let turn = 0;
    const both = (n: number): object => ({ calls: ['bad', 'good'].map((name) => ({ name, input: { n } })) });
    await onWire(
      () => ((turn += 1), turn <= 20 ? both(turn) : answer),
      async (wire) => {
        await wire.agent({ tools: failing(log), maxTurns: 30 }).run('Go.');
        expect(log.filter((name) => name === 'bad')).toHaveLength(10);
      },
    );
  });

  test('do not count what was wrong with the call itself', async () => {
    const log: string[] = [];
    await onWire([calls('nothing', 'nothing'), calls('good'), answer], async (wire) => {
      await wire.agent({ tools: failing(log), limits: { toolFailures: 1 } }).run('Go.');
      expect(log).toEqual(['good']);
    });
  });
});
