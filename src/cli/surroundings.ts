import { environmentVariable } from '../core/host.ts';
import { ollamaOrigin } from './build-provider.ts';
import type { Answer, Surroundings } from './find-provider.ts';

/** chosen: a server on this machine answers in milliseconds; nobody should wait for one that is not there. */
const PROBE_MS = 1500;

/** The environment, variable by variable: one that may not be read counts as not set. */
export const readableEnvironment: Readonly<Record<string, string | undefined>> = new Proxy(
  {},
  { get: (_target, name) => (typeof name === 'string' ? environmentVariable(name) : undefined) },
);

/** What the search for a model looks at, on this machine. */
export function realSurroundings(): Surroundings {
  return { environment: readableEnvironment, ollamaOrigin: ollamaOrigin(), getJson };
}

async function getJson(url: string): Promise<Answer> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_MS) });
    const { ok, status } = response;
    const text = await response.text();
    const value = ok ? jsonOf(text) : undefined;
    return value === undefined ? { type: 'other', status, isPage: /^\s*</.test(text) } : { type: 'json', value };
  } catch {
    // Whatever went wrong, there is no server there that could be used.
    return { type: 'nothing' };
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
