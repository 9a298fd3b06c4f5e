import { editDistance } from '../../core/edit-distance.ts';
import type { Json } from '../../core/json.ts';
import { normalSpelling } from './mend.ts';
import { wordsOf } from './tool-names.ts';

/** Chosen: a beginning of fewer letters says little. */
const MIN_SHARED_LETTERS = 3;

/**
 * The allowed word that is clearly meant by another one ("descending" by `asc`, `desc`): one begins with the other, they
 * share their words, or they differ in a third of their letters at most. Undefined where none or several come near.
 * A model often takes the first of a list: this is what belongs there.
 */
export function nearestWord(word: Json | undefined, allowed: readonly Json[]): string | undefined {
  if (typeof word !== 'string' || word === '' || word.length > 100) return undefined;
  const texts = allowed.filter((entry) => typeof entry === 'string');
  for (const isNear of [sharesBeginning, sharesWords, isMisspelled]) {
    const near = texts.filter((entry) => isNear(normalSpelling(word), normalSpelling(entry), word, entry));
    if (near.length === 1) return near[0];
    if (near.length > 1) return undefined;
  }
  return undefined;
}

function sharesBeginning(word: string, entry: string): boolean {
  const [short, long] = word.length < entry.length ? [word, entry] : [entry, word];
  return short.length >= MIN_SHARED_LETTERS && long.startsWith(short);
}

function sharesWords(_word: string, _entry: string, written: string, allowed: string): boolean {
  const words = new Set(wordsOf(written));
  const own = wordsOf(allowed);
  return own.length > 0 && (own.every((part) => words.has(part)) || [...words].every((part) => own.includes(part)));
}

function isMisspelled(word: string, entry: string): boolean {
  const limit = Math.floor(Math.max(word.length, entry.length) / 3);
  return Math.min(word.length, entry.length) >= MIN_SHARED_LETTERS && editDistance(word, entry, limit) <= limit;
}

/** The allowed values with the one that is clearly meant first. */
export function nearestFirst(word: Json | undefined, allowed: readonly Json[]): readonly Json[] {
  const near = nearestWord(word, allowed);
  return near === undefined ? allowed : [near, ...allowed.filter((entry) => entry !== near)];
}
