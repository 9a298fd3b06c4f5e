import type { ToolEffect } from '../../core/tool.ts';
import type { BackoffOptions } from '../../resilience/backoff.ts';
import type { Deadlines } from '../../resilience/deadline.ts';
import type { FailureTable } from '../../resilience/failure-table.ts';
import type { RetryPolicy } from '../../resilience/retry.ts';

/**
 * What a call that can't be run leaves in the next request (measured in docs/error-texts.md):
 * `result` an error result, every time; `ladder` the first time an error result, from the second in a row on a rewind;
 * `rewind` a rewind at once: the better choice for small local models, which repeat what they read.
 */
export type SlipPolicy = 'ladder' | 'result' | 'rewind';

/** The limits of a run, with every default filled in. */
export interface Limits {
  readonly turns: number;
  readonly toolCalls: number;
  readonly errorsInARow: number;
  readonly sameCallFailures: number;
  readonly toolFailures: number;
  readonly repeats: number;
  readonly totalTokens: number;
  readonly costUsd: number;
}

/** What the rules know of a tool. */
export interface ToolRules {
  readonly effect: ToolEffect;
  /** Tries in all; 1 for a write. */
  readonly maxAttempts: number;
  readonly backoff: BackoffOptions;
  readonly polls: boolean;
  /** True where it can be asked whether an effect took place. */
  readonly verifies: boolean;
  /** True where a stored value may stand in. */
  readonly fallsBack: boolean;
  /** True where a person may have to decide about a call. */
  readonly asksPerson: boolean;
}

/** Which hooks there are. */
export type HookKinds = Readonly<
  Record<'beforeModel' | 'beforeTool' | 'afterTool' | 'onFailure' | 'afterTurn', boolean>
>;

/** What a run goes by: data alone. The same rules and the same entries give the same run. */
export interface RunRules {
  readonly table: FailureTable;
  readonly retry: RetryPolicy;
  readonly deadlines: Deadlines;
  readonly limits: Limits;
  readonly onLimit: 'stop' | 'finish';
  readonly slips: SlipPolicy;
  readonly toolConcurrency: number;
  /** The models that may be asked, in order. */
  readonly models: readonly { readonly id: string; readonly model: string }[];
  readonly toolRules: ReadonlyMap<string, ToolRules>;
  /** True where there is something that can shorten the history. */
  readonly compacts: boolean;
  /** Answers in all until one fits the output schema; undefined where none is asked for. */
  readonly outputAttempts: number | undefined;
  readonly hooked: HookKinds;
}
