import type { Failure } from '../../core/failure.ts';
import type { ModelReply, Provider } from '../../core/provider.ts';
import type { WatchedBreaker } from './breakers.ts';
import type { FailureTable } from '../../resilience/failure-table.ts';

/** Only failures of the server count: a wrong key or a broken request says nothing about its health. */
export function tellBreaker(
  breaker: WatchedBreaker | undefined,
  reply: ModelReply | undefined,
  failure: Failure | undefined,
  table: FailureTable,
): void {
  if (breaker === undefined) return;
  if (reply !== undefined) breaker.succeeded();
  else if (failure === undefined) breaker.abandoned();
  else if (table[failure.kind].isOutage) breaker.failed(failure.message);
  else breaker.succeeded();
}

/** Nothing was sent. With another provider at hand the run goes on there; alone it waits for the probe. */
export function breakerOpen(provider: Provider, breaker: WatchedBreaker, hasOthers: boolean): Failure {
  const { lastWords } = breaker;
  const remainingMs = breaker.remainingMs();
  const last = lastWords === undefined ? '' : ` The last time: ${lastWords}`;
  const message = `${provider.origin ?? provider.id} failed too often lately; its breaker is open for another ${Math.ceil(remainingMs / 1000)} s.${last}`;
  return {
    kind: 'not-asked',
    message,
    retryAfterMs: remainingMs,
    providerId: provider.id,
    ...(hasOthers ? { remedy: 'never' } : {}),
  };
}
