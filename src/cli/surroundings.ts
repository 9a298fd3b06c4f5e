import { ollamaOrigin } from './build-provider.ts';
import type { Surroundings } from './find-provider.ts';

/** chosen: a server on this machine answers in milliseconds; nobody should wait for one that is not there. */
const PROBE_MS = 1500;

/** What the search for a model looks at, on this machine. */
export function realSurroundings(): Surroundings {
  return { environment: process.env, ollamaOrigin: ollamaOrigin(), getJson };
}

async function getJson(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_MS) });
    return response.ok ? await response.json() : undefined;
  } catch {
    // Whatever went wrong, there is no server there that could be used.
    return undefined;
  }
}
