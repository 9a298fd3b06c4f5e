import type { Json } from '../../core/json.ts';
import { normalSpelling } from './mend.ts';
import { wordsOf } from './tool-names.ts';

/** Chosen: a beginning of fewer letters says little. */
const MIN_SHARED_LETTERS = 3;

type Likeness = (written: string, allowed: string) => boolean;

/** From what is certain to what is likely: the same but for spelling, the same beginning, the same words. */
const LIKENESSES: readonly Likeness[] = [
  (written, allowed) => normalSpelling(written) === normalSpelling(allowed),
  (written, allowed) => {
    const [short = '', long = ''] = [written, allowed].map(normalSpelling).sort((a, b) => a.length - b.length);
    return short.length >= MIN_SHARED_LETTERS && long.startsWith(short);
  },
  (written, allowed) => isAmong(wordsOf(allowed), wordsOf(written)) || isAmong(wordsOf(written), wordsOf(allowed)),
];

function isAmong(words: readonly string[], others: readonly string[]): boolean {
  return words.length > 0 && words.every((word) => others.includes(word));
}

/**
 * The allowed word that is likely meant by another value ("descending" by `asc`, `desc`). Undefined where none or several
 * come near. A model often takes the first of a list: this is what belongs there.
 */
export function nearestWord(value: Json | undefined, allowed: readonly Json[]): string | undefined {
  if (value === undefined || value === null || typeof value === 'object') return undefined;
  const written = String(value);
  if (written === '' || written.length > 100) return undefined;
  const texts = allowed.filter((entry) => typeof entry === 'string');
  for (const isLike of LIKENESSES) {
    const near = texts.filter((entry) => isLike(written, entry));
    if (near.length > 0) return near.length === 1 ? near[0] : undefined;
  }
  return undefined;
}

/** The allowed values with the one that is likely meant first. */
export function nearestFirst(word: Json | undefined, allowed: readonly Json[]): readonly Json[] {
  const near = nearestWord(word, allowed);
  return near === undefined ? allowed : [near, ...allowed.filter((entry) => entry !== near)];
}
