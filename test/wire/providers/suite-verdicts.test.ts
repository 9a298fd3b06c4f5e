import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Provider, ProviderEvent } from '../../../src/core/provider.ts';
import { openai } from '../../../src/providers/openai-chat/index.ts';
import type { ProviderSuiteOptions, ProviderTarget, VirtualClock } from '../../../src/testing/index.ts';
import { createVirtualClock, providerSuite } from '../../../src/testing/index.ts';

interface Asked {
  readonly target: ProviderTarget;
  readonly signal: AbortSignal;
  readonly clock: VirtualClock;
}

interface Verdict {
  readonly name: string;
  readonly of: string;
  readonly stream: (asked: Asked) => AsyncGenerator<unknown>;
  readonly says: string;
}

const NEVER = new Promise<never>(() => {});
const TEXT = 'a text as it should be';
const MIDDLE = 'an abort in the middle ends it and frees the connection';
const BEFORE = 'an abort before the headers ends it and frees the connection';

function post(
  { target }: Asked,
  signal?: AbortSignal,
  path = '/v1/chat/completions',
  more: object = {},
): Promise<Response> {
  return fetch(target.origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${target.apiKey}`, ...more },
    body: JSON.stringify({ model: target.model, messages: [{ role: 'user', content: 'Hello?' }] }),
    signal: signal ?? null,
  });
}

/** Lets the case wait in vain, once everybody has come as far as they come. */
async function timePasses({ clock }: Asked): Promise<void> {
  await nextLoop();
  await clock.next();
}

const alive: ProviderEvent = { type: 'progress', phase: 'body' };

const verdicts: readonly Verdict[] = [
  {
    name: 'yields nothing until the body is whole',
    of: MIDDLE,
    async *stream(asked) {
      const response = await post(asked, asked.signal);
      void timePasses(asked);
      yield await response.json();
    },
    says: 'No event came within 4 s. The server answered 200 and fell silent.',
  },
  {
    name: 'never asks',
    of: BEFORE,
    async *stream(asked) {
      void timePasses(asked);
      yield await NEVER;
    },
    says: 'No event came within 4 s. The server was asked nothing.',
  },
  {
    name: 'ends before it asks',
    of: BEFORE,
    async *stream() {
      yield* [];
    },
    says: 'The events ended without a reply or a failure. The server was asked nothing.',
  },
  {
    name: 'does not hear the abort',
    of: MIDDLE,
    async *stream(asked) {
      await post(asked);
      yield alive;
      void timePasses(asked);
      await NEVER;
    },
    says: 'The events had not ended 4 s after the abort. The server answered 200 and fell silent.',
  },
  {
    name: 'leaves the connection open',
    of: MIDDLE,
    async *stream(asked) {
      await post(asked);
      yield alive;
      void timePasses(asked);
    },
    says: 'The connection was still open 4 s after the abort. The server answered 200 and fell silent.',
  },
  {
    name: 'never comes to an end',
    of: TEXT,
    async *stream({ clock }) {
      for (;;) {
        yield alive;
        await clock.advance(1_000);
      }
    },
    says: 'The events had not ended after 12 s. The server was asked nothing.',
  },
  {
    name: 'forgets the key, and reads what it did not get',
    of: TEXT,
    async *stream(asked) {
      const response = await post(asked, asked.signal, undefined, { authorization: 'Bearer undefined' });
      yield ((await response.json()) as { choices: { 0: unknown } }).choices[0];
    },
    says:
      "The provider threw TypeError: Cannot read properties of undefined (reading '0'). " +
      'The server answered 401 (the request lacks the `apiKey` that `makeProvider` was given).',
  },
  {
    name: 'asks somewhere else',
    of: TEXT,
    async *stream(asked) {
      await post(asked, asked.signal, '/v1/completions');
      yield* [];
    },
    says:
      'The events ended without a reply or a failure. ' +
      'The server answered 404 (POST /v1/completions is no path of this wire).',
  },
  {
    name: 'sends what no server takes',
    of: 'a conversation with results and errors is accepted by a strict server',
    async *stream(asked) {
      await fetch(`${asked.target.origin}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${asked.target.apiKey}` },
        body: '{"model":"demo"}',
      });
      yield { type: 'failure', failure: { kind: 'bad-request', message: 'No.' } };
    },
    says: "The question failed: No. The server answered 400 (Missing required parameter: 'messages').",
  },
  {
    name: 'replies without usage',
    of: TEXT,
    async *stream() {
      yield { type: 'reply', reply: { content: [], finishReason: 'stop' } };
    },
    says: 'The provider gave a reply without `usage`: {} where nothing is counted. The server was asked nothing.',
  },
  {
    name: 'ends its reply in the word of a vendor',
    of: TEXT,
    async *stream() {
      yield { type: 'reply', reply: { content: [], finishReason: 'end_turn', usage: {} } };
    },
    says: '\'other\', got "end_turn". The server was asked nothing.',
  },
  {
    name: 'yields what is no event',
    of: TEXT,
    async *stream() {
      yield 'Hello.';
    },
    says: 'The provider gave "Hello." for an event. The server was asked nothing.',
  },
  {
    name: 'yields an event of its own',
    of: TEXT,
    async *stream() {
      yield { type: 'delta', text: 'Hello.' };
    },
    says: 'An event is of the unknown type "delta". The server was asked nothing.',
  },
  {
    name: 'goes on after the end',
    of: TEXT,
    async *stream() {
      yield { type: 'failure', failure: { kind: 'network', message: 'Lost.' } };
      yield alive;
    },
    says: 'An event of type progress came after the last one. The server was asked nothing.',
  },
];

function caseOf(options: ProviderSuiteOptions, name: string): () => Promise<void> {
  const found = providerSuite({ modes: ['plain'], ...options }).find((one) => one.name === `plain: ${name}`);
  if (found === undefined) throw new Error(`There is no case ${name}.`);
  return found.run;
}

describe('the suite says what is wrong with a provider that', () => {
  test.each(verdicts)('$name', async ({ of, stream, says }) => {
    const clock = createVirtualClock();
    const makeProvider = (target: ProviderTarget): Provider => ({
      id: 'mine',
      model: target.model,
      capabilities: { toolChoice: ['auto'], parallelToolCalls: false, imageResults: false },
      stream: (_request, { signal }) => stream({ target, signal, clock }) as AsyncGenerator<ProviderEvent>,
    });
    await expect(caseOf({ wire: 'openai', makeProvider, clock }, of)()).rejects.toThrow(says);
    expect(clock.pending).toBe(0);
  });

  test('is promised and not given', async () => {
    const makeProvider = (async () => ({})) as never;
    await expect(caseOf({ wire: 'openai', makeProvider }, TEXT)()).rejects.toThrow(
      'Expected what `makeProvider` gives to be a provider, got an object. The server was asked nothing.',
    );
  });
});

const makeProvider = ({ origin, ...options }: ProviderTarget): Provider =>
  openai({ ...options, baseURL: `${origin}/v1` });

test.each<[string, unknown, RegExp]>([
  ['nothing', undefined, /^Expected the options of `providerSuite` to be an object such as/],
  ['no provider', { wire: 'openai' }, /^Expected `makeProvider` to be a function, got undefined/],
  ['no wire', { makeProvider }, /^Expected `wire` to be 'openai', .* or 'ollama', got undefined/],
  [
    'a misspelled option',
    { wire: 'openai', makeProvider, mode: ['plain'] },
    /no option `mode` of .*Did you mean `modes`/,
  ],
  [
    'no mode',
    { wire: 'openai', makeProvider, modes: [] },
    /^Expected `modes` to be an array of 'stream', 'plain' or both/,
  ],
  [
    'a wait of nothing',
    { wire: 'openai', makeProvider, timeoutMs: 0 },
    /^Expected `timeoutMs` to be a number > 0, got 0/,
  ],
  ['a clock that is none', { wire: 'openai', makeProvider, clock: Date }, /^Expected `clock` to be a clock, got/],
])('a suite of %s is refused', (_name, options, says) => {
  expect(() => providerSuite(options as ProviderSuiteOptions)).toThrow(says);
});
