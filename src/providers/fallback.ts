import { OilcanError } from '../core/error.ts';
import type { Provider } from '../core/provider.ts';
import type { BreakerOptions } from '../resilience/breaker.ts';

/** How a fallback behaves. */
export interface FallbackOptions {
  /** Stops asking a provider that keeps failing; shared by all runs that use it. `false` for none. */
  readonly breaker?: BreakerOptions | false | undefined;
  /** Whether a refusal (a content filter) is put to the next provider. @defaultValue false */
  readonly onRefusal?: boolean | undefined;
}

/**
 * Several providers as one. The first is asked until its retries are used up, then the next, and the run stays with
 * whoever answered. What makes it go on is in the failure table (`mayFallBack`): failures of the server, a wrong key,
 * no such model, a quota; never a broken request. Nothing of a failed reply reaches the next provider.
 *
 * The agent's loop does the asking. Used by hand, `stream` asks each candidate once, in order.
 * @throws OilcanError `invalid-option` without a provider.
 */
export function fallback(candidates: readonly Provider[], options: FallbackOptions = {}): Provider {
  const list = candidates.flatMap((candidate) => candidate.candidates ?? [candidate]);
  const [first] = list;
  if (first === undefined)
    throw new OilcanError('invalid-option', 'Expected `fallback` to get at least one provider, got none.');
  return {
    id: first.id,
    model: first.model,
    origin: first.origin,
    capabilities: first.capabilities,
    secrets: list.flatMap((candidate) => candidate.secrets ?? []),
    candidates: list,
    fallBackOnRefusal: options.onRefusal ?? false,
    breakerOptions: options.breaker === false ? undefined : (options.breaker ?? {}),
    async *stream(request, context) {
      for (const [index, candidate] of list.entries()) {
        let hasFailed = false;
        for await (const event of candidate.stream(request, context)) {
          const isLastWord = index === list.length - 1 || context.signal.aborted;
          if (event.type === 'failure' && !isLastWord) hasFailed = true;
          else yield event;
        }
        if (!hasFailed) return;
      }
    },
  };
}
