import { isRecord } from '../core/json.ts';
import type {
  AssistantMessage,
  ImagePart,
  Message,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UserMessage,
} from '../core/message.ts';
import { toolCallsOf } from '../core/message.ts';

/**
 * Makes a history one that every strict server accepts:
 *
 * 1. Each call is followed, in the next message, by exactly one result, in call order.
 * 2. No result stands without its call.
 * 3. Ids are unique in the whole history.
 * 4. No message and no part is empty; nothing but objects stands as a call's arguments.
 *
 * The given array and its messages are never changed; messages that are right stay the same objects.
 */
export function repairHistory(messages: readonly Message[]): {
  readonly messages: readonly Message[];
  readonly changes: readonly string[];
} {
  const changes: string[] = [];
  const repaired: Message[] = [];
  const usedIds = new Set<string>();
  const source = messages.filter((message) => isMessage(message) || note(changes, 'dropped a message of unknown form'));
  for (let index = 0; index < source.length; index += 1) {
    const message = source[index];
    if (message === undefined) continue;
    if (message.role === 'user') pushUser(repaired, message, changes);
    else if (message.role === 'tool') changes.push('dropped a tool result without its call');
    else {
      const results: ToolResultPart[] = [];
      // All tool messages that follow directly belong to this reply, however many there are.
      for (let next = source[index + 1]; next?.role === 'tool'; next = source[index + 1]) {
        results.push(...next.content);
        index += 1;
      }
      pushExchange(repaired, message, results, source[index], usedIds, changes);
    }
  }
  return { messages: repaired, changes };
}

function note(changes: string[], change: string): false {
  changes.push(change);
  return false;
}

/** True for anything that has the form of a message. */
export function isMessage(value: unknown): value is Message {
  return (
    isRecord(value) &&
    (value['role'] === 'user' || value['role'] === 'assistant' || value['role'] === 'tool') &&
    Array.isArray(value['content'])
  );
}

function pushUser(repaired: Message[], message: UserMessage, changes: string[]): void {
  const content = message.content.filter((part) => part.type !== 'text' || part.text !== '');
  if (content.length === message.content.length && content.length > 0) repaired.push(message);
  else if (content.length > 0) {
    changes.push('dropped an empty text of a user message');
    repaired.push({ role: 'user', content });
  } else changes.push('dropped an empty user message');
}

function pushExchange(
  repaired: Message[],
  message: AssistantMessage,
  results: readonly ToolResultPart[],
  lastSource: Message | undefined,
  usedIds: Set<string>,
  changes: string[],
): void {
  const calls = toolCallsOf(message);
  const renamed = uniqueCalls(calls, usedIds, changes);
  const content: AssistantMessage['content'][number][] = [];
  let callIndex = 0;
  for (const part of message.content) {
    if (part.type === 'tool-call') {
      const call = renamed[callIndex];
      callIndex += 1;
      if (call !== undefined) content.push(call);
    } else if (part.type !== 'text' || part.text !== '') content.push(part);
  }
  const isSame =
    content.length === message.content.length && content.every((part, index) => part === message.content[index]);
  if (!isSame) changes.push('repaired an assistant message');
  if (!content.some((part) => part.type !== 'reasoning')) {
    // Reasoning alone, or nothing at all: no server takes that as a reply.
    changes.push('dropped an empty assistant message');
    if (results.length > 0) changes.push('dropped a tool result without its call');
    return;
  }
  repaired.push(isSame ? message : { ...message, content });
  if (calls.length === 0) {
    if (results.length > 0) changes.push('dropped a tool result without its call');
    return;
  }
  const ordered = orderResults(calls, renamed, results, changes);
  const isUntouched =
    lastSource?.role === 'tool' &&
    lastSource.content.length === ordered.length &&
    ordered.every((result, index) => result === lastSource.content[index]);
  repaired.push(isUntouched ? lastSource : { role: 'tool', content: ordered });
}

function uniqueCalls(calls: readonly ToolCallPart[], usedIds: Set<string>, changes: string[]): ToolCallPart[] {
  return calls.map((call) => {
    let id = call.toolCallId;
    if (typeof id !== 'string' || id === '' || usedIds.has(id)) {
      const base = typeof id === 'string' && id !== '' ? id : 'call';
      // From how many there are: where every call has the same id, a count from 2 would be tried again for each.
      for (let suffix = usedIds.size + 1; ; suffix += 1) {
        id = `${base}_${suffix}`;
        if (!usedIds.has(id)) break;
      }
      changes.push('gave a call without a unique id a new one');
    }
    usedIds.add(id);
    const input = isRecord(call.input) ? call.input : {};
    const toolName = wireToolName(call.toolName);
    const isSame = id === call.toolCallId && input === call.input && toolName === call.toolName;
    return isSame ? call : { ...call, toolCallId: id, toolName, input };
  });
}

/** What every vendor takes as the name of a tool. */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** The name of a call as every vendor takes it back: a model may have made up one that none accepts. */
export function wireToolName(name: string): string {
  if (TOOL_NAME.test(name)) return name;
  return name.replace(/[^a-zA-Z0-9_-]+/g, '_').slice(0, 64) || 'unknown_tool';
}

/** One result for each call, in call order. */
function orderResults(
  calls: readonly ToolCallPart[],
  renamed: readonly ToolCallPart[],
  results: readonly ToolResultPart[],
  changes: string[],
): ToolResultPart[] {
  const left = [...results];
  const ordered = calls.map((call, index): ToolResultPart => {
    const { toolCallId: id, toolName } = renamed[index] ?? call;
    const at = left.findIndex((result) => result.toolCallId === call.toolCallId);
    const found = at < 0 ? undefined : left.splice(at, 1)[0];
    if (found === undefined) {
      changes.push('added the missing result of a call');
      return missingResult(id, toolName);
    }
    return wellFormedResult(found, id, toolName, changes);
  });
  if (left.length > 0) changes.push('dropped a tool result without its call');
  return ordered;
}

function wellFormedResult(result: ToolResultPart, id: string, toolName: string, changes: string[]): ToolResultPart {
  const content = result.content.filter((part: TextPart | ImagePart) => part.type !== 'text' || part.text !== '');
  if (
    content.length === result.content.length &&
    content.length > 0 &&
    result.toolCallId === id &&
    result.toolName === toolName
  )
    return result;
  if (content.length === 0) {
    changes.push('filled an empty tool result');
    content.push({ type: 'text', text: '(no output)' });
  }
  return { ...result, toolCallId: id, toolName, content };
}

function missingResult(toolCallId: string, toolName: string): ToolResultPart {
  const text =
    'No result: the call was interrupted, and it is not known whether it took effect. Check before repeating it.';
  return { type: 'tool-result', toolCallId, toolName, content: [{ type: 'text', text }], isError: true };
}
