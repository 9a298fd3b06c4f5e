import type { Breaker } from '../../core/breaker.ts';
import type { Clock, Random } from '../../core/clock.ts';
import type { Journals } from '../../core/journal.ts';
import type { Provider, ToolChoice } from '../../core/provider.ts';
import type { Tool } from '../../core/tool.ts';
import type { BreakerOptions } from '../../resilience/breaker.ts';
import type { DeadlineOptions } from '../../resilience/deadline.ts';
import type { FailureTableOverrides } from '../../resilience/failure-table.ts';
import type { Limiter } from '../../resilience/limiter.ts';
import type { Price } from '../../resilience/price.ts';
import type { RetryOptions } from '../../resilience/retry.ts';
import type { Compactor } from '../history/compact.ts';
import type { Hooks } from '../act/hooks.ts';
import type { SlipPolicy } from '../run/rules.ts';
import type { Outcome } from '../run/state.ts';

/** Limits of a run. Each ends it typed, with the work done so far; none is reset while the run lasts. */
export interface LimitOptions {
  /** Tool calls that are run. @defaultValue Infinity: `maxTurns` bounds them */
  readonly toolCalls?: number | undefined;
  /** Turns in a row in which every call failed. @defaultValue 5 */
  readonly errorsInARow?: number | undefined;
  /** Failures of the same call after which it is not run again, unless something has changed. @defaultValue 2 */
  readonly sameCallFailures?: number | undefined;
  /** Failures of one tool, with no result of it in between, after which it is not run again. @defaultValue 10 */
  readonly toolFailures?: number | undefined;
  /** How often the same calls may give the same results in a row, in circles too. @defaultValue 4 */
  readonly repeats?: number | undefined;
  /** Input and output tokens together. @defaultValue Infinity */
  readonly totalTokens?: number | undefined;
  /** US dollars; needs `prices`. @defaultValue Infinity */
  readonly costUsd?: number | undefined;
}

/** What an agent is made of. */
export interface AgentOptions {
  /** For traces: `agentName` of the `run-start` event. */
  readonly name?: string | undefined;
  readonly provider: Provider;
  readonly tools?: readonly Tool[] | undefined;
  /** The system text. */
  readonly system?: string | undefined;
  /** Model replies that a run may use. @defaultValue 25 */
  readonly maxTurns?: number | undefined;
  /** A forced call is forced until a tool has run; then the model may answer. @defaultValue 'auto' */
  readonly toolChoice?: ToolChoice | undefined;
  /** False: at most one call in a reply. Left to the server by default. */
  readonly parallelToolCalls?: boolean | undefined;
  /** Calls of one reply that run at the same time. @defaultValue 10 */
  readonly toolConcurrency?: number | undefined;
  readonly retry?: RetryOptions | undefined;
  readonly deadlines?: DeadlineOptions | undefined;
  readonly limits?: LimitOptions | undefined;
  /** `finish`: one last turn without tools when a limit is reached, and the result says so. @defaultValue 'stop' */
  readonly onLimit?: 'stop' | 'finish' | undefined;
  /** What a call that can't be run leaves in the next request. @defaultValue 'ladder' */
  readonly slips?: SlipPolicy | undefined;
  readonly hooks?: readonly Hooks[] | undefined;
  /** Rows of the failure table to change. */
  readonly failures?: FailureTableOverrides | undefined;
  /** Shortens the history when it is too long for the model: `'shorten'` cuts old tool results. Off by default. */
  readonly compact?: 'shorten' | Compactor | undefined;
  /** Shared by the runs that share a server. */
  readonly limiter?: Limiter | undefined;
  /**
   * Stops asking a provider that keeps failing; shared by all runs of this agent. `fallback` brings its own. To share one
   * between agents of the same provider, hand each the same `createBreaker({ … })`.
   */
  readonly breaker?: BreakerOptions | Breaker | undefined;
  /** Prices by model id, or a function that knows them. */
  readonly prices?: Readonly<Record<string, Price>> | ((provider: Provider) => Price | undefined) | undefined;
  /** What is searched for secrets before the model reads it. Errors and events always are. @defaultValue 'all' */
  readonly redact?: 'all' | 'errors' | undefined;
  /** Further values that no model may see. Keys of providers and secret-looking environment variables are known. */
  readonly secrets?: readonly string[] | undefined;
  /** Longest tool result that the model is sent. @defaultValue 50000 characters */
  readonly maxOutputChars?: number | undefined;
  /**
   * Where runs keep what came of each of their acts. A run that is started again under its `id` goes on from there: what
   * is recorded is not done a second time. By default nothing is kept beyond the process.
   */
  readonly journals?: Journals<Outcome> | undefined;
  /** Time, for tests and simulations. */
  readonly clock?: Clock | undefined;
  /** Randomness, for tests and simulations. */
  readonly random?: Random | undefined;
}
