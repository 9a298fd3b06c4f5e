import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Provider } from '../../src/index.ts';
import { createAgent, tool } from '../../src/index.ts';
import { createVirtualClock } from '../../src/testing/index.ts';

/** A provider as somebody writes one without types: its events are whatever it says. */
function untyped(...events: readonly unknown[]): Provider {
  return {
    id: 'mine',
    model: 'm',
    capabilities: { toolChoice: ['auto'], parallelToolCalls: true, imageResults: false },
    async *stream() {
      await Promise.resolve();
      for (const event of events) yield event as never;
    },
  };
}

const call = (more: object): unknown => ({
  type: 'reply',
  reply: { ...reply, content: [{ type: 'tool-call', id: 'a', name: 'wipe', isComplete: true, ...more }] },
});

const reply = { content: [{ type: 'text', text: 'Hi.' }], finishReason: 'stop', rawFinishReason: 'stop', usage: {} };

describe('a provider of your own that says what no provider says', () => {
  test.each([
    { event: { type: 'failure', failure: { kind: 'overload', message: 'x' } }, says: /Did you mean `overloaded`\?/ },
    { event: { type: 'failure', failure: { message: 'x' } }, says: /unknown kind undefined/ },
    { event: { type: 'failure' }, says: /without a failure/ },
    { event: { type: 'failure', failure: { kind: 'network' } }, says: /`network` without a message/ },
    { event: { type: 'reply' }, says: /without a reply/ },
    { event: { type: 'reply', reply: { ...reply, content: 'hi' } }, says: /`content` is "hi", not an array/ },
    { event: { type: 'reply', reply: { ...reply, content: [{ type: 'text' }] } }, says: /a part that is none/ },
    { event: { type: 'reply', reply: { ...reply, usage: undefined } }, says: /without `usage`/ },
    { event: { type: 'reply', reply: { ...reply, finishReason: undefined } }, says: /without a `finishReason`/ },
    { event: { type: 'reply', reply: { ...reply, warnings: 5 } }, says: /`warnings` are 5, not an array/ },
    { event: { type: 'reply', reply: { ...reply, warnings: 'careful' } }, says: /`warnings` are "careful"/ },
    { event: call({ arguments: { value: {} }, isComplete: undefined }), says: /without `isComplete`/ },
    { event: { type: 'text-delta' }, says: /text-delta without a text/ },
    { event: 'hello', says: /gave "hello" for an event/ },
    { event: undefined, says: /gave undefined for an event/ },
  ])('is told what was wrong with $event', async ({ event, says }) => {
    const run = createAgent({ provider: untyped(event) }).stream('Go.');
    const seen: string[] = [];
    for await (const { type } of run) seen.push(type);
    expect(await run.result).toMatchObject({ status: 'failed', failure: { kind: 'bug', providerId: 'mine' } });
    expect(await run.result).toMatchObject({ failure: { message: expect.stringMatching(says) } });
    expect(seen.filter((type) => type === 'run-end')).toHaveLength(1);
  });

  test.each([
    { given: { path: '/tmp', dry: true } },
    { given: {} },
    { given: undefined },
    { given: { text: undefined } },
    { given: { text: { dry: true } } },
    { given: { value: undefined } },
  ])('runs nothing with the arguments $given, which are in another form', async ({ given }) => {
    const ran: unknown[] = [];
    const wipe = tool({
      name: 'wipe',
      description: 'Empties a folder.',
      schema: z.object({ path: z.string().optional(), dry: z.boolean().optional() }),
      execute: (input) => ran.push(input),
    });
    const agent = createAgent({ provider: untyped(call({ arguments: given })), tools: [wipe] });
    const result = await agent.stream('Go.').result;
    expect(ran).toEqual([]);
    const message = expect.stringMatching(/`tool-call` whose `arguments` are neither \{ text \}/);
    expect(result).toMatchObject({ status: 'failed', failure: { kind: 'bug', message } });
  });

  test.each([
    { name: 'a wait', told: { retryAfterMs: NaN }, odd: 'retryAfterMs' },
    { name: 'a limit', told: { rateLimit: { requestsResetMs: '5', remainingRequests: 0 } }, odd: 'requestsResetMs' },
    {
      name: 'both',
      told: { retryAfterMs: -1, rateLimit: { remainingTokens: Infinity } },
      odd: 'retryAfterMs, remaining',
    },
  ])('is warned of a figure that is none in $name, and asked again all the same', async ({ told, odd }) => {
    const failed = { type: 'failure', failure: { kind: 'rate-limited', message: 'x', ...told } };
    const clock = createVirtualClock();
    const agent = createAgent({ provider: untyped(failed), clock, retry: { maxAttempts: 2 } });
    const events: { readonly type: string }[] = [];
    agent.on('*', (event) => events.push(event));
    const { result } = agent.stream('Go.');
    await clock.advance(10_000);
    const ended = await result;
    const message = expect.stringContaining(odd);
    expect(events.filter(({ type }) => type === 'warning')).toMatchObject([{ message }, { message }]);
    expect(ended.failures).toHaveLength(2);
    expect(ended).toMatchObject({ status: 'failed', failure: { kind: 'rate-limited', retryAfterMs: undefined } });
    expect(JSON.stringify(ended.failures)).not.toMatch(/null|-1|"5"/);
  });

  test('has half a secret nowhere, wherever the words of a refusal are cut', async () => {
    const secret = 'Zq8WkT2mVb7RxL4cJd9Hn3PfSy6Gu1Ea';
    for (let before = 150; before < 210; before += 1) {
      const content = [{ type: 'text', text: `${'x'.repeat(before)} ${secret} or so` }];
      const refused = { type: 'reply', reply: { ...reply, content, finishReason: 'content-filter' } };
      const { result } = createAgent({ provider: untyped(refused), secrets: [secret] }).stream('Go.');
      const { failures } = await result;
      expect(failures).toMatchObject([{ kind: 'refused' }]);
      expect(failures[0]?.message).not.toContain(secret.slice(0, 4));
    }
  });

  test('is heard where it is right', async () => {
    const agent = createAgent({ provider: untyped({ type: 'text-delta', text: 'Hi.' }, { type: 'reply', reply }) });
    expect((await agent.run('Go.')).text).toBe('Hi.');
  });
});
