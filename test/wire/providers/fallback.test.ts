import { describe, expect, test } from 'vitest';
import type { Failure, FailureKind, RunEvent } from '../../../src/index.ts';
import { createAgent, fallback, ollama, openai, scripted, tool } from '../../../src/index.ts';
import { anthropic } from '../../../src/providers/anthropic/index.ts';
import type { LoopbackStep, LoopbackWire } from '../../../src/testing/loopback-server.ts';
import { startLoopbackServer } from '../../../src/testing/loopback-server.ts';
import { z } from 'zod';
import { eventsOf, replyOf } from './question.ts';

const failed = (kind: FailureKind): Failure => ({ kind, message: `It is ${kind}.` });
const weather = tool({
  name: 'get_weather',
  description: 'The weather of a city.',
  schema: z.object({ city: z.string() }),
  effect: 'read',
  execute: ({ city }) => `18 degrees in ${city}`,
});
const retry = { maxAttempts: 2, baseDelayMs: 0, maxDelayMs: 0 };

describe('a failure of one provider', () => {
  const rows: readonly { readonly kind: FailureKind; readonly asked: number; readonly goesOn: boolean }[] = [
    // Tried again first, then handed on.
    { kind: 'rate-limited', asked: 2, goesOn: true },
    { kind: 'overloaded', asked: 2, goesOn: true },
    { kind: 'server-error', asked: 2, goesOn: true },
    { kind: 'network', asked: 2, goesOn: true },
    { kind: 'timeout', asked: 2, goesOn: true },
    { kind: 'cut-reply', asked: 2, goesOn: true },
    { kind: 'malformed-reply', asked: 2, goesOn: true },
    // Another server may have another key, another model, another account, a larger context.
    { kind: 'unauthorized', asked: 1, goesOn: true },
    { kind: 'not-found', asked: 1, goesOn: true },
    { kind: 'quota-exhausted', asked: 1, goesOn: true },
    { kind: 'context-overflow', asked: 1, goesOn: true },
    // The request itself is wrong, or nobody is to be asked who might say something else.
    { kind: 'bad-request', asked: 1, goesOn: false },
    { kind: 'too-large', asked: 1, goesOn: false },
    { kind: 'refused', asked: 1, goesOn: false },
  ];

  test.each(rows)('$kind: asked $asked times, goes on: $goesOn', async ({ kind, asked, goesOn }) => {
    const first = scripted([{ failure: failed(kind) }, { failure: failed(kind) }], { id: 'first' });
    const second = scripted(['Here.'], { id: 'second' });
    const provider = fallback([first, second], { breaker: false });
    const result = await createAgent({ provider, retry }).stream('Hello?').result;
    expect(first.requests).toHaveLength(asked);
    expect(second.requests).toHaveLength(goesOn ? 1 : 0);
    expect(result.status).toBe(goesOn ? 'completed' : 'failed');
  });

  test('a refusal is put to the next one where the caller says so', async () => {
    const first = scripted([{ failure: failed('refused') }], { id: 'first' });
    const provider = fallback([first, scripted(['Here.'])], { onRefusal: true });
    expect((await createAgent({ provider, retry }).run('Hello?')).text).toBe('Here.');
  });

  test('the last one of all ends the run with its own failure', async () => {
    const provider = fallback([
      scripted([{ failure: failed('unauthorized') }]),
      scripted([{ failure: failed('not-found') }]),
    ]);
    expect(await createAgent({ provider, retry }).stream('Hello?').result).toMatchObject({
      status: 'failed',
      failure: { kind: 'not-found' },
    });
  });
});

test('the run stays with the provider that answered; the next run begins with the first again', async () => {
  const first = scripted([{ failure: failed('unauthorized') }, 'First again.'], { id: 'first' });
  const second = scripted([{ calls: [{ name: 'get_weather', input: { city: 'Rome' } }] }, 'Done.'], { id: 'second' });
  const agent = createAgent({ provider: fallback([first, second]), tools: [weather], retry });
  expect((await agent.run('Hello?')).text).toBe('Done.');
  expect([first.requests.length, second.requests.length]).toEqual([1, 2]);
  expect((await agent.run('Hello?')).text).toBe('First again.');
});

describe('nothing of a failed reply reaches the next provider', () => {
  const broken: readonly { readonly name: string; readonly step: LoopbackStep }[] = [
    { name: 'half a text', step: { text: ['Secret ', 'words'], cut: { after: 'text', how: 'reset' } } },
    {
      name: 'a whole call before an error',
      step: {
        text: 'Secret words',
        calls: [{ name: 'get_weather', input: { city: 'Atlantis' } }],
        errorEvent: { after: 'call' },
      },
    },
  ];

  test.each(broken)('$name', async ({ step }) => {
    const [chat, local] = [await server('openai', [step, step]), await server('ollama', [{ text: 'Here.' }])];
    try {
      const provider = fallback([
        openai({ model: 'm', baseURL: `${chat.origin}/v1` }),
        ollama({ model: 'm', baseURL: local.origin }),
      ]);
      const events: RunEvent[] = [];
      const handle = createAgent({ provider, tools: [weather], retry }).stream('Hello?');
      for await (const event of handle) events.push(event);
      expect(await handle.result).toMatchObject({ status: 'completed', text: 'Here.' });
      expect(chat.requests).toHaveLength(2);
      expect(local.requests[0]?.view.messages.map(({ role }) => role)).toEqual(['user']);
      expect(events.some((event) => event.type === 'tool-start')).toBe(false);
      expect(events.filter((event) => event.type === 'text-void')).toHaveLength(2);
    } finally {
      await chat.close();
      await local.close();
    }
  });

  test('and calls that ran keep their results, in the words of the next wire', async () => {
    const chat = await server('openai', [
      { calls: [{ name: 'get_weather', input: { city: 'Rome' }, id: 'call:1' }] },
      { status: 401 },
    ]);
    const claude = await server('anthropic', [{ text: 'Done.' }]);
    try {
      const provider = fallback([
        openai({ model: 'm', baseURL: `${chat.origin}/v1` }),
        anthropic({ model: 'm', baseURL: claude.origin, apiKey: 'sk-loopback-0123456789' }),
      ]);
      expect((await createAgent({ provider, tools: [weather], retry }).run('Hello?')).text).toBe('Done.');
      expect(claude.violations).toEqual([]);
      expect(claude.requests[0]?.view.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    } finally {
      await chat.close();
      await claude.close();
    }
  });
});

describe('by hand, without an agent', () => {
  test('each candidate is asked once, and only the last word of all is told', async () => {
    const first = scripted([{ failure: failed('bad-request') }]);
    expect(await replyOf(fallback([first, scripted(['Here.'])]))).toMatchObject({ content: [{ text: 'Here.' }] });
    const none = fallback([scripted([{ failure: failed('network') }]), scripted([{ failure: failed('overloaded') }])]);
    expect(await eventsOf(none)).toMatchObject([{ type: 'failure', failure: { kind: 'overloaded' } }]);
  });

  test('fallbacks in a fallback are one list, and their secrets are all known', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((id) => ({ ...scripted([], { id }), secrets: [`secret-${id}`] }));
    if (a === undefined || b === undefined || c === undefined) throw new Error('There are three.');
    const provider = fallback([fallback([a, b]), c]);
    expect(provider.candidates?.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(provider.secrets).toEqual(['secret-a', 'secret-b', 'secret-c']);
  });

  test('one without a candidate is an error of the developer', () => {
    expect(() => fallback([])).toThrow('Expected `fallback` to get at least one provider, got none.');
  });
});

function server(wire: LoopbackWire, script: readonly LoopbackStep[]): ReturnType<typeof startLoopbackServer> {
  return startLoopbackServer({ wire, script });
}
