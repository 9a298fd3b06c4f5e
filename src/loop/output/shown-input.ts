import type { Json } from '../../core/json.ts';
import { cloneJson } from '../input/clone-json.ts';
import { describeOpaque } from './opaque.ts';
import { isPlainData } from './plain-data.ts';
import { serialise } from './serialise.ts';

/**
 * What a tool is run with, as JSON: defaults filled in, transforms done, undeclared keys gone. People, hooks and events are
 * shown this and not what the model wrote. Each call gives a copy of its own: nobody who edits it changes what runs.
 */
export function shownInput(input: unknown): Json {
  try {
    const copy = isPlainData(input) ? cloneJson(input) : undefined;
    if (copy?.ok === true) return copy.value;
    const text = JSON.stringify(input, asJson) as string | undefined;
    return text === undefined ? serialise(input) : (JSON.parse(text) as Json);
  } catch {
    // A cycle, a getter that throws, too many levels.
    return serialise(input);
  }
}

/** What a schema may make of arguments, and JSON has no word for. */
function asJson(this: unknown, key: string, value: unknown): unknown {
  // `value` is what a `toJSON` gave: a list of numbers for a buffer.
  const made: unknown = Reflect.get(this as object, key);
  if (typeof made === 'bigint' || typeof made === 'symbol') return String(made);
  if (typeof made === 'number') return Number.isFinite(made) ? made : String(made);
  if (typeof made === 'function') return serialise(made);
  if (typeof made !== 'object' || made === null) return value;
  if (made instanceof Set) return [...made];
  if (made instanceof Map) {
    const entries: [unknown, unknown][] = [...made];
    return entries.every(([name]) => typeof name === 'string') ? Object.fromEntries(entries) : entries;
  }
  return value === made ? (describeOpaque(made) ?? made) : ArrayBuffer.isView(made) ? describeOpaque(made) : value;
}
