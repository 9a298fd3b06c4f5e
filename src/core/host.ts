/**
 * What the library looks at in the host, in one place: it runs on Node, but also where there is no `process`.
 */
interface HostGlobals {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
}

/** The environment variables, or none where the host has no environment. */
export function environment(): Readonly<Record<string, string | undefined>> {
  return (globalThis as HostGlobals).process?.env ?? {};
}
