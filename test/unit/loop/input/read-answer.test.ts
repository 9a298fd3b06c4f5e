import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { jsonSchemaOf } from '../../../../src/core/json-schema.ts';
import { readAnswer } from '../../../../src/loop/input/read-answer.ts';

const object = z.object({ a: z.number() });
const numbers = z.array(z.number());
const people = z.array(z.object({ name: z.string() }));

async function read(schema: z.ZodType, text: string): Promise<unknown> {
  const answer = await readAnswer({ schema, jsonSchema: jsonSchemaOf('it', schema), maxAttempts: 1 }, text);
  return answer.ok ? answer.output : (answer.problem ?? 'bug');
}

describe('an answer', () => {
  test.each([
    { name: 'alone', schema: object, text: '{"a": 1}', output: { a: 1 } },
    { name: 'in a fence', schema: object, text: '```json\n{"a": 1}\n```', output: { a: 1 } },
    { name: 'in tags', schema: object, text: '<answer>{"a": 1}</answer>', output: { a: 1 } },
    { name: 'after an introduction', schema: object, text: 'Here is the JSON: {"a": 1}', output: { a: 1 } },
    {
      name: 'after a word and an introduction',
      schema: object,
      text: 'Sure! Here it is:\n\n```json\n{"a": 1}\n```',
      output: { a: 1 },
    },
    { name: 'below a title', schema: object, text: 'Result\n{"a": 1}', output: { a: 1 } },
    { name: 'with a full stop', schema: object, text: 'The answer: {"a": 1}.', output: { a: 1 } },
    { name: 'after thoughts', schema: object, text: '<think>Maybe {"a": 2}?</think>\n{"a": 1}', output: { a: 1 } },
    { name: 'with slips', schema: object, text: "```\n{'A': '1',}\n```", output: { a: 1 } },
    { name: 'before words that say nothing', schema: object, text: '{"a": 1}\n\nI hope this helps!', output: { a: 1 } },
    { name: 'a list', schema: numbers, text: '[1, 2]', output: [1, 2] },
    { name: 'a list after an introduction', schema: numbers, text: 'The numbers: [1, 2]', output: [1, 2] },
    { name: 'a list in an object', schema: numbers, text: '{"items": [1, 2]}', output: [1, 2] },
    {
      name: 'a list of its kind in an object',
      schema: people,
      text: '{"people": [{"name": "Ana"}]}',
      output: [{ name: 'Ana' }],
    },
    {
      name: 'a list under the title of the schema',
      schema: numbers.meta({ title: 'primes' }),
      text: '{"primes": [2, 3]}',
      output: [2, 3],
    },
    { name: 'an object in a list', schema: object, text: '[{"a": 1}]', output: { a: 1 } },
    { name: 'a number', schema: z.number(), text: '42', output: 42 },
  ])('$name', async ({ schema, text, output }) => {
    expect(await read(schema, text)).toEqual(output);
  });
});

describe('no answer', () => {
  test.each([
    { name: 'thoughts alone', schema: object, text: '<think>Maybe {"a": 1}? No, unknown.</think>' },
    { name: 'thoughts that do not end', schema: object, text: '<think>Maybe {"a": 1}' },
    { name: 'a refusal with the format', schema: object, text: 'I cannot answer. The format would be {"a": 1}.' },
    { name: 'the same with a colon', schema: object, text: 'I can\'t say, but it would look like this: {"a": 1}' },
    { name: 'the same in a fence', schema: object, text: 'I do not know. The format is:\n```json\n{"a": 1}\n```' },
    { name: 'a correction', schema: object, text: '{"a":1}\n\nNo wait, a should be 7.' },
    { name: 'a correction after a fence', schema: object, text: '```json\n{"a":1}\n```\nThat is wrong, sorry.' },
    { name: 'a second value', schema: object, text: '{"a":1} or {"a":2}' },
    { name: 'an example', schema: object, text: 'For example: {"a": 1}' },
    { name: 'sentences before', schema: object, text: 'The page is down. I guess this is it: {"a": 1}' },
    { name: 'citations', schema: numbers, text: 'As shown in [1] and [2]' },
    { name: 'one citation', schema: numbers, text: 'The value is unknown [1].' },
    { name: 'a citation below an answer in words', schema: numbers, text: 'Seven, as the page says.\n[1]' },
    { name: 'an empty list of errors', schema: numbers, text: '{"errors":[]}' },
    { name: 'a list under another key', schema: numbers, text: '{"ports": [1, 2]}' },
    { name: 'a list of errors of the same kind', schema: people, text: '{"errors": [{"name": "TypeError"}]}' },
    { name: 'a list beside something else', schema: people, text: '{"items": [{"name": "Ana"}], "total": 1}' },
    { name: 'a key twice', schema: object, text: '{"a": 1, "a": 2}' },
    { name: 'a part', schema: object, text: '{"a": 1' },
  ])('$name', async ({ schema, text }) => {
    expect(await read(schema, text)).toMatch(/^[A-Z].*\.$/);
  });
});
