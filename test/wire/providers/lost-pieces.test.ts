import { describe, expect, test } from 'vitest';
import { decode, sse, summary } from './decode.ts';

/** Values that hold something, of types that no text and no object of a reply has. */
const odd = [7, -1, true, { a: 1 }] as const;
/** Values by which servers say nothing. */
const empty = [null, '', [], {}, false, undefined] as const;

const chat = (first: object): string =>
  sse(
    first,
    { choices: [{ index: 0, delta: { content: 'there.' } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    '[DONE]',
  );
const ollama = (first: object): string =>
  [first, { message: { content: 'there.' }, done: false }, { message: { content: '' }, done: true }]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
const messages = (first: object): string =>
  sse(
    { type: 'message_start', message: { id: 'm', content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    first,
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'there.' } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  );

const fields = [
  { wire: 'openai-chat', field: 'choices', body: (value: unknown) => chat({ choices: value }) },
  { wire: 'openai-chat', field: 'a choice', body: (value: unknown) => chat({ choices: [value] }) },
  { wire: 'openai-chat', field: 'a delta', body: (value: unknown) => chat({ choices: [{ index: 0, delta: value }] }) },
  {
    wire: 'openai-chat',
    field: 'a content',
    body: (value: unknown) => chat({ choices: [{ index: 0, delta: { content: value } }] }),
  },
  { wire: 'ollama', field: 'a message', body: (value: unknown) => ollama({ message: value, done: false }) },
  {
    wire: 'ollama',
    field: 'a content',
    body: (value: unknown) => ollama({ message: { content: value }, done: false }),
  },
  {
    wire: 'anthropic',
    field: 'a text',
    body: (value: unknown) =>
      messages({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: value } }),
  },
] as const;

describe('a piece of the wrong type is damage, and the rest is no answer', () => {
  test.each(fields)('$wire: $field', ({ field, wire, body }) => {
    const objects = field === 'a choice' || field === 'a delta' || field === 'a message';
    for (const value of odd)
      if (!(objects && typeof value === 'object')) expect(summary(decode(wire, body(value)))).toBe('malformed');
    if (objects) expect(summary(decode(wire, body('Hello')))).toBe('malformed');
  });
});

describe('a piece that says nothing loses nothing', () => {
  test.each(fields)('$wire: $field', ({ wire, body }) => {
    for (const value of empty) expect(summary(decode(wire, body(value)))).toContain('there.');
  });
});

test.each([null, '', 'x', -1, 1.5, {}])('a text whose index is %j goes on with the latest block', (index) => {
  const delta = { type: 'content_block_delta', index, delta: { type: 'text_delta', text: 'Hello ' } };
  expect(summary(decode('anthropic', messages(delta)))).toContain('Hello there.');
});
