import type { Breaker, BreakerState } from '../../core/breaker.ts';
import type { RunContext } from './context.ts';

/** A breaker as one call uses it: with the time, and each change of its state told as an event of the run that caused it. */
export interface WatchedBreaker {
  tryPass(): boolean;
  succeeded(): void;
  failed(words?: string): void;
  abandoned(): void;
  remainingMs(): number;
  readonly lastWords: string | undefined;
}

/** Wraps a breaker, where there is one. The breaker itself is shared by many runs and knows none of them. */
export function observed(
  context: RunContext,
  turn: number,
  name: string,
  breaker: Breaker | undefined,
): WatchedBreaker | undefined {
  if (breaker === undefined) return undefined;
  const now = (): number => context.config.clock.monotonic();
  const telling = <T>(act: () => T): T => {
    const before: BreakerState = breaker.state;
    const result = act();
    if (breaker.state !== before) context.emit({ type: 'breaker', turn, name, state: breaker.state });
    return result;
  };
  return {
    get lastWords() {
      return breaker.lastWords;
    },
    remainingMs: () => breaker.remainingMs(now()),
    tryPass: () => telling(() => breaker.tryPass(now())),
    succeeded: () => telling(() => breaker.succeeded()),
    failed: (words) => telling(() => breaker.failed(now(), words)),
    abandoned: () => telling(() => breaker.abandoned()),
  };
}
