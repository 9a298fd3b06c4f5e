import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Json, JsonObject } from '../../../../src/core/json.ts';
import { tool } from '../../../../src/core/define-tool.ts';
import { nearestFirst, nearestWord } from '../../../../src/loop/input/nearest-word.ts';
import { prepareInput } from '../../../../src/loop/input/prepare-input.ts';

/** What the model is told about one wrong value. */
function told(schema: z.ZodType, value: Json): string {
  return toldOf(z.object({ x: schema }), { x: value });
}

function toldOf(schema: z.ZodType, input: JsonObject): string {
  const made = tool({ name: 'use', description: 'Uses it.', schema, execute: () => 'ok' });
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
      name: 'small letters',
      schema: z.string().regex(/^[a-z ]+$/, 'Must be in small letters'),
      value: 'Hello World',
      shows: '{"x": "hello world"}',
    },
    {
      name: 'other separators',
      schema: z.string().regex(/^[a-z]+(_[a-z]+)*$/),
      value: 'Living Room',
      shows: '{"x": "living_room"}',
    },
    {
      name: 'spaces in a number',
      schema: refined(/^\+\d{8,14}$/, 'Must be + and digits'),
      value: '+49 170 1234567',
      shows: '{"x": "+491701234567"}',
    },
    {
      name: 'the declared unit behind a number',
      schema: z.number().describe('Price in euros'),
      value: '50 euro',
      shows: '{"x": 50}',
    },
  ])('$name: it is shown, and was tried', ({ schema, value, shows }) => {
    expect(told(schema, value)).toContain(shows);
  });

  test('a unit that is a word of the key', () => {
    const timer = z.object({ minutes: z.number(), timeout_ms: z.number().optional() });
    expect(toldOf(timer, { minutes: '90 minutes' })).toContain('{"minutes": 90}');
    expect(toldOf(timer, { minutes: 5, timeout_ms: '100ms' })).toContain('"timeout_ms": 100}');
    expect(toldOf(timer, { minutes: '2 hours' })).toContain('{"minutes": <a number>}');
  });

  test.each([
    {
      name: 'a date whose month is not known',
      schema: refined(/^\d{4}-\d{2}-\d{2}$/, 'Must be a date written YYYY-MM-DD'),
      value: '12/11/2026',
    },
    { name: 'a word that is near to none', schema: z.enum(['open', 'shipped', 'delivered']), value: 'completed' },
    { name: 'a word that is near to two', schema: z.enum(['red_light', 'red_dark']), value: 'red' },
    { name: 'the opposite', schema: z.enum(['active', 'closed']), value: 'inactive' },
    { name: 'a word that is not far off', schema: z.enum(['Breakfast', 'Brunch']), value: 'French' },
    { name: 'another number of a row', schema: z.enum(['us-east-1', 'eu-west-1']), value: 'us-east-2' },
    { name: 'another year', schema: z.enum(['2011', '1999']), value: '2021' },
    { name: 'a likely word', schema: z.enum(['asc', 'desc']), value: 'descending' },
    { name: 'a text that is too long', schema: z.string().max(20), value: 'Quarterly report on sales in March' },
    { name: 'a text that is too long, only by its spaces', schema: z.string().max(5), value: 'a b c d' },
    { name: 'a number with another unit', schema: z.number().describe('Price in euros'), value: '50 USD' },
    {
      name: 'a number whose unit may be two',
      schema: z.number().describe('Price in euros (cents)'),
      value: '50 euros',
    },
    { name: 'words for a list', schema: z.array(z.string()), value: 'bug,help' },
    { name: 'nothing for a list', schema: z.array(z.string()), value: '' },
    { name: 'an object around a text', schema: z.string(), value: { name: 'Paris' } },
    { name: 'a text that two forms would do for', schema: refined(/^([a-z]+|[A-Z]+)$/, 'One case'), value: 'jFk' },
    { name: 'a piece of the schema', schema: z.string(), value: { type: 'string' } },
    { name: 'a long text', schema: refined(/^[A-Z]+$/, 'Must be capitals'), value: 'a'.repeat(100) },
  ])('$name: nothing is filled in', ({ schema, value }) => {
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
    ['completd', ['open', 'completed'], undefined],
    ['inactive', ['active', 'closed'], undefined],
    ['dollars', ['USD', 'EUR'], undefined],
    ['re', ['red', 'green'], undefined],
    ['', ['a'], undefined],
  ])('%s of %j is %s', (word, allowed, near) => {
    expect(nearestWord(word, allowed)).toBe(near);
  });

  test('of true and false where words are asked for', () => {
    expect(nearestFirst(false, ['True', 'False'])).toEqual(['False', 'True']);
    expect(nearestFirst(10, ['5', '10'])).toEqual(['10', '5']);
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
