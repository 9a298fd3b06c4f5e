import { isRecord } from '../../core/json.ts';
import { type Body, isJsonText, isToolName, typeName, type Violations, shown } from './strict-json.ts';
import { openaiChoiceViolations, openaiFunctionViolations } from './strict-tools.ts';

const ROLES: readonly unknown[] = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];

/** Which parts each role may hold: https://platform.openai.com/docs/api-reference/chat/create. */
const PART_TYPES: Readonly<Record<string, readonly string[]>> = {
  system: ['text'],
  developer: ['text'],
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
  tool: ['text'],
  function: ['text'],
};

/** Yields what OpenAI's Chat Completions answers with a 400, in its words. */
export function* openaiChatViolations(body: Body): Violations {
  if (typeof body['model'] !== 'string' || body['model'] === '') yield 'you must provide a model parameter';
  if ((body['stream_options'] ?? undefined) !== undefined && body['stream'] !== true) {
    yield `The 'stream_options' parameter is only allowed when 'stream' is enabled.`;
  }
  yield* toolViolations(body);
  const messages = body['messages'];
  if (!Array.isArray(messages)) return yield `Missing required parameter: 'messages'.`;
  if (messages.length === 0) return yield emptyArray('messages');
  yield* historyViolations(messages);
}

function* toolViolations(body: Body): Violations {
  // Official clients write null for what is not set.
  const tools = body['tools'] ?? undefined;
  if (tools === undefined) return yield* openaiChoiceViolations(body, () => undefined, []);
  if (!Array.isArray(tools))
    return yield `Invalid type for 'tools': expected an array, but got ${typeName(tools)} instead.`;
  if (tools.length === 0) return yield emptyArray('tools');
  for (const [index, tool] of tools.entries()) {
    if (!isRecord(tool) || (tool['type'] !== 'function' && tool['type'] !== 'custom'))
      return yield `Invalid value for 'tools[${index}].type': expected 'function' or 'custom'.`;
  }
  const functions: unknown[] = tools
    .filter((tool: Body) => tool['type'] === 'function')
    .map((tool: Body) => tool['function']);
  yield* openaiFunctionViolations(functions, (index) => `tools[${index}].function`);
  const names = functions.map((declared) => (isRecord(declared) ? declared['name'] : undefined));
  yield* openaiChoiceViolations(
    body,
    (choice) => (isRecord(choice['function']) ? choice['function']['name'] : undefined),
    names,
  );
}

function* historyViolations(messages: readonly unknown[]): Violations {
  // The ids of the calls just made, and those of them that still wait for their result.
  let called = new Set<string>();
  let waiting = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`;
    if (!isRecord(message))
      return yield `Invalid type for '${path}': expected an object, but got ${typeName(message)} instead.`;
    const role = message['role'];
    if (typeof role !== 'string' || !ROLES.includes(role)) {
      return yield `Invalid value: '${shown(role)}'. Supported values are: 'system', 'assistant', 'user', 'tool', and 'developer'.`;
    }
    yield* contentViolations(message['content'], role, path);
    // The form of a result before there were ids of calls.
    if (role === 'function') {
      if (typeof message['name'] !== 'string') yield `Missing required parameter: '${path}.name'.`;
      continue;
    }
    if (role === 'tool') {
      yield* resultViolations(message['tool_call_id'], called, waiting, path);
      continue;
    }
    if (waiting.size > 0) return yield unanswered(waiting);
    called = new Set();
    if (role !== 'assistant') continue;
    yield* assistantViolations(message, path);
    if (Array.isArray(message['tool_calls']))
      called = new Set(message['tool_calls'].map((call: Body) => String(call['id'])));
    waiting = new Set(called);
  }
  if (waiting.size > 0) yield unanswered(waiting);
}

function* contentViolations(content: unknown, role: string, path: string): Violations {
  if (
    typeof content === 'string' ||
    ((role === 'assistant' || role === 'function') && (content === null || content === undefined))
  )
    return;
  if (!Array.isArray(content)) {
    return yield `Invalid type for '${path}.content': expected one of a string or array of objects, but got ${typeName(content)} instead.`;
  }
  if (content.length === 0) return yield emptyArray(`${path}.content`);
  const allowed = PART_TYPES[role] ?? [];
  for (const [index, part] of content.entries()) {
    const at = `${path}.content[${index}]`;
    if (!isRecord(part) || typeof part['type'] !== 'string' || !allowed.includes(part['type'])) {
      return yield `Invalid value for '${at}.type': a message with role '${role}' takes ${allowed.map((type) => `'${type}'`).join(' and ')}.`;
    }
    if (part['type'] === 'text' && typeof part['text'] !== 'string')
      yield `Invalid type for '${at}.text': expected a string.`;
    if (
      part['type'] === 'image_url' &&
      !(isRecord(part['image_url']) && typeof part['image_url']['url'] === 'string')
    ) {
      yield `Missing required parameter: '${at}.image_url.url'.`;
    }
  }
}

function* resultViolations(id: unknown, called: Set<string>, waiting: Set<string>, path: string): Violations {
  if (typeof id !== 'string' || id === '') return yield `Missing required parameter: '${path}.tool_call_id'.`;
  if (called.size === 0) {
    return yield `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.`;
  }
  if (!called.has(id))
    yield `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`;
  else if (!waiting.delete(id)) yield `Duplicate value for 'tool_call_id' of '${id}' in message with role 'tool'.`;
}

function* assistantViolations(message: Body, path: string): Violations {
  const calls = message['tool_calls'];
  if (calls === undefined || calls === null) {
    const hasContent = [message['content'], message['function_call'], message['audio']].some(
      (value) => value !== null && value !== undefined,
    );
    if (!hasContent && typeof message['refusal'] !== 'string')
      yield `Invalid value for '${path}.content': expected a string, got null.`;
    return;
  }
  if (!Array.isArray(calls))
    return yield `Invalid type for '${path}.tool_calls': expected an array, but got ${typeName(calls)} instead.`;
  if (calls.length === 0) return yield emptyArray(`${path}.tool_calls`);
  const ids = new Set<string>();
  for (const [index, call] of calls.entries()) {
    const at = `${path}.tool_calls[${index}]`;
    if (!isRecord(call)) return yield `Invalid type for '${at}': expected an object.`;
    const id = call['id'];
    if (typeof id !== 'string' || id === '') return yield `Missing required parameter: '${at}.id'.`;
    if (ids.has(id)) yield `Duplicate value for '${at}.id': '${id}'.`;
    ids.add(id);
    if (call['type'] !== 'function') yield `Invalid value for '${at}.type': expected 'function'.`;
    const declared = isRecord(call['function']) ? call['function'] : {};
    if (!isToolName(declared['name'])) {
      yield `Invalid '${at}.function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
    }
    const text = declared['arguments'];
    if (typeof text !== 'string')
      yield `Invalid type for '${at}.function.arguments': expected a string, but got ${typeName(text)} instead.`;
    else if (!isJsonText(text)) yield `Invalid '${at}.function.arguments': not valid JSON.`;
  }
}

function emptyArray(path: string): string {
  return `Invalid '${path}': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
}

function unanswered(waiting: ReadonlySet<string>): string {
  return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...waiting].join(', ')}`;
}
