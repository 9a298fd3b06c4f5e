import type { Breaker } from '../../core/breaker.ts';
import { invalidOption } from '../../core/option-check.ts';
import type { Provider } from '../../core/provider.ts';
import type { Tool } from '../../core/tool.ts';
import type { BreakerOptions } from '../../resilience/breaker.ts';
import { createBreaker, isBreaker } from '../../resilience/breaker.ts';
import type { RunConfig } from '../act/host.ts';

/**
 * Finds the breaker of a provider: the one given, else one of the agent's own for each provider, else what the provider
 * brings along. No breaker is shared with another agent unless both were handed the same one.
 * @throws OilcanError `invalid-option`
 */
export function breakersFor(given: BreakerOptions | Breaker | undefined, provider: Provider): RunConfig['breakerOf'] {
  if (given === undefined) return (candidate) => provider.breakerOf?.(candidate);
  if (isBreaker(given)) {
    if ((provider.candidates?.length ?? 1) > 1)
      throw invalidOption(
        'One breaker cannot tell several providers apart: give `breaker` as options, as in { failures: 5 }, or leave it to `fallback`.',
      );
    return () => given;
  }
  // Made now, so that wrong options are found now.
  const first = createBreaker(given);
  const breakers = new WeakMap<Provider, Breaker>([[provider.candidates?.[0] ?? provider, first]]);
  return (candidate) => {
    let breaker = breakers.get(candidate);
    if (breaker === undefined) breakers.set(candidate, (breaker = createBreaker(given)));
    return breaker;
  };
}

/** The breakers of those tools that ask for one, by the tool's name. */
export function toolBreakers(tools: ReadonlyMap<string, Tool>): RunConfig['toolBreakers'] {
  const breakers = new Map<string, Breaker>();
  for (const { name, options } of tools.values()) {
    if (options.breaker !== undefined) breakers.set(name, createBreaker(options.breaker));
  }
  return breakers;
}
