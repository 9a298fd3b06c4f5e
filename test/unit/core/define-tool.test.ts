import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { z as z3 } from 'zod/v3';
import { tool } from '../../../src/core/define-tool.ts';
import { isOilcanError } from '../../../src/core/error.ts';
import { jsonSchemaOf } from '../../../src/core/json-schema.ts';
import type { JsonSchema, StandardSchema } from '../../../src/core/schema.ts';

const schema = z.object({ city: z.string() });
const right = { name: 'get_weather', description: 'Current weather.', schema, execute: () => 'sunny' };

function cyclic(): object {
  const properties: Record<string, object> = {};
  const schemaOfItself = { type: 'object', properties };
  properties['a'] = schemaOfItself;
  return schemaOfItself;
}

function messageOf(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    if (isOilcanError(error) && error.code === 'invalid-option') return error.message;
    throw error;
  }
  throw new Error('Nothing was thrown.');
}

describe('tool', () => {
  test('a Zod schema gives the JSON Schema that the model is shown', () => {
    expect(tool(right).inputSchema).toEqual({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    });
  });

  test.each([
    { name: 'Valibot', schema: toStandardJsonSchema(v.object({ city: v.string() })) },
    { name: 'ArkType', schema: type({ city: 'string' }) },
  ])('$name gives the same', (row) => {
    expect(tool({ ...right, schema: row.schema }).inputSchema).toEqual({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    });
  });

  test('a key with a default is not required of the model', () => {
    const withDefault = z.object({ days: z.number().default(3) });
    expect(tool({ ...right, schema: withDefault }).inputSchema['required']).toBeUndefined();
  });

  test('the schema is converted once for any number of tools', () => {
    expect(tool(right).inputSchema).toBe(tool({ ...right, name: 'again' }).inputSchema);
  });

  test('a given JSON Schema is used as it is, without its dialect', () => {
    const jsonSchema = { $schema: 'https://json-schema.org/draft-07/schema', properties: { city: { type: 'string' } } };
    expect(tool({ ...right, schema: v.object({ city: v.string() }), jsonSchema }).inputSchema).toEqual({
      type: 'object',
      properties: { city: { type: 'string' } },
    });
  });

  test('a root that only points to a definition is resolved', () => {
    const jsonSchema = { $ref: '#/$defs/Args', $defs: { Args: { type: 'object', properties: {} } } };
    expect(tool({ ...right, jsonSchema }).inputSchema['type']).toBe('object');
  });

  test.each([
    {
      name: 'a name with a dot',
      options: { ...right, name: 'a.b' },
      says: /`name` to be 1 to 64 characters.*got "a\.b"/,
    },
    { name: 'no name', options: { ...right, name: undefined }, says: /`name`.*got undefined/ },
    {
      name: 'an empty description',
      options: { ...right, description: '  ' },
      says: /`description` of tool "get_weather"/,
    },
    {
      name: 'a JSON Schema as schema',
      options: { ...right, schema: { type: 'object' } },
      says: /`schema`.*Standard Schema/,
    },
    { name: 'no execute', options: { ...right, execute: undefined }, says: /`execute`.*function/ },
    {
      name: 'another library’s word',
      options: { ...right, inputSchema: schema },
      says: 'There is no option `inputSchema` of tool "get_weather". Use `schema`.',
    },
    {
      name: 'a misspelled option',
      options: { ...right, efect: 'read' },
      says: /no option `efect` of tool.*mean `effect`/,
    },
    {
      name: 'an unknown effect',
      options: { ...right, effect: 'delete' },
      says: /`effect`.*'read', 'idempotent' or 'write'/,
    },
    { name: 'a timeout of 0', options: { ...right, timeoutMs: 0 }, says: /`timeoutMs`.*> 0.*got 0/ },
    { name: 'an endless timeout', options: { ...right, timeoutMs: Infinity }, says: /`timeoutMs`.*got Infinity/ },
    { name: 'a tiny output', options: { ...right, maxOutputChars: 10 }, says: /`maxOutputChars`.*>= 200/ },
    {
      name: 'half an attempt',
      options: { ...right, effect: 'read', retry: { maxAttempts: 1.5 } },
      says: /`retry\.maxAttempts`/,
    },
    {
      name: 'retry of a write',
      options: { ...right, retry: { maxAttempts: 3 } },
      says: /effect is 'write' \(the default\).*never re-run automatically/,
    },
    {
      name: 'a breaker without a rest',
      options: { ...right, breaker: { failures: 2 } },
      says: /`breaker\.cooldownMs`/,
    },
    {
      name: 'another library’s word in a retry',
      options: { ...right, effect: 'read', retry: { attempts: 3 } },
      says: /no option `attempts` of `retry` of tool "get_weather". Use `maxAttempts`/,
    },
    {
      name: 'a name that every object has',
      options: { ...right, constructor: 'x' },
      says: /no option `constructor` of tool/,
    },
    {
      name: 'a misspelled option of a breaker',
      options: { ...right, breaker: { failures: 2, cooldown: 1000 } },
      says: /no option `cooldown` of `breaker` of tool "get_weather". Did you mean `cooldownMs`/,
    },
    { name: 'an output that is no schema', options: { ...right, output: {} }, says: /`output`.*Standard Schema/ },
    { name: 'a fallback that is a value', options: { ...right, fallback: 'x' }, says: /`fallback`.*function/ },
    {
      name: 'a union with a text at the root',
      options: { ...right, schema: z.union([schema, z.string()]) },
      says: /must be one object.*a union/,
    },
    { name: 'a text at the root', options: { ...right, schema: z.string() }, says: /must be one object.*"string"/ },
    {
      name: 'a date',
      options: { ...right, schema: z.object({ at: z.date() }) },
      says: /"get_weather".*Date cannot be represented/,
    },
    {
      name: 'plain Valibot',
      options: { ...right, schema: v.object({ city: v.string() }) },
      says: /`jsonSchema: toJsonSchema\(schema\)`/,
    },
    { name: 'nothing at all', options: undefined, says: /object of options/ },
  ])('$name is refused with the fix', ({ options, says }) => {
    expect(messageOf(() => Reflect.apply(tool, undefined, [options]))).toMatch(says);
  });

  const standard = (vendor: string): StandardSchema => ({
    '~standard': { version: 1, vendor, validate: () => ({ value: {} }) },
  });
  /** What the schemas of each library look like that can't give a JSON Schema, and what helps. */
  const withoutJsonSchema = [
    {
      name: 'zod/mini',
      schema: mini.object({ city: mini.string() }),
      change: 'Use `zod` (4.2 or later) instead of `zod/mini`',
      option: "`jsonSchema: z.toJSONSchema(schema, { io: 'input' })`",
    },
    {
      name: 'zod 3',
      schema: z3.object({ city: z3.string() }),
      change: 'Use zod 4.2 or later',
      option: '`jsonSchema: zodToJsonSchema(schema)` with the package zod-to-json-schema',
    },
    {
      name: 'zod 4.0',
      schema: { ...standard('zod'), _def: {}, _zod: {} },
      change: 'Use zod 4.2 or later',
      option: "`jsonSchema: z.toJSONSchema(schema, { io: 'input' })`",
    },
    {
      name: 'Valibot',
      schema: v.object({ city: v.string() }),
      change: 'Wrap it in `toStandardJsonSchema()` of @valibot/to-json-schema',
      option: '`jsonSchema: toJsonSchema(schema)` of the same package',
    },
    {
      name: 'another library',
      schema: standard('mine'),
      change: 'Use a library that follows Standard JSON Schema (https://standardschema.dev/json-schema)',
      option: '`jsonSchema`, a JSON Schema (draft 2020-12) with `type: "object"`',
    },
  ];

  test.each(withoutJsonSchema)(
    '$name without a JSON Schema is told what to pass to a tool',
    ({ schema, change, option }) => {
      expect(messageOf(() => tool({ ...right, schema }))).toContain(`${change}, or pass ${option}.`);
    },
  );

  test.each(withoutJsonSchema)('$name for `output` is told what `output` can take', ({ schema, change }) => {
    const message = messageOf(() => jsonSchemaOf('`output` of the run', schema));
    expect(message).toContain(`${change}.`);
    expect(message).not.toContain('`jsonSchema');
  });

  test.each([
    {
      schema: z.object({ a: z.object({ b: z.array(z.object({ at: z.date().optional() })) }) }),
      says: /\(at `a\.b\[\]\.at`\)\. Take a date written as a string \(`z\.iso\.datetime\(\)`\) there, and convert it/,
    },
    {
      schema: z.object({ a: z.record(z.string(), z.bigint()) }),
      says: /\(at `a\.\*`\)\. Take a string, or a number there/,
    },
    {
      schema: z.object({ a: z.file() }),
      says: /JSON has no file \(at `a`\)\. Take a string: a path, a URL or Base64 there/,
    },
    { schema: z.object({ a: z.tuple([z.string(), z.set(z.string())]) }), says: /\(at `a\[\]`\)\. Take a list there/ },
    {
      schema: type({ a: { 'at?': 'Date[]' } }),
      says: /JSON has no Date \(at `a\.at\[\]`\)\. Take a date written as a string there/,
    },
    { schema: type({ a: 'bigint' }), says: /JSON has no bigint \(at `a`\)/ },
    {
      schema: toStandardJsonSchema(v.object({ a: v.object({ at: v.date() }) })),
      says: /\(at `a\.at`\)\. Take a date written as a string there/,
    },
    {
      schema: z.any(),
      says: /a schema without a type at the root of its schema\. Declare its keys, or none: `z\.object\(\{\}\)`/,
    },
    { schema: z.string(), says: /got "string" .*Put it under a key: `z\.object\(\{ value: … \}\)`/ },
  ])('a schema that no model can fill in is told with its place and what to take', ({ schema: own, says }) => {
    expect(messageOf(() => tool({ ...right, schema: own }))).toMatch(says);
  });

  test.each([
    z.object({ a: z.union([z.string(), z.file()]) }),
    type({ a: 'Date|string', b: 'unknown', c: 'string.numeric.parse' }),
  ])('a type that JSON does not have beside one that it has is let be', (own) => {
    expect(tool({ ...right, schema: own }).inputSchema['type']).toBe('object');
  });

  test.each([
    { name: 'itself', jsonSchema: cyclic(), says: /holds itself \(write a `\$ref` instead\) at `properties\.a`/ },
    { name: 'a BigInt', jsonSchema: { type: 'object', maximum: 10n }, says: /holds a bigint at `maximum`/ },
    { name: 'a function', jsonSchema: { type: 'object', default: () => 1 }, says: /holds a function at `default`/ },
    { name: 'a date', jsonSchema: { type: 'object', enum: [new Date(0)] }, says: /holds a Date at `enum\.0`/ },
    { name: 'a map', jsonSchema: { type: 'object', properties: new Map() }, says: /holds a Map at `properties`/ },
    { name: 'no number', jsonSchema: { type: 'object', minimum: Number.NaN }, says: /holds NaN at `minimum`/ },
  ])('a `jsonSchema` that holds $name', ({ jsonSchema, says }) => {
    expect(messageOf(() => tool({ ...right, jsonSchema: jsonSchema as unknown as JsonSchema }))).toMatch(says);
  });

  test('a date in the schema of `output` is told without an option that `output` does not have', () => {
    const message = messageOf(() => jsonSchemaOf('`output` of the run', z.object({ at: z.date() })));
    expect(message).toMatch(
      /Date cannot be represented.*\(at `at`\)\. Take a date written as a string \(`z\.iso\.datetime\(\)`\) there\.$/,
    );
  });

  test('a schema of a zod before Standard Schema is named', () => {
    const old = { _def: { typeName: 'ZodObject' }, parse: () => ({}) };
    expect(messageOf(() => Reflect.apply(tool, undefined, [{ ...right, schema: old }]))).toContain(
      'a Standard Schema (Zod 4, Valibot, ArkType …), got a schema of zod before 3.24.',
    );
  });

  test('an answer may have any form', () => {
    expect(jsonSchemaOf('the answer', z.array(z.string()))).toEqual({ type: 'array', items: { type: 'string' } });
  });
});
