import { isRecord } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import { describeValue, expected, invalidOption, kindOf } from '../../core/option-check.ts';

/** A message as a caller may write it: a text alone stands for one text part. */
export type InputMessage =
  | Message
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string };

const EXAMPLE: Readonly<Record<Message['role'], string>> = {
  user: "{ role: 'user', content: 'text' }",
  assistant: "{ role: 'assistant', content: [{ type: 'text', text }] }",
  tool: "{ role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, content: [{ type: 'text', text }], isError: false }] }",
};

const CALL = "{ type: 'tool-call', toolCallId, toolName, input }";

/**
 * Reads messages that come from outside. What has the form of another library is refused, since guessing would send half
 * of it; what is merely broken (a missing result, an empty text, a doubled id) is left to the repair. Messages that are
 * right stay the same objects. `place` names the array in errors.
 *
 * @throws OilcanError `invalid-option`, naming the message by its index and what is expected.
 */
export function readMessages(given: unknown, place: string): readonly Message[] {
  if (!Array.isArray(given)) {
    const messages = `an array of messages such as ${EXAMPLE.user}`;
    throw place === 'input'
      ? expected('the input of a run', `a string or ${messages}`, kindOf(given))
      : expected(`\`${place}\``, messages, kindOf(given));
  }
  return given.map((message: unknown, index) => readMessage(message, `${place}[${index}]`));
}

/** Whether anything in the messages can be asked about: no server takes a request without. */
export function hasContent(messages: readonly Message[]): boolean {
  return messages.some((message) =>
    message.content.some((part) => part.type !== 'reasoning' && (part.type !== 'text' || part.text.trim() !== '')),
  );
}

function readMessage(message: unknown, place: string): Message {
  if (!isRecord(message)) throw expected(`\`${place}\``, `a message such as ${EXAMPLE.user}`, kindOf(message));
  const { role, content } = message;
  switch (role) {
    case 'user':
    case 'assistant':
    case 'tool':
      refuseForeignFields(message, place);
      if (typeof content === 'string' && role !== 'tool') return { role, content: [{ type: 'text', text: content }] };
      return checked(message, role, content, place);
    case 'system':
    case 'developer':
      throw invalidOption(
        `\`${place}\` has the role '${role}', which no message has here: system text goes into \`system\` of createAgent.`,
      );
    default:
      throw invalidOption(
        `Expected the role of \`${place}\` to be 'user', 'assistant' or 'tool', got ${describeValue(role)}. System text goes into \`system\` of createAgent.`,
      );
  }
}

/** What OpenAI's and the AI SDK's messages carry beside `content`: without it they would mean something else. */
function refuseForeignFields(message: Readonly<Record<string, unknown>>, place: string): void {
  if (isGiven(message['tool_calls']) || isGiven(message['function_call']))
    throw invalidOption(`\`${place}\` has \`tool_calls\`: expected calls to be parts of \`content\`, ${CALL}.`);
  if (isGiven(message['tool_call_id']))
    throw invalidOption(`\`${place}\` has \`tool_call_id\`: expected a message such as ${EXAMPLE.tool}.`);
  if (isGiven(message['parts']))
    throw invalidOption(
      `\`${place}\` has \`parts\`: expected them to be \`content\`, a text or an array of { type: 'text', text } and the like.`,
    );
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

function checked(message: object, role: Message['role'], content: unknown, place: string): Message {
  if (!Array.isArray(content))
    throw expected(
      `the content of \`${place}\``,
      role === 'user'
        ? `a text or an array of parts, as in ${EXAMPLE[role]}`
        : `an array of parts, as in ${EXAMPLE[role]}`,
      kindOf(content),
    );
  for (const [index, part] of (content as unknown[]).entries()) {
    const problem = isRecord(part) ? problemOf(part, role) : `a part such as those in ${EXAMPLE[role]}`;
    if (problem !== undefined) throw expected(`\`${place}.content[${index}]\``, problem, describePart(part));
  }
  // Role and parts were looked at just now.
  return message as Message;
}

/** What was expected in place of a part; undefined where it is right. */
function problemOf(part: Readonly<Record<string, unknown>>, role: Message['role']): string | undefined {
  const { type } = part;
  if (role === 'tool') return type === 'tool-result' ? resultProblem(part) : `a result, as in ${EXAMPLE.tool}`;
  if (type === 'text') return typeof part['text'] === 'string' ? undefined : "{ type: 'text', text: string }";
  if (role === 'user') return type === 'image' ? imageProblem(part) : "a part of type 'text' or 'image'";
  if (type === 'reasoning')
    return typeof part['text'] === 'string' && typeof part['issuer'] === 'string'
      ? undefined
      : "{ type: 'reasoning', text: string, issuer: string }";
  if (type === 'tool-call') return typeof part['toolName'] === 'string' && 'input' in part ? undefined : CALL;
  return "a part of type 'text', 'reasoning' or 'tool-call'";
}

function imageProblem(part: Readonly<Record<string, unknown>>): string | undefined {
  const hasImage = typeof part['data'] === 'string' || typeof part['url'] === 'string';
  return hasImage ? undefined : "{ type: 'image', mediaType, data: base64 text } or { type: 'image', url }";
}

function resultProblem(part: Readonly<Record<string, unknown>>): string | undefined {
  const { content } = part;
  const isRight =
    Array.isArray(content) &&
    content.every((piece: unknown) => isRecord(piece) && problemOf(piece, 'user') === undefined);
  return isRight ? undefined : `a result whose \`content\` is an array of texts and images, as in ${EXAMPLE.tool}`;
}

function describePart(part: unknown): string {
  if (!isRecord(part)) return kindOf(part);
  const keys = Object.keys(part).slice(0, 8).join(', ');
  const { type } = part;
  return typeof type === 'string' ? `a part of type ${describeValue(type)} with ${keys}` : `an object with ${keys}`;
}
