import type { Failure } from '../../core/failure.ts';
import type { Message, ToolMessage } from '../../core/message.ts';
import { textOf } from '../../core/message.ts';

/**
 * Shortens a history after the model's server said that it is too long. Gets the messages as they were sent, and gives
 * back fewer or shorter ones, or `undefined` where there is nothing to shorten. The result is repaired: a call never
 * loses its result.
 */
export type Compactor = (context: {
  readonly messages: readonly Message[];
  readonly failure: Failure;
  readonly signal: AbortSignal;
}) => readonly Message[] | undefined | Promise<readonly Message[] | undefined>;

/** Longest old tool result that stays. Chosen: enough to see what the call was about. */
const KEEP_CHARS = 200;

/** Messages at the end that are never shortened: the last call and its result. */
const KEEP_MESSAGES = 2;

/**
 * The structural compactor: shortens old tool results, keeping who called what. It needs no model and never
 * changes what the user or the model said.
 */
export const shortenToolResults: Compactor = ({ messages }) => {
  let isChanged = false;
  const shortened = messages.map((message, index): Message => {
    if (message.role !== 'tool' || index >= messages.length - KEEP_MESSAGES) return message;
    const short = shorten(message);
    if (short !== message) isChanged = true;
    return short;
  });
  return isChanged ? shortened : undefined;
};

function shorten(message: ToolMessage): ToolMessage {
  let isChanged = false;
  const content = message.content.map((result) => {
    const text = textOf(result.content);
    const hasImage = result.content.some((part) => part.type === 'image');
    if (text.length <= KEEP_CHARS + 100 && !hasImage) return result;
    isChanged = true;
    const note = `${text.slice(0, KEEP_CHARS).toWellFormed()} […shortened to save room: ${text.length} characters in all; call the tool again if you need them]`;
    return { ...result, content: [{ type: 'text' as const, text: note }] };
  });
  return isChanged ? { ...message, content } : message;
}

/** How many characters a history holds, for the event that tells of a compaction. */
export function charsOf(messages: readonly Message[]): number {
  let chars = 0;
  for (const message of messages) {
    for (const part of message.content) {
      if (part.type === 'text' || part.type === 'reasoning') chars += part.text.length;
      else if (part.type === 'tool-call') chars += JSON.stringify(part.input).length;
      else if (part.type === 'tool-result') chars += textOf(part.content).length;
    }
  }
  return chars;
}
