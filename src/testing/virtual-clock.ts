import type { Clock } from '../core/clock.ts';

/** A clock that stands still until it is told to go on: an hour of waiting takes no time. */
export interface VirtualClock extends Clock {
  /** Goes on by `ms`, firing what falls due on the way in order, and lets promises settle in between. */
  advance(ms: number): Promise<void>;
  /** Goes to the next timer, if there is one, and fires it. False where nothing waits. */
  next(): Promise<boolean>;
  /** Timers that wait. */
  readonly pending: number;
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Rounds of the microtask queue that are let pass between two timers. Chosen: deeper than any chain of promises here. */
const SETTLE_ROUNDS = 50;

/** Makes a virtual clock that begins at `startMs` (milliseconds since 1970). */
export function createVirtualClock(startMs: number = Date.UTC(2026, 0, 1)): VirtualClock {
  let now = 0;
  let order = 0;
  const timers = new Set<Timer>();

  function earliest(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of timers) {
      if (first === undefined || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
        first = timer;
    }
    return first;
  }

  async function settle(): Promise<void> {
    for (let round = 0; round < SETTLE_ROUNDS; round += 1) await Promise.resolve();
  }

  async function fire(timer: Timer): Promise<void> {
    timers.delete(timer);
    now = Math.max(now, timer.at);
    timer.callback();
    await settle();
  }

  return {
    now: () => startMs + now,
    monotonic: () => now,
    after(delayMs, callback) {
      order += 1;
      const timer = { at: now + Math.max(0, delayMs), order, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (let timer = earliest(); timer !== undefined && timer.at <= end; timer = earliest()) await fire(timer);
      now = end;
      await settle();
    },
    async next() {
      await settle();
      const timer = earliest();
      if (timer === undefined) return false;
      await fire(timer);
      return true;
    },
    get pending() {
      return timers.size;
    },
  };
}
