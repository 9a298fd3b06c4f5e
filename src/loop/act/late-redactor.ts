import { environmentVariables } from '../../core/host.ts';
import type { Provider } from '../../core/provider.ts';
import type { Redactor } from '../../secrets/redactor.ts';
import { createRedactor, secretsOfEnvironment } from '../../secrets/redactor.ts';

let environmentSecrets: readonly string[] | undefined;

/** A redactor that gets to know more providers while a run goes on. */
export interface LateRedactor extends Redactor {
  /** The keys of this provider are secrets, too: a hook has chosen it. */
  learn(provider: Provider): void;
}

/**
 * A redactor that knows the environment's secrets, the keys of the providers and the `extra` ones. Built when there is
 * first something to search: many runs never have anything.
 */
export function lateRedactor(providers: readonly Provider[], extra: readonly string[]): LateRedactor {
  const known = new Set(providers);
  let redactor: Redactor | undefined;
  const ready = (): Redactor =>
    (redactor ??= createRedactor([
      ...(environmentSecrets ??= secretsOfEnvironment(environmentVariables())),
      ...[...known].flatMap((provider) => provider.secrets ?? []),
      ...extra,
    ]));
  return {
    redact: (value) => ready().redact(value),
    redactValue: (value) => ready().redactValue(value),
    learn(provider) {
      if (known.has(provider)) return;
      // Built anew only for a key that is new: a hook may make a provider for each request.
      const isKnown = (secret: string): boolean => [...known].some(({ secrets = [] }) => secrets.includes(secret));
      if (provider.secrets === undefined || provider.secrets.every(isKnown)) return;
      known.add(provider);
      redactor = undefined;
    },
  };
}
