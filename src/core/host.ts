/**
 * What the library looks at in the host, in one place: it runs on Node, but also where there is no `process`, and where
 * reading the environment is forbidden (Deno without `--allow-env` throws).
 */
interface HostGlobals {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
}

const NONE: Readonly<Record<string, string | undefined>> = {};

/** An environment variable, trimmed. Undefined where it is empty, not set, or not to be read. */
export function environmentVariable(name: string): string | undefined {
  return allowed(() => hostEnvironment()[name]?.trim() || undefined, undefined);
}

/** All environment variables, as a copy; none where the host has none or forbids to list them. */
export function environmentVariables(): Readonly<Record<string, string | undefined>> {
  return allowed(() => ({ ...hostEnvironment() }), NONE);
}

function hostEnvironment(): Readonly<Record<string, string | undefined>> {
  return (globalThis as HostGlobals).process?.env ?? NONE;
}

function allowed<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
