import { isJsonObject } from '../../core/json.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { StandardIssue } from '../../core/schema.ts';
import type { Tool } from '../../core/tool.ts';
import { MAX_DIGITS } from './lenient-reader.ts';
import { allowedValuesOf } from './schema-view.ts';
import { locate } from './locate.ts';
import { nearestWord } from './nearest-word.ts';
import { keysOf, pathOf, replaceAt } from './path.ts';
import { validateCopy } from './validate.ts';
import { wordsListedIn } from './word-list.ts';

/** Chosen: a value that is longer than this is no word, code or number in the wrong form. */
const MAX_CHARS = 60;

/** Chosen: more wrong places than this are no slip of form. */
const MAX_ISSUES = 4;

/**
 * Right forms of wrong values, by path: "JFK" for `jfk` where only capitals are taken. Each was tried: the tool's own
 * schema takes it. They are told to the model and not used by themselves: whether they mean the same is its business.
 */
export function suggest(tool: Tool, value: JsonObject, issues: readonly StandardIssue[]): ReadonlyMap<string, Json> {
  const found = new Map<string, Json>();
  if (issues.length > MAX_ISSUES) return found;
  for (const issue of issues) {
    const keys = keysOf(issue);
    const path = pathOf(keys);
    if (path === '' || found.has(path)) continue;
    const { node, value: wrong } = locate(keys, tool.inputSchema, value);
    if (wrong === undefined || node === undefined) continue;
    const allowed = allowedValuesOf(node) ?? wordsListedIn(issue.message);
    const near = allowed === undefined ? undefined : nearestWord(wrong, allowed);
    const candidates = near === undefined ? otherForms(wrong) : [near];
    const right = candidates.find((candidate) => isTaken(tool, replaceAt(value, keys, candidate), path));
    if (right !== undefined) found.set(path, right);
  }
  return found;
}

/** True where the schema has nothing to say about the place any more. */
function isTaken(tool: Tool, value: Json, path: string): boolean {
  const checked = validateCopy(tool.options.schema, value);
  if (checked instanceof Promise || checked.status === 'bug') return false;
  return checked.status === 'valid' || !checked.issues.some((issue) => pathOf(keysOf(issue)).startsWith(path));
}

/** Keys under which models put a text that was to stand alone. */
const WRAPPINGS: ReadonlySet<string> = new Set(['name', 'value', 'text', 'id', 'title', 'label', 'code']);

/** The same in other forms: case, spaces and signs, a date's separators, a number in a text, one word for a list of them. */
function otherForms(value: Json): readonly Json[] {
  if (isJsonObject(value)) {
    const [[key, only] = [], ...more] = Object.entries(value);
    // `{ "type": "string" }` is a piece of the schema, not a value in a wrapping.
    const isWrapping = key !== undefined && WRAPPINGS.has(key.toLowerCase());
    return more.length === 0 && isWrapping && typeof only === 'string' ? [only] : [];
  }
  if (typeof value !== 'string' || value.length > MAX_CHARS) return [];
  const trimmed = value.trim();
  const lower = trimmed.toLowerCase();
  const bare = value.replace(/[^\p{L}\p{N}]/gu, '');
  const number = /^[^\d-]{0,3}(-?\d+(?:\.\d+)?)(?:\s*[^\d\s]+)?$/.exec(trimmed)?.[1];
  const forms: Json[] = [
    value.toUpperCase(),
    value.toLowerCase(),
    trimmed,
    value.replace(/\s+/g, ''),
    value.replace(/[^\d+]/g, ''),
    ...isoDates(trimmed),
    bare,
    bare.toUpperCase(),
    bare.toLowerCase(),
    `#${bare.toLowerCase()}`,
    lower.replace(/[\s-]+/g, '_'),
    lower.replace(/[\s_]+/g, '-'),
    // A number that is too long for a double would be told as another one.
    ...(number === undefined || number.length > MAX_DIGITS ? [] : [Number(number)]),
    ...abbreviations(value),
    [value],
  ];
  return forms.filter((form) => form !== '' && form !== value && form !== '#');
}

/** Words by their first three letters, as days and months are written: `Friday` as `fri`. */
function abbreviations(value: string): string[] {
  const words = value.split(/[\s,;&]+/).filter((word) => /^\p{L}{3,}$/u.test(word) && word.toLowerCase() !== 'and');
  return words.length === 0 ? [] : [words.map((word) => word.slice(0, 3).toLowerCase()).join(',')];
}

/** `2027/2/11` as `2027-02-11`. Where the year does not come first, which number is the month can't be known. */
function isoDates(value: string): string[] {
  const [, year, month, day] = /^(\d{4})[/.\s-](\d{1,2})[/.\s-](\d{1,2})$/.exec(value) ?? [];
  if (year === undefined || month === undefined || day === undefined) return [];
  return [`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`];
}
