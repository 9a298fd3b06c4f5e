import type { Abort } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import { systemClock } from '../core/clock.ts';
import { OilcanError } from '../core/error.ts';
import type { Failure } from '../core/failure.ts';
import type { ModelReply, RateLimit } from '../core/provider.ts';

/** Leave to make one request. */
export interface Permit {
  /** Gives it back, with what came of the request: the limiter learns from it. */
  release(reply: ModelReply | undefined, failure: Failure | undefined): void;
}

/** Shares a server's capacity between many runs: asked before each request, never held while a tool runs. */
export interface Limiter {
  /** Waits for its turn, in order of asking; rejects with the abort's reason when the run is aborted first. */
  acquire(abort: Pick<Abort, 'aborted' | 'reason' | 'subscribe'>): Promise<Permit>;
}

/** What a limiter keeps to. Whatever the server itself says is kept to as well. */
export interface LimiterOptions {
  /** Requests on their way at one time. @defaultValue 8 */
  readonly concurrency?: number | undefined;
  /** Requests begun in a minute, evenly spaced. @defaultValue Infinity, until the server says or shows its limit */
  readonly requestsPerMinute?: number | undefined;
  /** Input and output tokens in a minute, as servers report them. @defaultValue Infinity */
  readonly tokensPerMinute?: number | undefined;
  /** Time, for tests. */
  readonly clock?: Clock | undefined;
}

interface Waiting {
  readonly start: () => void;
}

const MINUTE_MS = 60_000;

/**
 * After a "too many requests" without a known rate, the pace falls to this share of what went well just before.
 * Chosen: a little below what the server bore, so that the next minute brings no other one.
 */
const LEARNED_SHARE = 0.9;

/** How long a learned pace must hold before it is tried a little faster (by 5 %). Chosen: rarely enough to do no harm. */
const RELAX_AFTER_MS = 60_000;

/**
 * Makes a limiter to be shared by agents that use one server: hand the same one to each `createAgent`.
 *
 * 1. First come, first served: no run overtakes another.
 * 2. A run that is aborted leaves the queue at once.
 * 3. A permit lasts for one request. Runs that wait for other runs hold none, so they can't block each other.
 *
 * @throws OilcanError `invalid-option`
 */
export function createLimiter(options: LimiterOptions = {}): Limiter {
  const clock = options.clock ?? systemClock;
  const concurrency = positive('concurrency', options.concurrency ?? 8);
  const ownInterval = MINUTE_MS / positive('requestsPerMinute', options.requestsPerMinute ?? Infinity);
  const tokensPerMinute = positive('tokensPerMinute', options.tokensPerMinute ?? Infinity);
  const queue = new Set<Waiting>();
  let active = 0;
  let nextStartAt = -Infinity;
  let pausedUntil = -Infinity;
  let learnedInterval = 0;
  let learnedAt = 0;
  let tokensReadyAt = -Infinity;
  let cancelTimer: (() => void) | undefined;
  /** When the last good requests began: what the server bears. */
  const recentStarts: number[] = [];

  function pump(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    for (const waiting of queue) {
      if (active >= concurrency) return;
      const now = clock.monotonic();
      const due = Math.max(nextStartAt, pausedUntil, tokensReadyAt);
      if (due > now) {
        cancelTimer = clock.after(due - now, pump);
        return;
      }
      queue.delete(waiting);
      active += 1;
      nextStartAt = Math.max(now, nextStartAt) + interval(now);
      recentStarts.push(now);
      if (recentStarts.length > 256) recentStarts.shift();
      waiting.start();
    }
  }

  /** Milliseconds between two requests: ours, or the learned one, whichever is slower. */
  function interval(now: number): number {
    if (learnedInterval > 0 && now - learnedAt > RELAX_AFTER_MS) {
      learnedInterval *= 0.95;
      learnedAt = now;
    }
    return Math.max(ownInterval, learnedInterval);
  }

  function learn(reply: ModelReply | undefined, failure: Failure | undefined): void {
    const now = clock.monotonic();
    heed(reply?.rateLimit ?? failure?.rateLimit, now);
    const tokens = (reply?.usage.inputTokens ?? 0) + (reply?.usage.outputTokens ?? 0);
    if (tokens > 0 && tokensPerMinute !== Infinity) {
      tokensReadyAt = Math.max(now, tokensReadyAt) + (tokens / tokensPerMinute) * MINUTE_MS;
    }
    if (failure?.kind !== 'rate-limited') return;
    pausedUntil = Math.max(pausedUntil, now + (failure.retryAfterMs ?? 1000));
    // Without a rate of our own: what was begun in the last second was too much.
    const lately = recentStarts.filter((start) => now - start < 1000).length;
    const slower = 1000 / Math.max(0.5, (lately - 1) * LEARNED_SHARE);
    if (now - learnedAt > 1000 || learnedInterval === 0) learnedInterval = Math.max(learnedInterval * 1.1, slower);
    learnedAt = now;
  }

  function heed(limit: RateLimit | undefined, now: number): void {
    if (limit === undefined) return;
    if (limit.requestsPerMinute !== undefined && limit.requestsPerMinute > 0) {
      learnedInterval = Math.max(learnedInterval, MINUTE_MS / limit.requestsPerMinute);
      learnedAt = now;
    }
    if (limit.remainingRequests === 0 && limit.requestsResetMs !== undefined) pausedUntil = Math.max(pausedUntil, now + limit.requestsResetMs);
    if (limit.remainingTokens === 0 && limit.tokensResetMs !== undefined) pausedUntil = Math.max(pausedUntil, now + limit.tokensResetMs);
  }

  return {
    acquire(abort) {
      return new Promise((resolve, reject) => {
        if (abort.aborted) return reject(abort.reason);
        const waiting: Waiting = {
          start() {
            unsubscribe();
            let isReleased = false;
            resolve({
              release(reply, failure) {
                if (isReleased) return;
                isReleased = true;
                active -= 1;
                learn(reply, failure);
                pump();
              },
            });
          },
        };
        const unsubscribe = abort.subscribe((reason) => {
          if (queue.delete(waiting)) reject(reason);
        });
        queue.add(waiting);
        // Whoever waits before is served before; a timer that runs already will come to this one.
        if (queue.size === 1 || cancelTimer === undefined) pump();
      });
    },
  };
}

function positive(name: string, value: number): number {
  if (value > 0) return value;
  throw new OilcanError('invalid-option', `Expected \`${name}\` of the limiter to be a number > 0, got ${String(value)}.`);
}
