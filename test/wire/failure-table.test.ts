import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { FailureKind, Tool, ToolEffect } from '../../src/index.ts';
import { failureDescriptions, failureTable, openai, tool, ToolUnavailableError } from '../../src/index.ts';
import type { WireRun, WireRunOptions } from './run-on-wire.ts';
import { askWeather, runOnWire, weather } from './run-on-wire.ts';

/** What one row of the table does on the wire. */
interface Row extends WireRunOptions {
  /** Requests that reach the server. */
  readonly asked: number;
  /** How the run ends. */
  readonly ends: 'completed' | 'failed' | 'stopped' | 'aborted';
  /** What the model is told, where it is told something. */
  readonly told?: RegExp;
  readonly also?: (run: WireRun) => void;
  /** Aborts when the server has this many requests. */
  readonly abortsAt?: 'first tool';
}

const answer = { text: 'It is mild.' };
const failing = (error: () => unknown, more: Partial<Parameters<typeof tool>[0]> = {}): Tool =>
  tool({
    name: 'get_weather',
    description: 'Current weather of a city.',
    schema: z.object({ city: z.string() }),
    execute: () => {
      throw error();
    },
    ...more,
  });
const hanging = (effect: ToolEffect): Tool =>
  tool({
    name: 'get_weather',
    description: 'Current weather of a city.',
    schema: z.object({ city: z.string() }),
    effect,
    timeoutMs: 20,
    execute: () => new Promise<string>(() => {}),
  });
const raw = (rawArguments: string): object => ({ calls: [{ name: 'get_weather', rawArguments }] });
const status = (code: number, more: object = {}): { status: number } => ({ status: code, ...more });

/** One entry for every row of the failure table: a kind without one does not compile. */
const rows: Record<FailureKind, Row> = {
  'unknown-tool': {
    script: [{ calls: [{ name: 'weather_now', input: {} }] }, answer],
    asked: 2,
    ends: 'completed',
    told: /no such tool.*get_weather/is,
  },
  'unreadable-arguments': {
    script: [raw('city is Paris'), answer],
    asked: 2,
    ends: 'completed',
    told: /could not be read/,
  },
  'cut-arguments': {
    script: [{ ...raw('{"city": "Par'), finish: 'length' }, answer],
    asked: 2,
    ends: 'completed',
    told: /cut off/,
  },
  'invalid-arguments': {
    script: [raw('{"town": "Paris"}'), answer],
    asked: 2,
    ends: 'completed',
    told: /"city" is missing/,
  },
  'described-call': {
    script: [{ text: 'Use `get_weather` with `city`. It is 40 degrees.' }, askWeather, answer],
    agent: { slips: 'rewind' },
    asked: 3,
    ends: 'completed',
    told: /18 degrees/,
    also: ({ requests }) => {
      const asked = JSON.stringify(requests[1]?.view.messages);
      expect(asked).toContain('Call get_weather now');
      expect(asked).not.toContain('40 degrees');
    },
  },
  'tool-failed': {
    script: [askWeather, answer],
    tools: [failing(() => new Error('No station near Paris.'))],
    asked: 2,
    ends: 'completed',
    told: /No station near Paris/,
  },
  'tool-unavailable': {
    script: [askWeather, answer],
    tools: [failing(() => new ToolUnavailableError('The station is down.'))],
    asked: 2,
    ends: 'completed',
    told: /temporarily unavailable/,
  },
  'tool-timeout': {
    script: [askWeather, answer],
    tools: [hanging('read')],
    asked: 2,
    ends: 'completed',
    told: /did not finish within 20 milliseconds/,
  },
  'outcome-unknown': {
    script: [askWeather, answer],
    tools: [hanging('write')],
    asked: 2,
    ends: 'completed',
    told: /outcome is unknown/,
  },
  'tool-bug': {
    script: [askWeather, answer],
    tools: [failing(() => new TypeError("Cannot read properties of undefined (reading 'secretField')"))],
    asked: 2,
    ends: 'completed',
    told: /internal error/,
    also: ({ told, events }) => {
      expect(told.join()).not.toContain('secretField');
      const seen = events.find((event) => event.type === 'failure');
      expect(seen?.failure.message).toContain('secretField');
      expect(seen?.failure.cause).toMatchObject({ name: 'TypeError', stack: expect.any(String) as string });
    },
  },
  'bad-output': {
    script: [askWeather, answer],
    tools: [
      tool({
        name: 'get_weather',
        description: 'Weather.',
        schema: z.object({ city: z.string() }),
        output: z.object({ degrees: z.number() }),
        execute: () => ({ degrees: NaN }),
      }),
    ],
    asked: 2,
    ends: 'completed',
    told: /result is not valid/,
  },
  'repeated-call': {
    script: [askWeather, askWeather, askWeather, answer],
    tools: [failing(() => new Error('No station.'))],
    asked: 4,
    ends: 'completed',
    told: /was not run: the same call/,
  },
  denied: {
    script: [askWeather, answer],
    agent: { hooks: [{ beforeTool: () => ({ deny: 'Not on Sundays.' }) }] },
    asked: 2,
    ends: 'completed',
    told: /Not on Sundays/,
  },
  'not-run': {
    script: [askWeather, answer],
    abortsAt: 'first tool',
    asked: 1,
    ends: 'aborted',
    also: ({ results }) => {
      expect(results).toHaveLength(1);
      expect(results[0]).toMatch(/outcome is unknown/);
    },
  },
  'rate-limited': { script: [status(429, { code: 'rate_limit_exceeded' }), answer], asked: 2, ends: 'completed' },
  overloaded: { script: [status(529), status(503), answer], asked: 3, ends: 'completed' },
  'server-error': {
    script: [status(500), status(502, { body: '<html>Bad Gateway</html>' }), status(408), answer],
    asked: 4,
    ends: 'completed',
  },
  network: { script: [{ fault: 'reset' }, answer], asked: 2, ends: 'completed' },
  timeout: {
    script: [{ fault: 'hang' }, answer],
    agent: { deadlines: { firstByteMs: 30 } },
    asked: 2,
    ends: 'completed',
  },
  'cut-reply': {
    script: [{ ...answer, cut: { after: 'text', how: 'end' } }, answer],
    asked: 2,
    ends: 'completed',
    also: ({ events }) => {
      expect(events.map((event) => event.type)).toContain('text-void');
    },
  },
  'malformed-reply': {
    script: [{ raw: '<html>hello</html>', contentType: 'text/html' }, answer],
    asked: 2,
    ends: 'completed',
  },
  'empty-reply': {
    script: [{ text: '' }, { text: ' \u200b\n' }, answer],
    asked: 3,
    ends: 'completed',
    also: ({ requests, result }) => {
      expect(requests[1]?.view.messages).toHaveLength(1);
      expect(requests[2]?.view.messages.at(-1)?.text).toMatch(/reply was empty/);
      expect(result.messages).toHaveLength(2);
    },
  },
  'repeating-reply': {
    script: [{ text: 'I have to think about it. '.repeat(200), finish: 'length' }, answer],
    asked: 2,
    ends: 'completed',
    also: ({ events, result }) => {
      expect(events.map((event) => event.type)).toContain('text-void');
      expect(result.failures).toMatchObject([{ kind: 'repeating-reply' }]);
    },
  },
  'context-overflow': {
    script: [status(400, { code: 'context_length_exceeded', message: 'maximum context length is 10 tokens' })],
    asked: 1,
    ends: 'failed',
  },
  'not-asked': {
    script: [status(500)],
    agent: { breaker: { failures: 1 }, retry: { maxAttempts: 2, baseDelayMs: 0, budgetMs: 10 } },
    asked: 1,
    ends: 'failed',
  },
  unauthorized: { script: [status(401)], asked: 1, ends: 'failed' },
  'not-found': { script: [status(404)], asked: 1, ends: 'failed' },
  'bad-request': { script: [status(400)], asked: 1, ends: 'failed' },
  'too-large': { script: [status(413)], asked: 1, ends: 'failed' },
  'quota-exhausted': {
    script: [status(429, { code: 'insufficient_quota', type: 'insufficient_quota' })],
    asked: 1,
    ends: 'failed',
  },
  refused: { script: [{ text: 'I can not', finish: 'content-filter' }], asked: 1, ends: 'failed' },
  aborted: { script: [askWeather, answer], abortsAt: 'first tool', asked: 1, ends: 'aborted' },
  bug: {
    script: [askWeather, answer],
    agent: {
      hooks: [
        {
          afterTool: () => {
            throw new Error('my own mistake');
          },
        },
      ],
    },
    asked: 1,
    ends: 'failed',
    also: ({ result }) => {
      expect(result.status === 'failed' && result.failure.cause).toMatchObject({
        name: 'Error',
        message: 'my own mistake',
      });
      expect(result.messages.at(-1)?.role).toBe('tool');
    },
  },
};

/** Kinds that show in the result by another word: an abort is an outcome of its own. */
const NOT_A_FAILURE = new Set<string>(['aborted']);

describe.each([
  { mode: 'streaming', stream: true },
  { mode: 'plain', stream: false },
])('the failure table on the wire, $mode', ({ stream }) => {
  test.each(Object.entries(rows))('%s', async (kind, row) => {
    const abort = new AbortController();
    const aborting = tool({
      name: 'get_weather',
      description: 'Weather.',
      schema: z.object({ city: z.string() }),
      execute: () => {
        abort.abort(new Error('enough'));
        return new Promise<string>(() => {});
      },
    });
    // A reply that is not streamed is cut by a connection that ends too early.
    const isCutByConnection = kind === 'cut-reply' && !stream;
    const run = await runOnWire({
      ...row,
      stream,
      ...(row.abortsAt === undefined ? {} : { tools: [aborting], signal: abort.signal }),
    });
    expect(run.violations).toEqual([]);
    expect(run.requests).toHaveLength(row.asked);
    expect(run.result.status).toBe(row.ends);
    if (!NOT_A_FAILURE.has(kind) && !(kind === 'not-run' && run.result.failures.length === 0)) {
      const expected = isCutByConnection ? ['network', 'cut-reply', 'malformed-reply'] : [kind];
      const kinds = [
        ...run.result.failures.map((failure) => failure.kind),
        ...(run.result.status === 'failed' ? [run.result.failure.kind] : []),
      ];
      expect(kinds.some((found) => expected.includes(found))).toBe(true);
    }
    if (row.told !== undefined) expect(run.told.at(-1)).toMatch(row.told);
    else if (row.ends === 'completed') expect(run.told).toEqual([]);
    if (!isCutByConnection) row.also?.(run);
  });
});

test('each row of the table says who owns it, how it is seen and what is done', () => {
  for (const kind of Object.keys(failureTable) as FailureKind[]) {
    const row = failureTable[kind];
    expect(failureDescriptions[kind].seenAs.length, kind).toBeGreaterThan(10);
    expect(failureDescriptions[kind].done.length, kind).toBeGreaterThan(10);
    expect(row.owner === 'model', kind).toBe(row.remedy === 'tell-model');
  }
});

test('a row can be overridden: a tool bug then stops the run', async () => {
  const run = await runOnWire({
    script: [askWeather],
    tools: [failing(() => new TypeError('x is not a function'))],
    agent: { failures: { 'tool-bug': { remedy: 'stop' } } },
  });
  expect(run.requests).toHaveLength(1);
  expect(run.result).toMatchObject({ status: 'failed', failure: { kind: 'tool-bug' } });
  expect(run.result.messages.at(-1)?.role).toBe('tool');
});

test('a connection that is refused is tried again as often as asked, and the error tells what to do', async () => {
  const run = await runOnWire({
    script: [],
    tools: [weather],
    agent: {
      provider: openai({ model: 'demo', baseURL: 'http://127.0.0.1:1/v1' }),
      retry: { maxAttempts: 2, baseDelayMs: 0 },
    },
  });
  expect(run.result).toMatchObject({ status: 'failed', failure: { kind: 'network' } });
  expect(run.result.failures).toHaveLength(2);
});
