import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { tool } from '../../../../src/core/define-tool.ts';
import type { Json, JsonObject } from '../../../../src/core/json.ts';
import { isJsonObject } from '../../../../src/core/json.ts';
import { wireSchema } from '../../../../src/providers/dialect/wire-schema.ts';
import { toolSchemaViolations } from '../../../../src/testing/strict/strict-schema.ts';

const string = { type: 'string' };
const number = { type: 'number' };

describe('what vendors refuse at the root is one object on the wire', () => {
  const rows: readonly { readonly name: string; readonly schema: JsonObject; readonly sent: JsonObject }[] = [
    {
      name: 'anyOf beside type and properties',
      schema: {
        type: 'object',
        properties: { a: string, b: number },
        anyOf: [{ required: ['a'] }, { required: ['b'] }],
      },
      sent: { type: 'object', properties: { a: string, b: number } },
    },
    {
      name: 'oneOf of objects: required is what all require',
      schema: {
        oneOf: [
          {
            type: 'object',
            properties: { kind: { const: 'x' }, x: string },
            required: ['kind', 'x'],
            additionalProperties: false,
          },
          {
            type: 'object',
            properties: { kind: { const: 'y' }, y: number },
            required: ['kind', 'y'],
            additionalProperties: false,
          },
        ],
      },
      sent: {
        type: 'object',
        properties: { kind: { anyOf: [{ const: 'x' }, { const: 'y' }] }, x: string, y: number },
        required: ['kind'],
      },
    },
    {
      name: 'allOf: required is what any of them requires',
      schema: {
        allOf: [{ type: 'object', properties: { a: string }, required: ['a'] }, { $ref: '#/$defs/B' }],
        $defs: { B: { properties: { b: number }, required: ['b'] } },
      },
      sent: {
        type: 'object',
        properties: { a: string, b: number },
        required: ['a', 'b'],
        $defs: { B: { properties: { b: number }, required: ['b'] } },
      },
    },
    {
      name: 'not',
      schema: { type: 'object', properties: { a: string }, not: { required: ['b'] } },
      sent: { type: 'object', properties: { a: string } },
    },
    {
      name: 'a reference, with a slash and a percent sign in its name',
      schema: {
        $ref: '#/definitions/a~1b%20c',
        definitions: { 'a/b c': { type: 'object', properties: { a: string } } },
      },
      sent: {
        type: 'object',
        properties: { a: string },
        definitions: { 'a/b c': { type: 'object', properties: { a: string } } },
      },
    },
    {
      name: 'a reference that leads in a circle',
      schema: { $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/A' } } },
      sent: { type: 'object', properties: {} },
    },
    {
      name: 'if and else',
      schema: { type: 'object', properties: { a: string }, if: {}, else: {} },
      sent: { type: 'object', properties: { a: string } },
    },
    {
      name: 'no properties',
      schema: { type: 'object', $schema: 'http://json-schema.org/draft-07/schema#' },
      sent: { type: 'object', properties: {} },
    },
  ];
  test.each(rows)('$name', ({ schema, sent }) => {
    expect(wireSchema(schema)).toEqual(sent);
  });
});

describe('what vendors refuse below the root is put in words that they take', () => {
  const inObject = (value: JsonObject): JsonObject => ({ type: 'object', properties: { value } });
  const rows: readonly { readonly name: string; readonly value: JsonObject; readonly sent: JsonObject }[] = [
    { name: 'an array without items', value: { type: 'array' }, sent: { type: 'array', items: {} } },
    {
      name: 'an array or null without items',
      value: { type: ['array', 'null'] },
      sent: { type: ['array', 'null'], items: {} },
    },
    { name: 'items: true', value: { type: 'array', items: true }, sent: { type: 'array', items: {} } },
    {
      name: 'a tuple of today',
      value: { type: 'array', prefixItems: [string, number], items: false },
      sent: { type: 'array', items: { anyOf: [string, number] }, minItems: 2, maxItems: 2 },
    },
    {
      name: 'a tuple of draft 7',
      value: { type: 'array', items: [number, number], minItems: 1, additionalItems: false },
      sent: { type: 'array', items: number, minItems: 1, maxItems: 2 },
    },
    {
      name: 'a bound of draft 4',
      value: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
      sent: { type: 'number', exclusiveMinimum: 0, maximum: 9 },
    },
    {
      name: 'required of draft 3',
      value: { type: 'object', properties: { a: { type: 'string', required: true }, b: string } },
      sent: { type: 'object', properties: { a: string, b: string }, required: ['a'] },
    },
    {
      name: 'deep inside',
      value: { type: 'array', items: { type: 'object', properties: { list: { type: 'array' } } } },
      sent: { type: 'array', items: { type: 'object', properties: { list: { type: 'array', items: {} } } } },
    },
    {
      name: 'keys that are called like keywords',
      value: { type: 'object', properties: { items: string, required: string, type: { type: 'array' } } },
      sent: { type: 'object', properties: { items: string, required: string, type: { type: 'array', items: {} } } },
    },
  ];
  test.each(rows)('$name', ({ value, sent }) => {
    expect(wireSchema(inObject(value))).toEqual(inObject(sent));
  });

  test('keys of the root get letters that vendors take, each its own', () => {
    const keys = { 'file path': string, $filter: string, file_path: string, ['k'.repeat(80)]: string };
    const sent = wireSchema({ type: 'object', properties: keys, required: ['file path'] });
    const names = Object.keys(sent['properties'] as object);
    expect(names).toEqual(['file_path_2', '_filter', 'file_path', 'k'.repeat(60)]);
    expect(sent['required']).toEqual(['file_path_2']);
  });

  test('a schema that every vendor takes is sent as it is', () => {
    const schema = tool({
      name: 'order',
      description: 'Orders.',
      schema: z.object({
        id: z.string().min(1),
        lines: z.array(z.object({ sku: z.enum(['a', 'b']), count: z.int().positive() })),
        note: z.string().nullable().optional(),
      }),
      execute: () => '',
    }).inputSchema;
    expect(wireSchema(schema)).toEqual(schema);
  });

  test.each<JsonObject>([
    { type: 'any' },
    { type: ['string', 'dict'] },
    { enum: [] },
    { enum: ['a', 'a'] },
    { type: 'object', properties: { a: true }, required: ['a', 'b'] },
    { $ref: 'https://example.test/schema.json' },
    { $ref: '#/$defs/Missing' },
    { anyOf: [] },
  ])('%j is left open where no vendor can read it', (value) => {
    expect([...toolSchemaViolations(inObject(value))]).not.toEqual([]);
    expect([...toolSchemaViolations(wireSchema(inObject(value)))]).toEqual([]);
  });

  test.each(['common', 'google', 'no-patterns'] as const)(
    'in the %s form nothing is left that a vendor refuses, whatever comes',
    (form) => {
      const list = fc.constantFrom('anyOf', 'oneOf', 'allOf');
      const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
        schema: fc.oneof(
          { maxDepth: 5, withCrossShrink: true },
          fc.constantFrom<Json>(
            string,
            true,
            { type: 'array' },
            { type: 'any' },
            { enum: [] },
            { enum: [1, 1, null] },
            { const: null },
            { $ref: '#/$defs/A' },
            { $ref: '#' },
            { $ref: '#/$defs/%' },
            { $ref: '#/$defs/B' },
            { type: 'number', exclusiveMinimum: true, minimum: 1 },
            { type: ['array', 'null'], required: true },
          ),
          fc.record({ type: fc.constant('array'), prefixItems: fc.array(tie('schema'), { maxLength: 2 }) }),
          fc.record({ type: fc.constant('array'), items: fc.array(tie('schema'), { maxLength: 2 }) }),
          fc.record({
            type: fc.constant('object'),
            required: fc.array(fc.string({ maxLength: 3 })),
            properties: fc.dictionary(fc.string({ maxLength: 5 }), tie('schema'), { maxKeys: 3 }),
          }),
          fc.tuple(list, fc.array(tie('schema'), { maxLength: 3 })).map(([key, branches]) => ({ [key]: branches })),
        ) as never,
      }));
      fc.assert(
        fc.property(schema, (given) => {
          const whole = {
            ...(isJsonObject(given) ? given : {}),
            $defs: { A: { type: 'object' }, B: given },
          } as JsonObject;
          expect([...toolSchemaViolations(wireSchema(whole, form))]).toEqual([]);
        }),
        { numRuns: 200 },
      );
    },
  );
});

describe("Gemini's part of JSON Schema", () => {
  const google = (value: JsonObject, rest: JsonObject = {}): unknown =>
    (wireSchema({ type: 'object', properties: { value }, ...rest }, 'google')['properties'] as JsonObject)['value'];

  test.each([
    { name: 'null as a type', value: { type: ['string', 'null'] }, sent: { type: 'string', nullable: true } },
    {
      name: 'null as an alternative',
      value: { anyOf: [string, { type: 'null' }] },
      sent: { type: 'string', nullable: true },
    },
    { name: 'a constant', value: { const: 'x' }, sent: { type: 'string', enum: ['x'] } },
    {
      name: 'an enum of numbers',
      value: { type: 'integer', enum: [1, 2] },
      sent: { type: 'integer', description: 'One of: 1, 2.' },
    },
    { name: 'several types', value: { type: ['string', 'number'] }, sent: { anyOf: [string, number] } },
    { name: 'oneOf', value: { oneOf: [string, number] }, sent: { anyOf: [string, number] } },
    { name: 'a format that it does not know', value: { type: 'string', format: 'uri' }, sent: string },
    {
      name: 'keywords that it does not know',
      value: { type: 'object', properties: { a: string }, additionalProperties: false, propertyNames: string },
      sent: { type: 'object', properties: { a: string } },
    },
  ])('$name', ({ value, sent }) => {
    expect(google(value as JsonObject)).toEqual(sent);
  });

  test.each([
    {
      name: 'alternatives stand alone: what stood beside them is in each of them (Vertex)',
      value: { description: 'Text or list.', anyOf: [string, { type: 'array', items: string }, { type: 'null' }] },
      sent: {
        anyOf: [
          { type: 'string', description: 'Text or list.', nullable: true },
          { type: 'array', items: string, description: 'Text or list.', nullable: true },
        ],
      },
    },
    {
      name: 'a type beside alternatives goes into them (Moonshot)',
      value: {
        type: 'object',
        properties: { a: string, b: string },
        anyOf: [{ required: ['a'] }, { required: ['b'] }],
      },
      sent: {
        anyOf: [
          { type: 'object', properties: { a: string, b: string }, required: ['a'] },
          { type: 'object', properties: { a: string, b: string }, required: ['b'] },
        ],
      },
    },
    {
      name: 'types beside typed alternatives are said once (Moonshot)',
      value: { type: ['string', 'boolean'], anyOf: [{ type: 'boolean' }, string] },
      sent: { anyOf: [{ type: 'boolean' }, string] },
    },
  ])('$name', ({ value, sent }) => {
    expect(google(value as JsonObject)).toEqual(sent);
  });

  test('references are unfolded, and recursion ends', () => {
    expect(google({ $ref: '#/$defs/A' }, { $defs: { A: string } })).toEqual(string);
    const text = JSON.stringify(
      google({ $ref: '#/$defs/T' }, { $defs: { T: { type: 'object', properties: { next: { $ref: '#/$defs/T' } } } } }),
    );
    expect(text).not.toContain('$ref');
    expect(text.length).toBeLessThan(2000);
  });
});

test('for llama.cpp patterns are left out, and nothing else', () => {
  const id = { type: 'string', pattern: '^\\d+$', minLength: 1 };
  const given = { type: 'object', properties: { id, ids: { type: 'array', items: id }, pattern: string } };
  const rest = { type: 'string', minLength: 1 };
  expect(wireSchema(given, 'no-patterns')).toEqual({
    type: 'object',
    properties: { id: rest, ids: { type: 'array', items: rest }, pattern: string },
  });
});

test('a union of objects at the root is a tool, and is checked in full', async () => {
  const ship = tool({
    name: 'ship',
    description: 'Ships.',
    schema: z.discriminatedUnion('by', [
      z.object({ by: z.literal('sea'), port: z.string() }),
      z.object({ by: z.literal('air'), gate: z.number() }),
    ]),
    execute: (input) => input.by,
  });
  expect(wireSchema(ship.inputSchema)).toMatchObject({ type: 'object', required: ['by'] });
  expect(() =>
    tool({ name: 'x', description: 'x', schema: z.union([z.object({}), z.string()]), execute: () => '' }),
  ).toThrow('a union');
});
