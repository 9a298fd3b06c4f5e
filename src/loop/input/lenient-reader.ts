import type { Json } from '../../core/json.ts';
import { MAX_DEPTH } from './clone-json.ts';

/** A double holds 15 decimal digits of any number (IEEE 754); with more, the number may not be the one that was written. */
export const MAX_DIGITS = 15;

/**
 * Reads JSON with the slips that models make. What it stands for:
 *
 * 1. It never closes what is open: where the text ends inside a string, a list or an object, it was cut.
 * 2. It never drops or invents a character of a value. What has two readings is refused.
 * 3. One pass, no recursion deeper than {@link MAX_DEPTH}.
 * 4. The first problem ends it: the reader stands at the end of the text from then on, where everything else stops, too.
 */

/** What was read, up to where; or what stopped the reading, and where. */
export type Reading =
  | { readonly ok: true; readonly value: Json; readonly end: number; readonly repairs: ReadonlySet<string> }
  | { readonly ok: false; readonly isCut: boolean; readonly problem: string; readonly at: number };

interface Reader {
  readonly text: string;
  index: number;
  readonly repairs: Set<string>;
  failure: { readonly problem: string; readonly at: number } | undefined;
}

/** Words of JSON, and of Python, with their values. */
const WORDS: ReadonlyMap<string | undefined, Json> = new Map<string, Json>([
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

/** Said of an object or a list that has no end. */
const OPEN_AT_END = 'it ends before it is closed';

/** Reads one value that begins at `start`. */
export function readLenient(text: string, start: number): Reading {
  const reader: Reader = { text, index: start, repairs: new Set(), failure: undefined };
  const value = readValue(reader, 0);
  const { failure, index, repairs } = reader;
  if (failure === undefined) return { ok: true, value, end: index, repairs };
  return { ok: false, isCut: failure.at >= text.length, ...failure };
}

/** Says what stopped the reading; `''` stands for the value that could not be read. */
function fail(reader: Reader, problem: string, at: number = reader.index): '' {
  reader.failure ??= { problem, at };
  reader.index = reader.text.length;
  return '';
}

function readValue(reader: Reader, depth: number): Json {
  if (depth > MAX_DEPTH) return fail(reader, 'it is nested too deeply');
  const character = next(reader);
  switch (character) {
    case undefined:
      return fail(reader, 'it ends where a value should follow');
    case '{':
      return readObject(reader, depth);
    case '[':
      return readList(reader, depth);
    case '"':
    case "'":
    case '“':
      return readString(reader, character);
    default:
      return readNumberOrWord(reader);
  }
}

function readObject(reader: Reader, depth: number): Json {
  reader.index += 1;
  // An object has no object as a key, so a second brace can only be the doubled one of a template.
  if (next(reader) === '{') {
    reader.repairs.add('took doubled braces as single ones');
    const inner = readValue(reader, depth + 1);
    expect(reader, '}', 'a doubled brace is closed only once');
    return inner;
  }
  const object: Record<string, Json> = {};
  readMembers(reader, '}', () => {
    const key = readKey(reader);
    if (Object.hasOwn(object, key)) fail(reader, `the key ${JSON.stringify(key.slice(0, 60))} came twice`);
    expect(reader, ':', 'a ":" is missing after a key');
    const value = readValue(reader, depth + 1);
    // Dropped, as everywhere in tool input: see clone-json.ts.
    if (key !== '__proto__') object[key] = value;
  });
  return object;
}

function readList(reader: Reader, depth: number): Json {
  reader.index += 1;
  const list: Json[] = [];
  readMembers(reader, ']', () => list.push(readValue(reader, depth + 1)));
  return list;
}

/** Reads members and the commas between them, up to the closing bracket. */
function readMembers(reader: Reader, close: '}' | ']', readMember: () => void): void {
  while (reader.failure === undefined && !take(reader, close)) {
    readMember();
    if (take(reader, ',')) {
      if (next(reader) === close) reader.repairs.add('dropped a trailing comma');
    } else if (reader.text[reader.index] !== close) expect(reader, ',', `a "," or "${close}" is missing`);
  }
}

function readKey(reader: Reader): string {
  const character = reader.text[reader.index];
  if (character === '"' || character === "'" || character === '“') return readString(reader, character);
  if (character === undefined) return fail(reader, OPEN_AT_END);
  const word = match(reader, WORD);
  if (word === undefined) return fail(reader, 'a key is not a text in double quotes');
  reader.repairs.add('put a key in quotes');
  return word;
}

function readNumberOrWord(reader: Reader): Json {
  const { text, index: start } = reader;
  const number = match(reader, NUMBER);
  const after = text[reader.index];
  if (isNumberTail(text, start) || (number !== undefined && after === undefined))
    return fail(reader, 'it ends in a number', text.length);
  if (number !== undefined) {
    if (/[\p{L}\p{N}_.+-]/u.test(after ?? ''))
      return fail(reader, 'a value is neither a number nor a text in quotes', start);
    const value = Number(number);
    if (!Number.isFinite(value)) return fail(reader, 'a number is too large', start);
    return losesDigits(number, value) ? fail(reader, TOO_MANY_DIGITS, start) : value;
  }
  const word = match(reader, WORD);
  if (reader.index >= text.length) return fail(reader, 'it ends in a value');
  const value = WORDS.get(word);
  if (value === undefined) {
    const isNumberWord = word === 'NaN' || word === 'Infinity' || text.startsWith('-Infinity', start);
    return fail(reader, isNumberWord ? 'JSON has no NaN and no Infinity' : 'a text is not in double quotes', start);
  }
  if (/[TFN]/.test(text.charAt(start))) reader.repairs.add('read the words of Python (True, False, None)');
  return value;
}

/** Said of a whole number that would be another one. */
export const TOO_MANY_DIGITS =
  'a whole number has more digits than a number can hold; send it as a string, in double quotes, where its key takes one';

/** True for a whole number that a double does not hold as it is written: it would be another one, an id most of all. */
function losesDigits(written: string, value: number): boolean {
  if (Number.isSafeInteger(value) || !Number.isInteger(value)) return false;
  const digits = significant(written);
  // What has few digits is written as it is meant (6.022e23), and what a number prints as has come from one.
  if (digits.length <= MAX_DIGITS || digits === significant(String(value))) return false;
  return !/^-?\d+$/.test(written) || BigInt(written) !== BigInt(value);
}

/** The digits of a number without zeros at its ends, sign, point and exponent. */
function significant(number: string): string {
  return number
    .replace(/[eE].*/, '')
    .replace(/\D/g, '')
    .replace(/^0+|0+$/g, '');
}

/** The same for a number that was parsed elsewhere: it may have lost digits already. */
export function mayHaveLostDigits(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && significant(String(value)).length > MAX_DIGITS;
}

/** True where nothing but the beginning of a number is left: `-`, `1.`, `1e+`. */
function isNumberTail(text: string, start: number): boolean {
  return text.length - start < 40 && /^[-+.\deE]+$/.test(text.slice(start));
}

/** `C:\` with something other than a second backslash behind it. */
const RAW_PATH = /^[A-Za-z]:\\[^\\]/;

function readString(reader: Reader, quote: '"' | "'" | '“'): string {
  const { text } = reader;
  const start = reader.index + 1;
  const end = endOfString(text, start, quote === '“' ? '”' : quote);
  if (end === undefined) return fail(reader, 'it ends inside a text', text.length);
  reader.index = end + 1;
  if (quote !== '"') reader.repairs.add(`took ${quote === "'" ? 'single' : 'curly'} quotes as double quotes`);
  const raw = text.slice(start, end);
  // Which of two opening quotes the closing one belongs to is not clear.
  if (quote === '“' && /[“"]/.test(raw)) return fail(reader, 'a text is not in double quotes', start - 1);
  if (CONTROL.test(raw)) reader.repairs.add('escaped line breaks in a text');
  if (!raw.includes('\\')) return raw;
  const escapes = raw.match(ESCAPE) ?? [];
  if (escapes.every((escape) => KNOWN_ESCAPE.test(escape))) return unescape(raw);
  // Whoever wrote this did not double the backslashes, so `\n` in the same text may be a path's or a pattern's, too.
  const isAmbiguous = escapes.some((escape) => KNOWN_ESCAPE.test(escape) && !PLAIN_ESCAPE.test(escape));
  const isPath = RAW_PATH.test(raw) && !escapes.some((escape) => escape === '\\\\' || escape.length > 2);
  if (isAmbiguous && !isPath) return fail(reader, 'a backslash in a text is not doubled', start + raw.indexOf('\\'));
  reader.repairs.add('kept a single backslash');
  return isPath ? raw.replace(/\\(["'])/g, '$1') : unescape(raw);
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

const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The text that an escaped one stands for (RFC 8259 section 7); what is no escape stays as it is. */
function unescape(raw: string): string {
  return raw.replace(ESCAPE, (escape) => {
    if (escape.length > 2) return String.fromCharCode(Number.parseInt(escape.slice(2), 16));
    const letter = escape.slice(1);
    return KNOWN_ESCAPE.test(escape) ? (CONTROLS[letter] ?? letter) : escape;
  });
}

function expect(reader: Reader, character: string, problem: string): void {
  if (!take(reader, character)) fail(reader, reader.index >= reader.text.length ? OPEN_AT_END : problem);
}

/** Takes the character, where it is the next one. */
function take(reader: Reader, character: string): boolean {
  if (next(reader) !== character) return false;
  reader.index += 1;
  return true;
}

/** The next character after white space and comments; undefined at the end. */
function next(reader: Reader): string | undefined {
  const { text } = reader;
  for (;;) {
    match(reader, SPACE);
    if (text.startsWith('//', reader.index)) {
      const end = text.indexOf('\n', reader.index);
      reader.index = end < 0 ? text.length : end;
    } else if (text.startsWith('/*', reader.index)) {
      const end = text.indexOf('*/', reader.index + 2);
      if (end < 0) fail(reader, 'it ends inside a comment', text.length);
      else reader.index = end + 2;
    } else return text[reader.index];
    reader.repairs.add('dropped a comment');
  }
}

function match(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.index;
  const found = pattern.exec(reader.text)?.[0];
  if (found !== undefined) reader.index += found.length;
  return found;
}
