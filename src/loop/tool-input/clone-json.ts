import type { Json } from '../../core/json.ts';

/** Chosen: the deepest arguments that anybody declares are far below; deeper ones are an accident or an attack. */
export const MAX_DEPTH = 200;

/** The copy, or why there is none. */
export type ClonedJson =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly problem: 'too-deep' | 'not-json' };

/** Stands for a value that JSON leaves out of objects. */
const LEFT_OUT = Symbol('left out');

/**
 * A deep copy of a JSON value that shares no object with it. Keys named `__proto__` are dropped: no tool declares
 * them, and merging them into another object would change that object's prototype.
 */
export function cloneJson(value: unknown): ClonedJson {
  const state: CloneState = { problem: undefined };
  const copy = cloneAt(value, 0, state);
  if (state.problem !== undefined) return { ok: false, problem: state.problem };
  return copy === LEFT_OUT ? { ok: false, problem: 'not-json' } : { ok: true, value: copy };
}

interface CloneState {
  problem: 'too-deep' | 'not-json' | undefined;
}

function cloneAt(value: unknown, depth: number, state: CloneState): Json | typeof LEFT_OUT {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) state.problem = 'not-json';
      return value;
    case 'undefined':
      return LEFT_OUT;
    case 'object':
      break;
    default:
      state.problem = 'not-json';
      return null;
  }
  if (value === null) return null;
  if (depth >= MAX_DEPTH) {
    state.problem = 'too-deep';
    return null;
  }
  return Array.isArray(value) ? cloneList(value, depth, state) : cloneObject(value, depth, state);
}

function cloneList(list: readonly unknown[], depth: number, state: CloneState): Json {
  const copy: Json[] = [];
  for (const item of list) {
    const cloned = cloneAt(item, depth + 1, state);
    if (state.problem !== undefined) return null;
    copy.push(cloned === LEFT_OUT ? null : cloned);
  }
  return copy;
}

function cloneObject(source: object, depth: number, state: CloneState): Json {
  const copy: Record<string, Json> = {};
  for (const [key, member] of Object.entries(source)) {
    if (key === '__proto__') continue;
    const cloned = cloneAt(member, depth + 1, state);
    if (state.problem !== undefined) return null;
    if (cloned !== LEFT_OUT) copy[key] = cloned;
  }
  return copy;
}
