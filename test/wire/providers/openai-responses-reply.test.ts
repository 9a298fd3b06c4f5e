import { describe, expect, test } from 'vitest';
import { decode, sse, summary } from './decode.ts';

const created = { type: 'response.created', response: { id: 'resp_1', model: 'm', status: 'in_progress', output: [] } };
const added = (index: number | undefined, item: object): object => ({
  type: 'response.output_item.added',
  output_index: index,
  item,
});
const finished = (index: number | undefined, item: object): object => ({
  type: 'response.output_item.done',
  output_index: index,
  item,
});
const args = (index: number | undefined, item_id: string | undefined, delta: string): object => ({
  type: 'response.function_call_arguments.delta',
  output_index: index,
  item_id,
  delta,
});
const text = (index: number | undefined, item_id: string | undefined, delta: string): object => ({
  type: 'response.output_text.delta',
  output_index: index,
  item_id,
  content_index: 0,
  delta,
});
const fn = (id: string, name: string, more: object = {}): object => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: '',
  status: 'in_progress',
  ...more,
});
const message = (value: string, more: object = {}): object => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: value }],
  ...more,
});
const usage = { input_tokens: 10, output_tokens: 5 };
const over = (output: readonly object[] = [], more: object = {}): object => ({
  type: 'response.completed',
  response: { id: 'resp_1', model: 'm', status: 'completed', output, usage, ...more },
});
const incomplete = (reason: string, output: readonly object[]): object => ({
  type: 'response.incomplete',
  response: { id: 'resp_1', status: 'incomplete', incomplete_details: { reason }, output, usage },
});
const LONDON = '{"city":"London"}';

describe('calls are assembled', () => {
  const whole = fn('a', 'f', { arguments: LONDON, status: 'completed' });
  test.each([
    {
      name: 'by the book',
      events: [
        added(0, fn('a', 'f')),
        args(0, 'fc_a', '{"city":'),
        args(0, 'fc_a', '"London"}'),
        finished(0, whole),
        over([whole]),
      ],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'from their pieces, where the last event has no output',
      events: [added(0, fn('a', 'f')), args(0, 'fc_a', '{"city":'), args(0, 'fc_a', '"London"}'), over()],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'from their done event',
      events: [
        added(0, fn('a', 'f')),
        { type: 'response.function_call_arguments.done', output_index: 0, item_id: 'fc_a', arguments: LONDON },
        over(),
      ],
      is: `f#a(${LONDON})`,
    },
    { name: 'from their done item alone', events: [finished(0, whole), over()], is: `f#a(${LONDON})` },
    { name: 'from the last event alone', events: [created, over([whole])], is: `f#a(${LONDON})` },
    {
      name: 'interleaved',
      events: [
        added(0, fn('a', 'f')),
        added(1, fn('b', 'g')),
        args(1, 'fc_b', '{"x":'),
        args(0, 'fc_a', LONDON),
        args(1, 'fc_b', '1}'),
        over(),
      ],
      is: `f#a(${LONDON}) g#b({"x":1})`,
    },
    {
      name: 'with the index missing',
      events: [
        added(undefined, fn('a', 'f')),
        args(undefined, undefined, LONDON),
        added(undefined, fn('b', 'g')),
        args(undefined, undefined, '{}'),
        over(),
      ],
      is: `f#a(${LONDON}) g#b({})`,
    },
    {
      name: 'with index 0 for all',
      events: [added(0, fn('a', 'f')), args(0, 'fc_a', LONDON), added(0, fn('b', 'g')), args(0, 'fc_b', '{}'), over()],
      is: `f#a(${LONDON}) g#b({})`,
    },
    {
      name: 'with another id in each event',
      events: [
        added(0, fn('a', 'f', { id: 'A' })),
        args(0, 'B', '{"city":'),
        args(0, 'C', '"London"}'),
        { type: 'response.function_call_arguments.done', output_index: 0, item_id: 'D', arguments: LONDON },
        finished(0, { ...whole, id: 'E' }),
        over(),
      ],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with another id in each event and in the last one',
      events: [
        added(0, fn('a', 'f', { id: 'A' })),
        args(0, 'B', LONDON),
        finished(0, { ...whole, id: 'E' }),
        over([{ ...whole, id: 'F' }]),
      ],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'two, with another id in each event',
      events: [
        added(0, fn('a', 'f', { id: 'A' })),
        added(1, fn('b', 'g', { id: 'B' })),
        args(1, 'C', '{"x":1}'),
        args(0, 'D', LONDON),
        finished(1, fn('b', 'g', { id: 'E', arguments: '{"x":1}' })),
        finished(0, { ...whole, id: 'F' }),
        over(),
      ],
      is: `f#a(${LONDON}) g#b({"x":1})`,
    },
    {
      name: 'with another call_id at its end',
      events: [
        added(0, fn('a', 'f')),
        args(0, 'fc_a', LONDON),
        finished(0, { ...whole, call_id: 'b' }),
        over([{ ...whole, call_id: 'b' }]),
      ],
      is: `f#b(${LONDON})`,
    },
    {
      name: 'with another call_id in the last event, too',
      events: [
        added(0, fn('a', 'f')),
        { type: 'response.function_call_arguments.done', output_index: 0, item_id: 'fc_a', arguments: LONDON },
        finished(0, { ...whole, call_id: 'b' }),
        over([{ ...whole, call_id: 'c' }]),
      ],
      is: `f#c(${LONDON})`,
    },
    {
      name: 'with another id in each event and no index',
      events: [
        added(undefined, fn('a', 'f', { id: 'A' })),
        args(undefined, 'B', LONDON),
        finished(undefined, { ...whole, id: 'E' }),
        over(),
      ],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'that the last event leaves out',
      events: [
        added(0, fn('a', 'f')),
        args(0, 'fc_a', LONDON),
        finished(0, whole),
        added(1, fn('b', 'g')),
        finished(1, fn('b', 'g', { arguments: '{}' })),
        over([fn('b', 'g', { arguments: '{}' })]),
      ],
      is: `f#a(${LONDON}) g#b({})`,
    },
    {
      name: 'whose arguments the last event leaves out',
      events: [added(0, fn('a', 'f')), args(0, 'fc_a', LONDON), finished(0, whole), over([fn('a', 'f')])],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'whose arguments the last event empties',
      events: [
        added(0, fn('a', 'f')),
        args(0, 'fc_a', LONDON),
        finished(0, whole),
        over([fn('a', 'f', { arguments: '{}' })]),
      ],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'that were closed and never opened',
      events: [finished(0, whole), finished(0, whole), over()],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with the index as text',
      events: [
        added(0, fn('a', 'f', { id: undefined })),
        added(1, fn('b', 'g', { id: undefined })),
        args('0' as never, undefined, LONDON),
        args('1' as never, undefined, '{}'),
        over(),
      ],
      is: `f#a(${LONDON}) g#b({})`,
    },
    {
      name: 'with holes in the indexes',
      events: [added(3, fn('a', 'f')), args(3, 'fc_a', LONDON), added(9, fn('b', 'g')), args(9, 'fc_b', '{}'), over()],
      is: `f#a(${LONDON}) g#b({})`,
    },
    {
      name: 'without ids of items',
      events: [added(0, fn('a', 'f', { id: undefined })), args(0, undefined, LONDON), over()],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'without a call_id',
      events: [over([fn('a', 'f', { call_id: undefined, arguments: LONDON })])],
      is: `f#fc_a(${LONDON})`,
    },
    {
      name: 'with cumulative pieces',
      events: [
        added(0, fn('a', 'f')),
        args(0, 'fc_a', '{"city"'),
        args(0, 'fc_a', '{"city":"Lon'),
        args(0, 'fc_a', LONDON),
        over(),
      ],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with equal pieces that are not repeats',
      events: [
        added(0, fn('a', 'f')),
        args(0, 'fc_a', '{"n":'),
        args(0, 'fc_a', '1'),
        args(0, 'fc_a', '1'),
        args(0, 'fc_a', '}'),
        over(),
      ],
      is: 'f#a({"n":11})',
    },
    {
      name: 'with arguments as an object',
      events: [over([fn('a', 'f', { arguments: { city: 'London' } })])],
      is: `f#a(${LONDON})`,
    },
    { name: 'empty, for a tool without parameters', events: [over([fn('a', 'f')])], is: 'f#a()' },
    {
      name: 'with the whole arguments once more at the end',
      events: [
        added(0, fn('a', 'f')),
        args(0, 'fc_a', '{"city":'),
        args(0, 'fc_a', '"London"}'),
        args(0, 'fc_a', LONDON),
        over(),
      ],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with an empty object before the real one',
      events: [added(0, fn('a', 'f')), args(0, 'fc_a', '{}'), args(0, 'fc_a', LONDON), over()],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with JSON inside JSON',
      events: [
        added(0, fn('a', 'f')),
        args(0, 'fc_a', '{"a":'),
        args(0, 'fc_a', '{"a":1}'),
        args(0, 'fc_a', '}'),
        over(),
      ],
      is: 'f#a({"a":{"a":1}})',
    },
    {
      name: 'with the name last',
      events: [
        added(0, fn('a', 'f', { name: undefined })),
        args(0, 'fc_a', LONDON),
        finished(0, fn('a', 'f', { arguments: undefined })),
        over(),
      ],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with one id for two',
      events: [over([fn('a', 'f', { arguments: LONDON }), fn('a', 'f', { arguments: '{}' })])],
      is: `f#a(${LONDON}) f#a({})`,
    },
    {
      name: 'without any id',
      events: [over([fn('a', 'f', { call_id: '', id: undefined, arguments: LONDON })])],
      is: `f(${LONDON})`,
    },
  ])('$name', ({ events, is }) => {
    expect(summary(decode('openai-responses', sse(created, ...events)))).toBe(`${is} tool-calls`);
  });
});

describe('ends', () => {
  const half = fn('a', 'f', { arguments: '{"ci', status: 'incomplete' });
  test.each([
    { name: 'completed', events: [created, text(0, 'msg_1', 'Hi'), over([message('Hi')])], is: '"Hi" stop' },
    {
      name: 'completed, with the text in pieces only',
      events: [created, added(0, message('', { content: [] })), text(0, 'msg_1', 'H'), text(0, 'msg_1', 'i'), over()],
      is: '"Hi" stop',
    },
    {
      name: 'incomplete by its limit',
      events: [created, incomplete('max_output_tokens', [message('Hi')])],
      is: '"Hi" length',
    },
    {
      name: 'incomplete with half a call',
      events: [created, incomplete('max_output_tokens', [half])],
      is: '!f#a({"ci) length',
    },
    {
      name: 'incomplete with a whole and a half call',
      events: [
        created,
        incomplete('max_output_tokens', [fn('b', 'g', { arguments: '{}', status: 'completed' }), half]),
      ],
      is: 'g#b({}) !f#a({"ci) length',
    },
    {
      name: 'incomplete with a half call in pieces',
      events: [created, added(0, fn('a', 'f')), args(0, 'fc_a', '{"ci'), incomplete('max_output_tokens', [])],
      is: '!f#a({"ci) length',
    },
    {
      name: 'incomplete by its filter',
      events: [created, incomplete('content_filter', [message('Hi')])],
      is: '"Hi" content-filter',
    },
    {
      name: 'a refusal',
      events: [created, over([message('', { content: [{ type: 'refusal', refusal: 'No.' }] })])],
      is: '"No." content-filter',
    },
    {
      name: 'a refusal in pieces only',
      events: [created, { type: 'response.refusal.delta', delta: 'No.' }, over()],
      is: '"No." content-filter',
    },
    { name: 'no completed', events: [created, text(0, 'msg_1', 'Hi')], is: 'cut' },
    {
      name: 'a whole call and no completed',
      events: [created, finished(0, fn('a', 'f', { arguments: '{}' }))],
      is: 'cut',
    },
    { name: '[DONE] of a gateway behind a cut stream', events: [created, text(0, 'msg_1', 'Hi'), '[DONE]'], is: 'cut' },
    { name: 'a reply of nothing', events: [created, over()], is: 'stop' },
    {
      name: 'an unknown status',
      events: [created, over([fn('b', 'g', { arguments: '{}' })], { status: 'finished' })],
      is: 'g#b({}) tool-calls',
    },
    {
      name: 'incomplete for an unknown reason',
      events: [created, incomplete('tired', [message('Hi')])],
      is: '"Hi" length',
    },
    {
      name: 'a reply that is still in progress',
      events: [{ object: 'response', status: 'in_progress', output: [] }],
      is: 'cut',
    },
    {
      name: 'a reply that was cancelled',
      events: [{ object: 'response', status: 'cancelled', output: [] }],
      is: 'error-payload',
    },
  ])('$name', ({ events, is }) => {
    expect(summary(decode('openai-responses', sse(...events)))).toBe(is);
  });
});

describe('text is told once', () => {
  const opened = (id: string): object => message('', { id, content: [], status: 'in_progress' });
  test.each([
    {
      name: 'with another id in each event',
      events: [added(0, opened('A')), text(0, 'B', 'H'), text(0, 'C', 'i'), finished(0, message('Hi', { id: 'E' }))],
      last: over(),
    },
    {
      name: 'with another id in each event and in the last one',
      events: [added(0, opened('A')), text(0, 'B', 'Hi'), finished(0, message('Hi', { id: 'E' }))],
      last: over([message('Hi', { id: 'F' })]),
    },
    {
      name: 'with another id in each event and no index',
      events: [
        added(undefined, opened('A')),
        text(undefined, 'B', 'Hi'),
        finished(undefined, message('Hi', { id: 'E' })),
      ],
      last: over(),
    },
    {
      name: 'although the last event holds only its end',
      events: [added(0, opened('A')), text(0, 'A', 'Hi'), finished(0, message('Hi', { id: 'A' }))],
      last: over([message('i', { id: 'A' })]),
    },
    {
      name: 'although the last event holds only its end and it was never done',
      events: [text(0, 'A', 'H'), text(0, 'A', 'i')],
      last: over([message('i', { id: 'B' })]),
    },
    {
      name: 'although the last event holds an empty message',
      events: [added(0, opened('A')), text(0, 'A', 'Hi'), finished(0, message('', { id: 'A', content: [] }))],
      last: over([message('', { id: 'A', content: [] })]),
    },
  ])('$name', ({ events, last }) => {
    const decoded = decode('openai-responses', sse(created, ...events, last));
    expect(summary(decoded)).toBe('"Hi" stop');
    expect(decoded.shownText).toBe('Hi');
  });

  test('two messages stay two, in their order', () => {
    const first = message('One.', { id: 'A' });
    const second = message('Two.', { id: 'B' });
    const events = [added(0, opened('A')), finished(0, first), added(1, opened('B')), finished(1, second)];
    expect(summary(decode('openai-responses', sse(created, ...events, over())))).toBe('"One." "Two." stop');
    expect(summary(decode('openai-responses', sse(created, ...events, over([second]))))).toBe('"One." "Two." stop');
  });
});

describe('what comes beside the reply', () => {
  const sealed = {
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: 'hm' }],
    encrypted_content: 'xyz',
    status: 'completed',
  };

  test('sealed reasoning is kept as it came, without its status', () => {
    const { assembled } = decode('openai-responses', sse(created, over([sealed, message('Hi')])));
    const { status: _status, ...data } = sealed;
    expect(assembled).toMatchObject({
      reply: { content: [{ type: 'reasoning', text: 'hm', issuer: 'openai-responses', data }, { text: 'Hi' }] },
    });
    expect(assembled.type === 'reply' && assembled.reply.content[0]).not.toHaveProperty('data.status');
  });

  test('reasoning that is not sealed is shown and not sent back', () => {
    const { encrypted_content: _sealed, ...open } = sealed;
    const { assembled } = decode('openai-responses', sse(created, over([open, message('Hi')])));
    expect(assembled.type === 'reply' && assembled.reply.content[0]).toEqual({
      type: 'reasoning',
      text: 'hm',
      issuer: 'openai-responses',
    });
  });

  test('reasoning and text are shown as they come', () => {
    const hm = { type: 'response.reasoning_summary_text.delta', output_index: 0, item_id: 'rs_1', delta: 'hm' };
    const decoded = decode(
      'openai-responses',
      sse(created, added(0, { ...sealed, summary: [] }), hm, text(1, 'msg_1', 'Hi'), over([sealed, message('Hi')])),
    );
    expect(decoded).toMatchObject({ shownText: 'Hi', shownReasoning: 'hm' });
  });

  test('usage is read, and stays unknown where there is none', () => {
    const details = {
      ...usage,
      input_tokens_details: { cached_tokens: 4 },
      output_tokens_details: { reasoning_tokens: 2 },
    };
    const usageOf = (value: unknown): unknown => {
      const { assembled } = decode('openai-responses', sse(over([message('Hi')], { usage: value })));
      return assembled.type === 'reply' && JSON.parse(JSON.stringify(assembled.reply.usage));
    };
    expect(usageOf(details)).toEqual({ inputTokens: 10, outputTokens: 5, cachedInputTokens: 4, reasoningTokens: 2 });
    expect(usageOf(null)).toEqual({});
    expect(usageOf({ input_tokens: 20, output_tokens: 5, total_tokens: 925 })).toEqual({
      inputTokens: 20,
      outputTokens: 905,
    });
  });
});

describe('faults inside a 200', () => {
  const called = [created, finished(0, fn('a', 'f', { arguments: '{}' }))];
  const failed = {
    type: 'response.failed',
    response: { id: 'resp_1', status: 'failed', error: { code: 'server_error', message: 'x' } },
  };
  test.each([
    {
      name: 'an error event first',
      body: sse({ type: 'error', code: 'server_error', message: 'x' }),
      is: 'error-payload',
    },
    {
      name: 'an error event after a whole call',
      body: sse(...called, { type: 'error', code: 'server_error', message: 'x' }),
      is: 'error-payload',
    },
    { name: 'response.failed', body: sse(...called, failed), is: 'error-payload' },
    {
      name: 'an error event after completed, which belongs to no reply',
      body: sse(...called, over(), { type: 'error', message: 'x' }),
      is: 'f#a({}) tool-calls',
    },
    { name: 'an error body', body: JSON.stringify({ error: { message: 'x' } }), is: 'error-payload' },
    {
      name: 'a plain reply that failed',
      body: JSON.stringify({
        object: 'response',
        status: 'failed',
        error: { code: 'server_error', message: 'x' },
        output: [],
      }),
      is: 'error-payload',
    },
    { name: 'HTML', body: '<html></html>', is: 'malformed' },
    { name: 'an empty body', body: '', is: 'malformed' },
    { name: 'null', body: 'null', is: 'malformed' },
    { name: 'a list', body: '[]', is: 'malformed' },
    { name: 'half a JSON body', body: '{"object":"response","output":[', is: 'malformed' },
    {
      name: 'an error line without data:',
      body: `${sse(...called)}{"error":{"message":"busy"}}\n\n`,
      is: 'error-payload',
    },
    {
      name: 'an error named by its event only',
      body: 'event: error\ndata: {"message":"busy"}\n\n',
      is: 'error-payload',
    },
    { name: 'an unreadable line', body: `${sse(created)}data: {"type":\n\n`, is: 'malformed' },
    { name: 'completed without a response', body: sse(created, { type: 'response.completed' }), is: 'malformed' },
    {
      name: 'an item that is none',
      body: sse(created, { type: 'response.output_item.added', output_index: 0 }),
      is: 'malformed',
    },
  ])('$name', ({ body, is }) => {
    expect(summary(decode('openai-responses', body))).toBe(is);
  });
});

describe('forms', () => {
  const stream = sse(created, text(0, 'msg_1', 'Hi'), over([message('Hi')]));
  test.each([
    {
      name: 'a plain reply',
      body: JSON.stringify({ object: 'response', status: 'completed', output: [message('Hi')] }),
    },
    { name: 'a plain reply without object and status', body: JSON.stringify({ output: [message('Hi')] }) },
    { name: 'CRLF', body: stream.replaceAll('\n', '\r\n') },
    { name: 'CR alone', body: stream.replaceAll('\n', '\r') },
    { name: 'a byte order mark', body: `\uFEFF${stream}` },
    { name: 'data: without a space', body: stream.replaceAll('data: ', 'data:') },
    { name: 'comments and pings', body: `: hello\n\n${stream.replaceAll('\n\n', '\n\nevent: ping\ndata: ping\n\n')}` },
    { name: '[DONE] at the end', body: `${stream}data: [DONE]\n\n` },
    { name: 'types in the event field only', body: stream.replace(/data: \{"type":"([^"]+)",/g, 'event: $1\ndata: {') },
    { name: 'kinds of events that are new', body: sse(created, { type: 'response.something_new' }) + stream },
  ])('$name', ({ body }) => {
    const decoded = decode('openai-responses', body);
    expect(summary(decoded)).toBe('"Hi" stop');
    expect(decoded.shownText).toBe('Hi');
  });
});
