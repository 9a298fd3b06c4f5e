import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Tool, ToolContext, ToolEffect, Verified } from '../../src/index.ts';
import { createAgent, scripted, tool, ToolError, ToolUnavailableError } from '../../src/index.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { askWeather, runOnWire } from './run-on-wire.ts';
import { answer, anyTool, call, calls, eventsOf, onWire, watch } from './wire-agent.ts';
import type { Watched } from './wire-agent.ts';

const pay = call('pay', { cents: 100 });
const never = (): Promise<never> => new Promise(() => {});
const broken = (code: string) => (): never => {
  throw Object.assign(new Error(`read ${code}`), { code });
};

async function payOnce(tools: readonly Tool[], agent: object = {}): Promise<Watched> {
  return onWire([pay, answer], (wire) => watch(wire.agent({ tools, ...agent }).stream('Pay.')));
}

describe('an outcome that is not known', () => {
  const timeoutMs = 15;
  const done = (): Verified<string> => ({ status: 'done', output: 'receipt 7' });
  const cases: readonly {
    readonly name: string;
    readonly execute: () => unknown;
    readonly effect?: ToolEffect;
    readonly verify?: () => unknown;
    readonly told: RegExp;
    readonly isError: boolean;
  }[] = [
    {
      name: 'a write that timed out is unknown',
      execute: never,
      told: /did not finish .* outcome is unknown: it may have taken effect/,
      isError: true,
    },
    {
      name: 'a read that timed out changed nothing',
      execute: never,
      effect: 'read',
      told: /It changed nothing/,
      isError: true,
    },
    {
      name: 'verify says done: its output is the result',
      execute: never,
      verify: done,
      told: /^receipt 7$/,
      isError: false,
    },
    {
      name: 'verify says done without an output',
      execute: never,
      verify: () => ({ status: 'done' }),
      told: /^(null|\(no output\)|undefined)?$/,
      isError: false,
    },
    {
      name: 'verify says not done: the same call may be made again',
      execute: never,
      verify: () => ({ status: 'not-done' }),
      told: /nothing was changed\. You may make the same call again/,
      isError: true,
    },
    {
      name: 'verify does not know either',
      execute: never,
      verify: () => ({ status: 'unknown' }),
      told: /outcome is unknown/,
      isError: true,
    },
    {
      name: 'verify throws: unknown',
      execute: never,
      verify: broken('EIO'),
      told: /outcome is unknown/,
      isError: true,
    },
    { name: 'verify hangs: unknown', execute: never, verify: never, told: /outcome is unknown/, isError: true },
    {
      name: 'a write whose connection broke is unknown',
      execute: broken('ECONNRESET'),
      told: /connection broke .* outcome is unknown/,
      isError: true,
    },
    {
      name: 'a write whose connection broke and that verify finds done',
      execute: broken('ECONNRESET'),
      verify: done,
      told: /^receipt 7$/,
      isError: false,
    },
    {
      name: 'a write that verify finds not done is unavailable',
      execute: broken('ECONNRESET'),
      verify: () => ({ status: 'not-done' }),
      told: /temporarily unavailable/,
      isError: true,
    },
    {
      name: 'a write that gave up waiting is unknown',
      execute: () => AbortSignal.timeout(1).throwIfAborted() ?? waitFor(AbortSignal.timeout(1)),
      told: /outcome is unknown/,
      isError: true,
    },
    {
      name: 'a write whose connection was refused never began',
      execute: broken('ECONNREFUSED'),
      told: /temporarily unavailable/,
      isError: true,
    },
    {
      name: 'a read whose connection broke is unavailable, no more',
      execute: broken('ECONNRESET'),
      effect: 'read',
      told: /temporarily unavailable/,
      isError: true,
    },
    {
      name: 'a write that says itself that it failed has failed',
      execute: broken('E_CARD'),
      told: /pay failed: read E_CARD/,
      isError: true,
    },
  ];

  test.each(cases)('$name', async ({ execute, effect, verify, told, isError }) => {
    const { result, results, events } = await payOnce([
      anyTool('pay', execute, { timeoutMs, effect, verify: verify as never }),
    ]);
    expect(result.status).toBe('completed');
    expect(results).toHaveLength(1);
    expect(results[0]).toMatch(told);
    expect(eventsOf(events, 'tool-end')[0]?.isError).toBe(isError);
    expect(eventsOf(events, 'tool-start')).toHaveLength(1);
  });

  test('a hook that has a write run again is asked after `verify`: what was done is not done twice', async () => {
    let ran = 0;
    const slow = anyTool('pay', () => ((ran += 1), never()), {
      timeoutMs,
      verify: () => ({ status: 'done', output: 'receipt 7' }),
    });
    const { results } = await payOnce([slow], { hooks: [{ onFailure: () => 'retry' }] });
    expect(results).toEqual(['receipt 7']);
    expect(ran).toBe(1);
  });

  test('a write that was aborted is unknown, one that had not begun is not', async () => {
    const abort = new AbortController();
    const tools = [
      anyTool('pay', () => {
        abort.abort(new Error('enough'));
        return never();
      }),
    ];
    await onWire([calls('pay', 'pay')], async (wire) => {
      const { result, results } = await watch(
        wire.agent({ tools, toolConcurrency: 1 }).stream('Pay.', { signal: abort.signal }),
      );
      expect(result.status).toBe('aborted');
      expect(results).toEqual([
        expect.stringMatching(/outcome is unknown/),
        expect.stringMatching(/was cancelled before it started/),
      ]);
    });
  });
});

/** Waits as a `fetch` with a timeout does. */
function waitFor(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
}

describe('retry of a tool', () => {
  const failing = (times: number, effect: ToolEffect, make: () => Error, contexts: ToolContext[]): Tool =>
    anyTool(
      'pay',
      (_input, context) => {
        contexts.push(context);
        if (contexts.length <= times) throw make();
        return 'ok';
      },
      { effect, ...(effect === 'write' ? {} : { retry: { maxAttempts: 3, baseDelayMs: 0 } }) },
    );
  const cases: readonly {
    readonly name: string;
    readonly effect: ToolEffect;
    readonly times: number;
    readonly make?: () => Error;
    readonly ran: number;
    readonly told: RegExp;
  }[] = [
    { name: 'a read is tried again', effect: 'read', times: 2, ran: 3, told: /^ok$/ },
    { name: 'an idempotent one is tried again', effect: 'idempotent', times: 1, ran: 2, told: /^ok$/ },
    { name: 'no more often than it says', effect: 'read', times: 9, ran: 3, told: /failed/ },
    { name: 'a write is not', effect: 'write', times: 1, ran: 1, told: /failed/ },
    {
      name: 'a bug of the tool is not: it would come again',
      effect: 'read',
      times: 1,
      make: () => new TypeError('x is not a function'),
      ran: 1,
      told: /internal error/,
    },
    {
      name: 'what the tool calls useless is not',
      effect: 'read',
      times: 1,
      make: () => new ToolError('No such card.', { retryable: false }),
      ran: 1,
      told: /No such card/,
    },
  ];

  test.each(cases)('$name', async ({ effect, times, make, ran, told }) => {
    const contexts: ToolContext[] = [];
    const { results, events } = await payOnce([failing(times, effect, make ?? (() => new Error('busy')), contexts)]);
    expect(contexts).toHaveLength(ran);
    expect(new Set(contexts.map((context) => context.idempotencyKey)).size).toBe(1);
    expect(contexts.map((context) => context.attempt)).toEqual(contexts.map((_context, index) => index + 1));
    expect(eventsOf(events, 'tool-retry')).toHaveLength(ran - 1);
    expect(results[0]).toMatch(told);
  });

  test('two calls of one run have keys of their own, and so have the same calls of two runs', async () => {
    const keys: string[] = [];
    const tools = [anyTool('pay', (_input, { idempotencyKey }) => keys.push(idempotencyKey))];
    for (let run = 0; run < 2; run += 1)
      await onWire([calls('pay', 'pay'), answer], (wire) => watch(wire.agent({ tools }).stream('Pay.')));
    expect(new Set(keys).size).toBe(4);
  });

  test('a write with a retry is refused when the tool is made', () => {
    expect(() => anyTool('pay', () => 'ok', { retry: { maxAttempts: 2 } })).toThrow(/never re-run automatically/);
  });
});

describe('fallback values', () => {
  const down = (): never => {
    throw new ToolUnavailableError('The bank is down.');
  };
  const cases: readonly {
    readonly name: string;
    readonly execute: () => unknown;
    readonly fallback: () => unknown;
    readonly effect?: ToolEffect;
    readonly told: RegExp;
    readonly isCached: boolean;
  }[] = [
    {
      name: 'a value stands in, tagged',
      execute: down,
      fallback: () => 'rate 1.1',
      told: /^\[cached[^]*rate 1\.1/,
      isCached: true,
    },
    {
      name: 'with its age',
      execute: down,
      fallback: () => ({ value: { rate: 1.1 }, ageMs: 300_000 }),
      told: /^\[cached(?=[^]*5 minutes old)[^]*\{"rate":1\.1\}/,
      isCached: true,
    },
    {
      name: 'for a read that ran out of time',
      execute: never,
      fallback: () => 'rate 1.1',
      effect: 'read',
      told: /^\[cached/,
      isCached: true,
    },
    {
      name: 'not for a write that ran out of time: it may have taken effect',
      execute: never,
      fallback: () => 'rate 1.1',
      told: /outcome is unknown/,
      isCached: false,
    },
    {
      name: 'undefined means that there is none',
      execute: down,
      fallback: () => undefined,
      told: /temporarily unavailable\. The bank is down\. Your call was right/,
      isCached: false,
    },
    {
      name: 'a fallback that throws is none',
      execute: down,
      fallback: down,
      told: /temporarily unavailable/,
      isCached: false,
    },
    {
      name: 'not for an error of the tool itself',
      execute: broken('E_CARD'),
      fallback: () => 'rate 1.1',
      told: /E_CARD/,
      isCached: false,
    },
  ];

  test.each(cases)('$name', async ({ execute, fallback, effect, told, isCached }) => {
    const { results, events } = await payOnce([anyTool('pay', execute, { fallback, effect, timeoutMs: 15 })]);
    expect(results[0]).toMatch(told);
    const end = eventsOf(events, 'tool-end')[0];
    expect(end).toMatchObject({ isCached, isError: !isCached });
  });
});

describe('the breaker of a tool', () => {
  test('says "unavailable" without calling, lets one probe through, closes again, and tells each change', async () => {
    const clock = createVirtualClock();
    let isDown = true;
    let ran = 0;
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      schema: z.looseObject({}),
      breaker: { failures: 2, cooldownMs: 10_000 },
      execute: () => {
        ran += 1;
        if (isDown) throw new ToolUnavailableError('The bank is down.');
        return 'paid';
      },
    });
    const step = (n: number): object => ({ calls: [{ name: 'pay', input: { n } }] });
    const provider = scripted([step(1), step(2), step(3), 'Later.', step(4), 'Paid.']);
    const agent = createAgent({ provider, tools: [pay], clock });
    const states: string[] = [];
    agent.on('breaker', ({ name, state }) => states.push(`${name} ${state}`));
    const { messages } = await agent.run('Pay.');
    expect(ran).toBe(2);
    expect(JSON.stringify(messages.at(-2))).toMatch(/temporarily unavailable.*the same call may work in 10 seconds/);
    expect(states).toEqual(['pay open']);
    isDown = false;
    await clock.advance(10_000);
    expect(JSON.stringify((await agent.run('Pay again.')).messages)).toMatch(/"paid"/);
    expect(states).toEqual(['pay open', 'pay half-open', 'pay closed']);
  });

  test('a tool that answers with an error of its own is up', async () => {
    const tools = [anyTool('pay', broken('E_CARD'), { breaker: { failures: 1, cooldownMs: 10_000 } })];
    await onWire([call('pay', { n: 1 }), call('pay', { n: 2 }), answer], async (wire) => {
      const { events } = await watch(wire.agent({ tools }).stream('Pay.'));
      expect(eventsOf(events, 'tool-start')).toHaveLength(2);
      expect(eventsOf(events, 'breaker')).toEqual([]);
    });
  });
});

describe('calls side by side', () => {
  test('reads run together, an exclusive write alone, and results keep the order of the calls', async () => {
    const log: string[] = [];
    const working = (name: string, more: object = {}): Tool =>
      anyTool(
        name,
        async () => {
          log.push(`${name}+`);
          for (let round = 0; round < 5; round += 1) await Promise.resolve();
          log.push(`${name}-`);
          return name;
        },
        more,
      );
    const tools = [
      working('a', { effect: 'read' }),
      working('b', { effect: 'read' }),
      working('w', { exclusive: true }),
      working('c', { effect: 'read' }),
    ];
    await onWire([calls('a', 'b', 'w', 'c'), answer], async (wire) => {
      const { results } = await watch(wire.agent({ tools }).stream('Go.'));
      expect(results).toEqual(['a', 'b', 'w', 'c']);
      expect(log).toEqual(['a+', 'b+', 'a-', 'b-', 'w+', 'w-', 'c+', 'c-']);
    });
  });
});

describe('the words of a tool that failed', () => {
  const toolThat = (error: Error): Tool =>
    tool({
      name: 'get_weather',
      description: 'Weather.',
      schema: z.object({ city: z.string() }),
      execute: () => {
        throw error;
      },
    });

  test('stand as they are where they were written for a model, paths included, but never a secret', async () => {
    const error = new ToolError('No file /srv/data/paris.csv.', { hint: 'The key is sk-wire-test-key.' });
    const { told } = await runOnWire({ script: [askWeather, { text: 'Sorry.' }], tools: [toolThat(error)] });
    expect(told[0]).toContain('No file /srv/data/paris.csv.');
    expect(told[0]).not.toContain('sk-wire-test-key');
  });

  test('lose their paths where they were written for a developer', async () => {
    const { told } = await runOnWire({
      script: [askWeather, { text: 'Sorry.' }],
      tools: [toolThat(new Error('No file /srv/data/paris.csv.'))],
    });
    expect(told[0]).toContain('No file');
    expect(told[0]).not.toContain('/srv/data');
  });
});
