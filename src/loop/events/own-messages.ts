import { isRecord } from '../../core/json.ts';
import type { Message, ReasoningPart, TextPart, ToolCallPart } from '../../core/message.ts';
import { copyOf } from '../input/clone-json.ts';

/**
 * Copies that share nothing changeable with the messages, whatever those are made of: proxies of a user interface,
 * classes, and fields of the caller's own, which are kept as they are.
 */
export function ownMessages(messages: readonly Message[]): Message[] {
  return messages.map((message): Message => {
    switch (message.role) {
      case 'user':
        return { ...message, content: message.content.map((part) => ({ ...part })) };
      case 'assistant':
        return { ...message, content: message.content.map(ownPart) };
      case 'tool':
        return {
          ...message,
          content: message.content.map((part) => ({ ...part, content: part.content.map((piece) => ({ ...piece })) })),
        };
    }
  });
}

function ownPart(part: TextPart | ReasoningPart | ToolCallPart): TextPart | ReasoningPart | ToolCallPart {
  switch (part.type) {
    case 'text':
      return { ...part };
    case 'reasoning':
      return part.data === undefined ? { ...part } : { ...part, data: copyOf(part.data) };
    case 'tool-call': {
      const { input, vendor } = part;
      const call = { ...part, input: copyOf(input) };
      return isRecord(vendor) ? { ...call, vendor: { ...vendor, data: copyOf(vendor.data) } } : call;
    }
  }
}
