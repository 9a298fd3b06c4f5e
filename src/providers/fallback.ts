import { isRecord } from '../core/json.ts';
import { checkNames, checkOptions, describeValue, invalidOption, kindOf } from '../core/option-check.ts';
import type { Provider } from '../core/provider.ts';
import type { BreakerOptions } from '../resilience/breaker.ts';
import { createBreaker } from '../resilience/breaker.ts';

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
 * @throws OilcanError `invalid-option` without a provider, and for an option that is none.
 */
export function fallback(candidates: readonly Provider[], options: FallbackOptions = {}): Provider {
  check(candidates, options);
  const list = candidates.flatMap((candidate) => candidate.candidates ?? [candidate]);
  const [first] = list;
  if (first === undefined) throw invalidOption('Expected `fallback` to get at least one provider, got none.');
  const { breaker, onRefusal = false } = options;
  const breakers = new Map(
    list.map((candidate) => [candidate, breaker === false ? undefined : createBreaker(breaker)]),
  );
  return {
    id: first.id,
    model: first.model,
    origin: first.origin,
    capabilities: first.capabilities,
    secrets: list.flatMap((candidate) => candidate.secrets ?? []),
    candidates: list,
    fallBackOnRefusal: onRefusal,
    breakerOf: (candidate) => breakers.get(candidate),
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

const OPTIONS = { breaker: true, onRefusal: true } satisfies Record<keyof FallbackOptions, true>;

function check(candidates: unknown, options: FallbackOptions): void {
  if (!Array.isArray(candidates))
    throw invalidOption(
      `Expected \`fallback\` to get an array of providers, as in fallback([first, second]), got ${kindOf(candidates)}.`,
    );
  for (const [index, candidate] of candidates.entries()) {
    if (!isRecord(candidate) || typeof candidate['stream'] !== 'function')
      throw invalidOption(
        `Expected candidate ${index} of \`fallback\` to be a provider such as openai({ model: '…' }), got ${kindOf(candidate)}.`,
      );
  }
  checkOptions('the options of `fallback`', options, '{ onRefusal: true }');
  checkNames('fallback', options, OPTIONS);
  const { onRefusal } = options;
  if (onRefusal !== undefined && typeof onRefusal !== 'boolean')
    throw invalidOption(`Expected \`onRefusal\` of \`fallback\` to be true or false, got ${describeValue(onRefusal)}.`);
}
