import type { JsonObject } from '../../core/json.ts';

// What is read. Nothing in it is believed: every field is checked where it is used.

/** An event of a stream. */
export interface ResponsesEvent {
  readonly type?: unknown;
  readonly response?: unknown;
  readonly item?: unknown;
  readonly item_id?: unknown;
  readonly output_index?: unknown;
  readonly delta?: unknown;
  readonly arguments?: unknown;
}

/** A whole plain reply, and what the first and the last event of a stream carry. */
export interface ResponsesReply {
  readonly id?: unknown;
  readonly model?: unknown;
  readonly status?: unknown;
  readonly error?: unknown;
  readonly incomplete_details?: unknown;
  readonly output?: unknown;
  readonly usage?: unknown;
}

/** An item of the output. */
export interface OutputItem {
  readonly id?: unknown;
  readonly type?: unknown;
  readonly status?: unknown;
  readonly content?: unknown;
  readonly summary?: unknown;
  readonly encrypted_content?: unknown;
  readonly call_id?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
}

/** Tokens, as they are read by `usage-fields`. */
export interface ResponsesUsage {
  readonly input_tokens?: unknown;
  readonly output_tokens?: unknown;
  readonly total_tokens?: unknown;
  readonly input_tokens_details?: unknown;
  readonly output_tokens_details?: unknown;
}

// What is sent.

/** A part of a user's message or of a tool's output. */
export type SentInputPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' };

/** An item of the history. */
export type SentItem =
  | { role: 'user'; content: string | SentInputPart[] }
  | { role: 'assistant'; content: string }
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string | SentInputPart[] };

/** A tool, as declared. */
export interface SentFunctionTool {
  type: 'function';
  name: string;
  description: string;
  parameters: JsonObject;
  strict: boolean;
}

/** Which tools may be called. */
export type SentToolChoice = 'auto' | 'required' | 'none' | { type: 'function'; name: string };
