import { describeOpaque } from './opaque.ts';

/** Chosen: deeper structures are cycles in disguise or not for reading. */
const MAX_DEPTH = 50;

/** What is left of the length that may be built, and where the writing stands. */
interface Writer {
  left: number;
  readonly ancestors: Set<object>;
}

/** JSON of any value, cycles and odd members included, of at most about `maxChars` characters. */
export function writeValue(value: unknown, maxChars: number): string {
  const writer: Writer = { left: maxChars, ancestors: new Set() };
  // A lone value is text, not JSON: a date without quotes.
  const text = scalar(value);
  if (text !== undefined) return text;
  return write(value, writer) ?? '(no output)';
}

/** A value that has no parts, as a plain word; undefined for everything that has. */
function scalar(value: unknown): string | undefined {
  switch (typeof value) {
    case 'bigint':
    case 'number':
    case 'boolean':
      return String(value);
    case 'symbol':
    case 'function':
      return opaque(value);
    case 'object':
      return value === null ? 'null' : guarded(() => (value instanceof Date ? dateText(value) : describeOpaque(value)));
    default:
      return undefined;
  }
}

function write(value: unknown, writer: Writer): string | undefined {
  if (writer.left <= 0) return undefined;
  switch (typeof value) {
    case 'string':
      return spend(quote(value, writer.left), writer);
    case 'undefined':
      return undefined;
    case 'object':
      break;
    default:
      return spend(
        typeof value === 'symbol' || typeof value === 'function' ? quote(opaque(value), 200) : String(value),
        writer,
      );
  }
  if (value === null) return spend('null', writer);
  const text = scalar(value);
  if (text !== undefined) return spend(quote(text, writer.left), writer);
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

function writeParts(value: object, writer: Writer): string | undefined {
  const converted = ownJson(value);
  if (converted !== undefined) return write(converted.value, writer);
  if (Array.isArray(value)) return writeList(value, writer);
  if (value instanceof Set) return writeList(value, writer);
  if (value instanceof Map) return writeMap(value, writer);
  return writeObject(value, writer);
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

function writeObject(value: object, writer: Writer): string {
  return writeMembers(membersOf(value), writer);
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
    const name = spend(quote(String(key), writer.left), writer);
    const text = write(member, writer);
    if (text !== undefined) parts.push(`${name}:${text}`);
    writer.left -= 2;
  }
  return `{${parts.join(',')}}`;
}

function quote(text: string, maxChars: number): string {
  return JSON.stringify(text.length <= maxChars ? text : `${text.slice(0, maxChars)}…`);
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

function opaque(value: symbol | Function): string {
  return typeof value === 'symbol' ? String(value) : guarded(() => `[function ${value.name || 'without a name'}]`);
}
