import { isRecord } from '../../core/json.ts';
import { type Body, isJsonText, isToolName, typeName, type Violations, shown } from './strict-json.ts';
import { openaiChoiceViolations, openaiFunctionViolations } from './strict-tools.ts';

/** Fields of Chat Completions that this wire refuses. */
const CHAT_ONLY = ['messages', 'max_tokens', 'max_completion_tokens', 'stop', 'response_format', 'functions', 'n'];

/** What a message of each role may hold: https://platform.openai.com/docs/api-reference/responses/create. */
const PART_TYPES: Readonly<Record<string, readonly string[]>> = {
  system: ['input_text', 'input_image', 'input_file'],
  developer: ['input_text', 'input_image', 'input_file'],
  user: ['input_text', 'input_image', 'input_file'],
  assistant: ['output_text', 'refusal'],
};

/** Parts that a tool's output may hold, where it is no string. */
const OUTPUT_PART_TYPES = ['input_text', 'input_image', 'input_file'];

/** Fields by which a request goes on with what the server keeps. */
const STORED = ['previous_response_id', 'conversation', 'prompt'];

/** Items of the vendor's own tools, and references: taken as they are. */
const OTHER_ITEMS: ReadonlySet<unknown> = new Set([
  'item_reference',
  'web_search_call',
  'file_search_call',
  'computer_call',
  'computer_call_output',
  'code_interpreter_call',
  'image_generation_call',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  'mcp_call',
  'custom_tool_call',
  'custom_tool_call_output',
  'compaction',
]);

/** Yields what OpenAI's Responses API answers with a 400, in its words. */
export function* openaiResponsesViolations(body: Body): Violations {
  if (typeof body['model'] !== 'string' || body['model'] === '') yield `Missing required parameter: 'model'.`;
  for (const key of CHAT_ONLY) {
    if (body[key] !== undefined) yield `Unsupported parameter: '${key}'. It belongs to another API.`;
  }
  yield* toolViolations(body);
  const input = body['input'];
  // What stands at the server is not known here: results may answer calls of an earlier response.
  const continues = STORED.some((field) => (body[field] ?? undefined) !== undefined);
  if (typeof input === 'string' || (continues && input === undefined)) return;
  if (!Array.isArray(input)) return yield `Missing required parameter: 'input'.`;
  if (input.length === 0) return yield `Invalid 'input': empty array. Expected an array with minimum length 1.`;
  yield* itemViolations(input, body, continues);
}

function* toolViolations(body: Body): Violations {
  const tools = body['tools'] ?? [];
  if (!Array.isArray(tools))
    return yield `Invalid type for 'tools': expected an array, but got ${typeName(tools)} instead.`;
  const functions = tools.filter((tool: unknown) => !isRecord(tool) || tool['type'] === 'function');
  for (const [index, tool] of tools.entries()) {
    if (!isRecord(tool) || typeof tool['type'] !== 'string')
      return yield `Missing required parameter: 'tools[${index}].type'.`;
    if (tool['function'] !== undefined) yield `Unknown parameter: 'tools[${index}].function'.`;
  }
  yield* openaiFunctionViolations(functions, (index) => `tools[${index}]`);
  yield* openaiChoiceViolations(
    body,
    (choice) => choice['name'],
    functions.map((tool: Body) => tool['name']),
  );
}

function* itemViolations(items: readonly unknown[], body: Body, continues: boolean): Violations {
  const called = new Set<string>();
  const answered = new Set<string>();
  const ids = new Set<string>();
  for (const [index, item] of items.entries()) {
    const path = `input[${index}]`;
    if (!isRecord(item))
      return yield `Invalid type for '${path}': expected an object, but got ${typeName(item)} instead.`;
    yield* idViolations(item, ids, path);
    switch (item['type'] ?? 'message') {
      case 'message':
        yield* messageViolations(item, path);
        break;
      case 'function_call':
        yield* callViolations(item, called, path);
        break;
      case 'function_call_output':
        yield* outputViolations(item, continues ? undefined : called, answered, path);
        break;
      case 'reasoning':
        yield* reasoningViolations(item, items[index + 1], body, path);
        break;
      default:
        if (!OTHER_ITEMS.has(item['type'])) yield `Invalid value: '${shown(item['type'])}' for '${path}.type'.`;
    }
  }
  for (const id of called) if (!answered.has(id)) yield `No tool output found for function call ${id}.`;
}

/** Ids of items carry the prefix of their kind, and none may stand twice. */
function* idViolations(item: Body, ids: Set<string>, path: string): Violations {
  const id = item['id'];
  if (id === undefined) return;
  if (typeof id !== 'string') return yield `Invalid type for '${path}.id': expected a string.`;
  const prefix = { message: 'msg', function_call: 'fc', reasoning: 'rs' }[shown(item['type'] ?? 'message')];
  if (prefix !== undefined && !id.startsWith(prefix)) {
    yield `Invalid '${path}.id': '${id.slice(0, 64)}'. Expected an ID that begins with '${prefix}'.`;
  }
  if (ids.has(id)) yield `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`;
  ids.add(id);
}

function* messageViolations(item: Body, path: string): Violations {
  const role = item['role'];
  const allowed = typeof role === 'string' ? PART_TYPES[role] : undefined;
  if (allowed === undefined) {
    return yield `Invalid value: '${shown(role)}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`;
  }
  if (item['tool_calls'] !== undefined) yield `Unknown parameter: '${path}.tool_calls'.`;
  yield* partViolations(item['content'], allowed, `${path}.content`);
}

function* partViolations(content: unknown, allowed: readonly string[], path: string): Violations {
  if (typeof content === 'string') return;
  if (!Array.isArray(content)) {
    return yield `Invalid type for '${path}': expected one of an array of objects or string, but got ${typeName(content)} instead.`;
  }
  for (const [index, part] of content.entries()) {
    const at = `${path}[${index}]`;
    if (!isRecord(part) || typeof part['type'] !== 'string' || !allowed.includes(part['type'])) {
      return yield `Invalid value for '${at}.type'. Supported values are: ${allowed.map((type) => `'${type}'`).join(', ')}.`;
    }
    const isText = part['type'] === 'input_text' || part['type'] === 'output_text';
    if (isText && typeof part['text'] !== 'string') yield `Missing required parameter: '${at}.text'.`;
    if (
      part['type'] === 'input_image' &&
      typeof part['image_url'] !== 'string' &&
      typeof part['file_id'] !== 'string'
    ) {
      yield `Missing required parameter: '${at}.image_url'.`;
    }
  }
}

function* callViolations(item: Body, called: Set<string>, path: string): Violations {
  const id = item['call_id'];
  if (typeof id !== 'string' || id === '') return yield `Missing required parameter: '${path}.call_id'.`;
  if (called.has(id)) yield `Duplicate value for '${path}.call_id': '${id}'.`;
  called.add(id);
  if (!isToolName(item['name'])) {
    yield `Invalid '${path}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
  }
  const text = item['arguments'];
  if (typeof text !== 'string')
    yield `Invalid type for '${path}.arguments': expected a string, but got ${typeName(text)} instead.`;
  else if (!isJsonText(text)) yield `Invalid '${path}.arguments': not valid JSON.`;
}

/** `called` is undefined where the calls may stand at the server. */
function* outputViolations(
  item: Body,
  called: ReadonlySet<string> | undefined,
  answered: Set<string>,
  path: string,
): Violations {
  const id = item['call_id'];
  if (typeof id !== 'string' || id === '') return yield `Missing required parameter: '${path}.call_id'.`;
  if (called?.has(id) === false) yield `No tool call found for function call output with call_id ${id}.`;
  if (answered.has(id)) yield `Duplicate function call output for call_id ${id}.`;
  answered.add(id);
  yield* partViolations(item['output'], OUTPUT_PART_TYPES, `${path}.output`);
}

function* reasoningViolations(item: Body, next: unknown, body: Body, path: string): Violations {
  if (!Array.isArray(item['summary'])) yield `Missing required parameter: '${path}.summary'.`;
  // Without storage the server knows the item only by its sealed content.
  if (body['store'] === false && typeof item['encrypted_content'] !== 'string') {
    yield `Item with id '${shown(item['id'])}' not found. Items are not persisted when 'store' is set to false.`;
  }
  const isFollowed =
    isRecord(next) &&
    (next['type'] === 'function_call' || next['type'] === 'reasoning' || next['role'] === 'assistant');
  if (!isFollowed)
    yield `Item '${shown(item['id'])}' of type 'reasoning' was provided without its required following item.`;
}
