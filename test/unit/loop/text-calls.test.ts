import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModelReply } from '../../../src/core/provider.ts';
import { readTextCalls } from '../../../src/loop/text-calls.ts';

const isTool = (name: string): boolean => name === 'get_weather' || name === 'get_time';

function reply(text: string, finishReason: ModelReply['finishReason'] = 'stop'): ModelReply {
  return { content: [{ type: 'text', text }], finishReason, rawFinishReason: finishReason, usage: {} };
}

/** The calls that are read, shortened: name, arguments, and `cut` where the call is not whole. */
function read(text: string, finishReason?: ModelReply['finishReason']): unknown {
  const calls = readTextCalls(reply(text, finishReason), isTool);
  return calls?.content.map((part) => (part.type === 'tool-call' ? [part.name, part.isComplete ? part.arguments : 'cut'] : part.type));
}

const paris = '{"name": "get_weather", "arguments": {"city": "Paris"}}';
const oslo = '{"name": "get_weather", "arguments": {"city": "Oslo"}}';
const parisCall = ['get_weather', { value: { city: 'Paris' } }];
const osloCall = ['get_weather', { value: { city: 'Oslo' } }];

describe('a text that is nothing but calls', () => {
  test.each([
    { name: 'bare JSON', text: paris },
    { name: 'a fence', text: `\`\`\`json\n${paris}\n\`\`\`` },
    { name: 'a fence without a language', text: `\`\`\`\n${paris}\n\`\`\`` },
    { name: 'tags', text: `<tool_call>\n${paris}\n</tool_call>` },
    { name: 'tags that are never closed', text: `<tool_call>\n${paris}` },
    { name: 'other tags', text: `<function_call>${paris}</function_call>` },
    { name: 'the marker of Mistral', text: `[TOOL_CALLS][${paris}]` },
    { name: 'a list', text: `[${paris}]` },
    { name: 'an OpenAI-like object', text: '{"type": "function", "function": {"name": "get_weather", "arguments": {"city": "Paris"}}}' },
    { name: 'parameters for arguments', text: '{"name": "get_weather", "parameters": {"city": "Paris"}}' },
    { name: 'white space to the limit', text: `${paris}${'\n'.repeat(50)}` },
    { name: 'the same call again and again', text: `${paris}\n`.repeat(30) },
    { name: 'the same call until the limit cuts one', text: `${`${paris}\n`.repeat(30)}{"name": "get_wea` },
  ])('$name is a call', ({ text }) => {
    expect(read(text, 'length')).toEqual([parisCall]);
  });

  test.each([
    { name: 'two objects', text: `${paris}\n${oslo}` },
    { name: 'two in one pair of tags', text: `<tool_call>\n${paris}\n${oslo}\n</tool_call>` },
    { name: 'two pairs of tags', text: `<tool_call>${paris}</tool_call>\n<tool_call>${oslo}</tool_call>` },
    { name: 'a list of two', text: `[${paris}, ${oslo}]` },
  ])('$name are two calls, in order', ({ text }) => {
    expect(read(text)).toEqual([parisCall, osloCall]);
  });

  test('arguments written as text stay text, to be read like all others', () => {
    expect(read('{"name": "get_weather", "arguments": "{\\"city\\": \\"Paris\\"}"}')).toEqual([['get_weather', { text: '{"city": "Paris"}' }]]);
  });

  test('a call that the limit cut is a cut call, and what was said whole before it counts', () => {
    expect(read('```json\n{\n  "name": "get_weather",\n', 'length')).toEqual([['get_weather', 'cut']]);
    expect(read(`${oslo}\n{"name": "get_weather", "arguments": {"ci`, 'length')).toEqual([osloCall, ['get_weather', 'cut']]);
  });
});

describe('a text that is an answer', () => {
  test.each([
    'It is mild in Paris.',
    `You could call it like this: ${paris}`,
    `${paris}\nThat is how a call looks.`,
    '{"city": "Paris", "degrees": 18}',
    '{"name": "Ann", "age": 4}',
    '{"name": "unknown_tool", "arguments": {}}',
    '```python\nprint("get_weather")\n```',
    '[1, 2, 3]',
    '<b>bold</b>',
    '{"name": "get_weather", "note": "is a tool"}',
    '',
  ])('%j stays one', (text) => {
    expect(read(text)).toBeUndefined();
  });

  test('no text whatever makes it throw, and none without the name of a tool is a call', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '`', '<', '>', '/', 'a', ':', ',', '\\', '\n') })), (text) => {
        const calls = read(text);
        if (!text.includes('get_')) expect(calls).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });
});

test('a reply that has a call already is left alone', () => {
  const withCall: ModelReply = { ...reply(paris), content: [{ type: 'text', text: paris }, { type: 'tool-call', id: 'a', name: 'get_time', arguments: { text: '{}' }, isComplete: true }] };
  expect(readTextCalls(withCall, isTool)).toBeUndefined();
});
