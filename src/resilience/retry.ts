import type { Random } from '../core/clock.ts';
import type { Failure } from '../core/failure.ts';
import { OTHER_RETRY_NAMES } from '../core/option-check.ts';
import type { OptionGroup, OptionRule } from '../core/option-rules.ts';
import { checkGroup, integerFrom, notNegative, withDefaults } from '../core/option-rules.ts';
import { backoffCeilingMs, backoffMs } from './backoff.ts';
import type { FailureRow } from './failure-table.ts';
import { credible } from './retry-after.ts';

/** Retry of model calls. */
export interface RetryOptions {
  /** Requests in all for one reply: N attempts are N requests on the wire. @defaultValue 4 */
  readonly maxAttempts?: number | undefined;
  /** Longest first wait; doubled each time, with full jitter. @defaultValue 500 */
  readonly baseDelayMs?: number | undefined;
  /** Longest wait that is our own choice. @defaultValue 30000 */
  readonly maxDelayMs?: number | undefined;
  /** Longest sum of the waits for one reply. A server that asks for more is not waited for. @defaultValue 180000 */
  readonly budgetMs?: number | undefined;
}

/** {@link RetryOptions} with every default filled in. */
export type RetryPolicy = { readonly [K in keyof RetryOptions]-?: NonNullable<RetryOptions[K]> };

/** Chosen: four requests spread over some seconds outlast a restarting server and cost a caller at most half a minute. */
const DEFAULTS: RetryPolicy = { maxAttempts: 4, baseDelayMs: 500, maxDelayMs: 30_000, budgetMs: 180_000 };

const WAIT: OptionRule = { ...notNegative, wanted: 'milliseconds >= 0' };

const RETRY: OptionGroup = {
  example: '{ maxAttempts: 4 }',
  rules: { maxAttempts: integerFrom(1), baseDelayMs: WAIT, maxDelayMs: WAIT, budgetMs: WAIT } satisfies Record<
    keyof RetryOptions,
    OptionRule
  >,
  otherNames: OTHER_RETRY_NAMES,
};

/**
 * Fills in the defaults.
 * @throws OilcanError `invalid-option` for a name that is no option, and where a figure is out of range.
 */
export function retryPolicy(options?: RetryOptions): RetryPolicy {
  if (options === undefined) return DEFAULTS;
  checkGroup('retry', options, RETRY);
  return withDefaults(DEFAULTS, options);
}

/** What to do after a failed attempt. */
export type RetryDecision =
  | { readonly retry: true; readonly delayMs: number; readonly nudge: boolean }
  | { readonly retry: false };

/** What the decision looks at beside the failure. */
export interface RetrySituation {
  /** Which attempt failed, from 1. */
  readonly attempt: number;
  /** How much of the wait budget is gone. */
  readonly waitedMs: number;
  /** Milliseconds until the run's own deadline. */
  readonly remainingMs: number;
  /** How many of the attempts so far gave an empty reply. */
  readonly emptyReplies: number;
}

/** Empty replies that are asked again: once the same, once with a nudge (`empty-reply` of docs/failures.md). */
const MAX_EMPTY_REPLIES = 3;

/** Decides, for one failed attempt, whether to ask the same provider again, and after how long. */
export function decideRetry(
  failure: Failure,
  row: FailureRow,
  situation: RetrySituation,
  policy: RetryPolicy,
  random: Random,
): RetryDecision {
  if (failure.remedy === 'never') return { retry: false };
  if (failure.remedy === 'at-once')
    return situation.attempt < policy.maxAttempts ? { retry: true, delayMs: 0, nudge: false } : { retry: false };
  if (row.remedy !== 'retry' && row.remedy !== 'ask-again') return { retry: false };
  if (situation.attempt >= policy.maxAttempts) return { retry: false };
  if (row.remedy === 'ask-again') {
    if (situation.emptyReplies >= MAX_EMPTY_REPLIES) return { retry: false };
    return { retry: true, delayMs: 0, nudge: situation.emptyReplies >= 2 };
  }
  // A port that refuses does not open within a millisecond: full jitter alone could spend every attempt at once.
  const distanceMs = row.keepsDistance ? backoffCeilingMs(situation.attempt, policy) / 2 : 0;
  const delayMs = backoffMs(situation.attempt, policy, random, credible(failure.retryAfterMs) ?? distanceMs);
  const isInTime = situation.waitedMs + delayMs <= policy.budgetMs && delayMs < situation.remainingMs;
  return isInTime ? { retry: true, delayMs, nudge: false } : { retry: false };
}
