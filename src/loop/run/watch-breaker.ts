import type { Breaker } from '../../resilience/breaker.ts';
import type { RunContext } from './run-context.ts';

/**
 * A breaker, where there is one, that tells each change of its state as an event of the run that brought it about. The
 * breaker itself is shared by many runs and knows none of them.
 */
export function watchBreaker(
  context: RunContext,
  turn: number,
  name: string,
  breaker: Breaker | undefined,
): Breaker | undefined {
  if (breaker === undefined) return undefined;
  const telling = <T>(act: () => T): T => {
    const before = breaker.state;
    const result = act();
    if (breaker.state !== before) context.emit({ type: 'breaker', turn, name, state: breaker.state });
    return result;
  };
  return {
    get state() {
      return breaker.state;
    },
    get remainingMs() {
      return breaker.remainingMs;
    },
    get lastWords() {
      return breaker.lastWords;
    },
    tryPass: () => telling(() => breaker.tryPass()),
    succeeded: () => telling(() => breaker.succeeded()),
    failed: (words) => telling(() => breaker.failed(words)),
    abandoned: () => telling(() => breaker.abandoned()),
  };
}
