import { describe, expect, test } from 'vitest';
import { decode, summary } from './decode.ts';

const line = (message: object, more: object = {}): object => ({
  model: 'm',
  message: { role: 'assistant', content: '', ...message },
  done: false,
  ...more,
});
const end = (reason: string | undefined = 'stop', more: object = {}): object =>
  line({}, { done: true, done_reason: reason, prompt_eval_count: 10, eval_count: 5, ...more });
const call = (name: string, args: unknown, more: object = {}): object => ({
  function: { name, arguments: args },
  ...more,
});
const lines = (...values: readonly object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

describe('calls are assembled', () => {
  test.each([
    { name: 'by the book', events: [line({ tool_calls: [call('f', { x: 1 })] }), end()], is: 'f({"x":1}) stop' },
    {
      name: 'several in one line',
      events: [line({ tool_calls: [call('f', { x: 1 }), call('g', {})] }), end()],
      is: 'f({"x":1}) g({}) stop',
    },
    {
      name: 'one a line',
      events: [line({ tool_calls: [call('f', { x: 1 })] }), line({ tool_calls: [call('f', { x: 1 })] }), end()],
      is: 'f({"x":1}) f({"x":1}) stop',
    },
    {
      name: 'with ids of newer versions',
      events: [line({ tool_calls: [call('f', {}, { id: 'call_1' })] }), end()],
      is: 'f#call_1({}) stop',
    },
    {
      name: 'with an empty id',
      events: [line({ tool_calls: [call('f', {}, { id: '' })] }), end()],
      is: 'f({}) stop',
    },
    {
      name: 'with one id for two',
      events: [line({ tool_calls: [call('f', { x: 1 }, { id: 'a' }), call('f', { x: 2 }, { id: 'a' })] }), end()],
      is: 'f#a({"x":1}) f#a({"x":2}) stop',
    },
    { name: 'with arguments as an empty text', events: [line({ tool_calls: [call('f', '')] }), end()], is: 'f() stop' },
    {
      name: 'with the finish reason tool_calls',
      events: [line({ tool_calls: [call('f', {})] }), end('tool_calls')],
      is: 'f({}) tool-calls',
    },
    {
      name: 'with an unknown finish reason',
      events: [line({ tool_calls: [call('f', {})] }), end('eventually')],
      is: 'f({}) other',
    },
    {
      name: 'in the last line',
      events: [line({ tool_calls: [call('f', { x: 1 })] }, { done: true, done_reason: 'stop' })],
      is: 'f({"x":1}) stop',
    },
    {
      name: 'with arguments as a text',
      events: [line({ tool_calls: [call('f', '{"x":1}')] }), end()],
      is: 'f({"x":1}) stop',
    },
    { name: 'with arguments of null', events: [line({ tool_calls: [call('f', null)] }), end()], is: 'f() stop' },
    {
      name: 'with entries that are no calls',
      events: [line({ tool_calls: [null, 7, call('f', {})] }), end()],
      is: 'f({}) stop',
    },
    {
      name: 'once more in the last line',
      events: [
        line({ tool_calls: [call('f', { x: 1 }), call('g', {})] }),
        line({ tool_calls: [call('f', { x: 1 }), call('g', {})] }, { done: true, done_reason: 'stop' }),
      ],
      is: 'f({"x":1}) g({}) stop',
    },
    {
      name: 'once more in the last line, which gives the ids',
      events: [
        line({ tool_calls: [call('f', { x: 1 })] }),
        line({ tool_calls: [call('f', { x: 1 }, { id: 'a' })] }, { done: true, done_reason: 'stop' }),
      ],
      is: 'f({"x":1}) stop',
    },
    {
      name: 'two equal ones, and one of them once more in the last line',
      events: [
        line({ tool_calls: [call('f', {}), call('f', {})] }),
        line({ tool_calls: [call('f', {}), call('f', {}), call('f', {})] }, { done: true, done_reason: 'stop' }),
      ],
      is: 'f({}) f({}) f({}) stop',
    },
    {
      name: 'in the last line, equal to one before it but with another id',
      events: [
        line({ tool_calls: [call('f', {}, { id: 'a' })] }),
        line({ tool_calls: [call('f', {}, { id: 'b' })] }, { done: true, done_reason: 'stop' }),
      ],
      is: 'f#a({}) f#b({}) stop',
    },
    { name: 'that are null', events: [line({ content: 'Hi', tool_calls: null }), end()], is: '"Hi" stop' },
  ])('$name', ({ events, is }) => {
    expect(summary(decode('ollama', lines(...events)))).toBe(is);
  });
});

describe('ends', () => {
  test.each([
    { name: 'done', body: lines(line({ content: 'Hi' }), end()), is: '"Hi" stop' },
    { name: 'done without a reason', body: lines(line({ content: 'Hi' }), line({}, { done: true })), is: '"Hi" stop' },
    { name: 'length', body: lines(line({ content: 'Hi' }), end('length')), is: '"Hi" length' },
    {
      name: 'length behind a whole call',
      body: lines(line({ tool_calls: [call('f', { x: 1 })] }), end('length')),
      is: '!f({"x":1}) length',
    },
    {
      name: 'length behind a call whose text is cut',
      body: lines(line({ tool_calls: [call('f', '{"x')] }), end('length')),
      is: '!f({"x) length',
    },
    { name: 'an unknown reason', body: lines(line({ content: 'Hi' }), end('unload')), is: '"Hi" other' },
    { name: 'no last newline', body: lines(line({ content: 'Hi' }), end()).trimEnd(), is: '"Hi" stop' },
    { name: 'no done', body: lines(line({ content: 'Hi' })), is: 'cut' },
    { name: 'a call and no done', body: lines(line({ tool_calls: [call('f', {})] })), is: 'cut' },
    { name: 'done: false in a plain reply', body: JSON.stringify(line({ content: 'Hi' })), is: 'cut' },
    { name: 'a reply of nothing', body: lines(end('load')), is: 'other' },
  ])('$name', ({ body, is }) => {
    expect(summary(decode('ollama', body))).toBe(is);
  });
});

describe('what comes beside the reply', () => {
  test('thoughts are told apart from text', () => {
    const decoded = decode(
      'ollama',
      lines(line({ thinking: 'h' }), line({ thinking: 'm' }), line({ content: 'Hi' }), end()),
    );
    expect(summary(decoded)).toBe('<hm> "Hi" stop');
    expect(decoded.shownReasoning).toBe('hm');
  });

  test.each([
    { name: 'whole', more: {}, is: { inputTokens: 10, outputTokens: 5 } },
    { name: 'partly missing', more: { prompt_eval_count: undefined }, is: { outputTokens: 5 } },
  ])('usage that is $name stays as known as it is', ({ more, is }) => {
    const { assembled } = decode('ollama', lines(line({ content: 'Hi' }), end('stop', more)));
    expect(assembled.type === 'reply' && JSON.parse(JSON.stringify(assembled.reply.usage))).toEqual(is);
  });
});

describe('faults inside a 200', () => {
  const called = line({ tool_calls: [call('f', { x: 1 })] });
  test.each([
    { name: 'an error line first', body: '{"error":"busy"}\n', is: 'error-payload' },
    {
      name: 'an error line after a whole call',
      body: `${lines(called)}{"error":"llama runner process has terminated"}\n`,
      is: 'error-payload',
    },
    {
      name: 'an error line after done, which belongs to no reply',
      body: `${lines(called, end())}{"error":"x"}\n`,
      is: 'f({"x":1}) stop',
    },
    { name: 'an error that is an object', body: '{"error":{"message":"busy"}}', is: 'error-payload' },
    { name: 'half a line', body: `${lines(line({ content: 'Hi' }))}{"model":"m","message":{"ro`, is: 'malformed' },
    {
      name: 'an unreadable line',
      body: `${lines(line({ content: 'Hi' }))}{"model":\n${lines(end())}`,
      is: 'malformed',
    },
    { name: 'HTML', body: '<html></html>', is: 'malformed' },
    { name: 'plain words', body: '404 page not found', is: 'malformed' },
    { name: 'an empty body', body: '', is: 'malformed' },
    { name: 'null', body: 'null', is: 'malformed' },
    { name: 'a list', body: '[1]', is: 'malformed' },
    { name: 'a message of null', body: '{"model":"m","message":null,"done":true}', is: 'malformed' },
    { name: 'no message', body: '{"model":"m","done":true}', is: 'malformed' },
  ])('$name', ({ body, is }) => {
    expect(summary(decode('ollama', body))).toBe(is);
  });
});

describe('forms', () => {
  const stream = lines(line({ content: 'Hi' }), end());
  test.each([
    { name: 'a plain reply', body: JSON.stringify(line({ content: 'Hi' }, { done: true, done_reason: 'stop' })) },
    {
      name: 'JSON over several lines',
      body: JSON.stringify(line({ content: 'Hi' }, { done: true, done_reason: 'stop' }), null, 2),
    },
    { name: 'CRLF', body: stream.replaceAll('\n', '\r\n') },
    { name: 'an empty line of white space to show life', body: `\n\n${stream}` },
    { name: 'empty lines', body: stream.replaceAll('\n', '\n\n\n') },
    { name: 'a byte order mark', body: `\uFEFF${stream}` },
    {
      name: 'server-sent events of a gateway',
      body: stream
        .replace(/^/gm, 'data: ')
        .replaceAll('\n', '\n\n')
        .replace(/data: $/, ''),
    },
  ])('$name', ({ body }) => {
    const decoded = decode('ollama', body);
    expect(summary(decoded)).toBe('"Hi" stop');
    expect(decoded.shownText).toBe('Hi');
  });
});
