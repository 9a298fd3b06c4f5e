import { isRecord } from '../../core/json.ts';
import type { LoopbackWire } from './wire.ts';

/** A tool call as it stands in a request. */
export interface ViewCall {
  readonly id: string | undefined;
  readonly name: string;
  /** The arguments as a value; undefined where they are not JSON. */
  readonly input: unknown;
}

/** A tool result as it stands in a request. */
export interface ViewToolResult {
  readonly role: 'tool';
  readonly toolCallId: string | undefined;
  readonly toolName: string | undefined;
  readonly text: string;
  /** Undefined where the wire has no such mark. */
  readonly isError: boolean | undefined;
}

/** One entry of a conversation; each tool result is an entry of its own. */
export type ViewMessage =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ViewCall[] }
  | ViewToolResult;

/** A request without its wire: what the model is told. */
export interface ConversationView {
  readonly messages: readonly ViewMessage[];
  /** The names of the declared tools. */
  readonly tools: readonly string[];
  readonly model: string;
}

/** Reads a request of any wire. Forgiving: what has no place in the wire is left out, for the strict check has seen it. */
export function viewConversation(wire: LoopbackWire, body: Readonly<Record<string, unknown>>): ConversationView {
  return { messages: viewMessages(wire, body), tools: toolNames(body['tools']), model: textOr(body['model'], '') };
}

/** The tool results after the last reply. */
export function lastResultsOf(messages: readonly ViewMessage[]): ViewToolResult[] {
  const lastReply = messages.findLastIndex((message) => message.role === 'assistant');
  return messages.slice(lastReply + 1).filter((message) => message.role === 'tool');
}

function viewMessages(wire: LoopbackWire, body: Readonly<Record<string, unknown>>): ViewMessage[] {
  switch (wire) {
    case 'openai':
    case 'ollama':
      return viewChat(body['messages']);
    case 'anthropic':
      return viewAnthropic(body);
    case 'openai-responses':
      return viewResponses(body);
  }
}

function viewChat(messages: unknown): ViewMessage[] {
  const view: ViewMessage[] = [];
  const names = new Map<string, string>();
  // Ollama's results may carry no id: then they answer the calls in order.
  let unanswered: ViewCall[] = [];
  for (const message of recordsOf(messages)) {
    const text = textOfContent(message['content']);
    switch (message['role']) {
      case 'assistant': {
        const calls = recordsOf(message['tool_calls']).map(viewChatCall);
        for (const call of calls) if (call.id) names.set(call.id, call.name);
        unanswered = [...calls];
        view.push({ role: 'assistant', text, calls });
        break;
      }
      case 'tool': {
        const next = unanswered.shift();
        const toolCallId = optionalText(message['tool_call_id']) ?? next?.id;
        const known = toolCallId === undefined ? undefined : names.get(toolCallId);
        const toolName = optionalText(message['tool_name']) ?? known ?? next?.name;
        view.push({ role: 'tool', toolCallId, toolName, text, isError: undefined });
        break;
      }
      case 'user':
        view.push({ role: 'user', text });
        break;
      default:
        view.push({ role: 'system', text });
    }
  }
  return view;
}

function viewChatCall(call: Record<string, unknown>): ViewCall {
  const declared = isRecord(call['function']) ? call['function'] : {};
  return { id: optionalText(call['id']), name: textOr(declared['name'], ''), input: parsed(declared['arguments']) };
}

function viewAnthropic(body: Readonly<Record<string, unknown>>): ViewMessage[] {
  const view: ViewMessage[] = [];
  const system = textOfContent(body['system']);
  if (system !== '') view.push({ role: 'system', text: system });
  const names = new Map<string, string>();
  for (const message of recordsOf(body['messages'])) {
    const blocks = recordsOf(message['content']);
    const text = textOfContent(message['content']);
    if (message['role'] === 'assistant') {
      const calls = blocks
        .filter((block) => block['type'] === 'tool_use')
        .map((block) => ({ id: optionalText(block['id']), name: textOr(block['name'], ''), input: block['input'] }));
      for (const call of calls) if (call.id) names.set(call.id, call.name);
      view.push({ role: 'assistant', text, calls });
      continue;
    }
    for (const block of blocks) {
      if (block['type'] !== 'tool_result') continue;
      const toolCallId = optionalText(block['tool_use_id']);
      view.push({
        role: 'tool',
        toolCallId,
        toolName: names.get(toolCallId ?? ''),
        text: textOfContent(block['content']),
        isError: block['is_error'] === true,
      });
    }
    if (text !== '') view.push({ role: 'user', text });
  }
  return view;
}

function viewResponses(body: Readonly<Record<string, unknown>>): ViewMessage[] {
  const view: ViewMessage[] = [];
  const names = new Map<string, string>();
  if (typeof body['instructions'] === 'string') view.push({ role: 'system', text: body['instructions'] });
  if (typeof body['input'] === 'string') view.push({ role: 'user', text: body['input'] });
  // A reply comes as several items: its text and its calls are one entry until something else follows.
  let reply: { role: 'assistant'; text: string; calls: ViewCall[] } | undefined;
  const openReply = (): { text: string; calls: ViewCall[] } => {
    if (reply === undefined) view.push((reply = { role: 'assistant', text: '', calls: [] }));
    return reply;
  };
  for (const item of recordsOf(body['input'])) {
    if (item['type'] === 'reasoning') continue;
    if (item['type'] === 'function_call') {
      const call = {
        id: optionalText(item['call_id']),
        name: textOr(item['name'], ''),
        input: parsed(item['arguments']),
      };
      if (call.id) names.set(call.id, call.name);
      openReply().calls.push(call);
      continue;
    }
    if (item['role'] === 'assistant') {
      openReply().text += textOfContent(item['content']);
      continue;
    }
    reply = undefined;
    if (item['type'] === 'function_call_output') {
      const toolCallId = optionalText(item['call_id']);
      const toolName = names.get(toolCallId ?? '');
      view.push({ role: 'tool', toolCallId, toolName, text: textOfContent(item['output']), isError: undefined });
      continue;
    }
    view.push({ role: item['role'] === 'user' ? 'user' : 'system', text: textOfContent(item['content']) });
  }
  return view;
}

function toolNames(tools: unknown): string[] {
  return recordsOf(tools).map((tool) => {
    const declared = isRecord(tool['function']) ? tool['function'] : tool;
    return textOr(declared['name'], '');
  });
}

/** The text of a message's content: a string, or the text parts of an array, joined. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  let text = '';
  for (const part of recordsOf(content)) if (typeof part['text'] === 'string') text += part['text'];
  return text;
}

function recordsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
