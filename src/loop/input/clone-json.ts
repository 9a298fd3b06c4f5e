import type { Json } from '../../core/json.ts';

/** Chosen: the deepest arguments that anybody declares are far below; deeper ones are an accident or an attack. */
export const MAX_DEPTH = 200;

/** The copy, or why there is none. */
export type ClonedJson =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly problem: 'too-deep' | 'not-json' };

/**
 * A deep copy of a JSON value that shares no object with it. Keys named `__proto__` are dropped: no tool declares
 * them, and merging them into another object would change that object's prototype.
 */
export function cloneJson(value: unknown): ClonedJson {
  const state: CloneState = { problem: undefined };
  const copy = cloneAt(value, 0, state);
  if (state.problem !== undefined) return { ok: false, problem: state.problem };
  return copy === undefined ? { ok: false, problem: 'not-json' } : { ok: true, value: copy };
}

interface CloneState {
  /** The first one: nothing is copied any more. */
  problem: 'too-deep' | 'not-json' | undefined;
}

/** The copy, or undefined for what JSON leaves out of objects. */
function cloneAt(value: unknown, depth: number, state: CloneState): Json | undefined {
  if (state.problem !== undefined) return undefined;
  switch (typeof value) {
    case 'undefined':
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) state.problem = 'not-json';
      return value;
    case 'object':
      break;
    default:
      state.problem = 'not-json';
      return undefined;
  }
  if (value === null) return null;
  if (depth >= MAX_DEPTH) {
    state.problem = 'too-deep';
    return undefined;
  }
  if (Array.isArray(value)) {
    const list: Json[] = [];
    for (const item of value) list.push(cloneAt(item, depth + 1, state) ?? null);
    return list;
  }
  const copy: Record<string, Json> = {};
  for (const [key, member] of Object.entries(value)) {
    const cloned = key === '__proto__' ? undefined : cloneAt(member, depth + 1, state);
    if (cloned !== undefined) copy[key] = cloned;
  }
  return copy;
}

/** A copy of plain data. What is none, is nested too deeply or can't be looked at is given as it is. */
export function copyOf<T>(value: T): T {
  try {
    const copy = cloneJson(value);
    return copy.ok ? (copy.value as T) : value;
  } catch {
    // A getter or a proxy of the caller's own.
    return value;
  }
}
