import type { Json, JsonObject } from '../../core/json.ts';

// What is read. Nothing in it is believed: every field is checked where it is used.

/** An event of a stream; a plain reply is the `message` alone. */
export interface MessageEvent {
  readonly type?: unknown;
  readonly index?: unknown;
  readonly message?: unknown;
  readonly content_block?: unknown;
  readonly delta?: unknown;
  readonly usage?: unknown;
}

/** A reply, or its begin. */
export interface MessageReply {
  readonly id?: unknown;
  readonly model?: unknown;
  readonly content?: unknown;
  readonly stop_reason?: unknown;
  readonly usage?: unknown;
}

/** A block of a reply, whole or as it begins. */
export interface ReplyBlock {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly thinking?: unknown;
  readonly signature?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly input?: unknown;
}

/** A piece of a block. */
export interface BlockDelta {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly thinking?: unknown;
  readonly signature?: unknown;
  readonly partial_json?: unknown;
}

/** Tokens, as they are read by `usage-fields`. */
export interface MessageUsage {
  readonly input_tokens?: unknown;
  readonly output_tokens?: unknown;
  readonly cache_read_input_tokens?: unknown;
  readonly cache_creation_input_tokens?: unknown;
}

// What is sent.

/** A block of the history. */
export type SentBlock =
  | { type: 'text'; text: string }
  | SentImage
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: Json }
  | {
      type: 'tool_result';
      tool_use_id: string;
      content: string | ({ type: 'text'; text: string } | SentImage)[];
      is_error?: true;
    };

/** An image, by its data or its address. */
export interface SentImage {
  type: 'image';
  source: { type: 'base64'; media_type: ImageType; data: string } | { type: 'url'; url: string };
}

/** The media types that the vendor takes. */
export type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

/** A tool, as declared. */
export interface SentTool {
  name: string;
  description: string;
  input_schema: JsonObject & { type: 'object' };
}

/** Which tools may be called. */
export type SentToolChoice =
  | { type: 'auto' | 'any'; disable_parallel_tool_use?: boolean }
  | { type: 'tool'; name: string; disable_parallel_tool_use?: boolean }
  | { type: 'none' };
