import type { Mend } from '../../core/event.ts';
import type { Json } from '../../core/json.ts';
import type { StandardIssue } from '../../core/schema.ts';
import { mendWord } from './mend.ts';
import type { MendedInput } from './mend-input.ts';
import { keysOf, pathOf } from './path.ts';
import { isJsonObject } from './schema-view.ts';
import { wordsListedIn } from './word-list.ts';

/**
 * Mends words whose allowed spellings only the validator knows (a refinement does not show in a JSON Schema): its message
 * lists them. The caller validates the result again.
 */
export function mendListed(value: Json, issues: readonly StandardIssue[]): MendedInput {
  const mends: Mend[] = [];
  let mended = value;
  for (const issue of issues) {
    const keys = keysOf(issue);
    const word = valueAt(mended, keys);
    const allowed = typeof word === 'string' ? wordsListedIn(issue.message) : undefined;
    if (typeof word !== 'string' || allowed === undefined) continue;
    const right = mendWord(word, allowed);
    if (right === undefined) continue;
    mended = replaceAt(mended, keys, right);
    mends.push({ kind: 'enum', path: pathOf(keys), what: 'spelling of an allowed value' });
  }
  return { value: mended, mends };
}

/** The value that the keys lead to, or undefined where they lead nowhere. */
export function valueAt(value: Json, keys: readonly (string | number)[]): Json | undefined {
  let place: Json | undefined = value;
  for (const key of keys) {
    if (Array.isArray(place)) place = (place as readonly Json[])[Number(key)];
    else if (isJsonObject(place)) place = Object.hasOwn(place, key) ? place[key] : undefined;
    else return undefined;
  }
  return place;
}

/** The value with another one at the place that the keys lead to. */
export function replaceAt(value: Json, keys: readonly (string | number)[], next: Json): Json {
  const [key, ...rest] = keys;
  if (key === undefined) return next;
  if (Array.isArray(value)) {
    return (value as readonly Json[]).map((item, index) =>
      index === Number(key) ? replaceAt(item, rest, next) : item,
    );
  }
  if (!isJsonObject(value)) return value;
  return { ...value, [key]: replaceAt(value[key] ?? null, rest, next) };
}
