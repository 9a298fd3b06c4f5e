import { maskedHead } from '../../core/error-data.ts';
import { describeOpaque } from './opaque.ts';

/** Chosen: deeper structures are cycles in disguise or not for reading. */
const MAX_DEPTH = 50;

/** Chosen: functions and symbols are told by their names, and a longer one is none. */
const MAX_NAME_CHARS = 200;

/** What is left of the length that may be built, and where the writing stands. */
interface Writer {
  left: number;
  readonly ancestors: Set<object>;
  /** Takes secrets out of a text before it is cut. */
  readonly mask: (text: string) => string;
}

/** JSON of any value, cycles and odd members included, of at most about `maxChars` characters. */
export function writeValue(value: unknown, maxChars: number, mask: (text: string) => string = (text) => text): string {
  // A lone value is text, not JSON: a date without quotes.
  return wordFor(value) ?? write(value, { left: maxChars, ancestors: new Set(), mask }) ?? '(no output)';
}

/** A value that has no parts, as a plain word; undefined for texts and for everything that has parts. */
function wordFor(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'undefined':
      return undefined;
    case 'function':
      return guarded(() => `[function ${value.name || 'without a name'}]`);
    case 'object':
      if (value === null) return 'null';
      return guarded(() => (value instanceof Date ? dateText(value) : describeOpaque(value)));
    default:
      return String(value);
  }
}

function write(value: unknown, writer: Writer): string | undefined {
  if (writer.left <= 0) return undefined;
  const word = typeof value === 'string' ? value : wordFor(value);
  if (word !== undefined) {
    const isName = typeof value === 'symbol' || typeof value === 'function';
    return spend(isJsonWord(value) ? word : quote(word, isName ? MAX_NAME_CHARS : writer.left, writer.mask), writer);
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (writer.ancestors.has(value)) return spend('"[circular]"', writer);
  if (writer.ancestors.size >= MAX_DEPTH) return spend('"[nested too deeply]"', writer);
  writer.ancestors.add(value);
  try {
    return writeParts(value, writer);
  } catch {
    return spend('"[unreadable]"', writer);
  } finally {
    writer.ancestors.delete(value);
  }
}

/** True for what stands without quotes: numbers (also those that JSON lacks), true, false and null. */
function isJsonWord(value: unknown): boolean {
  return value === null || ['number', 'bigint', 'boolean'].includes(typeof value);
}

function writeParts(value: object, writer: Writer): string | undefined {
  const converted = ownJson(value);
  if (converted !== undefined) return write(converted.value, writer);
  if (Array.isArray(value) || value instanceof Set) return writeList(value, writer);
  return value instanceof Map ? writeMap(value, writer) : writeMembers(membersOf(value), writer);
}

/** What the value's own `toJSON` gives; undefined where it has none, or where that throws or gives itself back. */
function ownJson(value: object): { readonly value: unknown } | undefined {
  try {
    const toJson: unknown = Reflect.get(value, 'toJSON');
    if (typeof toJson !== 'function') return undefined;
    const result: unknown = Reflect.apply(toJson, value, []);
    return result === value || result === undefined ? undefined : { value: result };
  } catch {
    return undefined;
  }
}

function writeList(list: Iterable<unknown>, writer: Writer): string {
  const parts: string[] = [];
  for (const item of list) {
    if (writer.left <= 0) {
      parts.push('"[more left out]"');
      break;
    }
    parts.push(write(item, writer) ?? 'null');
    writer.left -= 1;
  }
  return `[${parts.join(',')}]`;
}

function writeMap(map: ReadonlyMap<unknown, unknown>, writer: Writer): string {
  for (const key of map.keys()) {
    // Keys that are objects have no place in JSON: pairs say it all the same.
    if (typeof key === 'object' || typeof key === 'function') return writeList(map, writer);
  }
  return writeMembers(map, writer);
}

function* membersOf(value: object): Iterable<readonly [string, unknown]> {
  for (const key of Object.keys(value)) {
    yield [key, guarded((): unknown => Reflect.get(value, key))];
  }
}

function writeMembers(members: Iterable<readonly [unknown, unknown]>, writer: Writer): string {
  const parts: string[] = [];
  for (const [key, member] of members) {
    if (writer.left <= 0) {
      parts.push('"[more]":"[left out]"');
      break;
    }
    const name = spend(quote(String(key), writer.left, writer.mask), writer);
    const text = write(member, writer);
    if (text !== undefined) parts.push(`${name}:${text}`);
    writer.left -= 2;
  }
  return `{${parts.join(',')}}`;
}

function quote(text: string, maxChars: number, mask: (text: string) => string): string {
  return JSON.stringify(text.length <= maxChars ? text : maskedHead(text, Math.max(1, maxChars), mask));
}

function spend(text: string, writer: Writer): string {
  writer.left -= text.length;
  return text;
}

/** A getter, a trap or a method of the tool's own may throw. */
function guarded<T>(get: () => T): T | string {
  try {
    return get();
  } catch {
    return '[unreadable]';
  }
}

function dateText(date: Date): string {
  return Number.isNaN(date.getTime()) ? 'Invalid Date' : date.toISOString();
}
