import { describe, expect, test } from 'vitest';
import type { DeadlineOptions, Provider } from '../../../src/index.ts';
import { anthropic, createAgent, ollama, openai, openaiResponses } from '../../../src/index.ts';
import type { Transport } from '../../../src/providers/transport.ts';
import { createVirtualClock } from '../../../src/testing/virtual-clock.ts';
import type { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import type { WireId } from './decode.ts';
import { sse, wireIds } from './decode.ts';
import { replyOf } from './question.ts';

const makers: Record<WireId, (options: { model: string; transport: Transport; clock: VirtualClock }) => Provider> = {
  'openai-chat': openai,
  'openai-responses': openaiResponses,
  anthropic,
  ollama,
};

const hi = { type: 'message', content: [{ type: 'output_text', text: 'Grüße' }] };

/** A small reply of each wire. */
const replies: Record<WireId, string> = {
  'openai-chat': sse(
    { choices: [{ index: 0, delta: { content: 'Grüße' } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    '[DONE]',
  ),
  'openai-responses': sse(
    { type: 'response.output_text.delta', output_index: 0, delta: 'Grüße' },
    { type: 'response.completed', response: { status: 'completed', output: [hi] } },
  ),
  anthropic: sse(
    { type: 'message_start', message: { content: [] } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Grüße' } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  ),
  ollama: `${JSON.stringify({ message: { content: 'Grüße' }, done: true, done_reason: 'stop' })}\n`,
};

/** What a server says to show that it lives: nothing of the reply. */
const pings: Record<WireId, string> = {
  'openai-chat': ': OPENROUTER PROCESSING\n\n',
  'openai-responses': 'event: keepalive\ndata: {"type":"keepalive"}\n\n',
  anthropic: 'event: ping\ndata: {"type":"ping"}\n\n',
  ollama: '\n',
};

/** A server that sends one piece every 50 ms of its clock, and ends after the last one where there is one. */
function slowTransport(clock: VirtualClock, pieceAt: (index: number) => Uint8Array | undefined): Transport {
  return (_request, listener) => {
    let index = 0;
    const next = (): void => {
      const piece = pieceAt(index++);
      if (piece === undefined) return listener.onEnd();
      listener.onChunk(piece);
      cancel = clock.after(50, next);
    };
    let cancel = clock.after(50, () => {
      listener.onHead(200, () => undefined);
      next();
    });
    return { pause() {}, resume() {}, abort: () => cancel() };
  };
}

async function ask(wire: WireId, deadlines: DeadlineOptions, pieceAt: (index: number) => Uint8Array | undefined) {
  const clock = createVirtualClock();
  const provider = makers[wire]({ model: 'm', transport: slowTransport(clock, pieceAt), clock });
  const agent = createAgent({ provider, clock, deadlines, retry: { maxAttempts: 1 } });
  const handle = agent.stream('Hello?');
  let isOver = false;
  void handle.result.then(() => (isOver = true));
  while (!isOver && (await clock.next()));
  return { result: await handle.result, tookMs: clock.monotonic(), pending: clock.pending };
}

const encoder = new TextEncoder();

/** A reply up to the word that makes it whole, where others may follow. */
function endOf(wire: WireId): string {
  const lastMark: Partial<Record<WireId, string>> = {
    'openai-chat': 'data: [DONE]',
    anthropic: 'data: {"type":"message_stop"}',
  };
  return replies[wire].split(lastMark[wire] ?? '\0')[0] ?? '';
}

describe.each(wireIds)('%s', (wire) => {
  test('a reply of one byte each 50 ms is waited for: every byte is a sign of life', async () => {
    const bytes = encoder.encode(replies[wire]);
    const pieceAt = (index: number): Uint8Array | undefined =>
      index < bytes.length ? bytes.subarray(index, index + 1) : undefined;
    const { result, tookMs, pending } = await ask(wire, { idleMs: 120 }, pieceAt);
    expect(result).toMatchObject({ status: 'completed', text: 'Grüße' });
    expect(tookMs).toBeGreaterThanOrEqual(bytes.length * 25);
    expect(pending).toBe(0);
  });

  test('pings for ever are a sign of life, and the deadline of the whole attempt ends them', async () => {
    const ping = encoder.encode(pings[wire]);
    const { result, tookMs, pending } = await ask(wire, { idleMs: 100, totalMs: 5000 }, () => ping);
    expect(result).toMatchObject({ status: 'failed', failure: { kind: 'timeout', deadline: 'total' } });
    expect(tookMs).toBe(5000);
    expect(pending).toBe(0);
  });

  test.each([
    { name: 'the connection breaks', breaks: true },
    { name: 'the server falls silent', breaks: false },
  ])('a whole reply counts, though $name in the middle of a further event', async ({ breaks }) => {
    const clock = createVirtualClock();
    const transport: Transport = (_request, listener) => {
      queueMicrotask(() => {
        listener.onHead(200, () => undefined);
        listener.onChunk(encoder.encode(`${endOf(wire)}${wire === 'ollama' ? '' : 'data: '}{"type":"mess`));
        if (breaks) listener.onError({ code: 'ECONNRESET', message: 'reset', phase: 'body' });
      });
      return { pause() {}, resume() {}, abort() {} };
    };
    const asked = replyOf(makers[wire]({ model: 'm', transport, clock }));
    await clock.advance(1000);
    expect(await asked).toMatchObject({ content: [{ type: 'text', text: 'Grüße' }] });
    expect(clock.pending).toBe(0);
  });

  test('silence in the middle of a reply is told as the idle deadline', async () => {
    const first = encoder.encode(replies[wire].slice(0, 20));
    const clock = createVirtualClock();
    const transport: Transport = (_request, listener) => {
      queueMicrotask(() => {
        listener.onHead(200, () => undefined);
        listener.onChunk(first);
      });
      return { pause() {}, resume() {}, abort() {} };
    };
    const provider = makers[wire]({ model: 'm', transport, clock });
    const { result } = createAgent({ provider, clock, deadlines: { idleMs: 100 }, retry: { maxAttempts: 1 } }).stream(
      '?',
    );
    await clock.advance(200);
    expect(await result).toMatchObject({ status: 'failed', failure: { kind: 'timeout', deadline: 'idle' } });
  });
});
