import type { Json } from '../../core/json.ts';
import { MAX_DEPTH } from './clone-json.ts';

/**
 * Reads JSON with the slips that models make. What it stands for:
 *
 * 1. It never closes what is open: where the text ends inside a string, a list or an object, it was cut.
 * 2. It never drops or invents a character of a value. What has two readings is refused.
 * 3. One pass, no recursion deeper than {@link MAX_DEPTH}.
 */

/** What was read, up to where; or what stopped the reading, and where. */
export type Reading =
  | { readonly ok: true; readonly value: Json; readonly end: number; readonly repairs: ReadonlySet<string> }
  | { readonly ok: false; readonly isCut: boolean; readonly problem: string; readonly at: number };

/** Stands for a value that could not be read; the reader's `problem` says why. */
const UNREADABLE = Symbol('unreadable');
type Read<T> = T | typeof UNREADABLE;

interface Reader {
  readonly text: string;
  index: number;
  readonly repairs: Set<string>;
  problem: string | undefined;
  at: number;
}

/** Words of JSON, and of Python, with their values. */
const WORDS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['True', true],
  ['False', false],
  ['None', null],
]);

/** RFC 8259 section 6. */
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const SPACE = /[\s\uFEFF]+/y;

/** Reads one value that begins at `start`. */
export function readLenient(text: string, start: number): Reading {
  const reader: Reader = { text, index: start, repairs: new Set(), problem: undefined, at: start };
  const value = readValue(reader, 0);
  if (value !== UNREADABLE) return { ok: true, value, end: reader.index, repairs: reader.repairs };
  return {
    ok: false,
    isCut: reader.at >= text.length,
    problem: reader.problem ?? 'it is not JSON',
    at: Math.min(reader.at, text.length),
  };
}

function fail(reader: Reader, problem: string, at: number = reader.index): typeof UNREADABLE {
  reader.problem = problem;
  reader.at = at;
  return UNREADABLE;
}

function readValue(reader: Reader, depth: number): Read<Json> {
  if (depth > MAX_DEPTH) return fail(reader, 'it is nested too deeply');
  if (skipSpace(reader) === UNREADABLE) return UNREADABLE;
  const character = reader.text[reader.index];
  switch (character) {
    case undefined:
      return fail(reader, 'it ends where a value should follow');
    case '{':
      return readObject(reader, depth);
    case '[':
      return readList(reader, depth);
    case '"':
    case "'":
      return readString(reader, character);
    default:
      return readNumberOrWord(reader);
  }
}

function readObject(reader: Reader, depth: number): Read<Json> {
  reader.index += 1;
  if (skipSpace(reader) === UNREADABLE) return UNREADABLE;
  // An object has no object as a key, so a second brace can only be the doubled one of a template.
  if (reader.text[reader.index] === '{') {
    reader.repairs.add('took doubled braces as single ones');
    const inner = depth > MAX_DEPTH ? fail(reader, 'it is nested too deeply') : readObject(reader, depth + 1);
    if (inner === UNREADABLE || skipSpace(reader) === UNREADABLE) return UNREADABLE;
    return expect(reader, '}', 'a doubled brace is closed only once') === UNREADABLE ? UNREADABLE : inner;
  }
  const object: Record<string, Json> = {};
  for (;;) {
    if (skipSpace(reader) === UNREADABLE) return UNREADABLE;
    if (reader.text[reader.index] === '}') {
      reader.index += 1;
      return object;
    }
    const key = readKey(reader);
    if (key === UNREADABLE || skipSpace(reader) === UNREADABLE) return UNREADABLE;
    if (expect(reader, ':', 'a ":" is missing after a key') === UNREADABLE) return UNREADABLE;
    const value = readValue(reader, depth + 1);
    if (value === UNREADABLE || skipSpace(reader) === UNREADABLE) return UNREADABLE;
    // Dropped, as everywhere in tool input: see clone-json.ts.
    if (key !== '__proto__') object[key] = value;
    if (afterMember(reader, '}') === UNREADABLE) return UNREADABLE;
  }
}

function readList(reader: Reader, depth: number): Read<Json> {
  reader.index += 1;
  const list: Json[] = [];
  for (;;) {
    if (skipSpace(reader) === UNREADABLE) return UNREADABLE;
    if (reader.text[reader.index] === ']') {
      reader.index += 1;
      return list;
    }
    const value = readValue(reader, depth + 1);
    if (value === UNREADABLE || skipSpace(reader) === UNREADABLE) return UNREADABLE;
    list.push(value);
    if (afterMember(reader, ']') === UNREADABLE) return UNREADABLE;
  }
}

/** Takes the comma after a member; the closing bracket is left for the caller. */
function afterMember(reader: Reader, close: '}' | ']'): Read<void> {
  const character = reader.text[reader.index];
  if (character === close) return undefined;
  if (character !== ',') {
    return fail(reader, character === undefined ? 'it ends before it is closed' : `a "," or "${close}" is missing`);
  }
  reader.index += 1;
  if (skipSpace(reader) === UNREADABLE) return UNREADABLE;
  if (reader.text[reader.index] === close) reader.repairs.add('dropped a trailing comma');
  return undefined;
}

function readKey(reader: Reader): Read<string> {
  const character = reader.text[reader.index];
  if (character === '"' || character === "'") return readString(reader, character);
  if (character === undefined) return fail(reader, 'it ends before it is closed');
  const word = match(reader, WORD);
  if (word === undefined) return fail(reader, 'a key is not a text in double quotes');
  reader.repairs.add('put a key in quotes');
  return word;
}

function readNumberOrWord(reader: Reader): Read<Json> {
  const start = reader.index;
  const number = match(reader, NUMBER);
  if (number !== undefined) {
    const next = reader.text[reader.index];
    if (next === undefined || isNumberTail(reader, start))
      return fail(reader, 'it ends in a number', reader.text.length);
    if (/[\p{L}\p{N}_.+-]/u.test(next)) return fail(reader, 'a value is neither a number nor a text in quotes', start);
    const value = Number(number);
    return Number.isFinite(value) ? value : fail(reader, 'a number is too large', start);
  }
  if (isNumberTail(reader, start)) return fail(reader, 'it ends in a number', reader.text.length);
  const word = match(reader, WORD);
  if (reader.index >= reader.text.length) return fail(reader, 'it ends in a value');
  const value = word === undefined ? undefined : WORDS.get(word);
  if (word === undefined || value === undefined) {
    const isNumberWord = word === 'NaN' || word === 'Infinity' || reader.text.startsWith('-Infinity', start);
    return fail(reader, isNumberWord ? 'JSON has no NaN and no Infinity' : 'a text is not in double quotes', start);
  }
  if (/^[A-Z]/.test(word)) reader.repairs.add('read the words of Python (True, False, None)');
  return value;
}

/** True where nothing but the beginning of a number is left: `-`, `1.`, `1e+`. */
function isNumberTail(reader: Reader, start: number): boolean {
  return reader.text.length - start < 40 && /^[-+.\deE]+$/.test(reader.text.slice(start));
}

/** What a backslash and a letter stand for (RFC 8259 section 7), and whether a path or a pattern may mean the letter itself. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** `C:\` with something other than a second backslash behind it. */
const RAW_PATH = /^[A-Za-z]:\\[^\\]/;

function readString(reader: Reader, quote: '"' | "'"): Read<string> {
  const { text } = reader;
  const start = reader.index + 1;
  const end = endOfString(text, start, quote);
  if (end === undefined) return fail(reader, 'it ends inside a text', text.length);
  reader.index = end + 1;
  if (quote === "'") reader.repairs.add('took single quotes as double quotes');
  const raw = text.slice(start, end);
  if (CONTROL.test(raw)) reader.repairs.add('escaped line breaks in a text');
  if (!raw.includes('\\')) return raw;
  const escapes = raw.match(ESCAPE) ?? [];
  const hasUnknown = escapes.some((escape) => !KNOWN_ESCAPE.test(escape));
  if (!hasUnknown) return unescape(raw);
  // Whoever wrote this did not double the backslashes, so `\n` in the same text may be a path's or a pattern's, too.
  const isAmbiguous = escapes.some((escape) => KNOWN_ESCAPE.test(escape) && !PLAIN_ESCAPE.test(escape));
  const isPath = RAW_PATH.test(raw) && !escapes.some((escape) => escape === '\\\\' || escape.length > 2);
  if (isAmbiguous && !isPath) return fail(reader, 'a backslash in a text is not doubled', start + raw.indexOf('\\'));
  reader.repairs.add('kept a single backslash');
  return isPath ? raw.replaceAll('\\"', '"').replaceAll("\\'", "'") : unescape(raw);
}

const CONTROL = /[\u0000-\u001f]/;
const ESCAPE = /\\(?:u[0-9a-fA-F]{4}|[^])/g;
const KNOWN_ESCAPE = /^\\(?:["\\/bfnrt']|u[0-9a-fA-F]{4})$/;
/** Escapes that have one meaning whoever wrote them. */
const PLAIN_ESCAPE = /^\\["'/]$/;

/** Where the closing quote stands, or undefined where the text ends first. */
function endOfString(text: string, start: number, quote: string): number | undefined {
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (character === '\\') index += 1;
    else if (character === quote) return index;
  }
  return undefined;
}

function unescape(raw: string): string {
  return raw.replace(ESCAPE, (escape) => {
    if (escape.length > 2) return String.fromCharCode(Number.parseInt(escape.slice(2), 16));
    const letter = escape.slice(1);
    if (KNOWN_ESCAPE.test(escape)) return ESCAPES.get(letter) ?? letter;
    return escape;
  });
}

function expect(reader: Reader, character: string, problem: string): Read<void> {
  if (reader.text[reader.index] === character) {
    reader.index += 1;
    return undefined;
  }
  return fail(reader, reader.index >= reader.text.length ? 'it ends before it is closed' : problem);
}

/** Skips white space and comments. */
function skipSpace(reader: Reader): Read<void> {
  const { text } = reader;
  for (;;) {
    match(reader, SPACE);
    if (text.startsWith('//', reader.index)) {
      const end = text.indexOf('\n', reader.index);
      reader.index = end < 0 ? text.length : end;
    } else if (text.startsWith('/*', reader.index)) {
      const end = text.indexOf('*/', reader.index + 2);
      if (end < 0) return fail(reader, 'it ends inside a comment', text.length);
      reader.index = end + 2;
    } else return undefined;
    reader.repairs.add('dropped a comment');
  }
}

function match(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.index;
  const found = pattern.exec(reader.text)?.[0];
  if (found !== undefined) reader.index += found.length;
  return found;
}
