import type { Json, JsonObject } from '../../core/json.ts';
import type { StandardIssue } from '../../core/schema.ts';
import type { Tool } from '../../core/tool.ts';
import { coerceType } from './coerce.ts';
import { outOfBounds } from './fits.ts';
import { locate } from './locate.ts';
import type { Place } from './locate.ts';
import { keysOf, pathOf, replaceAt } from './path.ts';
import { validateCopy } from './validate.ts';
import { wordsOf } from './tool-names.ts';

/** Chosen: a value that is longer than this is no word, code or number in the wrong form. */
const MAX_CHARS = 60;

/** Chosen: more wrong places than this are no slip of form. */
const MAX_ISSUES = 4;

/**
 * Right forms of wrong values, by path: "JFK" for `jfk` where only capitals are taken. Each was tried: the tool's own
 * schema takes it, and no other form of the kind. They are told to the model and not used by themselves.
 */
export function suggest(tool: Tool, value: JsonObject, issues: readonly StandardIssue[]): ReadonlyMap<string, Json> {
  const found = new Map<string, Json>();
  if (issues.length > MAX_ISSUES) return found;
  for (const issue of issues) {
    const keys = keysOf(issue);
    const path = pathOf(keys);
    if (path === '' || found.has(path)) continue;
    for (const forms of otherForms(locate(keys, tool.inputSchema, value), String(keys.at(-1)))) {
      const taken = [...new Set(forms)].filter((form) => isTaken(tool, replaceAt(value, keys, form), path));
      const [only] = taken;
      if (only !== undefined && taken.length === 1) found.set(path, only);
      // Several forms would do: which one is meant is not clear.
      if (taken.length > 0) break;
    }
  }
  return found;
}

/** True where the schema has nothing to say about the place any more. */
function isTaken(tool: Tool, value: Json, path: string): boolean {
  const checked = validateCopy(tool.options.schema, value);
  if (checked instanceof Promise || checked.status === 'bug') return false;
  return checked.status === 'valid' || !checked.issues.some((issue) => pathOf(keysOf(issue)).startsWith(path));
}

/** The same in other forms, those that change least first: case, then spaces, `_` and `-`, then a number without its unit. */
function otherForms({ node, value }: Place, key: string): Json[][] {
  if (typeof value !== 'string' || value.length > MAX_CHARS || value.trim() === '') return [];
  // A shorter or longer text says something else.
  if (node === undefined || outOfBounds(value, node) !== undefined) return [];
  const lower = value.toLowerCase();
  // Spaces between words are part of a text; within a number or a code they only group it.
  const isGrouped = value.split(' ').every((group) => /\d/.test(group));
  const cased = [value.toUpperCase(), lower];
  const separated = [lower.replace(/[\s-]+/g, '_'), lower.replace(/[\s_]+/g, '-')];
  if (isGrouped) separated.push(value.replace(/[ -]/g, ''));
  const [, amount, unit = ''] = /^([-+]?\d+(?:\.\d+)?)\s*(\p{L}+)$/u.exec(value.trim()) ?? [];
  const number =
    amount === undefined || !isUnitOf(unit, key, node.schema['description']) ? undefined : coerceType(amount, node);
  return [cased, separated]
    .map((forms) => forms.filter((form) => form !== value))
    .concat(number === undefined ? [] : [[number.value as string]]);
}

/** True where a unit is the declared one: a word of the key (`minutes`, `amount_eur`), or what the description counts in. */
function isUnitOf(unit: string, key: string, description: Json | undefined): boolean {
  const wanted = singular(unit);
  if (wordsOf(key).some((word) => singular(word) === wanted)) return true;
  const counted = typeof description === 'string' ? [...description.matchAll(/\bin (\p{L}+)|\((\p{L}+)\)/gu)] : [];
  return counted.length === 1 && counted.some(([, after, inside]) => singular(after ?? inside ?? '') === wanted);
}

function singular(word: string): string {
  return word.toLowerCase().replace(/s$/, '');
}
