import type { JsonObject } from '../../core/json.ts';

// What is read. Nothing in it is believed: every field is checked where it is used.

/** A chunk of a stream, or a whole plain reply. */
export interface ChatReply {
  readonly id?: unknown;
  readonly model?: unknown;
  readonly object?: unknown;
  readonly choices?: unknown;
  readonly usage?: unknown;
}

/** One choice: with a `delta` in a stream, with a `message` in a plain reply. */
export interface ChatChoice {
  readonly index?: unknown;
  readonly delta?: unknown;
  readonly message?: unknown;
  readonly finish_reason?: unknown;
}

/** The fields of a choice that only some of the compatible servers send. */
export interface ChatChoiceExtras {
  /** A choice that failed (OpenRouter). */
  readonly error?: unknown;
  /** OpenRouter: the word of the vendor behind it. */
  readonly native_finish_reason?: unknown;
  /** Azure: what each of its filters says. */
  readonly content_filter_results?: unknown;
}

/** A delta or a message. */
export interface ChatMessage {
  readonly content?: unknown;
  readonly refusal?: unknown;
  readonly tool_calls?: unknown;
  readonly function_call?: unknown;
}

/** The fields of a message that only some of the compatible servers send. */
export interface ChatMessageExtras {
  /** DeepSeek, older vLLM, LM Studio. */
  readonly reasoning_content?: unknown;
  /** OpenRouter, newer vLLM, Groq, Ollama. */
  readonly reasoning?: unknown;
  /** OpenRouter: blocks that must be sent back as they came. */
  readonly reasoning_details?: unknown;
}

/** A call, or a piece of one. */
export interface ChatToolCall {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly type?: unknown;
  readonly function?: unknown;
}

/** What is called. */
export interface ChatFunction {
  readonly name?: unknown;
  readonly arguments?: unknown;
}

/** Tokens, as they are read by `usage-fields`. */
export interface ChatUsage {
  readonly prompt_tokens?: unknown;
  readonly completion_tokens?: unknown;
  readonly total_tokens?: unknown;
  readonly prompt_tokens_details?: unknown;
  readonly completion_tokens_details?: unknown;
}

// What is sent.

/** A part of a user's message. */
export type ChatContentPart = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };

/** A call in the history. */
export interface ChatSentCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** A message of the history. */
export type ChatSentMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | ChatContentPart[] }
  | { role: 'assistant'; content: string | null; tool_calls?: ChatSentCall[] }
  | { role: 'tool'; tool_call_id: string; content: string };

/** A tool, as declared. */
export interface ChatSentTool {
  type: 'function';
  function: { name: string; description: string; parameters: JsonObject };
}

/** Which tools may be called. */
export type ChatSentToolChoice = 'auto' | 'required' | 'none' | { type: 'function'; function: { name: string } };
