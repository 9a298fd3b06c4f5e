import { freeCallId } from '../../core/call-id.ts';
import { isRecord } from '../../core/json.ts';
import type {
  AssistantMessage,
  ImagePart,
  Message,
  ToolCallPart,
  ToolResultPart,
  UserMessage,
} from '../../core/message.ts';
import { toolCallsOf } from '../../core/message.ts';

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
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index];
    if (message?.role === 'user') pushUser(repaired, message, changes);
    else if (message?.role === 'tool') changes.push(LONE_RESULT);
    else if (message !== undefined) {
      const results: ToolResultPart[] = [];
      // All tool messages that follow directly belong to this reply, however many there are.
      for (let next = messages[index + 1]; next?.role === 'tool'; next = messages[index + 1]) {
        results.push(...next.content);
        index += 1;
      }
      pushExchange(repaired, message, results, messages[index], usedIds, changes);
    }
  }
  return { messages: repaired, changes };
}

const LONE_RESULT = 'dropped a tool result without its call';

function pushUser(repaired: Message[], message: UserMessage, changes: string[]): void {
  const content = message.content.filter(isNotEmpty);
  if (content.length === 0) changes.push('dropped an empty user message');
  else if (content.length === message.content.length) repaired.push(message);
  else {
    changes.push('dropped an empty text of a user message');
    repaired.push({ role: 'user', content });
  }
}

function isNotEmpty(part: AssistantMessage['content'][number] | ImagePart): boolean {
  return part.type !== 'text' || part.text !== '';
}

/** True where the one list is the other, part by part. */
function isSameList(list: readonly unknown[], other: readonly unknown[]): boolean {
  return list.length === other.length && list.every((entry, index) => entry === other[index]);
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
  const renamed = calls.map((call) => uniqueCall(call, usedIds, changes));
  const nextCall = renamed.values();
  const content = message.content
    .map((part) => (part.type === 'tool-call' ? (nextCall.next().value ?? part) : part))
    .filter(isNotEmpty);
  const isSame = isSameList(content, message.content);
  if (!isSame) changes.push('repaired an assistant message');
  // Reasoning alone, or nothing at all: no server takes that as a reply.
  const isReply = content.some((part) => part.type !== 'reasoning');
  if (isReply) repaired.push(isSame ? message : { ...message, content });
  else changes.push('dropped an empty assistant message');
  if (calls.length === 0) {
    if (results.length > 0) changes.push(LONE_RESULT);
    return;
  }
  const ordered = orderResults(calls, renamed, results, changes);
  const isUntouched = lastSource?.role === 'tool' && isSameList(lastSource.content, ordered);
  repaired.push(isUntouched ? lastSource : { role: 'tool', content: ordered });
}

function uniqueCall(call: ToolCallPart, usedIds: Set<string>, changes: string[]): ToolCallPart {
  let id = call.toolCallId;
  if (typeof id !== 'string' || id === '' || usedIds.has(id)) {
    // From how many there are: where every call has the same id, a count from 1 would be tried again for each.
    id = freeCallId(usedIds, usedIds.size + 1);
    changes.push('gave a call without a unique id a new one');
  }
  usedIds.add(id);
  const input = isRecord(call.input) ? call.input : {};
  const toolName = wireToolName(call.toolName);
  const isSame = id === call.toolCallId && input === call.input && toolName === call.toolName;
  return isSame ? call : { ...call, toolCallId: id, toolName, input };
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
  const byId = new Map<unknown, ToolResultPart[]>();
  for (let index = results.length - 1; index >= 0; index -= 1) {
    const result = results[index];
    if (result === undefined) continue;
    const same = byId.get(result.toolCallId);
    if (same === undefined) byId.set(result.toolCallId, [result]);
    else same.push(result);
  }
  let used = 0;
  const ordered = calls.map((call, index): ToolResultPart => {
    const { toolCallId: id, toolName } = renamed[index] ?? call;
    // The first of those that have the same id: they were put in from the last.
    const found = byId.get(call.toolCallId)?.pop();
    if (found !== undefined) {
      used += 1;
      return wellFormedResult(found, id, toolName, changes);
    }
    changes.push('added the missing result of a call');
    return missingResult(id, toolName);
  });
  if (used < results.length) changes.push(LONE_RESULT);
  return ordered;
}

function wellFormedResult(result: ToolResultPart, id: string, toolName: string, changes: string[]): ToolResultPart {
  const content = result.content.filter(isNotEmpty);
  const isSame = content.length === result.content.length && result.toolCallId === id && result.toolName === toolName;
  if (content.length === 0) {
    changes.push('filled an empty tool result');
    content.push({ type: 'text', text: '(no output)' });
  } else if (isSame) return result;
  return { ...result, toolCallId: id, toolName, content };
}

function missingResult(toolCallId: string, toolName: string): ToolResultPart {
  const text =
    'No result: the call was interrupted, and it is not known whether it took effect. Check before repeating it.';
  return { type: 'tool-result', toolCallId, toolName, content: [{ type: 'text', text }], isError: true };
}
