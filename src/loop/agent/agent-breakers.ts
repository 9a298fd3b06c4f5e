import type { Clock } from '../../core/clock.ts';
import type { Provider } from '../../core/provider.ts';
import type { Tool } from '../../core/tool.ts';
import type { Breaker, BreakerOptions } from '../../resilience/breaker.ts';
import { breakerOptions, createBreaker } from '../../resilience/breaker.ts';
import type { RunConfig } from '../run/run-config.ts';

/** Breakers of providers live as long as the provider: agents that share one share what is known of its health. */
const providerBreakers = new WeakMap<Provider, Breaker>();

/**
 * Gives each provider its breaker, where the agent has any.
 * @throws OilcanError `invalid-option`
 */
export function breakersFor(options: BreakerOptions | undefined, clock: Clock): RunConfig['breakerOf'] {
  if (options === undefined) return () => undefined;
  breakerOptions(options);
  return (provider) => {
    let breaker = providerBreakers.get(provider);
    if (breaker === undefined) {
      breaker = createBreaker(options, clock);
      providerBreakers.set(provider, breaker);
    }
    return breaker;
  };
}

/** The breakers of those tools that ask for one, by the tool's name. */
export function toolBreakers(tools: ReadonlyMap<string, Tool>, clock: Clock): RunConfig['toolBreakers'] {
  const breakers = new Map<string, Breaker>();
  for (const { name, options } of tools.values()) {
    if (options.breaker !== undefined) breakers.set(name, createBreaker(options.breaker, clock));
  }
  return breakers;
}
