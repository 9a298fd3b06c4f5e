import { describe, expect, test } from 'vitest';
import type { Message } from '../../../../src/index.ts';
import { userMessage } from '../../../../src/index.ts';
import { PLAIN } from '../../../../src/providers/dialect/dialect.ts';
import type { Dialect } from '../../../../src/providers/dialect/dialect.ts';
import { DialectMemory } from '../../../../src/providers/dialect/memory.ts';
import { dialectOf } from '../../../../src/providers/dialect/vendors.ts';
import { vendorErrorOf } from '../../../../src/providers/errors/vendor-error.ts';

const called: readonly Message[] = [
  {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'look', input: {} }],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'call_1',
        toolName: 'look',
        content: [{ type: 'text', text: 'A door.' }],
        isError: false,
      },
    ],
  },
  userMessage('And now?'),
];

/** What a provider that began with `from` has learnt from a refusal. */
function learnt(payload: unknown, from: Partial<Dialect>, messages: readonly Message[]): Partial<Dialect> | undefined {
  const memory = new DialectMemory({ ...PLAIN, ...from }, 'x');
  const error = vendorErrorOf(payload, (text) => text);
  const request = { system: '', messages, tools: [], toolChoice: 'auto' } as const;
  if (!memory.learn(error, request, ['model', 'messages', 'include'])) return undefined;
  const changed = Object.entries(memory.dialect).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify({ ...PLAIN, ...from }[key as keyof Dialect]),
  );
  return Object.fromEntries(changed);
}

interface Row {
  readonly vendor: string;
  readonly says: string;
  readonly from?: Partial<Dialect>;
  readonly is: Partial<Dialect>;
}

describe('what a refusal teaches', () => {
  test.each<Row>([
    {
      vendor: 'OpenAI, ids on Chat',
      says: "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 83 instead.",
      is: { callIds: 'short' },
    },
    {
      vendor: 'OpenAI, ids on Responses',
      says: "Invalid 'input[95].call_id': string too long. Expected a string with maximum length 64, but got a string with length 116 instead.",
      is: { callIds: 'short' },
    },
    {
      vendor: 'Copilot behind LiteLLM, ids',
      says: "litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: Github_copilotException - Invalid 'messages[11].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 46 instead.",
      is: { callIds: 'short' },
    },
    {
      vendor: 'Bedrock behind a gateway, ids',
      says: "1 validation error detected: Value at 'messages.2.member.content.1.member.toolUse.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+",
      is: { callIds: 'word' },
    },
    {
      vendor: 'Anthropic behind a gateway, ids',
      says: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
      is: { callIds: 'word' },
    },
    {
      vendor: 'Gemini, order',
      says: 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      is: { userFirst: true },
    },
    {
      vendor: 'Cloudflare, a text beside calls',
      says: "AiError: Bad input: Error: oneOf at '/' not met, 0 matches: required properties at '/' are 'prompt', Type mismatch of '/messages/1/content', 'null' not in 'string'",
      is: { emptyText: true },
    },
    {
      vendor: 'Groq, thoughts',
      says: "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
      from: { thoughtsIn: 'reasoning_content' },
      is: { thoughtsIn: undefined },
    },
    {
      vendor: 'Groq, a model without thoughts',
      says: 'messages[1].reasoning: reasoning is not supported with this model',
      from: { thoughtsIn: 'reasoning' },
      is: { thoughtsIn: undefined },
    },
    {
      vendor: 'Cerebras, thoughts',
      says: "messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported",
      from: { thoughtsIn: 'reasoning_content' },
      is: { thoughtsIn: undefined },
    },
    {
      vendor: 'Vertex, schemas',
      says: 'Unable to submit request because `create_payee` functionDeclaration `parameters.person.age` schema specified other fields alongside any_of. When using any_of, it must be the only field set.',
      is: { schemas: 'google' },
    },
    {
      vendor: 'Gemini, schemas',
      says: `Invalid JSON payload received. Unknown name "$schema" at 'tools[0].function_declarations[3].parameters': Cannot find field.`,
      is: { schemas: 'google' },
    },
    {
      vendor: 'Moonshot, schemas',
      says: "Invalid request: tools.function.parameters is not a valid moonshot flavored json schema, details: <At path 'properties.skill': when using anyOf, type should be defined in anyOf items instead of the parent schema>",
      is: { schemas: 'google' },
    },
    {
      vendor: 'Ollama, schemas',
      says: 'json: cannot unmarshal array into Go struct field .tools.function.parameters.properties.type of type string',
      is: { schemas: 'google' },
    },
    {
      vendor: 'llama.cpp, patterns',
      says: "Unable to generate parser for this template. Automatic parser generation failed: JSON schema conversion failed: Pattern must start with '^' and end with '$'",
      is: { schemas: 'no-patterns' },
    },
    {
      vendor: 'llama.cpp, patterns that no grammar knows',
      says: 'Failed to initialize samplers: failed to parse grammar',
      is: { schemas: 'no-patterns' },
    },
    {
      vendor: 'Azure, sealed thoughts',
      says: 'Encrypted content is not supported with this model.',
      is: { leftOut: ['include'] },
    },
    {
      vendor: 'vLLM, order',
      says: 'After the optional system message, conversation roles must alternate user/assistant/user/assistant/...',
      is: {},
    },
  ])('$vendor', ({ says, from = {}, is }) => {
    const taught = learnt({ error: { message: says } }, from, called);
    // The history above has no user behind a tool's result where the template's rule is about that.
    expect(taught ?? {}).toEqual(Object.keys(is).length === 0 ? { bridgesToolToUser: true } : is);
  });

  test('each of them once: the changed form is not refused into another one', () => {
    const memory = new DialectMemory(PLAIN, 'x');
    const error = vendorErrorOf({ error: { message: 'failed to parse grammar' } }, (text) => text);
    const request = { system: '', messages: called, tools: [], toolChoice: 'auto' } as const;
    expect([memory.learn(error, request, []), memory.learn(error, request, [])]).toEqual([true, false]);
  });

  test.each([
    { name: 'a history without calls, where a text beside calls is asked for', says: 'content must be a string' },
    { name: 'thoughts that were never sent', says: "property 'reasoning_content' is unsupported" },
    { name: 'a history that the user opens', says: 'function call turn comes immediately after a user turn' },
  ])('nothing by $name', ({ says }) => {
    expect(learnt({ error: { message: says } }, {}, [userMessage('Hi')])).toBe(undefined);
  });
});

describe('what is known of a vendor before its first answer', () => {
  test.each<{ readonly vendor: string; readonly host: string; readonly model?: string; readonly is: Partial<Dialect> }>(
    [
      { vendor: 'OpenAI', host: 'api.openai.com', is: { maxTokensField: 'max_completion_tokens', callIds: 'short' } },
      { vendor: 'Azure', host: 'unit.openai.azure.com:443', is: { callIds: 'short' } },
      { vendor: 'Cloudflare', host: 'gateway.ai.cloudflare.com', is: { emptyText: true } },
      { vendor: 'Mistral', host: 'api.mistral.ai', is: { callIds: 'nine', bridgesToolToUser: true } },
      {
        vendor: 'Vertex, Gemini 3',
        host: 'us-central1-aiplatform.googleapis.com',
        model: 'google/gemini-3-pro',
        is: { signsCalls: true },
      },
      { vendor: 'Gemini 2.5', host: 'generativelanguage.googleapis.com', model: 'gemini-2.5-pro', is: {} },
      { vendor: 'nobody', host: 'notmistral.ai.example.test', is: {} },
    ],
  )('$vendor', ({ host, model = 'm', is }) => {
    expect(dialectOf(host, model)).toEqual({ ...PLAIN, ...is });
  });
});
