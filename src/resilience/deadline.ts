import type { Clock } from '../core/clock.ts';
import type { DeadlineName } from '../core/failure.ts';
import type { OptionGroup, OptionRule } from '../core/option-rules.ts';
import { checkGroup, withDefaults } from '../core/option-rules.ts';

/** How long things may take. Every figure is in milliseconds. */
export interface DeadlineOptions {
  /** From the request to the first byte of its body. Local models read long prompts slowly. @defaultValue 120000 */
  readonly firstByteMs?: number | undefined;
  /** Between two pieces of a reply. @defaultValue 60000 */
  readonly idleMs?: number | undefined;
  /** One whole attempt to get a reply. @defaultValue 600000 */
  readonly totalMs?: number | undefined;
  /** One try of a tool. @defaultValue 60000 */
  readonly toolMs?: number | undefined;
  /** The whole run, waits included, time suspended not. @defaultValue 3600000 */
  readonly runMs?: number | undefined;
  /** How long a suspended run is kept for a person to decide. @defaultValue 604800000, a week */
  readonly suspendedMs?: number | undefined;
}

/** {@link DeadlineOptions} with every default filled in. */
export type Deadlines = { readonly [K in keyof DeadlineOptions]-?: NonNullable<DeadlineOptions[K]> };

/** Chosen: longer than a healthy server or tool ever needs, short enough that a person still waits. */
const DEFAULTS: Deadlines = {
  firstByteMs: 120_000,
  idleMs: 60_000,
  totalMs: 600_000,
  toolMs: 60_000,
  runMs: 3_600_000,
  suspendedMs: 604_800_000,
};

const LIMIT: OptionRule = {
  wanted: 'milliseconds > 0 (Infinity for none)',
  fits: (value) => typeof value === 'number' && value > 0,
};

const DEADLINES: OptionGroup = {
  example: '{ toolMs: 60_000 }',
  rules: {
    firstByteMs: LIMIT,
    idleMs: LIMIT,
    totalMs: LIMIT,
    toolMs: LIMIT,
    runMs: LIMIT,
    suspendedMs: LIMIT,
  } satisfies Record<keyof DeadlineOptions, OptionRule>,
  otherNames: { timeoutMs: 'runMs', timeout: 'runMs', requestMs: 'totalMs', modelMs: 'totalMs' },
};

/**
 * Fills in the defaults.
 * @throws OilcanError `invalid-option` for a name that is no deadline, and where a figure is not positive.
 */
export function deadlines(options?: DeadlineOptions): Deadlines {
  if (options === undefined) return DEFAULTS;
  checkGroup('deadlines', options, DEADLINES);
  return withDefaults(DEFAULTS, options);
}

/** Watches one attempt: fires once, with the name of the deadline that passed. */
export interface AttemptWatch {
  /** A piece of the body came. */
  alive(): void;
  /** We hold the stream back ourselves: until {@link AttemptWatch.goOn}, no silence is the server's. */
  pause(): void;
  /** The deadlines run on from where they stood. */
  goOn(): void;
  /** No deadline can fire any more. */
  end(): void;
}

/**
 * Starts the three deadlines of an attempt (first byte, idle, total). There is one timer at a time, and it is only
 * set again when it fires early: a piece of a reply costs one look at the clock.
 */
export function watchAttempt(clock: Clock, limits: Deadlines, onPassed: (name: DeadlineName) => void): AttemptWatch {
  let start = clock.monotonic();
  let lastByteAt: number | undefined;
  let pausedAt: number | undefined;
  let isOver = false;
  let cancel = arm();

  function arm(): () => void {
    const [due] = nearest();
    return isOver || due === Infinity ? () => {} : clock.after(due - clock.monotonic(), check);
  }

  function nearest(): [due: number, name: DeadlineName] {
    const total = start + limits.totalMs;
    const quiet = lastByteAt === undefined ? start + limits.firstByteMs : lastByteAt + limits.idleMs;
    if (total <= quiet) return [total, 'total'];
    return [quiet, lastByteAt === undefined ? 'first-byte' : 'idle'];
  }

  function check(): void {
    const [due, name] = nearest();
    // A timer may fire a fraction of a millisecond before its time.
    if (clock.monotonic() >= due - 1) onPassed(name);
    else cancel = arm();
  }

  return {
    alive() {
      const isFirst = lastByteAt === undefined;
      lastByteAt = clock.monotonic();
      // The idle deadline may be nearer than the timer that is set for the first byte.
      if (isFirst && limits.idleMs < limits.firstByteMs) {
        cancel();
        cancel = arm();
      }
    },
    pause() {
      pausedAt ??= clock.monotonic();
      cancel();
    },
    goOn() {
      if (pausedAt === undefined) return;
      const pausedMs = clock.monotonic() - pausedAt;
      pausedAt = undefined;
      start += pausedMs;
      if (lastByteAt !== undefined) lastByteAt += pausedMs;
      cancel = arm();
    },
    end() {
      isOver = true;
      cancel();
    },
  };
}
