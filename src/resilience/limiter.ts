import type { Abort } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import { systemClock } from '../core/clock.ts';
import type { Failure } from '../core/failure.ts';
import { checkNames, checkOptions } from '../core/option-check.ts';
import { checkRules } from '../core/option-rules.ts';
import type { OptionRule } from '../core/option-rules.ts';
import type { ModelReply, RateLimit } from '../core/provider.ts';
import { credible } from './retry-after.ts';

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
  /**
   * Requests begun in a minute, evenly spaced and 5 % below, so that a jitter on the way does not break the limit.
   * @defaultValue Infinity, until the server says or shows its limit
   */
  readonly requestsPerMinute?: number | undefined;
  /** Input and output tokens in a minute, as servers report them. @defaultValue Infinity */
  readonly tokensPerMinute?: number | undefined;
  /** Time, for tests. */
  readonly clock?: Clock | undefined;
}

interface Waiting {
  readonly start: (request: Begun) => void;
}

/** A recent request: together they show what the server accepts. */
interface Begun {
  readonly at: number;
  wasRefused: boolean;
}

/** Refusals of requests that were on their way at the same time: one sign of the limit, not several. */
interface Burst {
  readonly at: number;
  readonly windowMs: number;
  /** The learned interval before the burst: what holds where the burst shows nothing. */
  readonly intervalBefore: number;
}

const MINUTE_MS = 60_000;

/** Room for jitter on the way to the server. Chosen: some 10 ms at five requests in a second. */
const MARGIN = 1.05;

/**
 * After a "too many requests" the pace falls to this share of what the server accepted just before. Chosen: a little
 * below, so that the same pace is not refused again.
 */
const LEARNED_SHARE = 0.9;

/** Requests that are remembered. Chosen: a minute of the busiest limiter in use. */
const MAX_BEGUN = 2048;

/**
 * Accepted requests that show a pace. Chosen: one or two are no rate; the refusal may be about tokens, or about what
 * other processes sent. Without a sample only the pause counts.
 */
const MIN_SAMPLE = 3;

/** After each minute without a refusal a learned pace is doubled: a wrong guess is gone soon, a right one costs a refusal. */
const RECOVERY = 2;

/** Chosen: a shorter interval slows nobody down and is forgotten. */
const MIN_INTERVAL_MS = 10;

/**
 * Longest pause for one refusal. Chosen: what a run waits by default (`retry.budgetMs`). After that the next run asks the
 * server itself and gets its answer, instead of waiting in the queue without a reason that it can see.
 */
const MAX_PAUSE_MS = 180_000;

const positive: OptionRule = { wanted: 'a number > 0', fits: (value) => typeof value === 'number' && value > 0 };

const RULES = {
  concurrency: positive,
  requestsPerMinute: positive,
  tokensPerMinute: positive,
  clock: true,
} satisfies Record<keyof LimiterOptions, OptionRule | true>;

/** What others call them. */
const OTHER_NAMES = {
  rpm: 'requestsPerMinute',
  tpm: 'tokensPerMinute',
  maxConcurrent: 'concurrency',
  maxConcurrency: 'concurrency',
};

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
  checkOptions('the options of `createLimiter`', options, '{ concurrency: 8 }');
  checkNames('createLimiter', options, RULES, OTHER_NAMES);
  checkRules(options, RULES, (option) => `\`${option}\` of the limiter`);
  const { clock = systemClock, concurrency = 8, requestsPerMinute = Infinity, tokensPerMinute = Infinity } = options;
  const ownInterval = (MINUTE_MS / requestsPerMinute) * MARGIN;
  const queue = new Set<Waiting>();
  let active = 0;
  let nextStartAt = -Infinity;
  let pausedUntil = -Infinity;
  let toldInterval = 0;
  let learnedInterval = 0;
  let relaxedAt = 0;
  let burst: Burst | undefined;
  let tokensReadyAt = -Infinity;
  let cancelTimer: (() => void) | undefined;
  const begun: Begun[] = [];

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
      const request: Begun = { at: now, wasRefused: false };
      begun.push(request);
      if (begun.length > MAX_BEGUN) begun.shift();
      waiting.start(request);
    }
  }

  /** Milliseconds between two requests: ours, the server's or the learned one, whichever is slowest. */
  function interval(now: number): number {
    const quietMinutes = Math.floor((now - relaxedAt) / MINUTE_MS);
    if (learnedInterval > 0 && quietMinutes > 0) {
      learnedInterval /= RECOVERY ** quietMinutes;
      relaxedAt += quietMinutes * MINUTE_MS;
      if (learnedInterval < MIN_INTERVAL_MS) learnedInterval = 0;
    }
    return Math.max(ownInterval, toldInterval, learnedInterval);
  }

  function learn(request: Begun, reply: ModelReply | undefined, failure: Failure | undefined): void {
    const now = clock.monotonic();
    const limit = reply?.rateLimit ?? failure?.rateLimit ?? {};
    applyLimit(limit, now);
    const tokens = (reply?.usage.inputTokens ?? 0) + (reply?.usage.outputTokens ?? 0);
    if (tokens > 0 && Number.isFinite(tokens) && tokensPerMinute !== Infinity) {
      tokensReadyAt = Math.max(now, tokensReadyAt) + (tokens / tokensPerMinute) * MINUTE_MS;
    }
    if (failure?.kind !== 'rate-limited') return;
    request.wasRefused = true;
    const askedMs = credible(failure.retryAfterMs);
    pauseFor(askedMs ?? 1000, now);
    learnPace(request, askedMs ?? 0, limit, now);
  }

  function pauseFor(waitMs: number, now: number): void {
    pausedUntil = Math.max(pausedUntil, now + Math.min(waitMs, MAX_PAUSE_MS));
  }

  /**
   * The pace that the server accepted, from what it let through before it refused. It counts over about the time that it
   * asks to be left alone: a limit of a second says "in a second", one of a minute names the rest of the minute. A longer
   * wait is a limit of the hour or the day, which no pace of a minute avoids.
   */
  function learnPace(request: Begun, askedMs: number, limit: RateLimit, now: number): void {
    // The server says that requests are left: it refused for tokens, or for another reason.
    if ((limit.remainingRequests ?? 0) > 0 || limit.remainingTokens === 0) return;
    if (burst === undefined || request.at > burst.at) {
      if (askedMs > MINUTE_MS * MARGIN) return;
      const windowMs = Math.min(MINUTE_MS, Math.max(1000, askedMs));
      burst = { at: now, windowMs, intervalBefore: learnedInterval };
    }
    // For a refusal that arrives later, the requests that it was sent with are counted again: fewer of them were accepted.
    const { at, windowMs, intervalBefore } = burst;
    const accepted = begun.filter((one) => one.at > at - windowMs && one.at <= at && !one.wasRefused).length;
    learnedInterval =
      accepted < MIN_SAMPLE ? intervalBefore : Math.max(intervalBefore, windowMs / (accepted * LEARNED_SHARE));
    relaxedAt = now;
  }

  function applyLimit(limit: RateLimit, now: number): void {
    const perMinute = limit.requestsPerMinute ?? 0;
    // Less than one in a minute is no rate that a server counts by.
    if (perMinute >= 1) toldInterval = (MINUTE_MS / perMinute) * MARGIN;
    if (limit.remainingRequests === 0) pauseFor(credible(limit.requestsResetMs) ?? 0, now);
    if (limit.remainingTokens === 0) pauseFor(credible(limit.tokensResetMs) ?? 0, now);
  }

  return {
    acquire(abort) {
      return new Promise((resolve, reject) => {
        if (abort.aborted) return reject(abort.reason);
        const waiting: Waiting = {
          start(request) {
            unsubscribe();
            let isReleased = false;
            resolve({
              release(reply, failure) {
                if (isReleased) return;
                isReleased = true;
                active -= 1;
                learn(request, reply, failure);
                pump();
              },
            });
          },
        };
        const unsubscribe = abort.subscribe((reason) => {
          if (!queue.delete(waiting)) return;
          // With nobody left to wait for, a timer would only keep the process alive.
          if (queue.size === 0) {
            cancelTimer?.();
            cancelTimer = undefined;
          }
          reject(reason);
        });
        queue.add(waiting);
        // First come, first served: a timer that runs already will come to this one.
        if (queue.size === 1 || cancelTimer === undefined) pump();
      });
    },
  };
}
