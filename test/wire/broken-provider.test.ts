import { describe, expect, test } from 'vitest';
import type { Provider } from '../../src/index.ts';
import { createAgent } from '../../src/index.ts';

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

  test('is heard where it is right', async () => {
    const agent = createAgent({ provider: untyped({ type: 'text-delta', text: 'Hi.' }, { type: 'reply', reply }) });
    expect((await agent.run('Go.')).text).toBe('Hi.');
  });
});
