/** Time, as the library sees it. Tests and simulations pass their own. */
export interface Clock {
  /** Milliseconds since 1970, for dates. */
  now(): number;
  /** Milliseconds that only ever grow, for durations. */
  monotonic(): number;
  /** Calls `callback` after `delayMs` unless cancelled; the returned function cancels. */
  after(delayMs: number, callback: () => void): () => void;
}

/** A source of numbers in [0, 1). */
export type Random = () => number;

/** Longest delay that a timer of the host takes (2^31 - 1 ms, about 24.8 days); longer ones would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** The host's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(0, delayMs), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** The host's randomness. */
export const systemRandom: Random = () => Math.random();

/**
 * Resolves after `delayMs`, or rejects at once with the signal's reason when it aborts.
 * Leaves neither a timer nor a listener behind.
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    const onAbort = (): void => {
      cancel();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
