import type { Breaker } from './breaker.ts';
import type { Failure } from './failure.ts';
import type { Json } from './json.ts';
import type { Message, ReasoningPart, TextPart } from './message.ts';
import type { JsonSchema } from './schema.ts';
import type { Usage } from './usage.ts';

/** Whether the model may, must or must not call tools. */
export type ToolChoice = 'auto' | 'required' | 'none' | { readonly toolName: string };

/** A tool as a model is told of it. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** One question to a model. */
export interface ModelRequest {
  readonly system: string | undefined;
  /**
   * The conversation, checked and repaired: a strict server accepts it. From turn to turn of a run this is
   * the same array, grown at its end, unless its past was changed, and then it is another array. So a provider
   * may keep what it built for the first messages, keyed by the array. Providers never change it.
   */
  readonly messages: readonly Message[];
  /** The same array for all turns, unless it changes. */
  readonly tools: readonly ToolDeclaration[];
  readonly toolChoice: ToolChoice;
  /** False: at most one call in a reply. Left to the server when undefined. */
  readonly parallelToolCalls?: boolean | undefined;
}

/** Why one reply ended. The vendor's own word stands beside it in `ModelReply.rawFinishReason`. */
export type FinishReason =
  | 'stop'
  | 'length'
  | 'tool-calls'
  | 'content-filter'
  /** The server paused a long turn: send the reply back and it goes on (Anthropic's `pause_turn`). */
  | 'pause'
  | 'error'
  | 'other';

/** A tool call as the wire gave it, not yet read. */
export interface ReplyToolCall {
  readonly type: 'tool-call';
  /** The vendor's id, as it came; undefined or empty where it sent none. */
  readonly id: string | undefined;
  readonly name: string;
  /** The arguments: the text as written, or the value where the wire has already parsed it. */
  readonly arguments: { readonly text: string } | { readonly value: unknown };
  /** False where the reply says or shows that the call was cut: it is never run. */
  readonly isComplete: boolean;
  /** Why it is not run although it is whole: what the model is told. The loop sets it, on calls that were written as text. */
  readonly refusal?: { readonly text: string; readonly need: string } | undefined;
  /** Fields of the vendor that must be sent back with this call. */
  readonly vendorData?: Json | undefined;
}

/** What a server says of its rate limits, beside a reply or an error. */
export interface RateLimit {
  /** Requests that may be made in a minute. */
  readonly requestsPerMinute?: number | undefined;
  /** Requests left until the reset. */
  readonly remainingRequests?: number | undefined;
  readonly requestsResetMs?: number | undefined;
  /** Tokens left until the reset. */
  readonly remainingTokens?: number | undefined;
  readonly tokensResetMs?: number | undefined;
}

/** One whole reply of a model. */
export interface ModelReply {
  readonly content: readonly (TextPart | ReasoningPart | ReplyToolCall)[];
  readonly finishReason: FinishReason;
  readonly rawFinishReason: string | undefined;
  readonly usage: Usage;
  /** The model that answered, as the server names it. */
  readonly model?: string | undefined;
  readonly responseId?: string | undefined;
  readonly rateLimit?: RateLimit | undefined;
  /** True where the model wrote one block again and again and the reply was cut there: it counts only as calls, never as an answer. */
  readonly isRepeating?: boolean | undefined;
  /** Things a developer should know although the reply is good, one sentence each. */
  readonly warnings?: readonly string[] | undefined;
}

/** What a provider tells while it asks. The last event is a `reply` or a `failure`, and there is exactly one of them. */
export type ProviderEvent =
  /** Bytes came, or the server showed that it lives: resets the idle deadline. `phase` 'headers' does not count as a first byte. */
  | { readonly type: 'progress'; readonly phase: 'headers' | 'body' }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'reply'; readonly reply: ModelReply }
  | { readonly type: 'failure'; readonly failure: Failure };

/** What a provider can express. What it can't is refused when the agent is made, not in a run. */
export interface ProviderCapabilities {
  /** Which values of `toolChoice` the server understands. */
  readonly toolChoice: readonly ('auto' | 'required' | 'none' | 'tool')[];
  readonly parallelToolCalls: boolean;
  /** Images in tool results. */
  readonly imageResults: boolean;
  /**
   * What a call may do that the model wrote as text, where the text is nothing but calls: be run, be run where the tool's
   * `effect` is `'read'`, or only be told to the model. @defaultValue 'run'
   */
  readonly textCalls?: 'run' | 'read' | 'tell' | undefined;
}

/**
 * A way to ask a model. It asks once: retries, fallback and deadlines belong to the loop, and no layer
 * below a provider may retry on its own.
 */
export interface Provider {
  /** Names the wire and its origin, for events and for the issuer of reasoning (`anthropic`, `openai-chat`). */
  readonly id: string;
  /** The model's id as the server knows it. */
  readonly model: string;
  /** Where it runs, for people (`http://127.0.0.1:11434`). */
  readonly origin?: string | undefined;
  readonly capabilities: ProviderCapabilities;
  /** Providers that stand behind this one, in order: the loop asks them one after the other (`fallback`). */
  readonly candidates?: readonly Provider[] | undefined;
  /** Whether a refusal of one candidate is put to the next. @defaultValue false */
  readonly fallBackOnRefusal?: boolean | undefined;
  /** The breaker of a candidate: it stops the loop from asking one that keeps failing, in all runs that use this provider. */
  readonly breakerOf?: ((candidate: Provider) => Breaker | undefined) | undefined;
  /** Values that must never reach a model, an event or an error text: the key. */
  readonly secrets?: readonly string[] | undefined;
  /**
   * Asks the model. Never throws for an expected failure: the last event says it. When `signal` aborts,
   * it stops reading at once, frees the connection and may end without a last event.
   */
  stream(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<ProviderEvent>;
}
