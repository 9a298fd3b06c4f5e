import { describe, expect, test } from 'vitest';
import type { Message, RunInput } from '../../../../src/index.ts';
import { createAgent, scripted } from '../../../../src/index.ts';
import { readMessages } from '../../../../src/loop/history/read-messages.ts';

const user: Message = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };
const call = { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {} } as const;
const result = {
  type: 'tool-result',
  toolCallId: 'a',
  toolName: 'look',
  content: [{ type: 'text', text: 'a door' }],
  isError: false,
} as const;

describe('messages from outside', () => {
  test('a text alone stands for one text part, of the user and of the model', async () => {
    const provider = scripted(['Good.']);
    const input: RunInput = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: 'Go on.' },
    ];
    const { messages } = await createAgent({ provider }).run(input);
    expect(provider.requests[0]?.messages).toEqual([
      user,
      { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Go on.' }] },
    ]);
    expect(messages).toHaveLength(4);
    expect(input[0]).toEqual({ role: 'user', content: 'Hi' });
  });

  test('those that are right stay the same objects', () => {
    const right: Message[] = [user, { role: 'assistant', content: [call] }, { role: 'tool', content: [result] }];
    expect(readMessages(right, 'input').every((message, index) => message === right[index])).toBe(true);
  });

  const wrong: readonly { readonly name: string; readonly message: unknown; readonly says: string | RegExp }[] = [
    {
      name: 'null',
      message: null,
      says: "Expected `input[1]` to be a message such as { role: 'user', content: 'text' }, got null.",
    },
    { name: 'a figure', message: 7, says: 'Expected `input[1]` to be a message such as' },
    { name: 'a text', message: 'Hi', says: 'Expected `input[1]` to be a message such as' },
    {
      name: 'a system message',
      message: { role: 'system', content: 'Be kind.' },
      says: "`input[1]` has the role 'system', which no message has here: system text goes into `system` of createAgent.",
    },
    {
      name: 'a developer message',
      message: { role: 'developer', content: 'x' },
      says: /^`input\[1\]` has the role 'developer'/,
    },
    {
      name: 'an unknown role',
      message: { role: 'bot', content: 'x' },
      says: "'user', 'assistant' or 'tool', got \"bot\"",
    },
    { name: 'no role', message: { content: 'x' }, says: 'Expected the role of `input[1]` to be' },
    {
      name: 'the AI SDK’s parts',
      message: { id: '1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
      says: '`input[1]` has `parts`: expected them to be `content`',
    },
    {
      name: 'OpenAI’s calls',
      message: { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function' }] },
      says: '`input[1]` has `tool_calls`: expected calls to be parts of `content`',
    },
    {
      name: 'OpenAI’s result',
      message: { role: 'tool', tool_call_id: 'a', content: 'a door' },
      says: '`input[1]` has `tool_call_id`: expected a message such as',
    },
    {
      name: 'a result that is a text',
      message: { role: 'tool', content: 'a door' },
      says: /^Expected the content of `input\[1\]` to be an array/,
    },
    { name: 'no content', message: { role: 'user' }, says: /^Expected the content of `input\[1\]`.*got undefined/ },
    {
      name: 'OpenAI’s image',
      message: {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'x' } },
        ],
      },
      says: "Expected `input[1].content[1]` to be a part of type 'text' or 'image', got a part of type \"image_url\"",
    },
    {
      name: 'an image without data',
      message: { role: 'user', content: [{ type: 'image', image: 'x' }] },
      says: /`input\[1\].content\[0\]`.*base64/,
    },
    {
      name: 'a text part without text',
      message: { role: 'user', content: [{ type: 'text' }] },
      says: "{ type: 'text', text: string }",
    },
    {
      name: 'a bare text among parts',
      message: { role: 'user', content: ['Hi'] },
      says: /`input\[1\].content\[0\]`.*got a string/,
    },
    {
      name: 'a call with another name for its arguments',
      message: { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'look', args: {} }] },
      says: /to be { type: 'tool-call', toolCallId, toolName, input }/,
    },
    {
      name: 'Anthropic’s call',
      message: { role: 'assistant', content: [{ type: 'tool_use', id: 'a' }] },
      says: /got a part of type "tool_use"/,
    },
    {
      name: 'reasoning of nobody',
      message: { role: 'assistant', content: [{ type: 'reasoning', text: 'x' }] },
      says: 'issuer: string',
    },
    {
      name: 'the AI SDK’s result',
      message: { role: 'tool', content: [{ ...result, content: undefined, output: { type: 'text', value: 'x' } }] },
      says: /to be a result whose `content` is an array/,
    },
    {
      name: 'a call among results',
      message: { role: 'tool', content: [call] },
      says: /`input\[1\].content\[0\]` to be a result/,
    },
  ];
  test.each(wrong)('$name is refused by its index', async ({ message, says }) => {
    const provider = scripted(['Good.']);
    const run = createAgent({ provider }).run([user, message] as RunInput);
    const error: unknown = await run.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'invalid-option' });
    expect(String(error).replace('OilcanError: ', '')).toMatch(says);
    expect(provider.requests).toHaveLength(0);
  });

  test('what is wrong is not repeated', () => {
    const secret = { role: 'user', content: [{ type: 'image_url', url: 'hush-hush' }] };
    expect(() => readMessages([secret], 'input')).toThrow(/^(?!.*hush)/);
  });

  test('what is broken, and not of another form, is repaired as before', async () => {
    const provider = scripted(['Good.']);
    await createAgent({ provider }).run([
      { role: 'user', content: '' },
      { role: 'assistant', content: [call, call] },
      { role: 'user', content: 'Go on.' },
    ]);
    expect(provider.requests[0]?.messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'user']);
  });
});
