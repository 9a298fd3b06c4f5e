import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import { tool } from '../../../src/core/define-tool.ts';
import { wireSchema } from '../../../src/providers/dialect/wire-schema.ts';
import { requestViolation } from '../../../src/testing/strict-request.ts';
import type { LoopbackWire } from '../../../src/testing/loopback-server.ts';

const string = { type: 'string' };
const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...rest });
const inside = (value: JsonObject): JsonObject => object({ value });

/** What vendors are publicly known to refuse: the sources stand at each rule of `strict-schema.ts` and in docs/vendors.md. */
const refused: readonly { readonly name: string; readonly schema: JsonObject }[] = [
  { name: 'anyOf at the root', schema: object({ a: string }, { anyOf: [{ required: ['a'] }] }) },
  { name: 'oneOf at the root', schema: object({ a: string }, { oneOf: [{ required: ['a'] }] }) },
  { name: 'allOf at the root', schema: object({ a: string }, { allOf: [{ required: ['a'] }] }) },
  { name: 'not at the root', schema: object({ a: string }, { not: { required: ['b'] } }) },
  {
    name: 'a reference at the root',
    schema: { type: 'object', $ref: '#/$defs/A', properties: {}, $defs: { A: object({}) } },
  },
  { name: 'no type at the root', schema: { properties: { a: string } } },
  { name: 'an array without items', schema: inside({ type: 'array' }) },
  { name: 'an array or null without items', schema: inside({ type: ['array', 'null'] }) },
  { name: 'an array without items in an alternative', schema: inside({ anyOf: [string, { type: 'array' }] }) },
  {
    name: 'an array without items under $defs',
    schema: object({ a: { $ref: '#/$defs/A' } }, { $defs: { A: { type: 'array' } } }),
  },
  {
    name: 'an array without items in a record',
    schema: inside({ type: 'object', additionalProperties: { type: 'array' } }),
  },
  { name: 'prefixItems', schema: inside({ type: 'array', prefixItems: [string], items: false }) },
  { name: 'items as a list', schema: inside({ type: 'array', items: [string, string] }) },
  { name: 'a key with a space', schema: object({ 'file path': string }) },
  { name: 'a key with a sign', schema: object({ $filter: string }) },
  { name: 'a key of 65 characters', schema: object({ ['k'.repeat(65)]: string }) },
  { name: 'exclusiveMinimum: true', schema: inside({ type: 'number', minimum: 0, exclusiveMinimum: true }) },
  { name: 'exclusiveMaximum: false', schema: inside({ type: 'number', maximum: 0, exclusiveMaximum: false }) },
  { name: 'required: true of a property', schema: object({ a: { type: 'string', required: true } }) },
  { name: 'required names what is not declared', schema: object({ a: string }, { required: ['a', 'b'] }) },
  { name: 'an unknown type', schema: inside({ type: 'any' }) },
  { name: 'an empty enum', schema: inside({ enum: [] }) },
  { name: 'a value twice in an enum', schema: inside({ enum: ['a', 'b', 'a'] }) },
  { name: 'a reference to nowhere', schema: inside({ $ref: '#/$defs/Missing' }) },
  { name: 'a reference to another file', schema: inside({ $ref: 'other.json#/A' }) },
  { name: 'a property that is no schema', schema: { type: 'object', properties: { a: true } } },
  { name: 'an empty list of alternatives', schema: inside({ anyOf: [] }) },
];

const declared: Readonly<Record<LoopbackWire, (schema: JsonObject) => JsonObject>> = {
  openai: (parameters) => ({
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [{ type: 'function', function: { name: 't', parameters } }],
  }),
  'openai-responses': (parameters) => ({ input: 'Hi', tools: [{ type: 'function', name: 't', parameters }] }),
  anthropic: (input_schema) => ({
    max_tokens: 9,
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [{ name: 't', input_schema }],
  }),
  ollama: (parameters) => ({
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [{ type: 'function', function: { name: 't', parameters } }],
  }),
};

describe.each(Object.keys(declared) as LoopbackWire[])('%s', (wire) => {
  const verdict = (schema: JsonObject): string | undefined =>
    requestViolation(wire, { model: 'm', ...declared[wire](schema) });

  test.each(refused)('$name is refused, and is not when the wires have written it', ({ schema }) => {
    expect(verdict(schema)).toBeTypeOf('string');
    expect(verdict(wireSchema(schema))).toBeUndefined();
  });

  test('a schema with all that is taken passes', () => {
    const nested = object(
      { a: { type: ['string', 'null'] }, b: { anyOf: [string, { type: 'integer', minimum: 1 }] } },
      { required: ['a'] },
    );
    const schema = object(
      {
        list: { type: 'array', items: nested },
        word: { enum: ['x', 1, null] },
        link: { $ref: '#/$defs/L' },
        'dotted.key-1': { const: 1 },
      },
      { $defs: { L: object({ next: { $ref: '#/$defs/L' } }) }, additionalProperties: false },
    );
    expect(verdict(schema)).toBeUndefined();
    expect(verdict(wireSchema(schema))).toBeUndefined();
  });
});

describe('what official clients send is taken', () => {
  const chat = (body: JsonObject): string | undefined =>
    requestViolation('openai', { model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...body });
  const responses = (body: JsonObject): string | undefined =>
    requestViolation('openai-responses', { model: 'm', ...body });
  const messages = (body: JsonObject): string | undefined =>
    requestViolation('anthropic', { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], ...body });
  const output = { type: 'function_call_output', call_id: 'call_1', output: 'x' };

  test.each([
    {
      name: 'null for what is not set',
      verdict: chat({ stream_options: null, tools: null, tool_choice: null, parallel_tool_calls: null }),
    },
    {
      name: 'a description of null',
      verdict: chat({
        tools: [{ type: 'function', function: { name: 't', description: null, parameters: object({}) } }],
      }),
    },
    { name: 'a custom tool', verdict: chat({ tools: [{ type: 'custom', custom: { name: 't' } }] }) },
    {
      name: 'a result of the older form',
      verdict: chat({
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: null, function_call: { name: 't', arguments: '{}' } },
          { role: 'function', name: 't', content: 'x' },
        ],
      }),
    },
    {
      name: 'previous_response_id with a result alone',
      verdict: responses({ previous_response_id: 'resp_1', input: [output] }),
    },
    { name: 'a conversation', verdict: responses({ conversation: 'conv_1', input: [output] }) },
    { name: 'a prompt without input', verdict: responses({ prompt: { id: 'pmpt_1' } }) },
    {
      name: "items of the vendor's own tools",
      verdict: responses({
        input: [
          { role: 'user', content: 'Hi' },
          { type: 'web_search_call', id: 'ws_1', status: 'completed', action: {} },
        ],
      }),
    },
    { name: 'a thread', verdict: messages({ thread: 'thread_1', messages: [] }) },
    {
      name: "a tool of the vendor's own",
      verdict: messages({ tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 1 }] }),
    },
    {
      name: 'a paused turn',
      verdict: messages({
        tools: [{ type: 'web_search_20250305', name: 'web_search' }],
        messages: [
          { role: 'user', content: 'Hi' },
          {
            role: 'assistant',
            content: [
              { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
              { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
            ],
          },
        ],
      }),
    },
  ])('$name', ({ verdict }) => {
    expect(verdict).toBeUndefined();
  });

  test('and a result whose call is nowhere is refused all the same', () => {
    expect(responses({ input: [output] })).toContain('No tool call found');
  });
});

test('tools of several libraries and servers are taken by every wire', () => {
  const given: readonly JsonObject[] = [
    object(
      {
        path: string,
        edits: {
          type: 'array',
          items: object(
            { oldText: string, newText: string },
            { required: ['oldText', 'newText'], additionalProperties: false },
          ),
        },
      },
      { required: ['path', 'edits'], $schema: 'http://json-schema.org/draft-07/schema#' },
    ),
    { type: 'object' },
    { type: 'object', properties: {}, additionalProperties: false, required: [] },
  ];
  for (const schema of given) {
    const made = tool({
      name: 't',
      description: 'T.',
      schema: anything,
      jsonSchema: schema,
      execute: () => '',
    });
    for (const wire of Object.keys(declared) as LoopbackWire[])
      expect(requestViolation(wire, { model: 'm', ...declared[wire](wireSchema(made.inputSchema)) })).toBeUndefined();
  }
});

const anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value: value as object }) },
} as const;
