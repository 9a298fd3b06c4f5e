import { isJsonObject } from '../../core/json.ts';
import type { Json } from '../../core/json.ts';
import type { StandardIssue } from '../../core/schema.ts';

/** A key that can stand in a path as it is. */
const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]{0,99}$/u;

/** The path of a key below `path`: `customer.zip`, `prices["a b"]`. */
export function keyPath(path: string, key: string): string {
  if (!PLAIN_KEY.test(key)) return `${path}[${JSON.stringify(key.slice(0, 60))}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** The path of an item below `path`: `items[1]`. */
export function indexPath(path: string, index: number): string {
  return `${path}[${index}]`;
}

/** The keys that lead to an issue, whichever library made it. */
export function keysOf(issue: StandardIssue): readonly (string | number)[] {
  return (issue.path ?? []).map((step) => {
    const key: PropertyKey = typeof step === 'object' ? step.key : step;
    return typeof key === 'symbol' ? String(key) : key;
  });
}

/** Keys as one path. */
export function pathOf(keys: readonly (string | number)[]): string {
  let path = '';
  for (const key of keys) path = typeof key === 'number' ? indexPath(path, key) : keyPath(path, key);
  return path;
}

/** The value that the keys lead to, or undefined where they lead nowhere. */
export function valueAt(value: Json | undefined, keys: readonly (string | number)[]): Json | undefined {
  let place = value;
  for (const key of keys) {
    if (Array.isArray(place)) place = (place as readonly Json[])[Number(key)];
    else if (isJsonObject(place)) place = Object.hasOwn(place, key) ? place[key] : undefined;
    else return undefined;
  }
  return place;
}

/** The value with another one at the place that the keys lead to. */
export function replaceAt(value: Json, keys: readonly (string | number)[], next: Json): Json {
  const [key, ...rest] = keys;
  if (key === undefined) return next;
  if (Array.isArray(value)) {
    return (value as readonly Json[]).map((item, index) =>
      index === Number(key) ? replaceAt(item, rest, next) : item,
    );
  }
  if (!isJsonObject(value)) return value;
  return { ...value, [key]: replaceAt(value[key] ?? null, rest, next) };
}
