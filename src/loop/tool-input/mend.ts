import type { Json, JsonObject } from '../../core/json.ts';
import { allowedValuesOf, propertiesOf, requiredOf, takesOtherKeys } from './schema-view.ts';
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

/** The declared word that a value stands for, where the node lists its words. */
export function mendEnum(value: Json, node: SchemaNode): string | undefined {
  if (typeof value !== 'string') return undefined;
  const allowed = allowedValuesOf(node);
  return allowed === undefined ? undefined : mendWord(value, allowed);
}

/** One key that was written in another spelling. */
export interface RenamedKey {
  readonly from: string;
  readonly to: string;
}

/**
 * The keys of `value` that are declared in another spelling. A key is renamed only where exactly one declared key fits,
 * that key is not there already, and no second key of the value could be meant by it. Keys that mean something as they
 * are (a record's, a loose object's) stay, unless the declared key is required and missing.
 */
export function misspelledKeys(value: JsonObject, node: SchemaNode): RenamedKey[] {
  const properties = propertiesOf(node);
  const strays = Object.keys(value).filter((key) => !Object.hasOwn(properties, key) && key.length <= MAX_WORD_CHARS);
  if (strays.length === 0) return [];
  const isOpen = takesOtherKeys(node);
  const candidates = isOpen ? requiredOf(node) : Object.keys(properties);
  const missing = candidates.filter((key) => !Object.hasOwn(value, key));
  if (missing.length === 0) return [];
  const declared = groupBySpelling(Object.keys(properties));
  const written = groupBySpelling(strays);
  const renamed: RenamedKey[] = [];
  for (const [spelling, from] of written) {
    const to = declared.get(spelling);
    const [onlyFrom] = from;
    const [onlyTo] = to ?? [];
    if (from.length !== 1 || to?.length !== 1 || onlyFrom === undefined || onlyTo === undefined) continue;
    if (missing.includes(onlyTo)) renamed.push({ from: onlyFrom, to: onlyTo });
  }
  return renamed;
}

function groupBySpelling(words: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const word of words) {
    const spelling = normalSpelling(word);
    if (spelling === '') continue;
    const group = groups.get(spelling);
    if (group === undefined) groups.set(spelling, [word]);
    else group.push(word);
  }
  return groups;
}

/** The optional keys that are null although null is not allowed: leaving a key out means the same. */
export function needlessNulls(value: JsonObject, node: SchemaNode, allowsNull: (key: string) => boolean): string[] {
  const required = new Set(requiredOf(node));
  const properties = propertiesOf(node);
  return Object.keys(value).filter(
    (key) => value[key] === null && Object.hasOwn(properties, key) && !required.has(key) && !allowsNull(key),
  );
}
