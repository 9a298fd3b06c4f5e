import type { Advice } from './advice.ts';
import type { RateLimit } from './provider.ts';

/**
 * What went wrong, as data. The kinds are the rows of the failure table
 * (`resilience/failure-table.ts`); a `Failure` is one occurrence.
 */
export type FailureKind = ModelFailureKind | CodeFailureKind | NobodyFailureKind;

/** The model asked wrongly, or a tool has something to tell it: it reads the error as a tool result. */
export type ModelFailureKind =
  | 'unknown-tool'
  | 'unreadable-arguments'
  | 'cut-arguments'
  | 'invalid-arguments'
  | 'described-call'
  | 'tool-failed'
  | 'tool-unavailable'
  | 'tool-timeout'
  | 'outcome-unknown'
  | 'tool-bug'
  | 'bad-output'
  | 'repeated-call'
  | 'denied'
  | 'not-run';

/** The model's server or the network failed: wait, retry, fall back. The model never knows. */
export type CodeFailureKind =
  | 'rate-limited'
  | 'overloaded'
  | 'server-error'
  | 'network'
  | 'timeout'
  | 'cut-reply'
  | 'malformed-reply'
  | 'empty-reply'
  | 'repeating-reply'
  | 'context-overflow'
  | 'not-asked';

/** Nobody in the run can mend it: stop at once, typed. */
export type NobodyFailureKind =
  | 'unauthorized'
  | 'not-found'
  | 'bad-request'
  | 'too-large'
  | 'quota-exhausted'
  | 'refused'
  | 'aborted'
  | 'bug';

/** Who has to deal with a failure. */
export type Owner = 'model' | 'code' | 'nobody';

/** Which deadline passed. */
export type DeadlineName = 'first-byte' | 'idle' | 'total' | 'tool' | 'run';

/** One failure. Everything in it is safe to log: secrets are masked. */
export interface Failure {
  readonly kind: FailureKind;
  /** One sentence for a developer: what failed, with the server's own words where there are some. */
  readonly message: string;
  /** HTTP status, where the model's server gave one. */
  readonly status?: number | undefined;
  /** The vendor's own code or type (`insufficient_quota`, `overloaded_error`). */
  readonly vendorCode?: string | undefined;
  /** At least this long must pass before the next attempt: what the server asked for. */
  readonly retryAfterMs?: number | undefined;
  /** What the server said of its limits. */
  readonly rateLimit?: RateLimit | undefined;
  /** Which deadline passed, for `timeout`, `tool-timeout` and an `outcome-unknown` after one. */
  readonly deadline?: DeadlineName | undefined;
  /** What to do about it, for the person who runs the agent, in the words of this library. */
  readonly hint?: string | undefined;
  /** The same as data, to be said in other words. */
  readonly advice?: Advice | undefined;
  /** Token counts that the server named in a `context-overflow`. */
  readonly tokens?: { readonly needed?: number | undefined; readonly limit?: number | undefined } | undefined;
  /** The provider's id, for failures of a model call. */
  readonly providerId?: string | undefined;
  /** The tool, for failures of a tool call. */
  readonly toolName?: string | undefined;
  /** Marks one `tool-bug` for the developer; the model is told the same mark and nothing else. */
  readonly reference?: string | undefined;
  /**
   * What is known of this one failure, whatever the table says of its kind. `at-once`: asking again, without a wait, can
   * succeed (the request was never heard, or is built differently now). `never`: asking again in the same way cannot.
   */
  readonly remedy?: 'at-once' | 'never' | undefined;
  /** What was thrown. In events, hooks and results it is an {@link ErrorData}: without secrets, and plain JSON. */
  readonly cause?: unknown;
}
