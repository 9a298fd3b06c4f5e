import { describe, expect, test } from 'vitest';
import type { Compactor } from '../../src/index.ts';
import { shortenToolResults } from '../../src/index.ts';
import type { LoopbackStep } from '../../src/testing/loopback-server.ts';
import { answer, anyTool, call, eventsOf, onWire, watch } from './wire-agent.ts';

const overflow: LoopbackStep = {
  status: 400,
  code: 'context_length_exceeded',
  message: "This model's maximum context length is 8192 tokens.",
};
const long = anyTool('read', ({ n }: { n?: number }) => `page ${n} ${'word '.repeat(2000)}`);
const read = (n: number): LoopbackStep => call('read', { n });

describe('a context that is too long', () => {
  test('ends the run where nothing can shorten it', async () => {
    await onWire([overflow], async (wire) => {
      const { result } = await watch(wire.agent({ tools: [long] }).stream('Read.'));
      expect(result).toMatchObject({ status: 'failed', failure: { kind: 'context-overflow' } });
    });
  });

  test('old tool results are shortened first: the calls stay, the last result stays whole', async () => {
    await onWire([read(1), read(2), read(3), overflow, answer], async (wire) => {
      const { result, events } = await watch(wire.agent({ tools: [long], compact: 'shorten' }).stream('Read.'));
      expect(result).toMatchObject({ status: 'completed', turns: 4 });
      const [before, after] = wire.server.requests.slice(-2).map((request) => request.view.messages);
      expect(after).toHaveLength(before?.length ?? 0);
      const texts = after?.filter((message) => message.role === 'tool').map((message) => message.text) ?? [];
      expect(texts.map((text) => text.length > 5000)).toEqual([false, false, true]);
      expect(texts[0]).toMatch(/^page 1 .*shortened to save room: \d+ characters/);
      const compacted = eventsOf(events, 'history-compacted');
      expect(compacted).toHaveLength(1);
      expect(compacted[0]?.charsAfter).toBeLessThan(15_000);
      expect(compacted[0]?.charsBefore).toBeGreaterThan(30_000);
      expect(eventsOf(events, 'failure')).toMatchObject([{ owner: 'code', action: 'compact' }]);
    });
  });

  test('is tried once for each overflow: a second one ends the run', async () => {
    await onWire([read(1), read(2), overflow, overflow], async (wire) => {
      const { result, events } = await watch(wire.agent({ tools: [long], compact: 'shorten' }).stream('Read.'));
      expect(result).toMatchObject({ status: 'failed', failure: { kind: 'context-overflow' } });
      expect(eventsOf(events, 'history-compacted')).toHaveLength(1);
    });
  });

  test('may come again in a later turn', async () => {
    await onWire([read(1), read(2), overflow, read(3), overflow, answer], async (wire) => {
      const { result, events } = await watch(wire.agent({ tools: [long], compact: 'shorten' }).stream('Read.'));
      expect(result.status).toBe('completed');
      expect(eventsOf(events, 'history-compacted')).toHaveLength(2);
    });
  });

  test('ends the run where there is nothing left to shorten', async () => {
    await onWire([overflow], async (wire) => {
      const { result } = await watch(wire.agent({ tools: [long], compact: 'shorten' }).stream('Read.'));
      expect(result).toMatchObject({ status: 'failed', failure: { kind: 'context-overflow' } });
      expect(wire.server.requests).toHaveLength(1);
    });
  });

  test('a compactor of one’s own is asked, and no call is left without its result', async () => {
    let seen = 0;
    const dropResults: Compactor = async ({ messages, failure }) => {
      await Promise.resolve();
      seen += 1;
      expect(failure.kind).toBe('context-overflow');
      return messages.filter((message, index) => message.role !== 'tool' || index === messages.length - 1);
    };
    await onWire([read(1), read(2), overflow, answer], async (wire) => {
      const { result } = await watch(wire.agent({ tools: [long], compact: dropResults }).stream('Read.'));
      expect(result.status).toBe('completed');
      expect(seen).toBe(1);
      expect(wire.server.requests.at(-1)?.view.messages.filter((message) => message.role === 'tool')).toHaveLength(2);
    });
  });

  test('a compactor that throws ends the run as a bug of the caller', async () => {
    const boom = new Error('my compactor');
    const throwing: Compactor = () => {
      throw boom;
    };
    await onWire([overflow], async (wire) => {
      const { result } = await watch(wire.agent({ compact: throwing }).stream('Read.'));
      expect(result).toMatchObject({
        status: 'failed',
        failure: { kind: 'bug', cause: { name: 'Error', message: boom.message } },
      });
    });
  });

  test('the structural compactor changes nothing that the user or the model said', async () => {
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'x'.repeat(5000) }] },
      { role: 'assistant', content: [{ type: 'text', text: 'y'.repeat(5000) }] },
      { role: 'user', content: [{ type: 'text', text: 'And?' }] },
    ] as const;
    expect(
      await shortenToolResults({
        messages,
        failure: { kind: 'context-overflow', message: '' },
        signal: new AbortController().signal,
      }),
    ).toBeUndefined();
  });
});
