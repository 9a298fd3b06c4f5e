import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { tool } from '../../../../src/core/define-tool.ts';
import type { ReplyToolCall } from '../../../../src/core/provider.ts';
import type { StandardSchema } from '../../../../src/core/schema.ts';
import type { Tool } from '../../../../src/core/tool.ts';
import { prepareInput } from '../../../../src/loop/input/prepare-input.ts';
import type { PreparedInput } from '../../../../src/loop/input/prepared-input.ts';

const toolOf = (schema: StandardSchema, name = 'use'): Tool =>
  tool({ name, description: 'x', schema, execute: () => 1 });
const callOf = (args: ReplyToolCall['arguments'], isComplete = true): ReplyToolCall => ({
  type: 'tool-call',
  id: 'c1',
  name: 'use',
  arguments: args,
  isComplete,
});
const written = (schema: StandardSchema, text: string, isComplete = true): PreparedInput =>
  sync(prepareInput(toolOf(schema), callOf({ text }, isComplete)));
const given = (schema: StandardSchema, value: unknown): PreparedInput =>
  sync(prepareInput(toolOf(schema), callOf({ value })));
const sync = (prepared: PreparedInput | Promise<PreparedInput>): PreparedInput => {
  if (prepared instanceof Promise) throw new Error('A synchronous schema gave a promise.');
  return prepared;
};
const textOf = (prepared: PreparedInput): string =>
  prepared.ok ? `ran with ${JSON.stringify(prepared.input)}` : prepared.text;

const weather = z.object({ city: z.string(), units: z.enum(['celsius', 'fahrenheit']).optional() });
const orders = z.object({ customer: z.string().optional(), limit: z.number().optional() });
const nothing = z.object({});
const order = z.object({
  customer: z.object({ name: z.string(), address: z.object({ street: z.string(), zip: z.string() }) }),
  items: z.array(z.object({ sku: z.string(), qty: z.number() })),
});

describe('arguments that are run', () => {
  test('right ones, as they are', () => {
    expect(written(weather, '{"city":"London"}')).toEqual({
      ok: true,
      input: { city: 'London' },
      wireInput: { city: 'London' },
      mends: [],
      rawInput: undefined,
    });
  });

  test('mended ones, with what was done, and the form that the model should learn in the history', () => {
    expect(written(weather, "{'City':'Rome','units':'CELSIUS',}")).toMatchObject({
      ok: true,
      input: { city: 'Rome', units: 'celsius' },
      wireInput: { city: 'Rome', units: 'celsius' },
      mends: [{ kind: 'json' }, { kind: 'json' }, { kind: 'key', path: 'city' }, { kind: 'enum', path: 'units' }],
      rawInput: "{'City':'Rome','units':'CELSIUS',}",
    });
  });

  test('the validator’s output, not its input, goes to the tool', () => {
    const schema = z.object({ days: z.number().default(3), at: z.string().transform((text) => text.length) });
    expect(written(schema, '{"at":"noon"}')).toMatchObject({ input: { days: 3, at: 4 }, wireInput: { at: 'noon' } });
  });

  test.each([
    { name: 'an empty text', args: { text: '' } },
    { name: 'white space', args: { text: ' \n' } },
    { name: 'null', args: { text: 'null' } },
    { name: 'None', args: { text: 'None' } },
    { name: 'a value null', args: { value: null } },
    { name: 'no value', args: { value: undefined } },
    { name: 'an object', args: { text: '{}' } },
  ])('$name for a tool that takes nothing', ({ args }) => {
    expect(sync(prepareInput(toolOf(nothing), callOf(args)))).toMatchObject({ ok: true, input: {}, wireInput: {} });
  });

  test('a value that the wire has parsed, or a text in its place', () => {
    expect(given(weather, { city: 'London' })).toMatchObject({ ok: true, mends: [], rawInput: undefined });
    expect(given(weather, '{"city":"London"}')).toMatchObject({ ok: true, input: { city: 'London' } });
  });

  test.each([
    [
      'OpenAI’s form',
      '{"id":"c1","type":"function","function":{"name":"use","arguments":"{\\"city\\":\\"London\\"}"}}',
    ],
    ['OpenAI’s form without an id', '{"type":"function","function":{"name":"use","arguments":{"city":"London"}}}'],
    ['Responses’ form', '{"type":"function_call","call_id":"c1","name":"use","arguments":"{\\"city\\":\\"London\\"}"}'],
    ['Anthropic’s form', '{"type":"tool_use","id":"c1","name":"use","input":{"city":"London"}}'],
    ['a list', '[{"city":"London"}]'],
    ['a whole call in a list', '[{"name":"use","arguments":{"city":"London"}}]'],
  ])('%s in place of the arguments, also where the tool has a key `type`', (_name, text) => {
    const typed = z.object({ city: z.string(), type: z.string().optional(), id: z.string().optional() });
    for (const schema of [weather, typed])
      expect(written(schema, text)).toMatchObject({ ok: true, input: { city: 'London' } });
  });

  test.each([
    '{"type":"function","function":{"name":"other","arguments":{"city":"London"}}}',
    '[{"city":"London"},{"city":"Rome"}]',
  ])('%s is none', (text) => {
    expect(written(weather, text)).toMatchObject({ ok: false });
  });

  test('a whole call in place of its arguments', () => {
    expect(written(weather, '{"name":"use","arguments":{"city":"London"}}')).toMatchObject({
      ok: true,
      input: { city: 'London' },
      mends: [{ kind: 'json' }],
    });
  });

  test('a key in another spelling is not dropped in silence', () => {
    expect(written(orders, '{"Customer":"ACME"}')).toMatchObject({
      ok: true,
      input: { customer: 'ACME' },
      mends: [{ kind: 'key' }],
    });
    expect(written(orders, '{"customer":"ACME","Customer":"B"}')).toMatchObject({
      ok: true,
      input: { customer: 'ACME' },
      mends: [],
    });
    expect(written(z.looseObject({ customer: z.string().optional() }), '{"Customer":"A"}')).toMatchObject({
      input: { customer: 'A' },
      mends: [{ kind: 'key' }],
    });
  });

  test('a key in another spelling is not dropped below the root either', () => {
    const paged = z.object({ q: z.string(), opts: z.object({ pageSize: z.number().optional() }).nullish() });
    expect(written(paged, '{"q":"a","opts":{"page_size":5}}')).toMatchObject({ input: { opts: { pageSize: 5 } } });
    expect(written(paged, '{"q":"a","opts":{"page_size":"5"}}')).toMatchObject({ input: { opts: { pageSize: 5 } } });
    expect(textOf(written(paged, '{"q":"a","opts":{"page_size":"many"}}'))).toContain(
      '"opts.pageSize" must be a number',
    );
    const list = z.object({ all: z.array(z.object({ maxItems: z.number().optional(), id: z.string() })) });
    expect(written(list, '{"all":[{"id":"a","MaxItems":1}]}')).toMatchObject({
      input: { all: [{ id: 'a', maxItems: 1 }] },
    });
    const open = z.fromJSONSchema({
      type: 'object',
      properties: { a_b: { type: 'object', properties: { c_d: { type: 'number' } } } },
    });
    expect(written(open, '{"aB":{"cD":1}}')).toMatchObject({ input: { a_b: { c_d: 1 } } });
  });

  test('an object below the root of which the schema would drop everything is told', () => {
    const paged = z.object({ q: z.string(), opts: z.object({ pageSize: z.number().optional() }).optional() });
    expect(textOf(written(paged, '{"q":"a","opts":{"limit":5}}'))).toContain('"limit" is not a key of "opts"');
    const kept = z.object({ q: z.string(), opts: z.looseObject({ pageSize: z.number().optional() }) });
    expect(written(kept, '{"q":"a","opts":{"limit":5}}')).toMatchObject({ input: { opts: { limit: 5 } } });
  });

  test.each([
    { schema: z.coerce.boolean(), value: 'false', input: false },
    { schema: z.coerce.boolean(), value: 'False', input: false },
    { schema: z.coerce.boolean().nullable(), value: 'false', input: false },
    { schema: z.coerce.boolean(), value: 'yes', input: true },
    { schema: z.coerce.boolean(), value: 1, input: true },
    { schema: z.coerce.number(), value: ' 5 ', input: 5 },
    { schema: z.coerce.number(), value: '0x10', input: 16 },
    { schema: z.coerce.string(), value: 5, input: '5' },
    { schema: z.preprocess((given) => given === 'ja', z.boolean()), value: 'nein', input: false },
    { schema: z.coerce.boolean(), value: 'no', input: undefined },
    { schema: z.coerce.boolean(), value: 'maybe', input: undefined },
    { schema: z.coerce.boolean(), value: {}, input: undefined },
    { schema: z.coerce.number(), value: '', input: undefined },
    { schema: z.coerce.number(), value: true, input: undefined },
    { schema: z.coerce.number(), value: [], input: undefined },
    { schema: z.coerce.string(), value: { a: 1 }, input: undefined },
  ])(
    'a validator that coerces does not make $input of $value by the rules of JavaScript',
    ({ schema, value, input }) => {
      const deep = z.object({ x: z.array(z.object({ y: schema })) });
      const prepared = given(deep, { x: [{ y: value }] });
      if (input !== undefined) expect(prepared).toMatchObject({ ok: true, input: { x: [{ y: input }] } });
      else expect(textOf(prepared)).toMatch(/^use failed: "x\[0\]\.y" must be /);
    },
  );

  test('a word whose spelling only the validator’s message lists', () => {
    const word = (...list: string[]): z.ZodString =>
      z.string().refine((text) => list.includes(text), `Must be one of ${list.join(', ')}`);
    const light = z.object({ room: word('living_room', 'kitchen'), state: word('ON', 'OFF'), level: z.number() });
    expect(written(light, '{"room":"living room","state":"on","level":"5"}')).toMatchObject({
      ok: true,
      input: { room: 'living_room', state: 'ON', level: 5 },
      mends: [{ kind: 'type' }, { kind: 'enum', path: 'room' }, { kind: 'enum', path: 'state' }],
    });
  });

  test('a mended word that the validator still refuses does not run', () => {
    const stubborn = z.object({ to: z.string().refine(() => false, 'Must be one of A, B') });
    expect(written(stubborn, '{"to":"a"}')).toMatchObject({ ok: false, kind: 'invalid-arguments' });
  });

  test('null for an optional key is left out', () => {
    expect(written(weather, '{"city":"London","units":null}')).toMatchObject({
      ok: true,
      input: { city: 'London' },
      wireInput: { city: 'London' },
    });
  });
});

describe('arguments that are not run', () => {
  test.each([
    { name: 'a text that is cut', prepared: written(orders, '{"customer":"AC'), kind: 'cut-arguments' },
    { name: 'a call that is incomplete', prepared: written(orders, '{"customer":"AC"}', false), kind: 'cut-arguments' },
    { name: 'an incomplete call with {}', prepared: written(nothing, '{}', false), kind: 'cut-arguments' },
    { name: 'what can’t be read', prepared: written(orders, 'ACME'), kind: 'unreadable-arguments' },
    { name: 'nothing, where every key may be left out', prepared: written(orders, ''), kind: 'unreadable-arguments' },
    { name: 'null, where every key may be left out', prepared: written(orders, 'null'), kind: 'unreadable-arguments' },
    {
      name: 'nothing for a record',
      prepared: written(z.record(z.string(), z.number()), ''),
      kind: 'unreadable-arguments',
    },
    {
      name: 'too deep',
      prepared: written(z.looseObject({}), `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`),
      kind: 'unreadable-arguments',
    },
    { name: 'no JSON value', prepared: given(z.looseObject({}), { a: () => 1 }), kind: 'unreadable-arguments' },
    { name: 'nothing, where a key is needed', prepared: written(weather, ''), kind: 'invalid-arguments' },
    { name: 'a list', prepared: written(weather, '["London"]'), kind: 'invalid-arguments' },
    { name: 'a number', prepared: given(weather, 4), kind: 'invalid-arguments' },
    { name: 'a number for a text', prepared: written(weather, '{"city":4711}'), kind: 'invalid-arguments' },
  ])('$name', ({ prepared, kind }) => {
    expect(prepared).toMatchObject({ ok: false, kind });
    expect(textOf(prepared)).toMatch(/^use failed: /);
    if (kind !== 'invalid-arguments') expect(prepared.wireInput).toEqual({});
  });

  test.each([[2 ** 53 + 2], [2 ** 80]])('%d from a wire that has parsed it', (amount) => {
    const text = textOf(given(z.object({ amount: z.number() }), { list: [{ amount }] }));
    expect(text).toMatch(/more digits than a number can hold; send it as a string/);
  });

  test('a key that comes twice, and which', () => {
    const pay = z.object({ amount: z.number() });
    expect(textOf(written(pay, '{"amount":1,"amount":100000}'))).toContain('because the key "amount" came twice');
  });

  test('what the model wrote is kept for people', () => {
    expect(written(orders, '{"customer":"AC')).toMatchObject({ rawInput: '{"customer":"AC', wireInput: {} });
    expect(written(weather, '{"city":4711}')).toMatchObject({ rawInput: undefined, wireInput: { city: 4711 } });
  });

  test.each([
    {
      name: 'throws',
      validate: () => {
        throw new Error('oops');
      },
    },
    { name: 'rejects', validate: async () => Promise.reject(new Error('oops')) },
    { name: 'gives nothing', validate: () => undefined },
    { name: 'gives an empty object', validate: () => ({}) },
    { name: 'returns its error', validate: () => new Error('oops') },
  ])('a schema that $name is a bug of its author', async ({ validate }) => {
    const schema = { '~standard': { version: 1, vendor: 'own', validate } } as unknown as StandardSchema;
    const own = tool({ name: 'use', description: 'x', schema, jsonSchema: { type: 'object' }, execute: () => 1 });
    const prepared = await prepareInput(own, callOf({ text: '{}' }));
    expect(prepared).toMatchObject({
      ok: false,
      kind: 'bug',
      error: { name: expect.stringMatching(/Error$/) as string },
    });
    expect(textOf(prepared)).not.toContain('oops');
  });
});

describe('what the model is told', () => {
  test.each([
    {
      name: 'a missing key',
      text: textOf(written(weather, '{}')),
      says: 'use failed: "city" is missing: it must be a string. Call use again: {"city": <city>}',
    },
    {
      name: 'another key',
      text: textOf(written(weather, '{"town":"London"}')),
      says: 'use failed: "city" is missing: it must be a string. Call use again: {"city": <city>}',
    },
    {
      name: 'another word',
      text: textOf(written(weather, '{"city":"Rome","units":"metric"}')),
      says: 'use failed: "units" must be one of "celsius", "fahrenheit". Call use again: {"city": "Rome", "units": <one of "celsius", "fahrenheit">}',
    },
    {
      name: 'a wrong type, deep inside',
      text: textOf(
        given(order, {
          customer: { name: 'Ann', address: { street: 'High St', zip: '1' } },
          items: [
            { sku: 'A', qty: 1 },
            { sku: 'B', qty: 'many' },
          ],
        }),
      ),
      says: 'use failed: "items[1].qty" must be a number, not a string. Call use again: {"customer": {"name":"Ann","address":{"street":"High St","zip":"1"}}, "items": [{"sku":"A","qty":1}, {"sku": "B", "qty": <a number>}]}',
    },
    {
      name: 'a key that a strict schema refuses',
      text: textOf(written(z.strictObject({ city: z.string() }), '{"city":"Rome","units":"C"}')),
      says: 'use failed: "units" is not a key here: the keys are "city". Call use again: {"city": "Rome"}',
    },
    {
      name: 'a bound',
      text: textOf(written(z.object({ limit: z.number().int().min(1).max(50) }), '{"limit":1000}')),
      says: 'use failed: "limit" must be a whole number from 1 to 50; it was too large. Call use again: {"limit": <a whole number from 1 to 50>}',
    },
    {
      name: 'a pattern with its own words',
      text: textOf(written(z.object({ id: z.string().regex(/^\d{4}$/, 'four digits') }), '{"id":"#4471"}')),
      says: 'use failed: "id" must be a string (four digits). Call use again: {"id": <a string (four digits)>}',
    },
    {
      name: 'a refinement',
      text: textOf(
        written(z.object({ at: z.string().refine(() => false, 'Must be a time written HH:MM') }), '{"at":"7 am"}'),
      ),
      says: 'use failed: "at" must be a time written HH:MM. Call use again: {"at": <a time written HH:MM>}',
    },
    {
      name: 'a refinement of the whole',
      text: textOf(
        written(
          z.object({ from: z.string(), to: z.string() }).refine(() => false, 'The end must be after the start'),
          '{"from":"b","to":"a"}',
        ),
      ),
      says: 'use failed: The end must be after the start. Call use again with that put right.',
    },
    {
      name: 'a union',
      text: textOf(written(z.object({ at: z.union([z.iso.date(), z.number()]) }), '{"at":{}}')),
      says: 'use failed: "at" must be a date written YYYY-MM-DD or a number, not an object. Call use again: {"at": <a date written YYYY-MM-DD or a number>}',
    },
    {
      name: 'the word that chooses a branch',
      text: textOf(
        written(
          z.object({
            shape: z.discriminatedUnion('kind', [
              z.object({ kind: z.literal('circle'), r: z.number() }),
              z.object({ kind: z.literal('square'), a: z.number() }),
            ]),
          }),
          '{"shape":{"kind":"oval"}}',
        ),
      ),
      says: 'use failed: "shape.kind" must be one of "circle", "square". Call use again: {"shape": {"kind": <one of "circle", "square">}}',
    },
    {
      name: 'a missing object, whose keys are shown once',
      text: textOf(written(z.object({ at: z.object({ x: z.number(), y: z.number() }) }), '{}')),
      says: 'use failed: "at" is missing: it must be an object. Call use again: {"at": {"x": <a number>, "y": <a number>}}',
    },
    {
      name: 'a place in the branch of a union that fits best',
      text: textOf(
        written(
          z.object({
            where: z.union([
              z.object({ eq: z.string() }),
              z.object({ and: z.array(z.object({ field: z.string(), op: z.enum(['eq', 'gt']) })) }),
            ]),
          }),
          '{"where":{"and":[{"field":"a","op":"="}]}}',
        ),
      ),
      says: 'use failed: "where.and[0].op" must be one of "eq", "gt". Call use again: {"where": {"and": [{"field": "a", "op": <one of "eq", "gt">}]}}',
    },
    {
      name: 'a union in a union, and a missing key',
      text: textOf(
        written(
          z.object({
            to: z.union([
              z.string(),
              z.object({
                user: z.union([z.object({ id: z.number() }), z.object({ mail: z.string(), name: z.string() })]),
              }),
            ]),
          }),
          '{"to":{"user":{"mail":"a@b.c"}}}',
        ),
      ),
      says: 'use failed: "to.user.name" is missing: it must be a string. Call use again: {"to": {"user": {"mail": "a@b.c", "name": <to.user.name>}}}',
    },
    {
      name: 'a pipe, in the words of the validator',
      text: textOf(written(z.object({ n: z.string().transform(Number).pipe(z.number().min(5)) }), '{"n":"3"}')),
      says: 'use failed: "n": Too small: expected number to be >=5. Call use again: {"n": <n>}',
    },
    {
      name: 'a tuple of two types, one item missing',
      text: textOf(written(z.object({ at: z.tuple([z.string(), z.number()]) }), '{"at":["x"]}')),
      says: 'use failed: "at" must be a list of 2: a string, then a number. Call use again: {"at": <a list of 2: a string, then a number>}',
    },
    {
      name: 'a tuple that is none',
      text: textOf(written(z.object({ at: z.tuple([z.string(), z.number()]) }), '{"at":"x"}')),
      says: 'use failed: "at" must be a list of 2: a string, then a number, not a string. Call use again: {"at": <a list of 2: a string, then a number>}',
    },
    {
      name: 'a record whose keys are listed',
      text: textOf(written(z.object({ r: z.record(z.enum(['a', 'b']), z.number()) }), '{"r":{"a":1,"c":2}}')),
      says: 'use failed: "r.b" is missing: it must be a number. "c" is not a key of "r": the keys are "a", "b". Call use again: {"r": {"a": 1, "b": <a number>}}',
    },
    {
      name: 'keys that nothing declares, in one sentence',
      text: textOf(written(z.strictObject({ city: z.string(), n: z.number().optional() }), '{"town":"a","Stadt":"b"}')),
      says: 'use failed: "city" is missing: it must be a string. "town", "Stadt" are not keys here: the keys are "city", "n". Call use again: {"city": <city>}',
    },
    {
      name: 'keys that nothing declares, where no key is needed',
      text: textOf(written(z.strictObject({ city: z.string().optional() }), '{"town":"a"}')),
      says: 'use failed: "town" is not a key here: the keys are "city". Call use again with that put right.',
    },
    {
      name: 'a description helps',
      text: textOf(written(z.object({ city: z.string().describe('City name') }), '{}')),
      says: 'use failed: "city" is missing: it must be a string (City name). Call use again: {"city": <city>}',
    },
  ])('$name', ({ text, says }) => {
    expect(text).toBe(says);
  });

  test.each([
    { name: 'Zod', schema: z.strictObject({ days: z.number().int().min(1), unit: z.enum(['C', 'F']) }) },
    {
      name: 'Valibot',
      schema: toStandardJsonSchema(
        v.strictObject({ days: v.pipe(v.number(), v.integer(), v.minValue(1)), unit: v.picklist(['C', 'F']) }),
      ),
    },
    { name: 'ArkType', schema: type({ days: 'number.integer >= 1', unit: "'C' | 'F'", '+': 'reject' }) },
  ])('$name’s own words are not needed, nor is what came repeated', ({ schema }) => {
    const text = textOf(written(schema, '{"days":"rejected-one","unit":"rejected-two","extra":"rejected-three"}'));
    expect(text).toContain('"days" must be a whole number of at least 1, not a string.');
    expect(text).toContain('"unit" must be one of "C", "F".');
    expect(text).toContain('"extra" is not a key here');
    expect(text).not.toContain('rejected');
  });

  test('a message that quotes the value is not repeated', () => {
    const schema = z.object({
      id: z.string().refine(() => false, { error: (issue) => `No order ${String(issue.input)} is known` }),
    });
    expect(textOf(written(schema, '{"id":"4471-99"}'))).toContain('No order this value is known');
  });

  test('one problem takes at most 400 characters, many at most 1,000', () => {
    const big = z.object(
      Object.fromEntries(
        Array.from({ length: 60 }, (_, index) => [`a_rather_long_key_${index}`, z.enum(['first', 'second', 'third'])]),
      ),
    );
    expect(textOf(given(big, {})).length).toBeLessThanOrEqual(1000);
    const long = z.object({ mode: z.enum(Array.from({ length: 200 }, (_, index) => `mode_number_${index}`)) });
    expect(textOf(given(long, { mode: 'x' })).length).toBeLessThanOrEqual(400);
    const text = textOf(given(z.object({ text: z.string(), n: z.number() }), { text: 'x'.repeat(2_000_000), n: 'x' }));
    expect(text).toBe('use failed: "n" must be a number, not a string. Call use again with that put right.');
  });
});

describe('safety', () => {
  test.each([
    { anyOf: [{ $ref: '#/$defs/a' }, { type: 'string' }] },
    { allOf: [{ $ref: '#/$defs/a' }] },
    { anyOf: [{ $ref: '#/$defs/a' }, { type: 'object', properties: { a_b: { $ref: '#/$defs/a' } } }] },
  ])('a schema that refers to itself (%j) ends', (a) => {
    const jsonSchema = { type: 'object', properties: { x: { $ref: '#/$defs/a' } }, required: ['x'], $defs: { a } };
    for (const schema of [z.looseObject({}), z.object({ x: z.never() })]) {
      const own = tool({ name: 'use', description: 'x', schema, jsonSchema, execute: () => 1 });
      for (const x of ['a', 5, { aB: { aB: 1 } }, [[]]]) {
        expect(typeof sync(prepareInput(own, callOf({ value: { x, y: 1 } }))).ok).toBe('boolean');
      }
    }
  });

  test('the tool can change its input without changing the history', () => {
    const schema = z.object({ tags: z.any() });
    for (const prepared of [
      written(schema, '{"tags":["x",{"y":1}]}'),
      given(schema, { tags: ['x', { y: 1 }] }),
      written(schema, '{"Tags":["x",{"y":1}]}'),
    ]) {
      if (!prepared.ok) throw new Error(prepared.text);
      const input = prepared.input as { tags: [string, { y: number }] };
      input.tags[1].y = 2;
      input.tags[0] = 'HACKED';
      expect(prepared.wireInput).toEqual({ tags: ['x', { y: 1 }] });
    }
  });

  test('the provider’s own object does not become the history’s', () => {
    const value = { city: 'London' };
    const prepared = given(weather, value);
    expect(prepared.wireInput).toEqual(value);
    expect(prepared.wireInput).not.toBe(value);
  });

  test.each([
    '{"city":"London","__proto__":{"polluted":"yes"}}',
    String.raw`{"city":"London","\u005f_proto__":{"polluted":"yes"}}`,
  ])('%s pollutes nothing', (text) => {
    const loose = z.looseObject({ city: z.string() });
    for (const prepared of [written(loose, text), given(loose, JSON.parse(text))]) {
      if (!prepared.ok) throw new Error(prepared.text);
      expect((prepared.input as { polluted?: unknown }).polluted).toBeUndefined();
      expect(Object.keys(prepared.wireInput)).toEqual(['city']);
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('two megabytes pass undamaged, in time', () => {
    const start = performance.now();
    const prepared = written(z.object({ text: z.string() }), JSON.stringify({ text: 'n'.repeat(2_000_000) }));
    expect(prepared.ok && (prepared.input as { text: string }).text.length).toBe(2_000_000);
    expect(performance.now() - start).toBeLessThan(1000);
  });

  test('an asynchronous schema gives a promise that never rejects', async () => {
    const schema = z.object({ a: z.string().refine(async (text) => text === 'ok', 'Must be ok') });
    expect(await prepareInput(toolOf(schema), callOf({ text: '{"a":"ok"}' }))).toMatchObject({ ok: true });
    expect(await prepareInput(toolOf(schema), callOf({ text: '{"a":"no"}' }))).toMatchObject({
      ok: false,
      kind: 'invalid-arguments',
    });
  });

  test('nothing throws, whatever a provider passes', () => {
    fc.assert(
      fc.property(
        fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, withMap: true, withTypedArray: true }),
        (value) => {
          const prepared = given(z.looseObject({}), value);
          expect(typeof prepared.wireInput).toBe('object');
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('arguments of which the schema would drop everything', () => {
  test.each([
    { name: 'under the word for arguments', text: '{"arguments":{"customer":"ACME"}}' },
    { name: 'as text under it', text: '{"input":"{\\"customer\\":\\"ACME\\"}"}' },
    { name: 'with the name beside it', text: '{"name":"use","params":{"customer":"ACME"}}' },
  ])('are taken out of their wrapping: $name', ({ text }) => {
    expect(written(orders, text)).toMatchObject({
      ok: true,
      input: { customer: 'ACME' },
      wireInput: { customer: 'ACME' },
    });
  });

  const loose = z.looseObject({ city: z.string().optional() });
  const optional = z.object({ city: z.string().optional(), limit: z.number().optional() });
  test.each<{ name: string; key?: string; args: object; schemas?: z.ZodType[] }>([
    { name: 'cut', args: { text: '{"city":"Lon' } },
    { name: 'cut before its first key', args: { text: '{' }, schemas: [weather, optional] },
    { name: 'whole', args: { text: '{"city":"London"}' } },
    { name: 'under a word for arguments', key: 'arguments', args: { arguments: '{"city":"Lon' } },
    { name: 'under another', key: 'input', args: { input: '{"city":"London", "city"' } },
    { name: 'as raw', key: 'raw', args: { raw: '{"city": London' } },
    { name: 'as Anthropic advises', key: 'INVALID_JSON', args: { INVALID_JSON: '{"city": London' } },
    { name: 'beside what a gateway says', key: '_raw', args: { error: 'not JSON', _raw: '{"city":"Lon' } },
    { name: 'in a list', args: { text: '[{"city":"Lon' } },
    { name: 'written as text twice', args: { text: '"{\\"city\\":\\"London\\"}"' }, schemas: [weather, optional] },
    { name: 'in a fence', args: { text: '```json\n{"city":"London"}\n```' } },
    { name: 'with other keys', args: { text: '{"town":"London"}' }, schemas: [weather, optional] },
  ])(
    'that a gateway has wrapped are unreadable, never run without what they say: $name',
    ({ key = 'text', args, schemas }) => {
      for (const schema of schemas ?? [weather, optional, loose]) {
        const told = [written(schema, JSON.stringify(args)), given(schema, args)];
        for (const prepared of told) {
          expect(prepared).toMatchObject({ ok: false, kind: 'unreadable-arguments', wireInput: {} });
          expect(textOf(prepared)).toContain(`came as text inside a key "${key}"`);
        }
      }
    },
  );

  test('that hold JSON where it is meant are not held for wrapped', () => {
    const note = z.object({ text: z.string(), city: z.string().optional() });
    const labels = z.record(z.string(), z.string());
    const text = '{"city":"London"}';
    expect(given(note, { text })).toMatchObject({ ok: true, input: { text } });
    expect(given(labels, { text })).toMatchObject({ ok: true, input: { text } });
    expect(given(loose, { text: '{"a":1}' })).toMatchObject({ ok: true, input: { text: '{"a":1}' } });
    expect(given(weather, { town: 'London' })).toMatchObject({ ok: false, kind: 'invalid-arguments' });
  });

  test('are not run as if with {} where no key is declared, and no call without them is shown', () => {
    expect(textOf(written(orders, '{"client":"ACME"}'))).toBe(
      'use failed: "client" is not a key here: the keys are "customer", "limit". Call use again with that put right.',
    );
    expect(textOf(written(orders, '{"client":"ACME","limit":null}'))).toContain('"client" is not a key');
    expect(textOf(written(orders, '{"arguments":{"client":"ACME"}}'))).toContain('the keys are "customer", "limit"');
  });

  test('are run where a declared key stands beside them, the tool takes none, or it takes others', () => {
    expect(written(orders, '{"customer":"ACME","why":"asked"}')).toMatchObject({
      ok: true,
      input: { customer: 'ACME' },
    });
    expect(written(nothing, '{"dummy":""}')).toMatchObject({ ok: true, input: {} });
    expect(written(z.looseObject({ id: z.string().optional() }), '{"other":1}')).toMatchObject({
      ok: true,
      input: { other: 1 },
    });
  });
});
