import type { Failure } from '../../core/failure.ts';
import type { Redactor } from '../../core/redact.ts';

/** Levels of causes and fields that are looked into. Chosen: what lies deeper no log prints. */
const MAX_DEPTH = 8;

/** Objects that are looked into. Chosen: a whole HTTP client hangs on some errors. */
const MAX_OBJECTS = 2000;

/** Fields of errors that are not enumerable. */
const HIDDEN_FIELDS = ['name', 'message', 'stack', 'cause', 'errors'] as const;

interface Search {
  readonly redactor: Redactor;
  /** What was seen, so that a circle ends. */
  readonly seen: Set<object>;
}

/**
 * What was thrown, without secrets: the very same value where there are none, else a copy of its class with message,
 * stack, fields and causes masked. Never throws.
 */
export function maskedCause(cause: unknown, redactor: Redactor): unknown {
  try {
    return masked(cause, { redactor, seen: new Set() }, 0);
  } catch {
    // A getter or a proxy that throws: what can't be looked at can't be shown.
    return new Error('What was thrown can not be looked at.');
  }
}

/** The failure with its message and its cause masked. */
export function maskedFailure<F extends Pick<Failure, 'message' | 'cause'>>(failure: F, redactor: Redactor): F {
  const message = redactor.redact(failure.message);
  const cause = failure.cause === undefined ? undefined : maskedCause(failure.cause, redactor);
  return message === failure.message && cause === failure.cause ? failure : { ...failure, message, cause };
}

function masked(value: unknown, search: Search, depth: number): unknown {
  if (typeof value === 'string') return search.redactor.redact(value);
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (depth >= MAX_DEPTH || search.seen.size >= MAX_OBJECTS || search.seen.has(value)) return value;
  search.seen.add(value);
  const changes = changedFields(value, search, depth);
  if (changes === undefined) return value;
  if (value instanceof Error) return errorLike(value, changes);
  return Array.isArray(value) ? Object.assign([...(value as unknown[])], changes) : { ...value, ...changes };
}

/** The fields that hold a secret, masked. A field that is called `authorization` or `password` is one, whatever it looks like. */
function changedFields(value: object, search: Search, depth: number): Record<string, unknown> | undefined {
  let changes: Record<string, unknown> | undefined;
  const keys = value instanceof Error ? new Set([...HIDDEN_FIELDS, ...Object.keys(value)]) : Object.keys(value);
  for (const key of keys) {
    const before: unknown = Reflect.get(value, key);
    const after =
      typeof before === 'string'
        ? search.redactor.redactValue({ [key]: before })[key]
        : masked(before, search, depth + 1);
    if (after !== before) (changes ??= {})[key] = after;
  }
  return changes;
}

/** A copy of the same class. It keeps the original's stack, which tells where it was thrown. */
function errorLike(error: Error, changes: Readonly<Record<string, unknown>>): Error {
  const copy = new Error(error.message);
  Object.setPrototypeOf(copy, Object.getPrototypeOf(error) as object);
  const fields = Object.getOwnPropertyDescriptors<object>(error);
  for (const key of new Set(['stack', ...Object.keys(fields), ...Object.keys(changes)])) {
    Object.defineProperty(copy, key, {
      enumerable: fields[key]?.enumerable === true,
      configurable: true,
      writable: true,
      value: Object.hasOwn(changes, key) ? changes[key] : Reflect.get(error, key),
    });
  }
  return copy;
}
