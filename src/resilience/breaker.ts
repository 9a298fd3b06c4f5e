import type { Breaker, BreakerState } from '../core/breaker.ts';
import type { OptionGroup, OptionRule } from '../core/option-rules.ts';
import { aFunction, checkGroup, withDefaults } from '../core/option-rules.ts';

/** When a circuit breaker opens, and for how long. */
export interface BreakerOptions {
  /** Failures in a row that open it. @defaultValue 5 */
  readonly failures?: number | undefined;
  /** Failures that lie further apart than this are not in a row. @defaultValue 60000 */
  readonly windowMs?: number | undefined;
  /** How long it stays open before one probe is let through. @defaultValue 30000 */
  readonly cooldownMs?: number | undefined;
  /** Called with each new state. What it throws reaches the caller that changed the state. */
  readonly onChange?: ((state: BreakerState) => void) | undefined;
}

type Filled = { readonly [K in Exclude<keyof BreakerOptions, 'onChange'>]-?: NonNullable<BreakerOptions[K]> };

/** Chosen: see docs/limits.md. */
const DEFAULTS: Filled = { failures: 5, windowMs: 60_000, cooldownMs: 30_000 };

const AT_LEAST_ONE: OptionRule = {
  wanted: 'a number >= 1',
  fits: (value) => Number.isFinite(value) && Number(value) >= 1,
};

const BREAKER: OptionGroup = {
  example: '{ failures: 5, cooldownMs: 30_000 }',
  rules: {
    failures: AT_LEAST_ONE,
    windowMs: AT_LEAST_ONE,
    cooldownMs: AT_LEAST_ONE,
    onChange: aFunction,
  } satisfies Record<keyof BreakerOptions, OptionRule>,
  otherNames: { threshold: 'failures', resetTimeout: 'cooldownMs', onStateChange: 'onChange' },
};

/** What a breaker knows in each of its states. */
type State =
  | { readonly is: 'closed'; readonly failures: number; readonly lastFailureAt: number }
  | { readonly is: 'open'; readonly until: number }
  | { readonly is: 'half-open'; readonly isProbing: boolean };

const CLOSED: State = { is: 'closed', failures: 0, lastFailureAt: -Infinity };

/**
 * Makes a breaker. Its owner is the object that holds it: an agent makes one for each of its providers, `fallback` one for
 * each candidate; one made by hand is shared by handing it to several agents.
 * @throws OilcanError `invalid-option`
 */
export function createBreaker(options: BreakerOptions = {}): Breaker {
  checkGroup('breaker', options, BREAKER);
  const { failures: failuresToOpen, windowMs, cooldownMs } = withDefaults<Filled>(DEFAULTS, options);
  let state = CLOSED;
  let lastWords: string | undefined;

  function enter(next: State): void {
    const before = state.is;
    state = next;
    if (next.is !== before) options.onChange?.(next.is);
  }

  return {
    get state() {
      return state.is;
    },
    get lastWords() {
      return lastWords;
    },
    remainingMs: (now) => (state.is === 'open' ? Math.max(0, state.until - now) : 0),
    tryPass(now) {
      if (state.is === 'closed') return true;
      if (state.is === 'open' ? now < state.until : state.isProbing) return false;
      enter({ is: 'half-open', isProbing: true });
      return true;
    },
    succeeded: () => enter(CLOSED),
    failed(now, words) {
      lastWords = words ?? lastWords;
      const isInRow = state.is === 'closed' && now - state.lastFailureAt <= windowMs;
      const failures = state.is === 'closed' ? (isInRow ? state.failures : 0) + 1 : failuresToOpen;
      if (failures < failuresToOpen) enter({ is: 'closed', failures, lastFailureAt: now });
      else enter({ is: 'open', until: now + cooldownMs });
    },
    abandoned() {
      if (state.is === 'half-open') enter({ is: 'half-open', isProbing: false });
    },
  };
}

/** True for a breaker, as {@link createBreaker} makes it. */
export function isBreaker(value: unknown): value is Breaker {
  return typeof value === 'object' && value !== null && 'tryPass' in value;
}
