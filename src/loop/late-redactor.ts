import { environment } from '../core/host.ts';
import type { Provider } from '../core/provider.ts';
import type { Redactor } from '../core/redact.ts';
import { createRedactor, secretsOfEnvironment } from '../core/redact.ts';

let environmentSecrets: readonly string[] | undefined;

/**
 * A redactor that knows the environment's secrets, the keys of the providers and the `extra` ones. Built when there is
 * first something to search: many runs never have anything.
 */
export function lateRedactor(providers: readonly Provider[], extra: readonly string[]): Redactor {
  let redactor: Redactor | undefined;
  const ready = (): Redactor =>
    (redactor ??= createRedactor([
      ...(environmentSecrets ??= secretsOfEnvironment(environment())),
      ...providers.flatMap((provider) => provider.secrets ?? []),
      ...extra,
    ]));
  return {
    redact: (value) => ready().redact(value),
    redactValue: (value) => ready().redactValue(value),
  };
}
