import type { Json } from './json.ts';

/** Text, as the user or the model wrote it. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** An image: base64 data with its media type (`image/png`), or an address that the model's server can fetch. */
export interface ImagePart {
  readonly type: 'image';
  readonly mediaType?: string | undefined;
  readonly data?: string | undefined;
  readonly url?: string | undefined;
}

/**
 * What the model thought. `data` is the vendor's own block (a signature, an encrypted item) and is only
 * ever sent back to its `issuer`: the `id` of the provider that it came from.
 */
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  readonly issuer: string;
  readonly data?: Json | undefined;
}

/** A tool that the model asks to run. */
export interface ToolCallPart {
  readonly type: 'tool-call';
  /** Unique in the run; the result carries the same id. */
  readonly toolCallId: string;
  /** The tool's name as declared, or as the model wrote it where no such tool exists. */
  readonly toolName: string;
  /** The arguments as sent back to the model's server: always an object. `{}` where they could not be read. */
  readonly input: Json;
  /** The arguments as the model wrote them, where that differs from `input`. Kept for people, never sent. */
  readonly rawInput?: string | undefined;
  /** The vendor's own fields of this call, sent back only to their `issuer`. */
  readonly vendor?: { readonly issuer: string; readonly data: Json } | undefined;
}

/** What a tool call gave: exactly one for each call, in call order. */
export interface ToolResultPart {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly (TextPart | ImagePart)[];
  readonly isError: boolean;
  /** Set in the messages of a suspended run: the call waits for a person, and this stands in for what will come of it. */
  readonly isWaiting?: boolean | undefined;
}

/** What the user says. */
export interface UserMessage {
  readonly role: 'user';
  readonly content: readonly (TextPart | ImagePart)[];
}

/** One reply of the model: text, reasoning and tool calls, in their order. */
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: readonly (TextPart | ReasoningPart | ToolCallPart)[];
  /**
   * Set by the loop where this exchange (the message and its results) was taken out of what the model
   * is sent, because nothing in it could be run and the model repeats what it reads. Still part of the transcript.
   */
  readonly rewound?: boolean | undefined;
  /** Set where an abort or the run's deadline cut the reply off: its text is what had come by then. */
  readonly isPartial?: boolean | undefined;
}

/** The results of the calls of the reply before it: one for each, in call order. */
export interface ToolMessage {
  readonly role: 'tool';
  readonly content: readonly ToolResultPart[];
}

/** One entry of a conversation. The system text is not a message: it stands beside them. */
export type Message = UserMessage | AssistantMessage | ToolMessage;

/** The tool calls of an assistant message, in order. */
export function toolCallsOf(message: AssistantMessage): ToolCallPart[] {
  return message.content.filter((part) => part.type === 'tool-call');
}

/** The text of a message or a tool result, its parts joined; images and reasoning left out. */
export function textOf(content: readonly { readonly type: string; readonly text?: string }[]): string {
  let text = '';
  for (const part of content) if (part.type === 'text') text += part.text ?? '';
  return text;
}

/** A user message of one text. */
export function userMessage(text: string): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}
