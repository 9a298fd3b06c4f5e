import { describe, expect, test } from 'vitest';
import { userMessage } from '../../src/index.ts';
import { repairHistory } from '../../src/loop/history/history.ts';
import type { Message } from '../../src/index.ts';
import { answer, onWire } from './wire-agent.ts';

describe('the text that an abort cut off', () => {
  test('is the last message, marked, and a strict server takes it', async () => {
    await onWire([{ text: ['Once ', 'upon a time'], stall: { after: 'text' } }, answer], async (wire) => {
      const agent = wire.agent();
      const run = agent.stream('Tell me a story.');
      for await (const event of run) if (event.type === 'text-delta') run.abort(new Error('enough'));
      const result = await run.result;
      if (result.status !== 'aborted') throw new Error(`Expected an aborted run, got ${result.status}.`);
      expect(result.partialText).not.toBe('');
      expect(result.messages.slice(1)).toEqual([
        { role: 'assistant', content: [{ type: 'text', text: result.partialText }], isPartial: true },
      ]);
      const next = await agent.run([...result.messages, userMessage('Go on.')]);
      expect(next.status).toBe('completed');
      expect(JSON.stringify(wire.server.requests.at(-1)?.body)).not.toContain('isPartial');
    });
  });

  test('leaves no message where there was none', async () => {
    await onWire([answer], async (wire) => {
      const run = wire.agent().stream('Hello.', { signal: AbortSignal.abort(new Error('enough')) });
      expect((await run.result).messages).toHaveLength(1);
    });
  });
});

test('leaving a loop of events or of text does not stop the run, and `abort()` does', async () => {
  await onWire([{ text: 'One two three.' }, { text: 'One two three.' }], async (wire) => {
    const agent = wire.agent();
    const first = agent.stream('Count.');
    for await (const event of first) if (event.type === 'attempt-start') break;
    expect(await first.result).toMatchObject({ status: 'completed', text: 'One two three.' });
    const second = agent.stream('Count.');
    for await (const _piece of second.textStream) break;
    expect(await second.result).toMatchObject({ status: 'completed', text: 'One two three.' });
  });
});

test('of several clients of one run, one that leaves does not end it, and the last one does', async () => {
  await onWire([{ text: ['One ', 'two'], stall: { after: 'text' } }], async (wire) => {
    const run = wire.agent().stream('Count.');
    const bodies = Array.from({ length: 3 }, () => run.toResponse().body?.getReader());
    for (const body of bodies) await body?.read();
    const settled: string[] = [];
    void run.result.then(({ status }) => settled.push(status));
    await bodies[0]?.cancel();
    await bodies[1]?.cancel();
    await bodies[2]?.read();
    await new Promise((resolve) => setImmediate(resolve));
    expect(settled).toEqual([]);
    await bodies[2]?.cancel();
    expect((await run.result).status).toBe('aborted');
  });
});

test('a server that asks for 11 days of patience ends the run at once, typed', async () => {
  await onWire([{ status: 429, headers: { 'retry-after': '999999' } }], async (wire) => {
    const result = await wire.agent().stream('Hello.').result;
    expect(result).toMatchObject({ status: 'failed', failure: { kind: 'rate-limited', retryAfterMs: 999_999_000 } });
    expect(wire.server.requests).toHaveLength(1);
  });
});

describe('a long history', () => {
  const ids = Array.from({ length: 20_000 }, (_none, index) => `call_${index}`);
  const calls: Message = {
    role: 'assistant',
    content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'look', input: {} })),
  };
  const result = (toolCallId: string, text: string): Extract<Message, { role: 'tool' }>['content'][number] => ({
    type: 'tool-result',
    toolCallId,
    toolName: 'look',
    content: [{ type: 'text', text }],
    isError: false,
  });
  const repaired = (content: Extract<Message, { role: 'tool' }>['content']): readonly string[] => {
    const { messages } = repairHistory([userMessage('Look.'), calls, { role: 'tool', content }]);
    const last = messages.at(-1);
    return last?.role === 'tool' ? last.content.map((part) => part.toolCallId) : [];
  };

  test.each([
    { name: 'reversed', content: ids.map((id) => result(id, 'seen')).reverse() },
    { name: 'of other calls', content: ids.map((id) => result(`other_${id}`, 'seen')) },
    { name: 'all of one call', content: ids.map(() => result('call_1', 'seen')) },
  ])('results that are $name are put in order in linear time', ({ content }) => {
    const { user } = process.cpuUsage();
    expect(repaired(content)).toEqual(ids);
    expect((process.cpuUsage().user - user) / 1000).toBeLessThan(1000);
  });

  test('of two results with one id the first counts', () => {
    const { messages } = repairHistory([
      userMessage('Look.'),
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {} }] },
      { role: 'tool', content: [result('a', 'first'), result('a', 'second')] },
    ]);
    expect(JSON.stringify(messages)).toContain('first');
    expect(JSON.stringify(messages)).not.toContain('second');
  });
});
