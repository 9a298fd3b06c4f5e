import { MAX_DEPTH } from './clone-json.ts';
import { readLenient } from './lenient-reader.ts';
import type { Reading } from './lenient-reader.ts';

/** What a model wrote as JSON, read; or why it could not be. */
export type ReadJson =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** What had to be mended, for a developer; empty for real JSON. */
      readonly repairs: readonly string[];
    }
  | {
      readonly ok: false;
      /** True where the text ends in the middle: it may be the start of something right. */
      readonly isCut: boolean;
      /** What could not be read, to follow "because": `a "," or "}" is missing`. */
      readonly problem: string;
      /** The text around the place, at most 40 characters; '' where there is none. */
      readonly near: string;
    };

/** Chosen: JSON in a JSON text in a JSON text is the deepest that was seen. */
const MAX_ENCODINGS = 3;

/**
 * Reads JSON that a model wrote. Slips that have one meaning are mended: a fence or a sentence around one object, trailing
 * commas, single quotes, keys without quotes, Python's words, comments, raw line breaks, doubled braces, double encoding.
 * What is open at the end is never closed, and what could mean two things is refused.
 */
export function readJson(text: string): ReadJson {
  return readText(text, 1);
}

/**
 * Chosen: more commas, colons and brackets than 40,000 tokens of rows have. Everything that reads arguments looks at each
 * of their values several times, and a million small ones would block the process for seconds.
 */
const MAX_MARKS = 20_000;

/** Said of what holds more than that. */
export const TOO_MANY_VALUES = 'it holds too many values; send them in several calls';

/** True where a text has too many commas, colons and opening brackets outside of its strings. */
function holdsTooMany(text: string): boolean {
  if (text.length <= MAX_MARKS) return false;
  let marks = 0;
  let quote = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x5c) index += 1;
    else if (code === quote) quote = 0;
    else if (quote !== 0) continue;
    else if (code === 0x22 || code === 0x27) quote = code;
    else if ((code === 0x2c || code === 0x3a || code === 0x5b || code === 0x7b) && (marks += 1) > MAX_MARKS)
      return true;
  }
  return false;
}

/** The same for what was parsed elsewhere. */
export function hasTooMany(value: unknown): boolean {
  let left = MAX_MARKS / 2;
  const open = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const members: unknown[] = Object.values(next);
    left -= members.length;
    if (left > 0) for (const member of members) open.push(member);
  }
  return left <= 0;
}

function readText(text: string, encodings: number): ReadJson {
  if (holdsTooMany(text)) return refused(TOO_MANY_VALUES);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return readSlips(text.trim(), encodings);
  }
  if (typeof value === 'string' && /^\s*[{"]/.test(value)) return decodeAgain(value, encodings, []);
  // `JSON.parse` takes the last of two equal keys and rounds numbers, both in silence.
  if (LONG_NUMBER.test(text) || membersIn(text) !== keysOf(value, 0)) {
    const reading = readLenient(text, 0);
    if (!reading.ok) return stopped(text, reading);
  }
  return { ok: true, value, repairs: [] };
}

/** What a number that a double can't hold has in it: sixteen digits, or an exponent of three. */
const LONG_NUMBER = /\d[\d.]{15}|[eE]\+?\d{3}/;

/** How many members the objects of a JSON text have: strings with a colon behind them. */
function membersIn(text: string): number {
  let count = 0;
  for (let quote = text.indexOf('"'); quote >= 0;) {
    let end = text.indexOf('"', quote + 1);
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    let next = end + 1;
    while (text.charCodeAt(next) <= 0x20) next += 1;
    if (text.charCodeAt(next) === 0x3a) count += 1;
    quote = text.indexOf('"', next);
  }
  return count;
}

/** True behind an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text.charCodeAt(start - 1) === 0x5c) start -= 1;
  return (at - start) % 2 === 1;
}

/** How many keys there are; NaN, which equals nothing, where it is too deep to count. */
function keysOf(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > MAX_DEPTH) return Number.NaN;
  const members: unknown[] = Object.values(value);
  let count = Array.isArray(value) ? 0 : members.length;
  for (const member of members) count += keysOf(member, depth + 1);
  return count;
}

/** An object that was encoded as a JSON text once more. */
function decodeAgain(text: string, encodings: number, repairs: Iterable<string>): ReadJson {
  if (encodings > MAX_ENCODINGS) return refused('it is encoded as a text again and again');
  const inner = readText(text, encodings + 1);
  if (!inner.ok) return inner;
  return { ...inner, repairs: [...repairs, 'decoded JSON that was encoded as a text', ...inner.repairs] };
}

function readSlips(text: string, encodings: number): ReadJson {
  if (text === '') return refused('it is empty');
  if (text === 'None') return { ok: true, value: null, repairs: ['read the words of Python (True, False, None)'] };
  if (text.startsWith('"')) {
    const reading = readLenient(text, 0);
    if (!reading.ok) return stopped(text, reading);
    if (reading.end === text.length && typeof reading.value === 'string')
      return decodeAgain(reading.value, encodings, reading.repairs);
  }
  const start = text.startsWith('[') ? 0 : text.indexOf('{');
  if (start < 0) return refused('there is no JSON object in it', piece(text, 0));
  const before = text.slice(0, start).trim();
  if (isMember(before, text.slice(-1))) return refused('the outer braces are missing', piece(text, 0));
  const reading = readLenient(text, start);
  if (!reading.ok) return stopped(text, reading);
  const after = text.slice(reading.end).trim();
  const problem = problemAfter(after);
  if (problem !== undefined) return refused(problem, piece(text, reading.end));
  const repairs = [...aroundOf(before, after), ...reading.repairs];
  // Nothing was found that needs mending, and yet JSON.parse refused: the white space, which only we take more widely.
  if (repairs.length === 0) repairs.push('took unusual white space');
  return { ok: true, value: reading.value, repairs };
}

function refused(problem: string, near = '', isCut = false): ReadJson {
  return { ok: false, isCut, problem, near };
}

function stopped(text: string, { isCut, problem, at }: Reading & { ok: false }): ReadJson {
  return refused(problem, piece(text, at), isCut);
}

/** Words that introduce the arguments rather than name one of them. */
const INTRODUCTION =
  /^(?:json|arguments|args|input|parameters|params|output|call|answer|result|object|response|tool_input|tool_call)\s?[:=]$/i;

/** True where what stands before the object is a key: then the object is a part of something, not the whole. */
function isMember(before: string, last: string): boolean {
  if (before === "'" || before === '"') return before !== last;
  if (/["'}\]](?:\s*:)?$|,$/.test(before.slice(-20))) return true;
  return /^[\w-]{1,40}\s?[:=]$/.test(before) && !INTRODUCTION.test(before);
}

/** What is wrong with the text behind the object, or undefined where it is only words. */
function problemAfter(after: string): string | undefined {
  if (after === '' || /^[}\])\s`;]+$/.test(after)) return undefined;
  if (after.includes('{')) return 'there are several objects; one was expected';
  // A quote that was not escaped ends a text, and a brace in that text the object: what follows still ends in a quote.
  const goesOn = /^[,:]|["'”]\s*[:}\]]/.test(after) || after.split('"').length % 2 === 0;
  return goesOn ? 'the object is closed too early (a quote inside a text has to be written \\")' : undefined;
}

/** What had to be taken away around the object. */
function aroundOf(before: string, after: string): string[] {
  if (before === '' && after === '') return [];
  if (before === '') return /^[}\]]+$/.test(after) ? ['dropped a bracket too many'] : ['dropped text after the object'];
  if (before.includes('```')) return ['took the object out of a Markdown fence'];
  if (/<[\w|:-]+>/.test(before)) return ['took the object out of tags'];
  return ['took the object out of the text around it'];
}

/** Chosen: enough to find the place, too short to be copied for an example. */
const NEAR_CHARS = 40;

/** The text around `at`, on one line. */
function piece(text: string, at: number): string {
  const start = Math.max(0, Math.min(at - NEAR_CHARS / 2, text.length - NEAR_CHARS));
  return text
    .slice(start, start + NEAR_CHARS)
    .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim();
}
