import { describe, expect, test } from 'vitest';
import { decode, sse, summary } from './decode.ts';

interface Piece {
  readonly index?: number;
  readonly id?: string | null;
  readonly type?: string;
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown };
}

const delta = (fields: object, finish: string | null = null): object => ({
  id: 'chatcmpl-1',
  model: 'm',
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});
const calls = (...pieces: readonly Piece[]): object => delta({ tool_calls: pieces });
const end = (finish = 'tool_calls'): object => delta({}, finish);
const done = '[DONE]';
const named = (name: string, args: unknown = '', more: Piece = {}): Piece => ({
  ...more,
  function: { name, arguments: args },
});
const piece = (args: unknown, more: Piece = {}): Piece => ({ ...more, function: { arguments: args } });
const A = { index: 0, id: 'a' };
const B = { index: 1, id: 'b' };
const LONDON = '{"city":"London"}';
const PARIS = '{"city":"Paris"}';

describe('calls are assembled', () => {
  test.each([
    {
      name: 'by the book',
      events: [
        calls(named('f', '', A)),
        calls(piece('{"city":', { index: 0 })),
        calls(piece('"London"}', { index: 0 })),
        end(),
      ],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'two by the book',
      events: [
        calls(named('f', '', A)),
        calls(piece(LONDON, { index: 0 })),
        calls(named('g', '', B)),
        calls(piece(PARIS, { index: 1 })),
        end(),
      ],
      is: `f#a(${LONDON}) g#b(${PARIS})`,
    },
    {
      name: 'with the index missing',
      events: [
        calls(named('f', '', { id: 'a' })),
        calls(piece('{"city":')),
        calls(piece('"London"}')),
        calls(named('f', '', { id: 'b' })),
        calls(piece(PARIS)),
        end(),
      ],
      is: `f#a(${LONDON}) f#b(${PARIS})`,
    },
    {
      name: 'with index 0 for all and other ids',
      events: [
        calls(named('f', '', A)),
        calls(piece(LONDON, A)),
        calls(named('f', '', { index: 0, id: 'b' })),
        calls(piece(PARIS, { index: 0, id: 'b' })),
        end(),
      ],
      is: `f#a(${LONDON}) f#b(${PARIS})`,
    },
    {
      name: 'with index 0 for all, whole calls and no ids',
      events: [calls(named('f', LONDON, { index: 0 })), calls(named('f', PARIS, { index: 0 })), end()],
      is: `f(${LONDON}) f(${PARIS})`,
    },
    {
      name: 'with the index as text',
      events: [
        calls(named('f', '', A), named('g', '', B)),
        calls(piece('{"city":', { index: '0' as never }), piece(PARIS, { index: '1' as never })),
        calls(piece('"London"}', { index: '0' as never })),
        end(),
      ],
      is: `f#a(${LONDON}) g#b(${PARIS})`,
    },
    {
      name: 'with an index that comes late',
      events: [
        calls(named('f', '{"city":', { id: 'a' })),
        calls(piece('"Lon', { index: 0 })),
        calls(piece('don"}', { index: 0 })),
        end(),
      ],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with an index that comes late, and the name and the id once more',
      events: [calls(named('f', '{"city":', { id: 'a' })), calls(named('f', '"London"}', A)), end()],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with indexes that come late, for two',
      events: [
        calls(named('f', '', { id: 'a' }), named('g', '', { id: 'b' })),
        calls(piece(LONDON, { index: 0 }), piece(PARIS, { index: 1 })),
        end(),
      ],
      is: `f#a(${LONDON}) g#b(${PARIS})`,
    },
    {
      name: 'with an index that is none',
      events: [
        calls(named('f', '{"city":', A)),
        calls(piece('"Lon', { index: -1 }), piece('don"', { index: null as never }), piece('}', { index: 0.5 })),
        end(),
      ],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with nameless pieces in a place of their own',
      events: [calls(named('f', '{"city":', A)), calls(piece('"London"}', { index: 3 })), end()],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with nameless pieces with a place and an id of their own',
      events: [calls(named('f', '{"city":', A)), calls(piece('"London"}', { index: 1, id: 'x' })), end()],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'twice, whole, under two indexes',
      events: [calls(named('f', LONDON, A)), calls(named('f', LONDON, { index: 1, id: 'a' })), end()],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'begun anew under another index',
      events: [calls(named('f', '{"ci', A)), calls(named('f', LONDON, { index: 1, id: 'a' })), end()],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with holes in the indexes',
      events: [
        calls(named('f', LONDON, { index: 0, id: 'a' })),
        calls(named('g', PARIS, { index: 4, id: 'b' })),
        end(),
      ],
      is: `f#a(${LONDON}) g#b(${PARIS})`,
    },
    {
      name: 'with an empty entry in a hole',
      events: [calls({ index: 0 }, named('g', PARIS, B)), end()],
      is: `g#b(${PARIS})`,
    },
    {
      name: 'interleaved by index',
      events: [
        calls(named('f', '', A), named('g', '', B)),
        calls(piece('{"city":', { index: 0 }), piece('{"city":', { index: 1 })),
        calls(piece('"Paris"}', { index: 1 }), piece('"London"}', { index: 0 })),
        end(),
      ],
      is: `f#a(${LONDON}) g#b(${PARIS})`,
    },
    {
      name: 'interleaved by id, without an index',
      events: [
        calls(named('f', '', { id: 'a' }), named('g', '', { id: 'b' })),
        calls(piece('{"city":', { id: 'a' }), piece('{"city":', { id: 'b' })),
        calls(piece('"Paris"}', { id: 'b' }), piece('"London"}', { id: 'a' })),
        end(),
      ],
      is: `f#a(${LONDON}) g#b(${PARIS})`,
    },
    {
      name: 'whole, in one delta, without index and id',
      events: [calls(named('f', LONDON), named('f', PARIS)), end()],
      is: `f(${LONDON}) f(${PARIS})`,
    },
    {
      name: 'whole and equal, in one delta, without index and id',
      events: [calls(named('f', '{}'), named('f', '{}')), end()],
      is: 'f({}) f({})',
    },
    {
      name: 'whole, in one delta each, without index and id',
      events: [calls(named('f', LONDON)), calls(named('f', PARIS)), end()],
      is: `f(${LONDON}) f(${PARIS})`,
    },
    {
      name: 'of other names without index, id and arguments',
      events: [calls(named('f')), calls(named('g')), end()],
      is: 'f() g()',
    },
    {
      name: 'with an id that is null',
      events: [calls(named('f', LONDON, { index: 0, id: null })), end()],
      is: `f(${LONDON})`,
    },
    { name: 'with an empty id', events: [calls(named('f', LONDON, { index: 0, id: '' })), end()], is: `f(${LONDON})` },
    {
      name: 'with an id that comes later',
      events: [calls(named('f', '', { index: 0 })), calls(piece(LONDON, { index: 0, id: 'a' })), end()],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with one id for two, whole in one delta',
      events: [calls(named('f', LONDON, { index: 0, id: 'a' }), named('f', PARIS, { index: 1, id: 'a' })), end()],
      is: `f#a(${LONDON}) f#a(${PARIS})`,
    },
    {
      name: 'with one id for two, without an index',
      events: [calls(named('f', LONDON, { id: 'a' }), named('f', PARIS, { id: 'a' })), end()],
      is: `f#a(${LONDON}) f#a(${PARIS})`,
    },
    {
      name: 'with another id in every nameless piece',
      events: [
        calls(named('f', '', A)),
        calls(piece('{"city":', { index: 0, id: 'x' })),
        calls(piece('"London"}', { index: 0, id: 'y' })),
        end(),
      ],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'that go on under another index',
      events: [calls(named('f', '', A)), calls(piece(LONDON, { index: 1, id: 'a' })), end()],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with the name in every piece',
      events: [calls(named('f', '', A)), calls(named('f', '{"city":', A)), calls(named('f', '"London"}', A)), end()],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with the name in every piece, without an id',
      events: [
        calls(named('f', '', { index: 0 })),
        calls(named('f', '{"city":', { index: 0 })),
        calls(named('f', '"London"}', { index: 0 })),
        end(),
      ],
      is: `f(${LONDON})`,
    },
    {
      name: 'with the name in every piece, without index and id',
      events: [calls(named('f')), calls(named('f', '{"city":')), calls(named('f', '"London"}')), end()],
      is: `f(${LONDON})`,
    },
    {
      name: 'with the name split',
      events: [
        calls(named('get_', '', A)),
        calls(named('weather', '', { index: 0 })),
        calls(piece(LONDON, { index: 0 })),
        end(),
      ],
      is: `get_weather#a(${LONDON})`,
    },
    {
      name: 'with the name split beside the arguments',
      events: [calls(named('get_', '', A)), calls(named('weather', LONDON, { index: 0 })), end()],
      is: `get_weather#a(${LONDON})`,
    },
    {
      name: 'with a name that grows',
      events: [calls(named('get_', '', A)), calls(named('get_weather', LONDON, { index: 0 })), end()],
      is: `get_weather#a(${LONDON})`,
    },
    {
      name: 'with the name last',
      events: [
        calls(piece('{"city":', A)),
        calls(piece('"London"}', { index: 0 })),
        calls(named('f', '', { index: 0 })),
        end(),
      ],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with a name of null in later pieces',
      events: [calls(named('f', '', A)), calls({ index: 0, function: { name: null, arguments: LONDON } }), end()],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with cumulative arguments',
      events: [
        calls(named('f', '{"city"', A)),
        calls(piece('{"city":"Lon', { index: 0 })),
        calls(piece(LONDON, { index: 0 })),
        end(),
      ],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with the whole arguments once more at the end',
      events: [
        calls(named('f', '', A)),
        calls(piece('{"city":', { index: 0 })),
        calls(piece('"London"}', { index: 0 })),
        calls(piece(LONDON, { index: 0 })),
        end(),
      ],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with the whole arguments once more in other white space',
      events: [
        calls(named('f', '{"city":', A)),
        calls(piece('"London"}', { index: 0 })),
        calls(piece('{ "city": "London" }', { index: 0 })),
        end(),
      ],
      is: 'f#a({ "city": "London" })',
    },
    {
      name: 'with an empty object before the real one',
      events: [
        calls(named('f', '{}', A)),
        calls(piece('{"city":', { index: 0 })),
        calls(piece('"London"}', { index: 0 })),
        end(),
      ],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with arguments as an object',
      events: [calls(named('f', { city: 'London' }, A)), end()],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'with arguments of nothing, for a tool without parameters',
      events: [calls(named('f', '', A)), end()],
      is: 'f#a()',
    },
    {
      name: 'with an id that is to be echoed exactly',
      events: [calls(named('f', LONDON, { index: 0, id: 'functions.f:0 \u{1F511}' })), end()],
      is: `f#functions.f:0 \u{1F511}(${LONDON})`,
    },
    { name: 'with arguments of null', events: [calls(named('f', null, A)), end()], is: 'f#a()' },
    {
      name: 'with equal pieces that are not repeats',
      events: [
        calls(named('f', '{"n":', A)),
        calls(piece('1', { index: 0 })),
        calls(piece('1', { index: 0 })),
        calls(piece('}', { index: 0 })),
        end(),
      ],
      is: 'f#a({"n":11})',
    },
    {
      name: 'with JSON inside JSON',
      events: [
        calls(named('f', '{"a":', A)),
        calls(piece('{"a":1}', { index: 0 })),
        calls(piece('}', { index: 0 })),
        end(),
      ],
      is: 'f#a({"a":{"a":1}})',
    },
    {
      name: 'with pieces that begin like the whole',
      events: [
        calls(named('f', '{', A)),
        calls(piece('"x":', { index: 0 })),
        calls(piece('{', { index: 0 })),
        calls(piece('}}', { index: 0 })),
        end(),
      ],
      is: 'f#a({"x":{}})',
    },
    {
      name: 'without the level of `function`',
      events: [calls({ ...A, name: 'f', arguments: LONDON } as Piece), end()],
      is: `f#a(${LONDON})`,
    },
    {
      name: 'from the older function_call',
      events: [
        delta({ function_call: { name: 'f', arguments: '' } }),
        delta({ function_call: { arguments: LONDON } }),
        end('function_call'),
      ],
      is: `f(${LONDON})`,
    },
  ])('$name', ({ events, is }) => {
    expect(summary(decode('openai-chat', sse(...events, done)))).toBe(`${is} tool-calls`);
  });

  test('and the fields of the vendor are kept, for this server only', () => {
    const entry = { ...named('f', LONDON, A), extra_content: { google: { thought_signature: 's' } } };
    const { assembled } = decode('openai-chat', sse(calls(entry), end(), done));
    expect(assembled).toMatchObject({
      reply: {
        content: [{ vendorData: { issuer: 'openai-chat', extra_content: { google: { thought_signature: 's' } } } }],
      },
    });
  });

  test('in a plain reply an entry with a name is a call of its own, but for one that is repeated', () => {
    const message = {
      role: 'assistant',
      content: null,
      tool_calls: [
        named('f', '{}', { id: 'a' }),
        named('f', '{}', { id: 'a' }),
        named('f', { x: 1 }, { id: 'c' }),
        named('f', '{}'),
      ],
    };
    expect(
      summary(decode('openai-chat', JSON.stringify({ choices: [{ message, finish_reason: 'tool_calls' }] }))),
    ).toBe('f#a({}) f#c({"x":1}) f({}) tool-calls');
  });
});

describe('ends', () => {
  test.each([
    {
      name: 'a call with the finish reason stop',
      events: [calls(named('f', LONDON, A)), end('stop'), done],
      is: `f#a(${LONDON}) stop`,
    },
    {
      name: 'a call with an unknown finish reason',
      events: [calls(named('f', LONDON, A)), end('eventually'), done],
      is: `f#a(${LONDON}) other`,
    },
    { name: 'tool_calls without calls', events: [delta({ content: 'Hi' }), end(), done], is: '"Hi" tool-calls' },
    { name: 'tool_calls: []', events: [delta({ content: 'Hi', tool_calls: [] }), end('stop'), done], is: '"Hi" stop' },
    {
      name: 'tool_calls: null',
      events: [delta({ content: 'Hi', tool_calls: null }), end('stop'), done],
      is: '"Hi" stop',
    },
    {
      name: 'length with half a call',
      events: [calls(named('f', '{"city":"Lon', A)), end('length'), done],
      is: '!f#a({"city":"Lon) length',
    },
    {
      name: 'length with a whole and a half call',
      events: [calls(named('f', LONDON, A)), calls(named('f', '{"ci', B)), end('length'), done],
      is: `f#a(${LONDON}) !f#b({"ci) length`,
    },
    {
      name: 'length with a call without arguments',
      events: [calls(named('f', '', A)), end('length'), done],
      is: '!f#a() length',
    },
    { name: 'no finish reason and no [DONE]', events: [delta({ content: 'Hi' })], is: 'cut' },
    { name: 'a call, no finish reason and no [DONE]', events: [calls(named('f', LONDON, A))], is: 'cut' },
    { name: 'a finish reason without [DONE]', events: [delta({ content: 'Hi' }), end('stop')], is: '"Hi" stop' },
    { name: '[DONE] without a finish reason', events: [delta({ content: 'Hi' }), done], is: '"Hi" other' },
    {
      name: '[DONE] without a finish reason, and half a call',
      events: [calls(named('f', '{"city":', A)), done],
      is: '!f#a({"city":) other',
    },
    {
      name: 'a content filter',
      events: [delta({ content: 'Hi' }), end('content_filter'), done],
      is: '"Hi" content-filter',
    },
    {
      name: 'a refusal',
      events: [delta({ refusal: 'I will ' }), delta({ refusal: 'not.' }), end('stop'), done],
      is: '"I will not." content-filter',
    },
    { name: 'model_length', events: [delta({ content: 'Hi' }), end('model_length'), done], is: '"Hi" length' },
    {
      name: 'MALFORMED_FUNCTION_CALL',
      events: [delta({ content: '' }), end('MALFORMED_FUNCTION_CALL'), done],
      is: 'malformed',
    },
    {
      name: 'malformed_function_call inside longer words',
      events: [delta({ content: '' }), end('function_call_filter: MALFORMED_FUNCTION_CALL'), done],
      is: 'malformed',
    },
    { name: 'the finish reason error', events: [delta({ content: 'Hi' }), end('error'), done], is: 'error-payload' },
    { name: 'a reply of nothing', events: [delta({ content: '' }), end('stop'), done], is: 'stop' },
    { name: 'no choices at all', events: [{ id: 'x', choices: [] }, done], is: 'malformed' },
    { name: 'an empty stream', events: [done], is: 'malformed' },
    { name: 'only comments', events: [], is: 'malformed' },
  ])('$name', ({ events, is }) => {
    expect(summary(decode('openai-chat', sse(...events)))).toBe(is);
  });

  test('a [DONE] without a finish reason is told as a warning', () => {
    const { assembled } = decode('openai-chat', sse(delta({ content: 'Hi' }), done));
    expect(assembled).toMatchObject({
      reply: { warnings: ['The server gave no finish reason: the reply was taken as whole.'] },
    });
  });
});

describe('what comes beside the reply', () => {
  test.each([
    {
      name: 'a first chunk without choices (Azure)',
      events: [
        { id: '', model: '', choices: [], prompt_filter_results: [] },
        delta({ content: 'Hi' }),
        end('stop'),
        done,
      ],
      is: '"Hi" stop',
    },
    {
      name: 'further choices',
      events: [
        {
          choices: [
            { index: 0, delta: { content: 'Hi' } },
            { index: 1, delta: { content: 'No' } },
          ],
        },
        { choices: [{ index: 1, delta: { content: 'No' } }] },
        end('stop'),
        done,
      ],
      is: '"Hi" stop',
    },
    {
      name: 'choices without an index behind one with it',
      events: [
        delta({ content: 'H' }),
        { choices: [{ delta: { content: 'i' } }] },
        { choices: [{ delta: {}, finish_reason: 'stop' }] },
      ],
      is: '"Hi" stop',
    },
    {
      name: 'choices with an index behind one without it',
      events: [{ choices: [{ delta: { content: 'H' } }] }, delta({ content: 'i' }), end('stop')],
      is: '"Hi" stop',
    },
    {
      name: 'choices with the index as text',
      events: [
        delta({ content: 'H' }),
        { choices: [{ index: '0', delta: { content: 'i' } }] },
        { choices: [{ index: '1', delta: { content: '!' } }] },
        end('stop'),
      ],
      is: '"Hi" stop',
    },
    {
      name: 'content in parts',
      events: [delta({ content: [{ type: 'text', text: 'Hi' }] }), end('stop'), done],
      is: '"Hi" stop',
    },
    {
      name: 'thoughts in parts (Mistral)',
      events: [
        delta({
          content: [
            { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
            { type: 'text', text: 'Hi' },
          ],
        }),
        end('stop'),
        done,
      ],
      is: '<hm> "Hi" stop',
    },
    {
      name: 'reasoning_content',
      events: [delta({ reasoning_content: 'hm' }), delta({ content: 'Hi' }), end('stop'), done],
      is: '<hm> "Hi" stop',
    },
    {
      name: 'reasoning',
      events: [delta({ reasoning: 'hm', reasoning_content: null }), delta({ content: 'Hi' }), end('stop'), done],
      is: '<hm> "Hi" stop',
    },
    {
      name: 'reasoning told twice',
      events: [delta({ reasoning: 'hm', reasoning_content: 'hm' }), delta({ content: 'Hi' }), end('stop'), done],
      is: '<hm> "Hi" stop',
    },
    {
      name: 'the whole message once more at the end',
      events: [
        delta({ content: 'Hi' }),
        { choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }] },
        done,
      ],
      is: '"Hi" stop',
    },
    {
      name: 'an end without a delta',
      events: [delta({ content: 'Hi' }), { choices: [{ index: 0, finish_reason: 'stop' }] }, done],
      is: '"Hi" stop',
    },
  ])('$name', ({ events, is }) => {
    expect(summary(decode('openai-chat', sse(...events)))).toBe(is);
  });

  test('blocks of reasoning come in pieces and are kept whole for their server', () => {
    const pieces = [
      { type: 'reasoning.text', index: 0, text: 'h' },
      { type: 'reasoning.text', index: 0, text: 'm', signature: 's' },
    ];
    const { assembled } = decode(
      'openai-chat',
      sse(...pieces.map((part) => delta({ reasoning_details: [part] })), delta({ content: 'Hi' }), end('stop'), done),
    );
    expect(assembled).toMatchObject({
      reply: {
        content: [
          {
            type: 'reasoning',
            data: { reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'hm', signature: 's' }] },
          },
          { type: 'text' },
        ],
      },
    });
  });

  test.each([
    { name: 'missing', usage: undefined, is: {} },
    { name: 'null', usage: null, is: {} },
    {
      name: 'whole',
      usage: {
        prompt_tokens: 5,
        completion_tokens: 2,
        prompt_tokens_details: { cached_tokens: 3 },
        completion_tokens_details: { reasoning_tokens: 1 },
      },
      is: { inputTokens: 5, outputTokens: 2, cachedInputTokens: 3, reasoningTokens: 1 },
    },
    {
      name: 'of DeepSeek',
      usage: { prompt_tokens: 5, completion_tokens: 2, prompt_cache_hit_tokens: 4 },
      is: { inputTokens: 5, outputTokens: 2, cachedInputTokens: 4 },
    },
    {
      name: 'without its thoughts',
      usage: {
        prompt_tokens: 20,
        completion_tokens: 5,
        total_tokens: 925,
        completion_tokens_details: { reasoning_tokens: 900 },
      },
      is: { inputTokens: 20, outputTokens: 905, reasoningTokens: 900 },
    },
    {
      name: 'without its thoughts, which only the total knows',
      usage: { prompt_tokens: 20, completion_tokens: 5, total_tokens: 925 },
      is: { inputTokens: 20, outputTokens: 905 },
    },
    {
      name: 'without its thoughts and without a total',
      usage: { prompt_tokens: 20, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 900 } },
      is: { inputTokens: 20, outputTokens: 905, reasoningTokens: 900 },
    },
    {
      name: 'with a total of nothing',
      usage: { prompt_tokens: 20, completion_tokens: 5, total_tokens: 0 },
      is: { inputTokens: 20, outputTokens: 5 },
    },
    { name: 'all zero', usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, is: {} },
    { name: 'partly nonsense', usage: { prompt_tokens: '5', completion_tokens: -1 }, is: {} },
  ])('usage that is $name stays as known as it is', ({ usage, is }) => {
    const { assembled } = decode(
      'openai-chat',
      sse(delta({ content: 'Hi' }), end('stop'), { id: 'x', choices: [], usage }, done),
    );
    expect(assembled).toMatchObject({ type: 'reply' });
    expect(assembled.type === 'reply' && JSON.parse(JSON.stringify(assembled.reply.usage))).toEqual(is);
  });
});

describe('faults inside a 200', () => {
  const good = [calls(named('f', LONDON, A))];
  test.each([
    { name: 'an error event first', body: sse({ error: { message: 'busy', code: 503 } }), is: 'error-payload' },
    {
      name: 'an error event after a whole call',
      body: sse(...good, { error: { message: 'busy' } }),
      is: 'error-payload',
    },
    {
      name: 'an error event after the finish reason',
      body: sse(...good, end(), { error: { message: 'busy' } }),
      is: 'error-payload',
    },
    { name: 'an error named by its event', body: `event: error\ndata: {"message":"busy"}\n\n`, is: 'error-payload' },
    { name: 'an error that is a text', body: sse(...good, { error: 'busy' }), is: 'error-payload' },
    {
      name: 'an error inside a choice',
      body: sse({ choices: [{ index: 0, delta: {}, error: { message: 'busy', code: 502 } }] }),
      is: 'error-payload',
    },
    {
      name: 'an error line without data:',
      body: `${sse(...good)}{"error":{"message":"busy"}}\n\n`,
      is: 'error-payload',
    },
    { name: 'an error body', body: JSON.stringify({ error: { message: 'busy', code: 503 } }), is: 'error-payload' },
    {
      name: 'an error body of vLLM',
      body: JSON.stringify({ object: 'error', message: 'busy', code: 503 }),
      is: 'error-payload',
    },
    { name: 'an error body of FastAPI', body: JSON.stringify({ detail: 'busy' }), is: 'error-payload' },
    { name: 'HTML', body: '<html><head><title>Sign in</title></head></html>', is: 'malformed' },
    { name: 'an empty body', body: '', is: 'malformed' },
    { name: 'white space', body: '\n\n  \n', is: 'malformed' },
    { name: 'null', body: 'null', is: 'malformed' },
    { name: 'a list', body: '[]', is: 'malformed' },
    { name: 'a number', body: '7', is: 'malformed' },
    { name: 'plain words', body: 'upstream connect error', is: 'malformed' },
    { name: 'plain words that begin like JSON', body: 'not available', is: 'malformed' },
    {
      name: 'a choice without a message',
      body: JSON.stringify({ choices: [{ index: 0, finish_reason: 'stop' }] }),
      is: 'malformed',
    },
    {
      name: 'a message of null',
      body: JSON.stringify({ choices: [{ index: 0, message: null, finish_reason: 'stop' }] }),
      is: 'malformed',
    },
    { name: 'choices: [] in a plain reply', body: JSON.stringify({ id: 'x', choices: [] }), is: 'malformed' },
    { name: 'choices: null', body: JSON.stringify({ id: 'x', choices: null }), is: 'malformed' },
    { name: 'one piece of a stream for a body', body: JSON.stringify(delta({ content: 'Hi' })), is: 'cut' },
    { name: 'one call of a stream for a body', body: JSON.stringify(calls(named('f', LONDON, A))), is: 'cut' },
    { name: 'half a JSON body', body: '{"choices":[{"message":{"content":"Hi"', is: 'malformed' },
    {
      name: 'an unreadable line',
      body: `${sse(delta({ content: 'Hi' }))}data: {"choices":[\n\n${sse(end('stop'), done)}`,
      is: 'malformed',
    },
    { name: 'a value of null in the stream', body: sse(null, end('stop'), done), is: 'malformed' },
  ])('$name', ({ body, is }) => {
    expect(summary(decode('openai-chat', body))).toBe(is);
  });
});

describe('forms', () => {
  const whole = {
    id: 'x',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  };
  test.each([
    { name: 'JSON for a stream', body: JSON.stringify(whole) },
    { name: 'JSON over several lines', body: JSON.stringify(whole, null, 2) },
    { name: 'JSON after white space and a byte order mark', body: `\uFEFF\n${JSON.stringify(whole)}` },
    { name: 'a whole message in a stream', body: sse(whole, done) },
    { name: 'CRLF', body: sse(delta({ content: 'Hi' }), end('stop'), done).replaceAll('\n', '\r\n') },
    { name: 'CR alone', body: sse(delta({ content: 'Hi' }), end('stop'), done).replaceAll('\n', '\r') },
    { name: 'a byte order mark', body: `\uFEFF${sse(delta({ content: 'Hi' }), end('stop'), done)}` },
    {
      name: 'data: without a space',
      body: sse(delta({ content: 'Hi' }), end('stop'), done).replaceAll('data: ', 'data:'),
    },
    {
      name: 'comments and pings',
      body: `: hello\n\n${sse(delta({ content: 'Hi' }))}event: ping\ndata: ping\n\n:\n\n${sse(end('stop'), done)}`,
    },
    { name: 'ids and retry fields', body: `id: 1\nretry: 5\n${sse(delta({ content: 'Hi' }), end('stop'), done)}` },
    {
      name: 'data over several lines',
      body: sse(delta({ content: 'Hi' }), end('stop'), done).replaceAll(',"model"', ',\ndata: "model"'),
    },
    { name: 'no empty line at the end', body: sse(delta({ content: 'Hi' }), end('stop')).trimEnd() },
    {
      name: 'a finish reason of null in a plain body',
      body: JSON.stringify({ choices: [{ message: { content: 'Hi' }, finish_reason: null }] }),
      is: '"Hi" other',
    },
  ])('$name', ({ body, is = '"Hi" stop' }) => {
    const decoded = decode('openai-chat', body);
    expect(summary(decoded)).toBe(is);
    expect(decoded.shownText).toBe('Hi');
  });
});
