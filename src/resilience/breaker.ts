import type { Clock } from '../core/clock.ts';
import type { OptionGroup, OptionRule } from '../core/option-rules.ts';
import { checkGroup, withDefaults } from '../core/option-rules.ts';

/** When a circuit breaker opens, and for how long. */
export interface BreakerOptions {
  /** Failures in a row that open it. @defaultValue 5 */
  readonly failures?: number | undefined;
  /** Failures that lie further apart than this are not in a row. @defaultValue 60000 */
  readonly windowMs?: number | undefined;
  /** How long it stays open before one probe is let through. @defaultValue 30000 */
  readonly cooldownMs?: number | undefined;
}

/** Whether calls pass, do not pass, or one passes as a probe. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/**
 * Stops asking what keeps failing. Closed: everything passes. Open: nothing passes until the cooldown is over.
 * Half-open: one probe passes; its outcome closes the breaker or opens it again.
 */
export interface Breaker {
  readonly state: BreakerState;
  /** Whether a call may be made now. A true answer in half-open state takes the one probe: tell its outcome. */
  tryPass(): boolean;
  succeeded(): void;
  /** `words` say what failed, for whoever finds it open. */
  failed(words?: string): void;
  /** The call ended without telling anything about the other side (an abort): gives the probe back. */
  abandoned(): void;
  /** How long until a probe is let through; 0 when not open. */
  readonly remainingMs: number;
  /** What the last failure was. */
  readonly lastWords: string | undefined;
}

type Filled = { readonly [K in keyof BreakerOptions]-?: NonNullable<BreakerOptions[K]> };

/** Chosen: see docs/limits.md. */
const DEFAULTS: Filled = { failures: 5, windowMs: 60_000, cooldownMs: 30_000 };

const AT_LEAST_ONE: OptionRule = {
  wanted: 'a number >= 1',
  fits: (value) => Number.isFinite(value) && Number(value) >= 1,
};

const BREAKER: OptionGroup = {
  example: '{ failures: 5, cooldownMs: 30_000 }',
  rules: { failures: AT_LEAST_ONE, windowMs: AT_LEAST_ONE, cooldownMs: AT_LEAST_ONE } satisfies Record<
    keyof BreakerOptions,
    OptionRule
  >,
  otherNames: { threshold: 'failures', resetTimeout: 'cooldownMs' },
};

/**
 * Fills in the defaults: a breaker is made when it is first needed, and what is wrong with it should be known before.
 * @throws OilcanError `invalid-option`
 */
export function breakerOptions(options: BreakerOptions): Filled {
  checkGroup('breaker', options, BREAKER);
  return withDefaults(DEFAULTS, options);
}

/**
 * Makes a breaker.
 * @throws OilcanError `invalid-option`
 */
export function createBreaker(options: BreakerOptions, clock: Clock): Breaker {
  const { failures: failuresToOpen, windowMs, cooldownMs } = breakerOptions(options);
  let state: BreakerState = 'closed';
  let failuresInARow = 0;
  let lastWords: string | undefined;
  let lastFailureAt = -Infinity;
  let openedAt = 0;
  let isProbing = false;

  return {
    get state() {
      return state;
    },
    get remainingMs() {
      return state === 'open' ? Math.max(0, openedAt + cooldownMs - clock.monotonic()) : 0;
    },
    get lastWords() {
      return lastWords;
    },
    tryPass() {
      if (state === 'closed') return true;
      if (state === 'open' && clock.monotonic() - openedAt >= cooldownMs) state = 'half-open';
      if (state === 'open' || isProbing) return false;
      isProbing = true;
      return true;
    },
    succeeded() {
      isProbing = false;
      failuresInARow = 0;
      state = 'closed';
    },
    failed(words) {
      lastWords = words ?? lastWords;
      const now = clock.monotonic();
      failuresInARow = now - lastFailureAt > windowMs ? 1 : failuresInARow + 1;
      lastFailureAt = now;
      const hasProbeFailed = isProbing;
      isProbing = false;
      if (!hasProbeFailed && failuresInARow < failuresToOpen) return;
      openedAt = now;
      state = 'open';
    },
    abandoned() {
      isProbing = false;
    },
  };
}
