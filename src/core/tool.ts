import type { ImagePart, TextPart } from './message.ts';
import type { InferOutput, JsonSchema, StandardSchema } from './schema.ts';
import type { Usage } from './usage.ts';

/**
 * What a tool does to the world. It decides what may happen twice:
 * `read` changes nothing, `idempotent` may be repeated with the same key, `write` (the default) is never re-run automatically.
 */
export type ToolEffect = 'read' | 'idempotent' | 'write';

/** What a run may still spend, for tools that ask models themselves. */
export interface ToolBudget {
  /** Tokens that the run has left at this moment; Infinity without a limit. */
  readonly tokensLeft: number;
  /** US dollars that the run has left at this moment; Infinity without a limit. */
  readonly costUsdLeft: number;
  /** Adds what the tool spent to the usage and the cost of the run, so that it counts against the run's limits. */
  spend(usage: Usage, costUsd?: number): void;
}

/** What `execute` gets besides its arguments. */
export interface ToolContext {
  /** Aborts when the run is aborted or the tool's deadline passes. Hand it on to whatever the tool waits for. */
  readonly signal: AbortSignal;
  readonly toolCallId: string;
  readonly runId: string;
  /** The same for every try of this call, over retries and resumes. Hand it to services that take one. */
  readonly idempotencyKey: string;
  /** Which try of this call this is, from 1. */
  readonly attempt: number;
  /** Always there in a run; missing where a test calls the tool by hand. */
  readonly budget?: ToolBudget | undefined;
}

/** Retry of one tool, for failures that asking again may cure. Only for `read` and `idempotent` tools. */
export interface ToolRetryOptions {
  /** Tries in all. @defaultValue 1 */
  readonly maxAttempts: number;
  /** Longest first wait; doubled each time, jittered. @defaultValue 200 */
  readonly baseDelayMs?: number | undefined;
  /** @defaultValue 5000 */
  readonly maxDelayMs?: number | undefined;
}

/** The answer of `verify`: did an effect whose outcome was lost take place? */
export type Verified<Output> =
  | { readonly status: 'done'; readonly output: Output }
  | { readonly status: 'not-done' }
  | { readonly status: 'unknown' };

/** What a tool is made of. `S` is the schema of its arguments. */
export interface ToolOptions<S extends StandardSchema = StandardSchema, Output = unknown> {
  /** 1 to 64 characters of `a-z A-Z 0-9 _ -`: what every vendor accepts. */
  readonly name: string;
  /** What the tool does and when to use it, for the model. */
  readonly description: string;
  /** The arguments: any Standard Schema of an object. */
  readonly schema: S;
  /** The JSON Schema shown to the model, where `schema` can't give its own. */
  readonly jsonSchema?: JsonSchema | undefined;
  /** Checked before a value reaches the model. */
  readonly output?: StandardSchema<unknown, Output> | undefined;
  /** @defaultValue 'write' */
  readonly effect?: ToolEffect | undefined;
  /** Longest run of one call. @defaultValue the agent's `deadlines.toolMs` */
  readonly timeoutMs?: number | undefined;
  readonly retry?: ToolRetryOptions | undefined;
  /**
   * Answers while the tool is unavailable: the value, or `{ value, ageMs }` of a cache.
   * The model sees it tagged `[cached]`. `undefined` means that there is none.
   */
  readonly fallback?: ((input: InferOutput<S>, error: unknown) => unknown) | undefined;
  /** Asked after a timeout or a crash of a `write`: did it take place? */
  readonly verify?:
    | ((input: InferOutput<S>, context: ToolContext) => Verified<Output> | Promise<Verified<Output>>)
    | undefined;
  /** Longest result that the model is sent; head and tail are kept. @defaultValue 50000 characters */
  readonly maxOutputChars?: number | undefined;
  /** What of this tool is searched for secrets: `'errors'` gives its good results to the model as they are. @defaultValue the agent's `redact` */
  readonly redact?: 'all' | 'errors' | undefined;
  /** Never run beside another call of the same turn. @defaultValue false */
  readonly exclusive?: boolean | undefined;
  /** The same call with the same result is not a sign of being stuck (a status poll). @defaultValue false */
  readonly polls?: boolean | undefined;
  /** True: the run is suspended until a person decides on this call. */
  readonly approve?: boolean | ((input: InferOutput<S>) => boolean | Promise<boolean>) | undefined;
  /** Turns calls off for a while after failures in a row. */
  readonly breaker?: { readonly failures: number; readonly cooldownMs: number } | undefined;
  readonly execute: (input: InferOutput<S>, context: ToolContext) => Output | Promise<Output>;
}

/** A checked tool. Made by `tool()`; its `inputSchema` is what models are shown. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** The options that it was made of, with the schema's type forgotten. */
  readonly options: ToolOptions<StandardSchema<any, any>, any>;
}

/** Return this from `execute` to choose the parts that the model sees, images included. */
export interface ToolContent {
  readonly type: 'content';
  readonly content: readonly (TextPart | ImagePart)[];
}
