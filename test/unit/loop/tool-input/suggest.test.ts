import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Json, JsonObject } from '../../../../src/core/json.ts';
import { tool } from '../../../../src/core/define-tool.ts';
import { nearestFirst, nearestWord } from '../../../../src/loop/tool-input/nearest-word.ts';
import { prepareInput } from '../../../../src/loop/tool-input/prepare-input.ts';

/** What the model is told about one wrong value. */
function told(schema: z.ZodType, value: Json): string {
  const made = tool({ name: 'use', description: 'Uses it.', schema: z.object({ x: schema }), execute: () => 'ok' });
  const input: JsonObject = { x: value };
  const prepared = prepareInput(made, {
    type: 'tool-call',
    id: 'a',
    name: 'use',
    arguments: { value: input },
    isComplete: true,
  });
  if (prepared instanceof Promise) throw new Error('It should be synchronous.');
  return prepared.ok ? `runs with ${JSON.stringify(prepared.input)}` : 'text' in prepared ? prepared.text : '';
}

const refined = (pattern: RegExp, message: string): z.ZodType =>
  z.string().refine((text) => pattern.test(text), message);

describe('a right form of a wrong value', () => {
  test.each([
    {
      name: 'capitals',
      schema: refined(/^[A-Z]{3}$/, 'Must be an airport code of three capital letters'),
      value: 'jfk',
      shows: '{"x": "JFK"}',
    },
    {
      name: 'small letters and a sign',
      schema: refined(/^#[0-9a-f]{6}$/, 'Must be a colour written #rrggbb'),
      value: '00FF00',
      shows: '{"x": "#00ff00"}',
    },
    {
      name: 'a sign too many',
      schema: z.string().regex(/^\d{4}$/, 'four digits'),
      value: '#4471',
      shows: '{"x": "4471"}',
    },
    {
      name: 'spaces in a number',
      schema: refined(/^\+\d{8,14}$/, 'Must be + and digits'),
      value: '+49 170 1234567',
      shows: '{"x": "+491701234567"}',
    },
    {
      name: 'a date whose year comes first',
      schema: refined(/^\d{4}-\d{2}-\d{2}$/, 'Must be a date written YYYY-MM-DD'),
      value: '2027/2/11',
      shows: '{"x": "2027-02-11"}',
    },
    { name: 'a number with a unit', schema: z.number(), value: '50 GBP', shows: '{"x": 50}' },
    { name: 'one word for a list', schema: z.array(z.string()), value: 'office', shows: '{"x": ["office"]}' },
    { name: 'an object around a text', schema: z.string(), value: { name: 'Paris' }, shows: '{"x": "Paris"}' },
    {
      name: 'a longer form of an allowed word',
      schema: z.enum(['asc', 'desc']),
      value: 'descending',
      shows: '{"x": "desc"}',
    },
    {
      name: 'an allowed word that only the message lists',
      schema: refined(/_v2$/, 'Must be one of orders_v2, users_v2'),
      value: 'users',
      shows: '{"x": "users_v2"}',
    },
    {
      name: 'a day by its first letters',
      schema: refined(/^(mon|fri)(,(mon|fri))*$/, 'Must be days like mon,fri'),
      value: 'Friday',
      shows: '{"x": "fri"}',
    },
  ])('$name: it is shown, and was tried', ({ schema, value, shows }) => {
    expect(told(schema, value)).toContain(shows);
  });

  test.each([
    {
      name: 'a date whose month is not known',
      schema: refined(/^\d{4}-\d{2}-\d{2}$/, 'Must be a date written YYYY-MM-DD'),
      value: '12/11/2026',
    },
    { name: 'a word that is near to none', schema: z.enum(['open', 'shipped', 'delivered']), value: 'completed' },
    { name: 'a word that is near to two', schema: z.enum(['red_light', 'red_dark']), value: 'red' },
    { name: 'a piece of the schema', schema: z.string(), value: { type: 'string' } },
    { name: 'a long text', schema: refined(/^[A-Z]+$/, 'Must be capitals'), value: 'a'.repeat(100) },
  ])('$name: nothing is guessed', ({ schema, value }) => {
    const text = told(schema, value);
    expect(text).toMatch(/^use failed: /);
    expect(text).not.toContain('such as');
    expect(text).toMatch(/\{"x": <|put right/);
  });

  test('is never used by itself', () => {
    expect(told(refined(/^[A-Z]{3}$/, 'Must be three capital letters'), 'jfk')).toMatch(/^use failed: /);
  });
});

describe('the nearest word', () => {
  test.each<[string, string[], string | undefined]>([
    ['descending', ['asc', 'desc'], 'desc'],
    ['euros', ['USD', 'EUR'], 'EUR'],
    ['completd', ['open', 'completed'], 'completed'],
    ['dollars', ['USD', 'EUR'], undefined],
    ['re', ['red', 'green'], undefined],
    ['', ['a'], undefined],
  ])('%s of %j is %s', (word, allowed, near) => {
    expect(nearestWord(word, allowed)).toBe(near);
  });

  test('stands first, and no other word is lost', () => {
    expect(nearestFirst('users', ['orders_v2', 'users_v2', 'events_v2'])).toEqual([
      'users_v2',
      'orders_v2',
      'events_v2',
    ]);
    expect(nearestFirst('nothing like it', ['a', 'b'])).toEqual(['a', 'b']);
  });
});

test('a number with more digits than a double holds is not told as another number', () => {
  expect(told(z.number(), '9007199254740993')).not.toMatch(/\d{5}/);
});
