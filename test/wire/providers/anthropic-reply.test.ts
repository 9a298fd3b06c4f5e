import { describe, expect, test } from 'vitest';
import { decode, sse, summary } from './decode.ts';

const start = (more: object = {}): object => ({
  type: 'message_start',
  message: {
    id: 'msg_1',
    model: 'm',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 10, output_tokens: 1 },
    ...more,
  },
});
const block = (index: number | undefined, content_block: object): object => ({
  type: 'content_block_start',
  index,
  content_block,
});
const text = (index: number | undefined, value: string): object => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'text_delta', text: value },
});
const json = (index: number | undefined, value: string): object => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'input_json_delta', partial_json: value },
});
const stop = (index: number): object => ({ type: 'content_block_stop', index });
const end = (reason: string | null = 'tool_use', usage: object = { output_tokens: 5 }): object => ({
  type: 'message_delta',
  delta: { stop_reason: reason },
  usage,
});
const over = { type: 'message_stop' };
const use = (id: string, name: string, input: unknown = {}): object => ({ type: 'tool_use', id, name, input });
const plain = (content: unknown, reason: string | null = 'tool_use', more: object = {}): string =>
  JSON.stringify({
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    model: 'm',
    content,
    stop_reason: reason,
    usage: { input_tokens: 10, output_tokens: 5 },
    ...more,
  });
const LONDON = '{"city":"London"}';

describe('calls are assembled', () => {
  test.each([
    {
      name: 'by the book',
      events: [block(0, use('a', 'f')), json(0, '{"city":'), json(0, '"London"}'), stop(0)],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'two by the book',
      events: [block(0, use('a', 'f')), json(0, LONDON), stop(0), block(1, use('b', 'g')), json(1, '{"x":1}'), stop(1)],
      is: `f#a(${LONDON}) g#b({"x":1})`,
    },
    {
      name: 'with the index missing',
      events: [
        block(undefined, use('a', 'f')),
        json(undefined, LONDON),
        block(undefined, use('b', 'g')),
        json(undefined, '{"x":1}'),
      ],
      is: `f#a(${LONDON}) g#b({"x":1})`,
    },
    {
      name: 'with the index as text',
      events: [block(0, use('a', 'f')), json('0' as never, '{"city":'), json('0' as never, '"London"}'), stop(0)],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with an index that comes late',
      events: [block(undefined, use('a', 'f')), json(0, '{"city":'), json(0, '"London"}'), stop(0)],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with a nameless block that goes on with the one before it',
      events: [block(0, use('a', 'f')), json(0, '{"city":'), block(1, { type: 'tool_use' }), json(1, '"London"}')],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'twice, with one id',
      events: [block(0, use('a', 'f')), json(0, LONDON), stop(0), block(1, use('a', 'f')), json(1, LONDON), stop(1)],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'begun anew, with one id',
      events: [block(0, use('a', 'f')), json(0, '{"ci'), block(1, use('a', 'f')), json(1, LONDON), stop(1)],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with index 0 for all',
      events: [block(0, use('a', 'f')), json(0, LONDON), stop(0), block(0, use('b', 'g')), json(0, '{"x":1}')],
      is: `f#a(${LONDON}) g#b({"x":1})`,
    },
    {
      name: 'with holes in the indexes',
      events: [block(1, use('a', 'f')), json(1, LONDON), block(7, use('b', 'g')), json(7, '{"x":1}')],
      is: `f#a(${LONDON}) g#b({"x":1})`,
    },
    {
      name: 'interleaved',
      events: [
        block(0, use('a', 'f')),
        block(1, use('b', 'g')),
        json(1, '{"x":'),
        json(0, '{"city":'),
        json(0, '"London"}'),
        json(1, '1}'),
      ],
      is: `f#a(${LONDON}) g#b({"x":1})`,
    },
    {
      name: 'with one id for two',
      events: [block(0, use('a', 'f')), json(0, LONDON), block(1, use('a', 'f')), json(1, '{"x":1}')],
      is: `f#a(${LONDON}) f#a({"x":1})`,
    },
    {
      name: 'with the id missing',
      events: [block(0, { type: 'tool_use', name: 'f', input: {} }), json(0, LONDON)],
      is: `f(${LONDON})`,
    },
    { name: 'with an empty id', events: [block(0, use('', 'f')), json(0, LONDON)], is: `f(${LONDON})` },
    {
      name: 'with the whole input in the start, as a text',
      events: [block(0, use('a', 'f', LONDON)), stop(0)],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with an empty object before the real one',
      events: [block(0, use('a', 'f')), json(0, '{}'), json(0, '{"city":'), json(0, '"London"}')],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with the whole input in the start',
      events: [block(0, use('a', 'f', { city: 'London' })), stop(0)],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with the whole input in the start and in pieces',
      events: [block(0, use('a', 'f', { city: 'London' })), json(0, LONDON), stop(0)],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with cumulative pieces',
      events: [block(0, use('a', 'f')), json(0, '{"city"'), json(0, '{"city":"Lon'), json(0, LONDON)],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with the whole once more at the end',
      events: [block(0, use('a', 'f')), json(0, '{"city":'), json(0, '"London"}'), json(0, LONDON)],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with equal pieces that are not repeats',
      events: [block(0, use('a', 'f')), json(0, '{"n":'), json(0, '1'), json(0, '1'), json(0, '}')],
      is: 'f#a({"n":11})',
    },
    {
      name: 'with JSON inside JSON',
      events: [block(0, use('a', 'f')), json(0, '{"a":'), json(0, '{"a":1}'), json(0, '}')],
      is: 'f#a({"a":{"a":1}})',
    },
    {
      name: 'empty, for a tool without parameters',
      events: [block(0, use('a', 'f')), json(0, ''), stop(0)],
      is: 'f#a()',
    },
    { name: 'without an input', events: [block(0, { type: 'tool_use', id: 'a', name: 'f' }), stop(0)], is: 'f#a()' },
  ])('$name', ({ events, is }) => {
    expect(summary(decode('anthropic', sse(start(), ...events, end(), over)))).toBe(`${is} tool-calls`);
  });

  test('in a plain reply, where the input is a value, an empty one too', () => {
    expect(summary(decode('anthropic', plain([use('a', 'f', { city: 'London' }), use('b', 'g')])))).toBe(
      `f#a(${LONDON}) g#b({}) tool-calls`,
    );
  });

  test('in a plain reply with the input as a text', () => {
    expect(summary(decode('anthropic', plain([use('a', 'f', LONDON)])))).toBe(`f#a(${LONDON}) tool-calls`);
  });
});

describe('ends', () => {
  const hi = [block(0, { type: 'text', text: '' }), text(0, 'Hi'), stop(0)];
  test.each([
    { name: 'end_turn', events: [start(), ...hi, end('end_turn'), over], is: '"Hi" stop' },
    { name: 'stop_sequence', events: [start(), ...hi, end('stop_sequence'), over], is: '"Hi" stop' },
    {
      name: 'a call with end_turn',
      events: [start(), block(0, use('a', 'f')), json(0, LONDON), end('end_turn'), over],
      is: `f#a(${LONDON}) stop`,
    },
    {
      name: 'a call with an unknown word',
      events: [start(), block(0, use('a', 'f')), json(0, LONDON), end('compaction'), over],
      is: `f#a(${LONDON}) other`,
    },
    { name: 'tool_use without a call', events: [start(), ...hi, end('tool_use'), over], is: '"Hi" tool-calls' },
    {
      name: 'max_tokens with half a call',
      events: [start(), block(0, use('a', 'f')), json(0, '{"ci'), stop(0), end('max_tokens'), over],
      is: '!f#a({"ci) length',
    },
    {
      name: 'max_tokens with a whole and a half call',
      events: [
        start(),
        block(0, use('a', 'f')),
        json(0, LONDON),
        block(1, use('b', 'g')),
        json(1, '{"x'),
        end('max_tokens'),
        over,
      ],
      is: `f#a(${LONDON}) !g#b({"x) length`,
    },
    {
      name: 'max_tokens before any argument',
      events: [start(), block(0, use('a', 'f')), end('max_tokens'), over],
      is: '!f#a() length',
    },
    {
      name: 'max_tokens with the input in the start',
      events: [start(), block(0, use('a', 'f', { city: 'Lon' })), end('max_tokens'), over],
      is: '!f#a({"city":"Lon"}) length',
    },
    { name: 'refusal', events: [start(), ...hi, end('refusal'), over], is: '"Hi" content-filter' },
    { name: 'pause_turn', events: [start(), ...hi, end('pause_turn'), over], is: '"Hi" pause' },
    {
      name: 'model_context_window_exceeded',
      events: [start(), ...hi, end('model_context_window_exceeded'), over],
      is: '"Hi" length',
    },
    { name: 'no stop reason and no message_stop', events: [start(), ...hi], is: 'cut' },
    { name: 'half a call and nothing more', events: [start(), block(0, use('a', 'f')), json(0, '{"ci')], is: 'cut' },
    { name: '[DONE] of a gateway behind a cut stream', events: [start(), ...hi, '[DONE]'], is: 'cut' },
    { name: 'a stop reason without message_stop', events: [start(), ...hi, end('end_turn')], is: '"Hi" stop' },
    { name: 'message_stop without a stop reason', events: [start(), ...hi, over], is: '"Hi" other' },
    {
      name: 'message_stop without a stop reason, and half a call',
      events: [start(), block(0, use('a', 'f')), json(0, '{"ci'), over],
      is: '!f#a({"ci) other',
    },
    { name: 'a reply of nothing', events: [start(), end('end_turn'), over], is: 'stop' },
    { name: 'a start and nothing more', events: [start()], is: 'cut' },
    { name: 'only pings', events: [{ type: 'ping' }, { type: 'ping' }], is: 'cut' },
  ])('$name', ({ events, is }) => {
    expect(summary(decode('anthropic', sse(...events)))).toBe(is);
  });

  test('in a plain reply that was cut, the last call is not provably whole', () => {
    expect(
      summary(decode('anthropic', plain([use('a', 'f', { x: 1 }), use('b', 'g', { y: 'ha' })], 'max_tokens'))),
    ).toBe('f#a({"x":1}) !g#b({"y":"ha"}) length');
  });

  test('a plain reply without a stop reason is whole by its own end', () => {
    expect(summary(decode('anthropic', plain([{ type: 'text', text: 'Hi' }], null)))).toBe('"Hi" other');
  });
});

describe('blocks', () => {
  test('thoughts are kept with their signature, which comes in pieces', () => {
    const events = [
      block(0, { type: 'thinking', thinking: '', signature: '' }),
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
    ];
    const signature = (part: string): object => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'signature_delta', signature: part },
    });
    const decoded = decode(
      'anthropic',
      sse(
        start(),
        ...events,
        signature('s1'),
        signature('s2'),
        stop(0),
        block(1, { type: 'text', text: '' }),
        text(1, 'Hi'),
        end('end_turn'),
        over,
      ),
    );
    expect(decoded.assembled).toMatchObject({
      reply: {
        content: [
          { type: 'reasoning', text: 'hm', issuer: 'anthropic', data: { type: 'thinking', signature: 's1s2' } },
          { text: 'Hi' },
        ],
      },
    });
    expect(decoded.shownReasoning).toBe('hm');
  });

  test.each([
    {
      name: 'redacted thoughts',
      events: [block(0, { type: 'redacted_thinking', data: 'xyz' })],
      data: { type: 'redacted_thinking', data: 'xyz' },
    },
    {
      name: "a tool of the server's own",
      events: [
        block(0, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
        json(0, '{"q":'),
        json(0, '"x"}'),
      ],
      data: { type: 'server_tool_use', id: 's', name: 'web_search', input: { q: 'x' } },
    },
  ])('$name are kept as they came', ({ events, data }) => {
    const { assembled } = decode('anthropic', sse(start(), ...events, end('pause_turn'), over));
    expect(assembled).toMatchObject({
      reply: { content: [{ type: 'reasoning', text: '', data }], finishReason: 'pause' },
    });
  });

  test.each([
    { name: 'text in the start of its block', events: [block(0, { type: 'text', text: 'Hi' })] },
    { name: 'text without a block', events: [text(0, 'H'), text(0, 'i')] },
    {
      name: 'text with the index missing',
      events: [block(undefined, { type: 'text', text: '' }), text(undefined, 'H'), text(undefined, 'i')],
    },
    {
      name: 'kinds of events that are new',
      events: [block(0, { type: 'text', text: '' }), text(0, 'Hi'), { type: 'something_new', x: 1 }],
    },
  ])('$name is read', ({ events }) => {
    const decoded = decode('anthropic', sse(start(), ...events, end('end_turn'), over));
    expect(summary(decoded)).toBe('"Hi" stop');
    expect(decoded.shownText).toBe('Hi');
  });

  test.each([
    {
      name: 'split over start and end',
      start: {
        usage: { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 4, cache_creation_input_tokens: 2 },
      },
      end: { output_tokens: 5 },
      is: { inputTokens: 16, outputTokens: 5, cachedInputTokens: 4 },
    },
    {
      name: 'whole at the end',
      start: { usage: { input_tokens: 0, output_tokens: 0 } },
      end: { input_tokens: 10, output_tokens: 5 },
      is: { inputTokens: 10, outputTokens: 5 },
    },
    {
      name: 'null at the end',
      start: { usage: { input_tokens: 10, output_tokens: 1 } },
      end: { input_tokens: null, output_tokens: 5 },
      is: { inputTokens: 10, outputTokens: 5 },
    },
    { name: 'missing', start: { usage: undefined }, end: {}, is: {} },
  ])('usage that is $name stays as known as it is', (row) => {
    const { assembled } = decode(
      'anthropic',
      sse(start(row.start), block(0, { type: 'text', text: 'Hi' }), end('end_turn', row.end), over),
    );
    expect(assembled.type === 'reply' && JSON.parse(JSON.stringify(assembled.reply.usage))).toEqual(row.is);
  });
});

describe('faults inside a 200', () => {
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  const called = [start(), block(0, use('a', 'f')), json(0, LONDON), stop(0)];
  test.each([
    { name: 'an error event first', body: sse(error), is: 'error-payload' },
    { name: 'an error event after a whole call', body: sse(...called, error), is: 'error-payload' },
    { name: 'an error event after the stop reason', body: sse(...called, end(), error), is: 'error-payload' },
    { name: 'an error body', body: JSON.stringify(error), is: 'error-payload' },
    {
      name: "an error in another vendor's form",
      body: JSON.stringify({ error: { message: 'busy' } }),
      is: 'error-payload',
    },
    {
      name: 'an error named by its event only',
      body: 'event: error\ndata: {"message":"busy"}\n\n',
      is: 'error-payload',
    },
    { name: 'HTML', body: '<!doctype html><title>Sign in</title>', is: 'malformed' },
    { name: 'an empty body', body: '', is: 'malformed' },
    { name: 'null', body: 'null', is: 'malformed' },
    { name: 'a list', body: '[]', is: 'malformed' },
    {
      name: 'one piece of a stream for a body',
      body: JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } }),
      is: 'cut',
    },
    {
      name: 'one call of a stream for a body',
      body: JSON.stringify({ type: 'content_block_start', index: 0, content_block: use('a', 'f', { x: 1 }) }),
      is: 'cut',
    },
    { name: 'half a JSON body', body: '{"type":"message","content":[', is: 'malformed' },
    {
      name: 'an error line without data:',
      body: `${sse(...called)}{"error":{"message":"busy"}}\n\n`,
      is: 'error-payload',
    },
    { name: 'a start without a message', body: sse({ type: 'message_start', message: null }), is: 'malformed' },
    { name: 'content that is a number', body: plain(7), is: 'malformed' },
    { name: 'an unreadable line', body: `${sse(...called)}data: {"type":"content_block\n\n`, is: 'malformed' },
    { name: 'a delta without a delta', body: sse(start(), { type: 'content_block_delta', index: 0 }), is: 'malformed' },
    { name: 'arguments without a call', body: sse(start(), json(0, '{}'), end(), over), is: 'malformed' },
  ])('$name', ({ body, is }) => {
    expect(summary(decode('anthropic', body))).toBe(is);
  });
});

describe('forms', () => {
  const stream = sse(start(), block(0, { type: 'text', text: '' }), text(0, 'Hi'), stop(0), end('end_turn'), over);
  test.each([
    { name: 'JSON for a stream', body: plain([{ type: 'text', text: 'Hi' }], 'end_turn') },
    { name: 'a message whose content is a text', body: plain('Hi', 'end_turn') },
    {
      name: 'a message without its type',
      body: JSON.stringify({ content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn' }),
    },
    { name: 'CRLF', body: stream.replaceAll('\n', '\r\n') },
    { name: 'CR alone', body: stream.replaceAll('\n', '\r') },
    { name: 'data: without a space', body: stream.replaceAll('data: ', 'data:') },
    {
      name: 'pings and comments',
      body: stream.replaceAll('\n\n', '\n\n: x\n\nevent: ping\ndata: {"type": "ping"}\n\n'),
    },
    { name: 'a byte order mark', body: `\uFEFF${stream}` },
  ])('$name', ({ body }) => {
    const decoded = decode('anthropic', body);
    expect(summary(decoded)).toBe('"Hi" stop');
    expect(decoded.shownText).toBe('Hi');
  });
});
