import type { Clock } from '../../core/clock.ts';

/** How long a case waits for one thing. */
export interface Patience {
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** The time itself, for an error text. */
export function inSeconds({ timeoutMs }: Patience, times = 1): string {
  return `${(timeoutMs * times) / 1000} s`;
}

/** What was promised, or an error with what is to be said otherwise. */
export function within<T>(promised: Promise<T>, patience: Patience, otherwise: () => string): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = patience.clock.after(patience.timeoutMs, () => reject(new Error(otherwise())));
    promised.finally(cancel).then(resolve, reject);
  });
}
