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

function readText(text: string, encodings: number): ReadJson {
  const plain = parse(text);
  if (plain === undefined) return readSlips(text, encodings);
  const { value } = plain;
  const first = typeof value === 'string' ? value.trimStart()[0] : undefined;
  if (typeof value !== 'string' || (first !== '{' && first !== '"')) return { ok: true, value, repairs: [] };
  return decodeAgain(value, encodings, []);
}

/** An object that was encoded as a JSON text once more. */
function decodeAgain(text: string, encodings: number, repairs: readonly string[]): ReadJson {
  if (encodings > MAX_ENCODINGS)
    return { ok: false, isCut: false, problem: 'it is encoded as a text again and again', near: '' };
  const inner = readText(text, encodings + 1);
  if (!inner.ok) return inner;
  return { ...inner, repairs: [...repairs, 'decoded JSON that was encoded as a text', ...inner.repairs] };
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function readSlips(text: string, encodings: number): ReadJson {
  const trimmed = text.trim();
  if (trimmed === '') return { ok: false, isCut: false, problem: 'it is empty', near: '' };
  if (trimmed === 'None') return { ok: true, value: null, repairs: ['read the words of Python (True, False, None)'] };
  const first = trimmed[0];
  if (first === '"') {
    const reading = readLenient(trimmed, 0);
    if (!reading.ok) return refused(trimmed, reading);
    if (reading.end === trimmed.length && typeof reading.value === 'string') {
      return decodeAgain(reading.value, encodings, [...reading.repairs]);
    }
  }
  const start = first === '[' ? 0 : trimmed.indexOf('{');
  if (start < 0) return { ok: false, isCut: false, problem: 'there is no JSON object in it', near: piece(trimmed, 0) };
  const before = trimmed.slice(0, start).trim();
  if (isMember(before, trimmed.slice(-1)))
    return { ok: false, isCut: false, problem: 'the outer braces are missing', near: piece(trimmed, 0) };
  const reading = readLenient(trimmed, start);
  if (!reading.ok) return refused(trimmed, reading);
  const after = trimmed.slice(reading.end).trim();
  const problem = problemAfter(after);
  if (problem !== undefined) return { ok: false, isCut: false, problem, near: piece(trimmed, reading.end) };
  const repairs = [...aroundOf(before, after), ...reading.repairs];
  // Nothing was found that needs mending, and yet JSON.parse refused: the white space, which only we take more widely.
  if (repairs.length === 0) repairs.push('took unusual white space');
  return { ok: true, value: reading.value, repairs };
}

function refused(text: string, reading: Reading & { ok: false }): ReadJson {
  return { ok: false, isCut: reading.isCut, problem: reading.problem, near: piece(text, reading.at) };
}

/** True where what stands before the object is a key: then the object is a part of something, not the whole. */
function isMember(before: string, last: string): boolean {
  if (before === "'" || before === '"') return before !== last;
  if (/["'}\]](?:\s*:)?$|,$/.test(before.slice(-20))) return true;
  const word = /^([\w-]{1,40})\s?[:=]$/.exec(before)?.[1];
  return word !== undefined && !INTRODUCTIONS.has(word.toLowerCase());
}

/** Words that introduce the arguments rather than name one of them. */
const INTRODUCTIONS: ReadonlySet<string> = new Set([
  'json',
  'arguments',
  'args',
  'input',
  'parameters',
  'params',
  'output',
  'call',
  'answer',
  'result',
  'object',
  'response',
  'tool_input',
  'tool_call',
]);

/** What is wrong with the text behind the object, or undefined where it is only words. */
function problemAfter(after: string): string | undefined {
  if (after === '' || /^[}\])\s`;]+$/.test(after)) return undefined;
  if (after.includes('{')) return 'there are several objects; one was expected';
  if (/^[,:]/.test(after)) return 'the object is closed too early';
  return /["']\s*:/.test(after) ? 'the object is closed too early' : undefined;
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
