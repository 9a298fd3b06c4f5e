import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { tool } from '../../../src/core/define-tool.ts';
import { prepareInput } from '../../../src/loop/input/prepare-input.ts';
import { decode, sse, wireIds } from './decode.ts';
import type { WireId } from './decode.ts';

const f = tool({ name: 'f', description: 'x', schema: z.object({ city: z.string() }), execute: () => 'ran' });

const city = 'Zürich 🏔️ القاهرة';
const args = JSON.stringify({ city });

/** One stream of each wire that has everything: reasoning, text, calls, characters of every length, figures. */
const streams: Record<WireId, string> = {
  'openai-chat': sse(
    ...[
      { role: 'assistant', content: '' },
      { reasoning_content: 'hm – ' },
      { content: 'Grüße ' },
      { content: '👩‍👩‍👧 مرحبا' },
    ].map((delta) => ({ id: 'x', model: 'm', choices: [{ index: 0, delta }] })),
    ...[
      { index: 0, id: 'a', function: { name: 'f', arguments: '' } },
      { index: 0, function: { arguments: args.slice(0, 9) } },
      { index: 0, function: { arguments: args.slice(9) } },
    ].map((call) => ({ choices: [{ index: 0, delta: { tool_calls: [call] } }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } },
    '[DONE]',
  ),
  'openai-responses': sse(
    { type: 'response.created', response: { id: 'r', model: 'm' } },
    { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'msg', content: [] } },
    { type: 'response.output_text.delta', output_index: 0, item_id: 'msg', delta: 'Grüße 👩‍👩‍👧 مرحبا' },
    {
      type: 'response.output_item.added',
      output_index: 1,
      item: { type: 'function_call', id: 'fc', call_id: 'a', name: 'f', arguments: '' },
    },
    { type: 'response.function_call_arguments.delta', output_index: 1, item_id: 'fc', delta: args.slice(0, 9) },
    { type: 'response.function_call_arguments.delta', output_index: 1, item_id: 'fc', delta: args.slice(9) },
    {
      type: 'response.completed',
      response: { status: 'completed', output: [], usage: { input_tokens: 5, output_tokens: 2 } },
    },
  ),
  anthropic: sse(
    { type: 'message_start', message: { id: 'x', model: 'm', content: [], usage: { input_tokens: 5 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Grüße 👩‍👩‍👧 مرحبا' } },
    { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'a', name: 'f', input: {} } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: args.slice(0, 9) } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: args.slice(9) } },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ),
  ollama: [
    { model: 'm', message: { content: 'Grüße 👩‍👩‍👧 مرحبا' } },
    { model: 'm', message: { content: '', tool_calls: [{ function: { name: 'f', arguments: { city } } }] } },
    { model: 'm', message: { content: '' }, done: true, done_reason: 'stop', prompt_eval_count: 5, eval_count: 2 },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join(''),
};

const forms = wireIds.flatMap((wire) => [
  { name: `${wire}`, wire, body: streams[wire] },
  { name: `${wire} with CRLF and a byte order mark`, wire, body: `\uFEFF${streams[wire].replaceAll('\n', '\r\n')}` },
  ...(wire === 'ollama'
    ? []
    : [
        {
          name: `${wire} with CR alone and comments`,
          wire,
          body: `: hello\r\r${streams[wire].replaceAll('\n', '\r')}`,
        },
        {
          // Where a line feed is taken for an end of its own, an event is over in its middle.
          name: `${wire} with events over several lines and CRLF`,
          wire,
          body: streams[wire].replaceAll(',"', ',\ndata: "').replaceAll('\n', '\r\n'),
        },
      ]),
]);

const encoder = new TextEncoder();

describe('a reply is the same, wherever its bytes are split', () => {
  test.each(forms)('$name: at every single byte', ({ wire, body }) => {
    const bytes = encoder.encode(body);
    const whole = decode(wire, streams[wire]);
    expect(whole.assembled.type).toBe('reply');
    for (let at = 1; at < bytes.length; at++) {
      expect(decode(wire, [bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
    }
  });

  test.each(forms)('$name: one byte at a time', ({ wire, body }) => {
    const bytes = encoder.encode(body);
    expect(
      decode(
        wire,
        Array.from(bytes, (byte) => Uint8Array.of(byte)),
      ),
    ).toEqual(decode(wire, streams[wire]));
  });

  test.each(forms)('$name: at any places', ({ wire, body }) => {
    const bytes = encoder.encode(body);
    const whole = decode(wire, streams[wire]);
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(bytes.length), { maxLength: 30 }), (places) => {
        const ends = [...places.sort((a, b) => a - b), bytes.length];
        const chunks = ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
        expect(decode(wire, chunks)).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });
});

describe('whatever comes is a reply or a problem, and never more than was said', () => {
  /** What the loop would run `f` with. */
  const inputsRun = (wire: WireId, chunks: readonly Uint8Array[]): { input: unknown; args: string }[] => {
    const { assembled } = decode(wire, chunks);
    expect(['reply', 'error-payload', 'malformed', 'cut']).toContain(assembled.type);
    if (assembled.type !== 'reply') return [];
    return assembled.reply.content.flatMap((part) => {
      if (part.type !== 'tool-call') return [];
      const prepared = prepareInput(f, part);
      if (prepared instanceof Promise) throw new Error('The schema is synchronous.');
      const { arguments: given } = part;
      const said = 'text' in given ? given.text : JSON.stringify(given.value);
      return prepared.ok ? [{ input: prepared.input, args: said }] : [];
    });
  };

  /** No tool may be run with anything else than the model said. */
  const checkSaid = (wire: WireId, chunks: readonly Uint8Array[]): void => {
    for (const { input } of inputsRun(wire, chunks)) expect(input).toEqual({ city });
  };

  /** Where what was said is itself damaged: no tool may be run with something that was not said to its end. */
  const checkWhole = (wire: WireId, chunks: readonly Uint8Array[]): void => {
    for (const { args: said } of inputsRun(wire, chunks))
      expect(said.lastIndexOf('}')).toBeGreaterThan(said.lastIndexOf('{'));
  };

  test.each(wireIds)('%s: cut off after any byte, it runs no call that is not whole', (wire) => {
    const bytes = encoder.encode(streams[wire]);
    for (let end = 0; end < bytes.length; end++) checkSaid(wire, [bytes.subarray(0, end)]);
  });

  /** The word that makes a reply whole. */
  const marks: Record<WireId, string> = {
    'openai-chat': '"finish_reason":"tool_calls"',
    'openai-responses': '"type":"response.completed"',
    anthropic: '"type":"message_delta"',
    ollama: '"done":true',
  };

  test.each(wireIds)('%s: cut off before the word that makes it whole, it is no reply', (wire) => {
    const body = streams[wire];
    const lineEnd = body.indexOf('\n', body.indexOf(marks[wire]));
    const bytes = encoder.encode(body.slice(0, lineEnd));
    expect(decode(wire, bytes).assembled.type).toBe('reply');
    for (let end = 0; end < bytes.length; end++)
      expect(decode(wire, bytes.subarray(0, end)).assembled.type).not.toBe('reply');
  });

  test.each(wireIds)('%s: bytes flipped', (wire) => {
    const bytes = encoder.encode(streams[wire]);
    const flip = fc.record({ at: fc.nat(bytes.length - 1), to: fc.nat(255) });
    fc.assert(
      fc.property(fc.array(flip, { minLength: 1, maxLength: 6 }), (flips) => {
        const damaged = bytes.slice();
        for (const { at, to } of flips) damaged[at] = to;
        checkWhole(wire, [damaged]);
      }),
      { numRuns: 400 },
    );
  });

  test.each(wireIds)('%s: events in another order, doubled and left out', (wire) => {
    const separator = wire === 'ollama' ? '\n' : '\n\n';
    const events = streams[wire].split(separator).filter((event) => event !== '');
    fc.assert(
      fc.property(fc.array(fc.nat(events.length - 1), { maxLength: 20 }), (order) => {
        checkSaid(wire, [encoder.encode(order.map((at) => (events[at] ?? '') + separator).join(''))]);
      }),
      { numRuns: 400 },
    );
  });

  test.each(wireIds)('%s: any JSON in place of any field', (wire) => {
    const separator = wire === 'ollama' ? '\n' : '\n\n';
    const events = streams[wire].split(separator).filter((event) => event.includes('{'));
    fc.assert(
      fc.property(fc.nat(events.length - 1), fc.nat(30), fc.jsonValue({ maxDepth: 2 }), (at, field, value) => {
        const changed = events.map((event, index) => (index === at ? replaceField(event, field, value) : event));
        checkWhole(wire, [encoder.encode(changed.map((event) => event + separator).join(''))]);
      }),
      { numRuns: 800 },
    );
  });
});

/** Puts a value in the place of the n-th field of an event. */
function replaceField(event: string, field: number, value: unknown): string {
  const start = event.indexOf('{');
  let count = 0;
  const json = JSON.stringify(
    JSON.parse(event.slice(start)),
    function replacer(this: unknown, key: string, before: unknown): unknown {
      return key !== '' && count++ === field ? value : before;
    },
  );
  return event.slice(0, start) + json;
}
