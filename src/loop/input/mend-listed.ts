import type { Mend } from '../../core/event.ts';
import type { Json } from '../../core/json.ts';
import type { StandardIssue } from '../../core/schema.ts';
import { mendWord } from './mend.ts';
import type { MendedInput } from './mend-input.ts';
import { keysOf, pathOf, replaceAt, valueAt } from './path.ts';
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
    const allowed = wordsListedIn(issue.message);
    const right = typeof word === 'string' && allowed !== undefined ? mendWord(word, allowed) : undefined;
    if (right === undefined) continue;
    mended = replaceAt(mended, keys, right);
    mends.push({ kind: 'enum', path: pathOf(keys), what: 'spelling of an allowed value' });
  }
  return { value: mended, mends };
}
