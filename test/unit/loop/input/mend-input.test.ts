import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../src/core/json.ts';
import { fits, workBudget } from '../../../../src/loop/input/fits.ts';
import { mendInput } from '../../../../src/loop/input/mend-input.ts';
import { normalSpelling } from '../../../../src/loop/input/mend.ts';
import { nodeOf } from '../../../../src/loop/input/schema-view.ts';
import { wordsListedIn } from '../../../../src/loop/input/word-list.ts';

const objectOf = (properties: JsonObject, required: readonly string[] = Object.keys(properties)): JsonObject => ({
  type: 'object',
  properties,
  required: [...required],
});

/** Mends one value under the key `x`. */
const mendOne = (value: Json, schema: JsonObject): Json | undefined => {
  const { value: mended } = mendInput({ x: value }, objectOf({ x: schema }));
  return (mended as { x?: Json }).x;
};

const number = { type: 'number' };
const integer = { type: 'integer' };
const boolean = { type: 'boolean' };
const string = { type: 'string' };
const list = { type: 'array', items: number };

describe('types written as text', () => {
  test.each([
    { value: '100', schema: number, mended: 100 },
    { value: '-1.5', schema: number, mended: -1.5 },
    { value: '1e3', schema: number, mended: 1000 },
    { value: '0', schema: integer, mended: 0 },
    { value: '1.0', schema: integer, mended: 1 },
    { value: '9007199254740991', schema: integer, mended: 9007199254740991 },
    { value: 'true', schema: boolean, mended: true },
    { value: 'False', schema: boolean, mended: false },
    { value: '[1,2]', schema: list, mended: [1, 2] },
    { value: '["1", 2]', schema: list, mended: [1, 2] },
    { value: '{"a":"1"}', schema: objectOf({ a: number }), mended: { a: 1 } },
    { value: "{'a': 1,}", schema: objectOf({ a: number }), mended: { a: 1 } },
    { value: '5', schema: { type: ['integer', 'null'] }, mended: 5 },
    { value: '5', schema: { anyOf: [{ type: 'integer' }, { type: 'null' }] }, mended: 5 },
    { value: 'true', schema: { oneOf: [number, boolean] }, mended: true },
    { value: '1', schema: { type: 'number', enum: [1, 2] }, mended: 1 },
    { value: ' 5 ', schema: number, mended: 5 },
    { value: '+5', schema: integer, mended: 5 },
    { value: 'TRUE', schema: boolean, mended: true },
    { value: ' false', schema: boolean, mended: false },
    { value: ['x'], schema: string, mended: 'x' },
    { value: ['ON'], schema: { enum: ['on', 'off'] }, mended: 'on' },
    { value: ['5'], schema: number, mended: 5 },
    { value: [{ a: 1 }], schema: objectOf({ a: number }), mended: { a: 1 } },
    { value: { value: 90 }, schema: number, mended: 90 },
    { value: { value: 'true' }, schema: boolean, mended: true },
    { value: { value: [1] }, schema: list, mended: [1] },
    { value: ['x'], schema: { anyOf: [string, { type: 'null' }] }, mended: 'x' },
  ])('$value becomes $mended', ({ value, schema, mended }) => {
    expect(mendOne(value, schema)).toEqual(mended);
  });

  test.each([
    { value: '12abc', schema: number },
    { value: '', schema: number },
    { value: ' ', schema: number },
    { value: '+-1', schema: number },
    { value: ['x', 'y'], schema: string },
    { value: [], schema: string },
    { value: [5], schema: string },
    { value: ['x'], schema: { anyOf: [string, { type: 'array' }] } },
    { value: { value: 1, unit: 'm' }, schema: number },
    { value: { amount: 1 }, schema: number },
    { value: '0x10', schema: number },
    { value: '007', schema: number },
    { value: '1,000', schema: number },
    { value: 'NaN', schema: number },
    { value: '1e999', schema: number },
    { value: '0.12345678901234567890', schema: number },
    { value: '1e3', schema: integer },
    { value: '1.5', schema: integer },
    { value: '-0', schema: integer },
    { value: '9007199254740993', schema: integer },
    { value: '9007199254740993', schema: number },
    { value: 'yes', schema: boolean },
    { value: '1', schema: boolean },
    { value: 1, schema: boolean },
    { value: 100, schema: string },
    { value: true, schema: string },
    { value: '{"a":1}', schema: string },
    { value: 'office', schema: { type: 'array', items: string } },
    { value: '[1,2', schema: list },
    { value: '{"a":1}', schema: list },
    { value: '100', schema: { type: ['string', 'number'] } },
    { value: '100', schema: { anyOf: [string, number] } },
    { value: '1', schema: {} },
    { value: null, schema: number },
  ])('$value for $schema stays', ({ value, schema }) => {
    expect(mendOne(value, schema)).toBe(value);
  });

  test('null for a key that may be left out is left out, elsewhere it stays', () => {
    const schema = objectOf({ a: string, b: { type: ['string', 'null'] }, c: string }, ['c']);
    expect(mendInput({ a: null, b: null, c: null }, schema).value).toEqual({ b: null, c: null });
  });

  test('references and cycles are followed', () => {
    const node = { type: 'object', properties: { n: { $ref: '#/$defs/int' }, next: { $ref: '#/$defs/node' } } };
    const schema = {
      type: 'object',
      properties: { top: { $ref: '#/$defs/node' } },
      $defs: { node, int: integer, loop: { $ref: '#/$defs/loop' } },
    };
    const value = { top: { n: '1', next: { n: '2', next: { n: '3' } } } };
    expect(mendInput(value, schema).value).toEqual({ top: { n: 1, next: { n: 2, next: { n: 3 } } } });
    expect(
      mendInput({ x: '1' }, { type: 'object', properties: { x: { $ref: '#/$defs/loop' } }, $defs: schema.$defs }).mends,
    ).toEqual([]);
  });

  test('what was done is told with its path', () => {
    const schema = objectOf({ items: { type: 'array', items: objectOf({ qty: number }) } });
    expect(mendInput({ items: [{ qty: 1 }, { Qty: '2' }] }, schema).mends).toEqual([
      { kind: 'key', path: 'items[1].qty', what: 'spelling of a key' },
      { kind: 'type', path: 'items[1].qty', what: 'string to number' },
    ]);
  });
});

describe('keys in another spelling', () => {
  const schema = objectOf({ order_id: string, maxItems: number }, ['order_id']);

  test.each([
    { value: { orderId: 'a' }, mended: { order_id: 'a' } },
    { value: { 'Order ID': 'a', 'max-items': 1 }, mended: { order_id: 'a', maxItems: 1 } },
  ])('$value becomes $mended', ({ value, mended }) => {
    expect(mendInput(value, schema).value).toEqual(mended);
    expect(mendInput(value, { ...schema, additionalProperties: {} }).value).toEqual(mended);
  });

  test('beside a union at the root', () => {
    const either = {
      ...objectOf({ order_id: string, n: number }, []),
      anyOf: [{ required: ['order_id'] }, { required: ['n'] }],
    };
    expect(mendInput({ orderId: 'a' }, either).value).toEqual({ order_id: 'a' });
    expect(mendInput({ N: '5' }, either).value).toEqual({ n: 5 });
    const shapes = { type: 'object', anyOf: [objectOf({ circle_r: number }), objectOf({ side: number })] };
    expect(mendInput({ circleR: '5' }, shapes).value).toEqual({ circle_r: 5 });
  });

  test('in a branch of a union that takes the value as it is', () => {
    const page = objectOf({ pageSize: number }, []);
    const nullable = objectOf({ o: { anyOf: [page, { type: 'null' }] } });
    expect(mendInput({ o: { page_size: 5 } }, nullable).value).toEqual({ o: { pageSize: 5 } });
    const two = objectOf({ o: { anyOf: [page, objectOf({ page_size: number }, [])] } });
    expect(mendInput({ o: { page_size: 5 } }, two).value).toEqual({ o: { page_size: 5 } });
  });

  test.each([
    { name: 'nothing is overwritten', value: { order_id: 'a', orderId: 'b' }, schema },
    { name: 'two keys that could be meant are not chosen between', value: { orderId: 'a', 'order-id': 'b' }, schema },
    {
      name: 'two declared keys are not chosen between',
      value: { userid: 1 },
      schema: objectOf({ user_id: number, userId: number }),
    },
    { name: 'another word is not guessed', value: { order: 'a' }, schema },
    {
      name: 'a record’s keys are its own',
      value: { 'A-B': 1 },
      schema: { type: 'object', additionalProperties: number },
    },
  ])('$name', (row) => {
    expect(mendInput(row.value, row.schema)).toEqual({ value: row.value, mends: [] });
  });
});

describe('allowed words in another spelling', () => {
  const words = { type: 'string', enum: ['wrong_item', 'ON', 'New York', 'a', 'A'] };

  test.each([
    ['wrong item', 'wrong_item'],
    ['WrongItem', 'wrong_item'],
    ['on', 'ON'],
    ['new_york', 'New York'],
  ])('%s becomes %s', (value, mended) => {
    expect(mendOne(value, words)).toBe(mended);
  });

  test.each(['-a', 'wrong', 'items', '', '_', 'ON!', 'x'.repeat(200)])('%s stays', (value) => {
    expect(mendOne(value, words)).toBe(value);
  });

  test('a fixed word counts as a list of one, in unions, too', () => {
    expect(mendOne('Circle', { type: 'string', const: 'circle' })).toBe('circle');
    const shapes = { oneOf: ['circle', 'square'].map((kind) => objectOf({ kind: { type: 'string', const: kind } })) };
    expect(mendOne({ Kind: 'SQUARE' }, shapes)).toEqual({ kind: 'square' });
  });
});

describe('words that a message lists', () => {
  test.each([
    ['Must be one of USD, EUR, GBP', ['USD', 'EUR', 'GBP']],
    ["expected one of 'a'|'b'", ['a', 'b']],
    ['Invalid option: expected one of "x" | "y z"', ['x', 'y z']],
    ['Choose one of the following: on, off or auto.', ['on', 'off', 'auto']],
    ['must be one of (asc, desc)', ['asc', 'desc']],
    ['Must be one of a, b. Ask the user for it.', ['a', 'b']],
    ['must be one of a, b but got c, d', ['a', 'b']],
  ])('%s', (message, words) => {
    expect(wordsListedIn(message)).toEqual(words);
  });

  test.each(['Must be four digits', 'one of these days', 'Must be one of ' + 'x'.repeat(100) + ', y', ''])(
    'none in: %s',
    (message) => {
      expect(wordsListedIn(message)).toBeUndefined();
    },
  );
});

describe('properties', () => {
  const leaf = fc.oneof(
    fc.constant(string),
    fc.constant(number),
    fc.constant(integer),
    fc.constant(boolean),
    fc.constant({ type: 'string', enum: ['one', 'Two', 'on_off', 'ON OFF'] }),
    fc.constant({ type: ['integer', 'null'] }),
    fc.constant({ anyOf: [{ type: 'string', enum: ['a', 'b_c'] }, { type: 'number' }] }),
  );
  const key = fc.constantFrom('a', 'A', 'order_id', 'orderId', 'max items', 'b');
  const { schema } = fc.letrec<{ schema: JsonObject; object: JsonObject }>((tie) => ({
    object: fc
      .tuple(
        fc.uniqueArray(key, { maxLength: 4 }),
        fc.array(tie('schema'), { minLength: 4, maxLength: 4 }),
        fc.subarray(['a', 'b', 'order_id']),
      )
      .map(([keys, schemas, required]) =>
        objectOf(
          Object.fromEntries(keys.map((name, index) => [name, schemas[index]!])),
          required.filter((name) => keys.some((other) => other === name)),
        ),
      ),
    schema: fc.oneof(
      { maxDepth: 3 },
      leaf,
      tie('object'),
      tie('schema').map((items) => ({ type: 'array', items })),
    ),
  }));
  const root = fc
    .tuple(fc.uniqueArray(key, { minLength: 1, maxLength: 4 }), fc.array(schema, { minLength: 4, maxLength: 4 }))
    .map(([keys, schemas]) => objectOf(Object.fromEntries(keys.map((name, index) => [name, schemas[index]!]))));
  const word = fc.constantFrom(
    'one',
    'Two',
    'two',
    'ON-OFF',
    'on off',
    'a',
    'b c',
    '1',
    '2.0',
    'true',
    '[1]',
    '{"a":"1"}',
    'text',
  );
  const { value } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
    object: fc.dictionary(
      fc.constantFrom('a', 'A', 'orderId', 'order_id', 'ORDER-ID', 'max_items', 'b', 'z'),
      tie('value'),
      { maxKeys: 5 },
    ),
    value: fc.oneof(
      { maxDepth: 3 },
      word,
      fc.integer({ min: -5, max: 5 }),
      fc.boolean(),
      fc.constant(null),
      tie('object'),
      fc.array(tie('value'), { maxLength: 3 }),
    ),
  }));
  const values = fc.dictionary(
    fc.constantFrom('a', 'A', 'orderId', 'order_id', 'ORDER-ID', 'max_items', 'b', 'z'),
    value,
    { maxKeys: 5 },
  );

  test('a value that fits the schema and has only declared keys is never changed', () => {
    const pair = root.chain((declared) => fc.tuple(fc.constant(declared), validFor(declared)));
    fc.assert(
      fc.property(pair, ([declared, given]) => {
        expect(fits(given, nodeOf(declared, declared), workBudget())).toBe(true);
        expect(mendInput(given, declared)).toEqual({ value: given, mends: [] });
      }),
      { numRuns: 500 },
    );
  });

  test('nothing new is invented: every text of the result was there, or is declared in another spelling', () => {
    fc.assert(
      fc.property(root, values, (declared, given) => {
        const { value: mended } = mendInput(given, declared);
        const before = normalSpelling(JSON.stringify(given)).replaceAll('\\', '');
        for (const text of textsIn(mended)) expect(before).toContain(normalSpelling(text));
      }),
      { numRuns: 500 },
    );
  });

  test('mending what was mended changes nothing more', () => {
    fc.assert(
      fc.property(root, values, (declared, given) => {
        // A null that is left out makes room for a second key that could not be meant before.
        fc.pre(!JSON.stringify(given).includes('null'));
        const once = mendInput(given, declared).value;
        expect(mendInput(once, declared)).toEqual({ value: once, mends: [] });
      }),
      { numRuns: 500 },
    );
  });

  test('nested unions that ask for much work are left alone in time', () => {
    let deep: JsonObject = number;
    for (let depth = 0; depth < 30; depth += 1)
      deep = { anyOf: [objectOf({ a: deep }), objectOf({ a: deep, b: string })] };
    let given: Json = 'x';
    for (let depth = 0; depth < 30; depth += 1) given = { a: given };
    const start = performance.now();
    mendInput({ x: given }, objectOf({ x: deep }));
    expect(performance.now() - start).toBeLessThan(1000);
  });
});

/** Values that fit a schema of the kinds above. */
function validFor(schema: JsonObject): fc.Arbitrary<Json> {
  const { type, enum: words, anyOf } = schema as { type?: string | string[]; enum?: Json[]; anyOf?: JsonObject[] };
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(validFor));
  if (words !== undefined) return fc.constantFrom(...words);
  if (Array.isArray(type)) return fc.oneof(...type.map((one) => validFor({ type: one })));
  switch (type) {
    case 'string':
      return fc.oneof(fc.string(), fc.constantFrom('1', 'true', 'null', '[1]', '{"a":1}', 'ON'));
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'integer':
      return fc.integer();
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(validFor(schema['items'] as JsonObject), { maxLength: 3 });
    case 'object': {
      const properties = Object.entries(schema['properties'] as Record<string, JsonObject>);
      const requiredKeys = (schema['required'] as string[]).filter((name) => properties.some(([key]) => key === name));
      return fc.record(Object.fromEntries(properties.map(([name, part]) => [name, validFor(part)])), {
        requiredKeys,
      }) as fc.Arbitrary<Json>;
    }
    default:
      return fc.constant(null);
  }
}

function textsIn(part: Json): string[] {
  if (typeof part === 'string') return [part];
  if (typeof part !== 'object' || part === null) return [];
  if (Array.isArray(part)) return part.flatMap((item: Json) => textsIn(item));
  return Object.entries(part).flatMap(([name, member]) => [name, ...textsIn(member)]);
}
