import type { JsonObject } from '../../core/json.ts';

// What is read. Nothing in it is believed: every field is checked where it is used.

/** One line of a stream, or a whole plain reply. */
export interface OllamaReply {
  readonly model?: unknown;
  readonly message?: unknown;
  readonly done?: unknown;
  readonly done_reason?: unknown;
  readonly prompt_eval_count?: unknown;
  readonly eval_count?: unknown;
}

/** A message, or a piece of one. Calls always come whole. */
export interface OllamaMessage {
  readonly content?: unknown;
  readonly thinking?: unknown;
  readonly tool_calls?: unknown;
}

/** A call. */
export interface OllamaToolCall {
  readonly function?: unknown;
}

/** What is called. */
export interface OllamaFunction {
  readonly name?: unknown;
  readonly arguments?: unknown;
}

// What is sent.

/** A call in the history. The id is of newer versions; older ones leave it out. */
export interface OllamaSentCall {
  id?: string;
  function: { name: string; arguments: JsonObject };
}

/** A message of the history. */
export interface OllamaSentMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  thinking?: string;
  images?: string[];
  tool_calls?: OllamaSentCall[];
  tool_name?: string;
  tool_call_id?: string;
}

/** A tool, as declared. */
export interface OllamaSentTool {
  type: 'function';
  function: { name: string; description: string; parameters: JsonObject };
}
