import type { Failure } from '../../core/failure.ts';
import type { Redactor } from '../../core/redact.ts';

/** Levels of causes and fields that are looked into. Chosen: what lies deeper no log prints. */
const MAX_DEPTH = 8;

/** Objects that are looked into. Chosen: a whole HTTP client hangs on some errors. */
const MAX_OBJECTS = 2000;

/** Fields of errors that are not enumerable. */
const HIDDEN_FIELDS = ['name', 'message', 'stack', 'cause', 'errors'] as const;

/** What was found in one object. */
interface Found {
  /** Its texts that hold a secret, masked, by key. */
  readonly texts: ReadonlyMap<string, string>;
  /** The objects in it, by key. */
  readonly members: ReadonlyMap<string, object>;
}

/**
 * What was thrown, without secrets: the very same value where there are none, else a copy of its class with message,
 * stack, fields and causes masked, from which no way leads back to the original, a circle included. Never throws.
 */
export function maskedCause(cause: unknown, redactor: Redactor): unknown {
  if (typeof cause === 'string') return redactor.redact(cause);
  if (!isLookedInto(cause)) return cause;
  try {
    return masked(cause, redactor);
  } catch {
    // A getter or a proxy that throws: what can't be looked at can't be shown.
    return new Error('What was thrown can not be looked at.');
  }
}

/** Fields of a failure in words that are not ours: a server's, a provider's or a tool's. */
const WORDS = ['message', 'hint', 'vendorCode'] as const;

/** The failure with its words and its cause masked. */
export function maskedFailure<F extends Pick<Failure, (typeof WORDS)[number] | 'cause'>>(
  failure: F,
  redactor: Redactor,
): F {
  const changes: { -readonly [Field in (typeof WORDS)[number] | 'cause']?: Failure[Field] } = {};
  for (const field of WORDS) {
    const before: unknown = failure[field];
    const after = typeof before === 'string' ? redactor.redact(before) : undefined;
    if (after !== undefined && after !== before) changes[field] = after;
  }
  const cause = failure.cause === undefined ? undefined : maskedCause(failure.cause, redactor);
  if (cause !== failure.cause) changes.cause = cause;
  return Object.keys(changes).length === 0 ? failure : { ...failure, ...changes };
}

function isLookedInto(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}

function masked(cause: object, redactor: Redactor): object {
  const found = objectsIn(cause, redactor);
  const copies = new Map<object, object>();
  for (const original of leadingToSecrets(found)) copies.set(original, emptyCopy(original));
  for (const [original, copy] of copies) fill(copy, original, found.get(original), copies);
  return copies.get(cause) ?? cause;
}

/** The objects that can be reached, the nearest first. */
function objectsIn(cause: object, redactor: Redactor): Map<object, Found> {
  const found = new Map<object, Found>();
  let level = [cause];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    const next: object[] = [];
    for (const value of level) {
      if (found.has(value) || found.size >= MAX_OBJECTS) continue;
      const looked = lookInto(value, redactor);
      found.set(value, looked);
      for (const member of looked.members.values()) next.push(member);
    }
    level = next;
  }
  return found;
}

/** A field that is called `authorization` or `password` holds a secret, whatever it looks like. */
function lookInto(value: object, redactor: Redactor): Found {
  const texts = new Map<string, string>();
  const members = new Map<string, object>();
  const keys = value instanceof Error ? new Set([...HIDDEN_FIELDS, ...Object.keys(value)]) : Object.keys(value);
  for (const key of keys) {
    const field: unknown = Reflect.get(value, key);
    if (typeof field === 'string') {
      const text = redactor.redactValue({ [key]: field })[key];
      if (text !== undefined && text !== field) texts.set(key, text);
    } else if (isLookedInto(field)) members.set(key, field);
  }
  return { texts, members };
}

/** The objects that hold a secret, and all from which one comes to those. */
function leadingToSecrets(found: ReadonlyMap<object, Found>): ReadonlySet<object> {
  const holders = new Map<object, object[]>();
  const leading: object[] = [];
  for (const [value, { texts, members }] of found) {
    if (texts.size > 0) leading.push(value);
    for (const member of members.values()) {
      const others = holders.get(member);
      if (others === undefined) holders.set(member, [value]);
      else others.push(value);
    }
  }
  const all = new Set<object>();
  for (let value = leading.pop(); value !== undefined; value = leading.pop()) {
    if (all.has(value)) continue;
    all.add(value);
    for (const holder of holders.get(value) ?? []) leading.push(holder);
  }
  return all;
}

function emptyCopy(original: object): object {
  if (Array.isArray(original)) return [];
  if (!(original instanceof Error)) return {};
  const copy = new Error();
  Object.setPrototypeOf(copy, Object.getPrototypeOf(original) as object);
  return copy;
}

/** Every field of the original, masked. An error keeps its stack, which tells where it was thrown. */
function fill(copy: object, original: object, found: Found | undefined, copies: ReadonlyMap<object, object>): void {
  const fields = Object.getOwnPropertyDescriptors<object>(original);
  const isError = original instanceof Error;
  const own = isError ? ['stack', ...Object.keys(fields)] : Object.keys(original);
  // Beside its own: the hidden fields that an error has of its class.
  const keys = new Set([...own, ...(found?.texts.keys() ?? []), ...(found?.members.keys() ?? [])]);
  for (const key of keys) {
    const field = found?.texts.get(key) ?? found?.members.get(key) ?? (Reflect.get(original, key) as unknown);
    Object.defineProperty(copy, key, {
      enumerable: fields[key]?.enumerable === true,
      configurable: true,
      writable: true,
      value: isLookedInto(field) ? (copies.get(field) ?? field) : field,
    });
  }
}
