import { isRecord } from '../../core/json.ts';
import { textOfContent } from '../loopback/view.ts';
import { type Body, type Violations, shown } from './strict-json.ts';
import { toolSchemaViolations } from './strict-schema.ts';

const NAME_128 = /^[a-zA-Z0-9_-]{1,128}$/u;
const ID = /^[a-zA-Z0-9_-]+$/u;
const IMAGE_TYPES: readonly unknown[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/** The fields of each block: https://docs.claude.com/en/api/messages. Any other is refused. */
const BLOCK_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ['type', 'text', 'cache_control', 'citations'],
  image: ['type', 'source', 'cache_control'],
  document: ['type', 'source', 'cache_control', 'title', 'context', 'citations'],
  tool_use: ['type', 'id', 'name', 'input', 'cache_control', 'caller'],
  tool_result: ['type', 'tool_use_id', 'content', 'is_error', 'cache_control'],
  thinking: ['type', 'thinking', 'signature'],
  redacted_thinking: ['type', 'data'],
  search_result: ['type', 'source', 'title', 'content', 'cache_control', 'citations'],
  // Of the vendor's own tools: sent back as they came (https://docs.claude.com/en/docs/agents-and-tools/tool-use/web-search-tool).
  server_tool_use: ['type', 'id', 'name', 'input', 'cache_control', 'caller'],
};
const ASSISTANT_ONLY = ['tool_use', 'thinking', 'redacted_thinking', 'server_tool_use'];

/** Results of the vendor's own tools stand in the assistant's message: `web_search_tool_result` and its kin. */
const SERVER_RESULT = /^[a-z_]+_tool_result$/u;
const USER_ONLY = ['tool_result', 'image', 'document'];

/** Yields what Anthropic's Messages API answers with a 400, in its words. */
export function* anthropicViolations(body: Body): Violations {
  if (typeof body['model'] !== 'string' || body['model'] === '') yield 'model: Field required';
  const maxTokens = body['max_tokens'];
  if (typeof maxTokens !== 'number') yield 'max_tokens: Field required';
  else if (!Number.isInteger(maxTokens) || maxTokens < 1)
    yield 'max_tokens: Input should be greater than or equal to 1';
  yield* systemViolations(body['system']);
  yield* toolViolations(body);
  // What stands in a thread of the server's is not known here.
  if ((body['thread'] ?? undefined) !== undefined) return;
  const messages = body['messages'];
  if (!Array.isArray(messages)) return yield 'messages: Field required';
  if (messages.length === 0) return yield 'messages: at least one message is required';
  if (!isRecord(messages[0]) || messages[0]['role'] !== 'user')
    yield 'messages: first message must use the "user" role';
  yield* historyViolations(messages, body);
  yield* thinkingViolations(messages, body);
}

function* systemViolations(system: unknown): Violations {
  if (system === undefined || system === null || typeof system === 'string') return;
  if (!Array.isArray(system)) return yield 'system: Input should be a valid string or list';
  for (const block of system) {
    if (!isRecord(block) || block['type'] !== 'text') return yield `system: Input should be text blocks`;
    if (typeof block['text'] !== 'string' || block['text'] === '')
      yield 'system: text content blocks must be non-empty';
  }
}

function* toolViolations(body: Body): Violations {
  const tools = body['tools'] ?? [];
  if (!Array.isArray(tools)) return yield 'tools: Input should be a valid list';
  const names = new Set<unknown>();
  for (const [index, tool] of tools.entries()) {
    const at = `tools.${index}.custom`;
    if (!isRecord(tool)) return yield `${at}: Input should be a valid dictionary`;
    const name = tool['name'];
    // A tool of the vendor's own has a dated type (`web_search_20250305`), and no schema of ours.
    if (typeof tool['type'] === 'string' && tool['type'] !== 'custom') {
      names.add(name);
      continue;
    }
    if (typeof name !== 'string' || !NAME_128.test(name))
      yield `${at}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
    if (names.has(name)) yield 'tools: Tool names must be unique.';
    names.add(name);
    const schema = tool['input_schema'];
    if (!isRecord(schema)) yield `${at}.input_schema: Field required`;
    else {
      if (schema['type'] !== 'object') yield `${at}.input_schema.type: Input should be 'object'`;
      for (const problem of toolSchemaViolations({ properties: {}, ...schema })) yield `${at}.input_schema: ${problem}`;
    }
  }
  const choice = body['tool_choice'] ?? undefined;
  if (choice === undefined) return;
  if (tools.length === 0) yield 'tool_choice: tool_choice may only be specified while providing tools.';
  if (!isRecord(choice))
    return yield 'tool_choice: Input should be a valid dictionary or object to extract fields from';
  if (choice['type'] === 'tool') {
    if (!names.has(choice['name']))
      yield `tool_choice.tool: Tool '${shown(choice['name'])}' not found in provided tools`;
  } else if (!['auto', 'any', 'none'].includes(shown(choice['type']))) {
    yield `tool_choice: Input tag '${shown(choice['type'])}' found using 'type' does not match any of the expected tags: 'any', 'auto', 'none', 'tool'`;
  }
}

function* historyViolations(messages: readonly unknown[], body: Body): Violations {
  const seen = new Set<string>();
  let waiting = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const path = `messages.${index}`;
    if (!isRecord(message)) return yield `${path}: Input should be a valid dictionary`;
    const role = message['role'];
    if (role !== 'user' && role !== 'assistant') return yield `${path}.role: Input should be 'user' or 'assistant'`;
    for (const key of Object.keys(message)) {
      if (key !== 'role' && key !== 'content') yield `${path}.${key}: Extra inputs are not permitted`;
    }
    const isLast = index === messages.length - 1;
    const blocks = blocksOf(message['content']);
    if (blocks === undefined) return yield `${path}.content: Input should be a valid list`;
    if (blocks.length === 0 && !(isLast && role === 'assistant')) {
      yield `${path}: all messages must have non-empty content except for the optional final assistant message`;
    }
    if (role === 'assistant' && isLast && /\s$/u.test(textOfContent(blocks.slice(-1)))) {
      yield 'messages: final assistant content cannot end with trailing whitespace';
    }
    if (role === 'assistant' && waiting.size > 0) return yield unanswered(index - 1, waiting);
    yield* messageViolations(blocks, role, { path, waiting, seen, body });
    if (waiting.size > 0) return yield unanswered(index - 1, waiting);
    const calls = role === 'assistant' ? blocks.filter((block) => block['type'] === 'tool_use') : [];
    waiting = new Set(calls.map((block) => String(block['id'])));
  }
  if (waiting.size > 0) yield unanswered(messages.length - 1, waiting);
}

interface Place {
  readonly path: string;
  /** Calls of the message before that have no result yet; results are taken out of it. */
  readonly waiting: Set<string>;
  /** Every call's id so far. */
  readonly seen: Set<string>;
  readonly body: Body;
}

function* messageViolations(blocks: readonly Body[], role: 'user' | 'assistant', place: Place): Violations {
  const answered = new Set<unknown>();
  let hasOther = false;
  for (const [index, block] of blocks.entries()) {
    const at = `${place.path}.content.${index}`;
    const type = shown(block['type']);
    if (role === 'assistant' && SERVER_RESULT.test(type)) {
      if (typeof block['tool_use_id'] !== 'string') yield `${at}.${type}.tool_use_id: Field required`;
      hasOther = true;
      continue;
    }
    const fields = BLOCK_FIELDS[type];
    if (fields === undefined)
      return yield `${at}: Input tag '${type}' found using 'type' does not match any of the expected tags`;
    for (const key of Object.keys(block)) {
      if (!fields.includes(key)) yield `${at}.${type}.${key}: Extra inputs are not permitted`;
    }
    if (role === 'user' ? ASSISTANT_ONLY.includes(type) : USER_ONLY.includes(type)) {
      yield `${at}: \`${type}\` blocks can not be in ${role} messages`;
    }
    if (type === 'tool_result') {
      yield* resultViolations(block, answered, place, at);
      if (hasOther) yield `${at}: \`tool_result\` blocks must come first in the message, before any other content`;
      continue;
    }
    hasOther = true;
    yield* blockViolations(block, type, place, at);
  }
}

function* blockViolations(block: Body, type: string, place: Place, at: string): Violations {
  switch (type) {
    case 'text':
      if (typeof block['text'] !== 'string') yield `${at}.text.text: Field required`;
      else if (block['text'] === '') yield 'messages: text content blocks must be non-empty';
      else if (block['text'].trim() === '') yield 'messages: text content blocks must contain non-whitespace text';
      return;
    case 'tool_use':
      return yield* callViolations(block, place, at);
    case 'thinking':
      if (typeof block['thinking'] !== 'string') yield `${at}.thinking.thinking: Field required`;
      if (typeof block['signature'] !== 'string') yield `${at}.thinking.signature: Field required`;
      return;
    case 'redacted_thinking':
      if (typeof block['data'] !== 'string') yield `${at}.redacted_thinking.data: Field required`;
      return;
    case 'image':
    case 'document':
      return yield* sourceViolations(block, at);
    case 'server_tool_use':
      if (typeof block['id'] !== 'string' || !isRecord(block['input']))
        yield `${at}.server_tool_use.id: Field required`;
  }
}

function* callViolations(block: Body, { seen, body }: Place, at: string): Violations {
  const id = block['id'];
  if (typeof id !== 'string' || !ID.test(id))
    return yield `${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
  if (seen.has(id)) yield 'messages: `tool_use` ids must be unique';
  seen.add(id);
  const name = block['name'];
  if (typeof name !== 'string' || !NAME_128.test(name))
    yield `${at}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
  if (!isRecord(block['input'])) yield `${at}.tool_use.input: Input should be a valid dictionary`;
  if (!Array.isArray(body['tools']) || body['tools'].length === 0) {
    yield 'Requests which include `tool_use` or `tool_result` blocks must define tools';
  }
}

function* resultViolations(block: Body, answered: Set<unknown>, { waiting }: Place, at: string): Violations {
  const id = block['tool_use_id'];
  if (answered.has(id)) {
    yield `${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${shown(id)}`;
  } else if (typeof id !== 'string' || !waiting.has(id)) {
    yield `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${shown(id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
  }
  answered.add(id);
  if (typeof id === 'string') waiting.delete(id);
  const content = block['content'];
  if (block['is_error'] !== undefined && typeof block['is_error'] !== 'boolean')
    yield `${at}.tool_result.is_error: Input should be a valid boolean`;
  const parts = content === undefined || content === '' ? [] : blocksOf(content);
  if (parts === undefined) return yield `${at}.tool_result.content: Input should be a valid string or list`;
  for (const part of parts) {
    if (part['type'] === 'text' && (typeof part['text'] !== 'string' || part['text'] === '')) {
      yield 'messages: text content blocks must be non-empty';
    } else if (part['type'] === 'image') {
      yield* sourceViolations(part, `${at}.tool_result`);
    } else if (part['type'] !== 'text' && part['type'] !== 'document') {
      yield `${at}.tool_result.content: Input tag '${shown(part['type'])}' does not match any of the expected tags`;
    }
  }
  if (block['is_error'] === true && parts.length === 0) yield `${at}: content cannot be empty if \`is_error\` is true`;
}

function* sourceViolations(block: Body, at: string): Violations {
  const source = block['source'];
  if (!isRecord(source)) return yield `${at}.${shown(block['type'])}.source: Field required`;
  if (source['type'] === 'url' && typeof source['url'] !== 'string') yield `${at}.source.url: Field required`;
  if (source['type'] !== 'base64') return;
  if (typeof source['data'] !== 'string' || source['data'] === '') yield `${at}.source.base64.data: Field required`;
  else if (source['data'].startsWith('data:')) yield `${at}.source.base64: invalid base64 data`;
  if (block['type'] === 'image' && !IMAGE_TYPES.includes(source['media_type'])) {
    yield `${at}.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`;
  }
}

/** With thinking on, the reply that the results answer must begin with what the model thought. */
function* thinkingViolations(messages: readonly unknown[], body: Body): Violations {
  const thinking = body['thinking'];
  if (!isRecord(thinking) || thinking['type'] !== 'enabled') return;
  const budget = thinking['budget_tokens'];
  if (typeof budget !== 'number' || budget < 1024)
    yield 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024';
  else if (typeof body['max_tokens'] === 'number' && body['max_tokens'] <= budget) {
    yield '`max_tokens` must be greater than `thinking.budget_tokens`.';
  }
  const lastReply = messages.findLast((message) => isRecord(message) && message['role'] === 'assistant');
  const blocks = isRecord(lastReply) ? (blocksOf(lastReply['content']) ?? []) : [];
  if (!blocks.some((block) => block['type'] === 'tool_use')) return;
  const first = shown(blocks[0]?.['type']);
  if (first !== 'thinking' && first !== 'redacted_thinking') {
    yield `Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`;
  }
}

function blocksOf(content: unknown): Body[] | undefined {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) && content.every(isRecord) ? content : undefined;
}

function unanswered(index: number, waiting: ReadonlySet<string>): string {
  return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...waiting].join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}
