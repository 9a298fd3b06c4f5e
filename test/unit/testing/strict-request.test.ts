import { describe, expect, test } from 'vitest';
import type { LoopbackWire } from '../../../src/testing/loopback-server.ts';
import { checkRequest, requestViolation } from '../../../src/testing/strict-request.ts';

/** One change of a body, in place. */
type Change = (body: unknown) => void;

interface Row {
  readonly name: string;
  readonly change: Change;
  /** Part of the refusal; undefined where the change is allowed. */
  readonly says: RegExp | undefined;
}

/** Puts a value at a path such as `messages.0.content`. */
const set = (path: string, value: unknown): Change => edit(path, (holder, key) => (holder[key] = value));

/** Takes out a field, or `count` items of a list; the index -1 is the last one. */
const drop = (path: string, count = 1): Change =>
  edit(path, (holder, key) => (Array.isArray(holder) ? holder.splice(Number(key), count) : delete holder[key]));

/** Puts an item into a list. */
const insert = (path: string, value: unknown): Change =>
  edit(path, (holder, key) => Array.isArray(holder) && holder.splice(Number(key), 0, value));

/** Puts a copy of one place into a list. */
const copy = (from: string, to: string): Change => {
  return (body) => edit(from, (holder, key) => insert(to, structuredClone(holder[key]))(body))(body);
};

const all = (...changes: readonly Change[]): Change => {
  return (body) => {
    for (const change of changes) change(body);
  };
};

function edit(path: string, act: (holder: Record<string, unknown>, key: string) => unknown): Change {
  return (body) => {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    const holder = keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], body);
    act(holder as Record<string, unknown>, last);
  };
}

const parameters = { type: 'object', properties: { target: { type: 'string' } }, required: ['target'] };

/** A conversation with two calls in one reply, their results, another call, and a last word. */
const valid: Readonly<Record<LoopbackWire, () => unknown>> = {
  openai: () => ({
    model: 'demo',
    stream: true,
    stream_options: { include_usage: true },
    tools: [
      { type: 'function', function: { name: 'look_at', description: 'Look.', parameters } },
      { type: 'function', function: { name: 'wait', parameters: { type: 'object', properties: {} } } },
    ],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Open it.' },
          { type: 'image_url', image_url: { url: 'data:,' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'look_at', arguments: '{"target":"door"}' } },
          { id: 'b', type: 'function', function: { name: 'wait', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'b', content: '' },
      { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'Rusty.' }] },
      { role: 'assistant', content: '' },
      { role: 'user', content: 'Go on.' },
    ],
  }),
  'openai-responses': () => ({
    model: 'demo',
    store: false,
    instructions: 'Be brief.',
    tools: [
      { type: 'function', name: 'look_at', description: 'Look.', parameters },
      { type: 'function', name: 'wait', parameters: { type: 'object', properties: {} } },
    ],
    tool_choice: 'auto',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Open it.' },
          { type: 'input_image', image_url: 'data:,' },
        ],
      },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' },
      { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Looking.' }] },
      { type: 'function_call', id: 'fc_1', call_id: 'a', name: 'look_at', arguments: '{"target":"door"}' },
      { type: 'function_call', call_id: 'b', name: 'wait', arguments: '{}' },
      { type: 'function_call_output', call_id: 'b', output: '' },
      { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text', text: 'Rusty.' }] },
      { role: 'user', content: 'Go on.' },
    ],
  }),
  anthropic: () => ({
    model: 'demo',
    max_tokens: 4096,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    thinking: { type: 'enabled', budget_tokens: 1024 },
    tools: [
      { name: 'look_at', description: 'Look.', input_schema: parameters },
      { name: 'wait', input_schema: { type: 'object' } },
    ],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    messages: [
      { role: 'user', content: 'Open it.' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: '', signature: 'signed' },
          { type: 'text', text: 'Looking.' },
          { type: 'tool_use', id: 'a', name: 'look_at', input: { target: 'door' } },
          { type: 'tool_use', id: 'b', name: 'wait', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'b', content: '' },
          { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'Rusty.' }], is_error: true },
          { type: 'text', text: 'Go on.' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        ],
      },
    ],
  }),
  ollama: () => ({
    model: 'demo',
    stream: true,
    tools: [{ type: 'function', function: { name: 'look_at', description: 'Look.', parameters } }],
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Open it.', images: ['AAAA'] },
      {
        role: 'assistant',
        content: '',
        thinking: 'Hm.',
        tool_calls: [{ function: { name: 'look_at', arguments: {} } }],
      },
      { role: 'tool', content: 'Rusty.', tool_name: 'look_at' },
    ],
  }),
};

const rows: Readonly<Record<LoopbackWire, readonly Row[]>> = {
  openai: [
    { name: 'no model', change: drop('model'), says: /model parameter/u },
    { name: 'no messages', change: set('messages', []), says: /'messages': empty array/u },
    { name: 'messages of another type', change: set('messages', 'hi'), says: /parameter: 'messages'/u },
    { name: 'an empty list of tools', change: set('tools', []), says: /'tools': empty array/u },
    {
      name: 'a tool without its function',
      change: drop('tools.0.function'),
      says: /tools\[0\]\.function/u,
    },
    { name: 'a tool of another kind', change: set('tools.0.type', 'thing'), says: /tools\[0\]\.type/u },
    {
      name: 'a tool with a dot in its name',
      change: set('tools.0.function.name', 'a.b'),
      says: /does not match pattern/u,
    },
    {
      name: 'a tool with a name of 65 characters',
      change: set('tools.0.function.name', 'x'.repeat(65)),
      says: /pattern/u,
    },
    {
      name: 'two tools of one name',
      change: set('tools.1.function.name', 'look_at'),
      says: /must be unique/u,
    },
    {
      name: 'parameters that are no object',
      change: set('tools.0.function.parameters', { type: 'array', items: {} }),
      says: /type: "object"/u,
    },
    {
      name: 'parameters without properties',
      change: set('tools.1.function.parameters', { type: 'object' }),
      says: /missing properties/u,
    },
    {
      name: 'an array without items, deep inside',
      change: set('tools.0.function.parameters.properties.target', { type: 'array' }),
      says: /\('properties', 'target'\), array schema missing items/u,
    },
    {
      name: 'strict without additionalProperties',
      change: set('tools.0.function.strict', true),
      says: /additionalProperties/u,
    },
    {
      name: 'a choice without tools',
      change: all(drop('tools'), drop('parallel_tool_calls')),
      says: /'tool_choice' is only allowed/u,
    },
    {
      name: 'parallel calls without tools',
      change: all(drop('tools'), drop('tool_choice')),
      says: /'parallel_tool_calls' is only allowed/u,
    },
    {
      name: 'no tools at all',
      change: all(drop('tools'), drop('tool_choice'), drop('parallel_tool_calls')),
      says: undefined,
    },
    {
      name: 'a choice of a known tool',
      change: set('tool_choice', { type: 'function', function: { name: 'wait' } }),
      says: undefined,
    },
    {
      name: 'a choice of an unknown tool',
      change: set('tool_choice', { type: 'function', function: { name: 'nope' } }),
      says: /'nope' not found/u,
    },
    {
      name: 'a choice in another vendor’s form',
      change: set('tool_choice', { type: 'tool', name: 'wait' }),
      says: /Invalid value for 'tool_choice'/u,
    },
    { name: 'stream options without a stream', change: set('stream', false), says: /stream_options/u },
    { name: 'an unknown role', change: set('messages.1.role', 'human'), says: /Invalid value: 'human'/u },
    {
      name: 'user content that is null',
      change: set('messages.1.content', null),
      says: /got null|but got null/u,
    },
    { name: 'empty content parts', change: set('messages.1.content', []), says: /content': empty array/u },
    {
      name: 'an image from the assistant',
      change: set('messages.5.content', [{ type: 'image_url', image_url: { url: 'x' } }]),
      says: /role 'assistant'/u,
    },
    {
      name: 'an image in a tool result',
      change: set('messages.4.content', [{ type: 'image_url', image_url: { url: 'x' } }]),
      says: /role 'tool'/u,
    },
    {
      name: 'an image without an address',
      change: set('messages.1.content.1.image_url', {}),
      says: /image_url\.url/u,
    },
    {
      name: 'text that is no text',
      change: set('messages.1.content.0.text', 7),
      says: /\.text': expected a string/u,
    },
    {
      name: 'a call without a result',
      change: drop('messages.3'),
      says: /did not have response messages: b/u,
    },
    {
      name: 'a last call without a result',
      change: drop('messages.3', 4),
      says: /did not have response messages: a, b/u,
    },
    {
      name: 'a result without a call',
      change: drop('messages.2'),
      says: /must be a response to a preceeding message/u,
    },
    {
      name: 'a result for another id',
      change: set('messages.3.tool_call_id', 'z'),
      says: /'z' not found in 'tool_calls'/u,
    },
    {
      name: 'a second result for a call',
      change: copy('messages.3', 'messages.4'),
      says: /Duplicate value for 'tool_call_id'/u,
    },
    { name: 'a result without an id', change: drop('messages.3.tool_call_id'), says: /tool_call_id/u },
    {
      name: 'a user between call and result',
      change: insert('messages.3', { role: 'user', content: 'hi' }),
      says: /did not have response/u,
    },
    {
      name: 'no calls in a list of calls',
      change: set('messages.5.tool_calls', []),
      says: /tool_calls': empty array/u,
    },
    {
      name: 'an assistant that says nothing',
      change: set('messages.5.content', null),
      says: /expected a string, got null/u,
    },
    {
      name: 'a call without an id',
      change: set('messages.2.tool_calls.0.id', ''),
      says: /tool_calls\[0\]\.id/u,
    },
    {
      name: 'two calls of one id',
      change: set('messages.2.tool_calls.1.id', 'a'),
      says: /Duplicate value/u,
    },
    {
      name: 'a call of another type',
      change: drop('messages.2.tool_calls.0.type'),
      says: /tool_calls\[0\]\.type/u,
    },
    {
      name: 'a called name with spaces',
      change: set('messages.2.tool_calls.0.function.name', 'look at'),
      says: /pattern/u,
    },
    {
      name: 'arguments as a value',
      change: set('messages.2.tool_calls.0.function.arguments', {}),
      says: /expected a string, but got object/u,
    },
    {
      name: 'arguments that are no JSON',
      change: set('messages.2.tool_calls.0.function.arguments', '{"a'),
      says: /not valid JSON/u,
    },
    {
      name: 'empty arguments',
      change: set('messages.2.tool_calls.0.function.arguments', ''),
      says: /not valid JSON/u,
    },
    { name: 'half a surrogate pair', change: set('messages.6.content', 'a\ud83d'), says: /surrogate/u },
    { name: 'a whole surrogate pair', change: set('messages.6.content', '👋'), says: undefined },
    {
      name: 'half a surrogate pair in a key',
      change: set('tools.0.function.parameters.properties', { '\udc00': {} }),
      says: /<key>/u,
    },
  ],
  'openai-responses': [
    { name: 'no model', change: drop('model'), says: /'model'/u },
    { name: 'input as a text', change: set('input', 'hi'), says: undefined },
    { name: 'no input', change: drop('input'), says: /'input'/u },
    { name: 'empty input', change: set('input', []), says: /empty array/u },
    { name: 'messages', change: set('messages', []), says: /Unsupported parameter: 'messages'/u },
    { name: 'max_tokens', change: set('max_tokens', 5), says: /Unsupported parameter: 'max_tokens'/u },
    {
      name: 'a nested function',
      change: set('tools.0.function', {}),
      says: /Unknown parameter: 'tools\[0\]\.function'/u,
    },
    { name: 'a bad name of a tool', change: set('tools.0.name', 'a b'), says: /pattern/u },
    {
      name: 'a choice of an unknown tool',
      change: set('tool_choice', { type: 'function', name: 'nope' }),
      says: /'nope' not found/u,
    },
    {
      name: 'a choice of a known tool',
      change: set('tool_choice', { type: 'function', name: 'wait' }),
      says: undefined,
    },
    { name: 'a choice without tools', change: drop('tools'), says: /only allowed/u },
    { name: 'an item that is no object', change: set('input.0', 'hi'), says: /expected an object/u },
    { name: 'an item of an unknown kind', change: set('input.0.type', 'thing'), says: /'thing'/u },
    { name: 'an unknown role', change: set('input.0.role', 'tool'), says: /Invalid value: 'tool'/u },
    { name: 'calls inside a message', change: set('input.2.tool_calls', []), says: /Unknown parameter/u },
    { name: 'content that is null', change: set('input.0.content', null), says: /but got null/u },
    {
      name: 'output text from the user',
      change: set('input.0.content.0.type', 'output_text'),
      says: /content\[0\]\.type/u,
    },
    {
      name: 'input text from the assistant',
      change: set('input.2.content.0.type', 'input_text'),
      says: /content\[0\]\.type/u,
    },
    { name: 'a text part without text', change: drop('input.0.content.0.text'), says: /\.text/u },
    {
      name: 'an image without an address',
      change: drop('input.0.content.1.image_url'),
      says: /image_url/u,
    },
    { name: 'an id of the wrong kind', change: set('input.3.id', 'call_1'), says: /begins with 'fc'/u },
    { name: 'an item twice', change: set('input.7.id', 'msg_1'), says: /Duplicate item/u },
    { name: 'a call without call_id', change: drop('input.3.call_id'), says: /call_id/u },
    { name: 'two calls of one id', change: set('input.4.call_id', 'a'), says: /Duplicate value/u },
    { name: 'a called name with a dot', change: set('input.3.name', 'a.b'), says: /pattern/u },
    { name: 'arguments as a value', change: set('input.3.arguments', {}), says: /expected a string/u },
    { name: 'arguments that are no JSON', change: set('input.3.arguments', '{'), says: /not valid JSON/u },
    {
      name: 'a call without an output',
      change: drop('input.5'),
      says: /No tool output found for function call b/u,
    },
    { name: 'an output without a call', change: drop('input.4'), says: /No tool call found .* b/u },
    {
      name: 'a second output',
      change: copy('input.5', 'input.6'),
      says: /Duplicate function call output/u,
    },
    { name: 'an output that is a value', change: set('input.5.output', { a: 1 }), says: /output/u },
    { name: 'reasoning without a summary', change: drop('input.1.summary'), says: /summary/u },
    {
      name: 'reasoning without its seal',
      change: drop('input.1.encrypted_content'),
      says: /not persisted/u,
    },
    {
      name: 'reasoning without its seal, stored',
      change: all(drop('input.1.encrypted_content'), set('store', true)),
      says: undefined,
    },
    {
      name: 'reasoning that nothing follows',
      change: drop('input.2', 5),
      says: /required following item/u,
    },
    { name: 'half a surrogate pair', change: set('instructions', '\ud83d'), says: /surrogate/u },
  ],
  anthropic: [
    { name: 'no model', change: drop('model'), says: /model: Field required/u },
    { name: 'no max_tokens', change: drop('max_tokens'), says: /max_tokens: Field required/u },
    { name: 'max_tokens of 0', change: set('max_tokens', 0), says: /greater than or equal to 1/u },
    { name: 'no messages', change: set('messages', []), says: /at least one message/u },
    {
      name: 'an assistant first',
      change: drop('messages.0'),
      says: /first message must use the "user" role/u,
    },
    { name: 'a system message', change: set('messages.0.role', 'system'), says: /"user" role/u },
    {
      name: 'an empty system block',
      change: set('system.0.text', ''),
      says: /system: text content blocks must be non-empty/u,
    },
    { name: 'a tool with a bad name', change: set('tools.0.name', 'a.b'), says: /tools\.0\.custom\.name/u },
    { name: 'two tools of one name', change: set('tools.1.name', 'look_at'), says: /must be unique/u },
    {
      name: 'a tool without a schema',
      change: drop('tools.0.input_schema'),
      says: /input_schema: Field required/u,
    },
    {
      name: 'a schema of another type',
      change: set('tools.0.input_schema', { type: 'string' }),
      says: /'object'/u,
    },
    { name: 'a choice as a text', change: set('tool_choice', 'auto'), says: /tool_choice/u },
    {
      name: 'a choice of another vendor',
      change: set('tool_choice', { type: 'required' }),
      says: /Input tag 'required'/u,
    },
    {
      name: 'a choice of an unknown tool',
      change: set('tool_choice', { type: 'tool', name: 'nope' }),
      says: /'nope' not found/u,
    },
    { name: 'a choice without tools', change: drop('tools'), says: /while providing tools/u },
    {
      name: 'calls without tools',
      change: all(drop('tools'), drop('tool_choice')),
      says: /must define tools/u,
    },
    {
      name: 'an extra field in a message',
      change: set('messages.0.name', 'ana'),
      says: /messages\.0\.name: Extra inputs/u,
    },
    {
      name: 'an extra field in a block',
      change: set('messages.1.content.2.index', 0),
      says: /index: Extra inputs/u,
    },
    {
      name: 'a block of an unknown kind',
      change: set('messages.1.content.1.type', 'output_text'),
      says: /Input tag 'output_text'/u,
    },
    { name: 'an empty user message', change: set('messages.0.content', []), says: /non-empty content/u },
    { name: 'an empty text', change: set('messages.0.content', ''), says: /non-empty/u },
    { name: 'an empty text block', change: set('messages.1.content.1.text', ''), says: /non-empty/u },
    {
      name: 'a blank text block',
      change: set('messages.1.content.1.text', ' \n'),
      says: /non-whitespace/u,
    },
    {
      name: 'a final reply with a trailing space',
      change: insert('messages.3', { role: 'assistant', content: 'So ' }),
      says: /trailing whitespace/u,
    },
    {
      name: 'a call by the user',
      change: copy('messages.1.content.2', 'messages.2.content.4'),
      says: /can not be in user messages/u,
    },
    {
      name: 'a result by the assistant',
      change: copy('messages.2.content.0', 'messages.1.content.4'),
      says: /can not be in assistant messages/u,
    },
    { name: 'an id with a dot', change: set('messages.1.content.2.id', 'a.1'), says: /tool_use\.id/u },
    { name: 'a doubled id', change: set('messages.1.content.3.id', 'a'), says: /ids must be unique/u },
    {
      name: 'an id used again in a later turn',
      change: all(copy('messages.1', 'messages.3'), copy('messages.2', 'messages.4')),
      says: /ids must be unique/u,
    },
    {
      name: 'a called name with a space',
      change: set('messages.1.content.2.name', 'look at'),
      says: /tool_use\.name/u,
    },
    {
      name: 'input as a text',
      change: set('messages.1.content.2.input', '{}'),
      says: /valid dictionary/u,
    },
    {
      name: 'a call without a result',
      change: drop('messages.2.content.0'),
      says: /without `tool_result` blocks immediately after: b/u,
    },
    { name: 'last calls without results', change: drop('messages.-1'), says: /immediately after: a, b/u },
    {
      name: 'a result without a call',
      change: set('messages.2.content.0.tool_use_id', 'z'),
      says: /unexpected `tool_use_id`.*z/u,
    },
    {
      name: 'a second result',
      change: copy('messages.2.content.0', 'messages.2.content.1'),
      says: /single result/u,
    },
    {
      name: 'a result after text',
      change: all(copy('messages.2.content.2', 'messages.2.content.0'), drop('messages.2.content.3')),
      says: /must come first/u,
    },
    {
      name: 'an empty error',
      change: set('messages.2.content.1.content', []),
      says: /cannot be empty if `is_error`/u,
    },
    {
      name: 'an error mark that is a text',
      change: set('messages.2.content.1.is_error', 'yes'),
      says: /valid boolean/u,
    },
    {
      name: 'an empty text in a result',
      change: set('messages.2.content.1.content.0.text', ''),
      says: /non-empty/u,
    },
    {
      name: 'a result that is a value',
      change: set('messages.2.content.1.content', { a: 1 }),
      says: /valid string or list/u,
    },
    {
      name: 'an image of an unknown type',
      change: set('messages.2.content.3.source.media_type', 'image/bmp'),
      says: /media_type/u,
    },
    {
      name: 'an image without data',
      change: set('messages.2.content.3.source.data', ''),
      says: /data: Field required/u,
    },
    {
      name: 'thinking without its signature',
      change: drop('messages.1.content.0.signature'),
      says: /signature: Field required/u,
    },
    {
      name: 'thinking left out although it is on',
      change: drop('messages.1.content.0'),
      says: /must start with a thinking block/u,
    },
    {
      name: 'thinking left out where it is off',
      change: all(drop('messages.1.content.0'), drop('thinking')),
      says: undefined,
    },
    {
      name: 'thinking beyond the limit',
      change: set('thinking.budget_tokens', 5000),
      says: /must be greater than/u,
    },
    {
      name: 'two users in a row',
      change: insert('messages.0', { role: 'user', content: 'Hello.' }),
      says: undefined,
    },
    { name: 'half a surrogate pair', change: set('messages.0.content', '\udc00'), says: /surrogate/u },
  ],
  ollama: [
    { name: 'no model', change: drop('model'), says: /model is required/u },
    { name: 'a stream flag as a text', change: set('stream', 'yes'), says: /stream of type bool/u },
    { name: 'messages as a text', change: set('messages', 'hi'), says: /messages of type/u },
    { name: 'no messages', change: drop('messages'), says: undefined },
    {
      name: 'an unknown role',
      change: set('messages.0.role', 'developer'),
      says: /invalid role: developer/u,
    },
    {
      name: 'content in parts',
      change: set('messages.1.content', [{ type: 'text', text: 'hi' }]),
      says: /unmarshal array .*content of type string/u,
    },
    { name: 'content that is missing', change: drop('messages.2.content'), says: undefined },
    {
      name: 'a tool’s name that is no text',
      change: set('messages.3.tool_name', 3),
      says: /tool_name of type string/u,
    },
    {
      name: 'an image as a data URL',
      change: set('messages.1.images', ['data:image/png;base64,AAAA']),
      says: /base64/u,
    },
    {
      name: 'arguments as a text',
      change: set('messages.2.tool_calls.0.function.arguments', '{}'),
      says: /closing/u,
    },
    {
      name: 'a call without its function',
      change: set('messages.2.tool_calls', [{ name: 'look_at' }]),
      says: /tool_calls\.function/u,
    },
    {
      name: 'a called name that is no text',
      change: set('messages.2.tool_calls.0.function.name', 1),
      says: /name of type string/u,
    },
    { name: 'a tool without a name', change: drop('tools.0.function.name'), says: /name is required/u },
    {
      name: 'a tool without parameters',
      change: drop('tools.0.function.parameters'),
      says: /parameters/u,
    },
    { name: 'half a surrogate pair', change: set('messages.1.content', '\ud83d'), says: /surrogate/u },
  ],
};

describe.each(Object.keys(rows) as LoopbackWire[])('%s', (wire) => {
  test('a healthy conversation passes', () => {
    expect(requestViolation(wire, healthy(wire))).toBeUndefined();
  });

  test.each(rows[wire])('$name', ({ change, says }) => {
    const body = healthy(wire);
    change(body);
    const violation = requestViolation(wire, JSON.parse(JSON.stringify(body)));
    if (says === undefined) expect(violation).toBeUndefined();
    else expect(violation).toMatch(says);
  });

  test.each([null, 7, 'text', [], [[]]])('a body that is no object is refused: %j', (body) => {
    expect(requestViolation(wire, body)).toBe('The request body must be a JSON object.');
  });

  test('whatever stands in place of a part, the check answers and never throws', () => {
    const odd = [null, 7, '', [], {}, [null], [7], [[]], [{}]];
    for (const path of pathsOf(healthy(wire))) {
      for (const value of odd) {
        const body = healthy(wire);
        set(path.join('.'), structuredClone(value))(body);
        expect(['string', 'undefined']).toContain(typeof requestViolation(wire, body));
      }
    }
  });
});

test('a byte order mark is no JSON', () => {
  expect(checkRequest('openai', new TextEncoder().encode('\uFEFF{}')).violation).toContain('not valid JSON');
});

/** A body in which no two places share an object, as on the wire. */
function healthy(wire: LoopbackWire): unknown {
  return JSON.parse(JSON.stringify(valid[wire]()));
}

function pathsOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [[...path, key], ...pathsOf(item, [...path, key])]);
}
