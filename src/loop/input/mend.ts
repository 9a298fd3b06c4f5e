import type { Json, JsonObject } from '../../core/json.ts';
import { ownKeys } from './schema-view.ts';
import type { SchemaNode } from './schema-view.ts';

/** A text without what spellings differ in: case, spaces, `_` and `-`. */
export function normalSpelling(text: string): string {
  return text.toLowerCase().replace(/[\s_-]+/g, '');
}

/** Chosen: nobody declares longer words; a long text is free text. */
const MAX_WORD_CHARS = 100;

/** The one allowed word that is spelled like `word` but for case, spaces, `_` and `-`; undefined where none or several are. */
export function mendWord(word: string, allowed: readonly Json[]): string | undefined {
  if (word.length > MAX_WORD_CHARS || allowed.includes(word)) return undefined;
  const spelling = normalSpelling(word);
  if (spelling === '') return undefined;
  const same = new Set<string>();
  for (const entry of allowed) if (typeof entry === 'string' && normalSpelling(entry) === spelling) same.add(entry);
  const [only] = same;
  return same.size === 1 ? only : undefined;
}

/**
 * The keys of `value` that are declared in another spelling, by how they are written. A key is renamed only where exactly
 * one declared key fits, that key is not there already, and no second key of the value could be meant by it.
 */
export function misspelledKeys(value: JsonObject, node: SchemaNode): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>();
  const declared = ownKeys(node);
  const strays = Object.keys(value).filter((key) => !declared.includes(key) && key.length <= MAX_WORD_CHARS);
  if (strays.length === 0) return renamed;
  const keys = bySpelling(declared);
  for (const [spelling, written] of bySpelling(strays)) {
    const key = keys.get(spelling);
    if (written === undefined || key === undefined) continue;
    if (!Object.hasOwn(value, key)) renamed.set(written, key);
  }
  return renamed;
}

/** The word of each spelling, undefined where several share it. */
function bySpelling(words: readonly string[]): ReadonlyMap<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  for (const word of words) {
    const spelling = normalSpelling(word);
    if (spelling !== '') found.set(spelling, found.has(spelling) ? undefined : word);
  }
  return found;
}
