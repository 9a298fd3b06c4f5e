import { isJsonObject } from '../../core/json.ts';
import type { Json } from '../../core/json.ts';
import type { JsonSchema, StandardSchema } from '../../core/schema.ts';
import { splitThoughts } from '../text-calls/thoughts.ts';
import { cloneJson } from './clone-json.ts';
import { explain } from './explain.ts';
import { fits, workBudget } from './fits.ts';
import { readJson } from './lenient-json.ts';
import { readLenient } from './lenient-reader.ts';
import { mendInput } from './mend-input.ts';
import { itemNode, requiredOf, rootNode, typesOf } from './schema-view.ts';
import type { SchemaNode } from './schema-view.ts';
import { validate } from './validate.ts';

/** The structured answer that a run asks for. */
export interface OutputConfig {
  readonly schema: StandardSchema;
  /** Shown to the model. */
  readonly jsonSchema: JsonSchema;
  /** Answers in all, the first one included. */
  readonly maxAttempts: number;
}

/** A structured answer, read; `problem` is for the model, and missing where the schema itself threw `error`. */
export type ReadAnswer =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly problem: string | undefined; readonly error?: unknown };

/** Reads the model's final text as JSON and checks it against the output schema, with the same mending as for arguments. */
export async function readAnswer({ schema, jsonSchema }: OutputConfig, text: string): Promise<ReadAnswer> {
  const node = rootNode(jsonSchema);
  const isList = typesOf(node).includes('array');
  const said = splitThoughts(text).text.trim();
  const json = jsonIn(said);
  if (json === undefined) return { ok: false, problem: MORE_IS_SAID };
  const parsed = readJson(json);
  if (!parsed.ok) return { ok: false, problem: `It could not be read as JSON: ${parsed.problem}.` };
  const first = cloneJson(parsed.value);
  if (!first.ok) return { ok: false, problem: 'It is nested too deeply.' };
  const mended = mendInput(isList ? unwrapped(first.value, node) : first.value, jsonSchema).value;
  let problem = '';
  for (const value of new Set([first.value, mended])) {
    const checked = await validate(schema, value);
    if (checked.status === 'valid') return { ok: true, output: checked.value };
    if (checked.status === 'bug') return { ok: false, problem: undefined, error: checked.error };
    problem = explain(checked.issues, jsonSchema, value).sentences.join(' ');
  }
  return { ok: false, problem };
}

const MORE_IS_SAID =
  'There are other words around the JSON, so it is not clear that it is the answer. Answer with the JSON value and nothing else.';

/** What stands around a value without saying anything: a fence, tags, quotes. */
const WRAPPING_BEFORE = /(?:```[\w-]*|<[\w|:-]{1,40}>|["'`])\s*$/;
const WRAPPING_AFTER = /^\s*(?:```|<\/?[\w|:-]{1,40}>|["'`]|[.;)\]}]+(?=\s|$))/;

/** Words that end an answer and say nothing of it. */
const CLOSING_WORDS =
  /^\s*(?:that(?: i|['’])s all|(?:i )?hope (?:this|it|that) helps|let me know if you need [\w ]{1,40})[.!]?\s*$/i;

/** The JSON of an answer, or undefined where the text says more: that the value is an example, a draft, not known. */
function jsonIn(text: string): string | undefined {
  const start = text.search(/[[{]/);
  if (start < 0 || text.startsWith('"')) return text;
  const reading = readLenient(text, start);
  // What is wrong with it is told.
  if (!reading.ok) return isIntroduction(text.slice(0, start)) ? text.slice(start) : undefined;
  let after = text.slice(reading.end);
  for (let rest = ''; rest !== after; after = after.replace(WRAPPING_AFTER, '')) rest = after;
  after = after.replace(CLOSING_WORDS, '');
  if (after.trim() !== '') return /^\s*[:,]|["']\s*[:}\]]|\{/.test(after) ? text.slice(start) : undefined;
  return isIntroduction(text.slice(0, start)) ? text.slice(start, reading.end) : undefined;
}

/** Words that make a value something else than the answer. */
const DOUBT =
  /n['’]t\b|\b(?:no|not|cannot|unable|unknown|unsure|unclear|sorry|would|could|should|might|may|maybe|perhaps|probably|example|sample|format|schema|template|structure|placeholder|if|like|suppose|draft|guess|wrong|instead|previous|earlier|first)\b/i;

/** Chosen: an introduction is a line. */
const MAX_INTRODUCTION_CHARS = 120;

/** True for nothing, and for one line that leads to the value: `Sure! Here is the JSON:`. */
function isIntroduction(before: string): boolean {
  let words = before;
  for (let rest = ''; rest !== words; words = words.replace(WRAPPING_BEFORE, '')) rest = words;
  const isApart = /\n\s*$/.test(words) || words !== before;
  const line = words.trim().replace(/^[\p{L} ]{2,20}[!.,]\s+/u, '');
  if (line === '') return true;
  if (line.length > MAX_INTRODUCTION_CHARS || /[.?!;\n]/.test(line.slice(0, -1)) || DOUBT.test(words)) return false;
  return /[:：=]$/.test(line) || (isApart && !/[.?!]$/.test(line));
}

/** Keys that mean "here is the list". */
const LIST_KEYS =
  /^(?:items?|results?|data|list|array|values?|outputs?|answers?|responses?|entries|elements|records|rows|objects)$/i;

/** Keys that mean something beside it. */
const OTHER_LISTS = /err|warn|fail|problem|issue|missing|invalid|reject|exclu|skip|unknown|ignor|altern|example/i;

/**
 * `{"items": […]}` for `[…]`: models like to begin with an object. Only from a key that can mean the list: a general one, the
 * schema's own title, or one whose items are objects of the declared kind.
 */
function unwrapped(value: Json, node: SchemaNode): Json {
  if (!isJsonObject(value)) return value;
  const [[key, only] = [], ...others] = Object.entries(value);
  if (key === undefined || others.length > 0 || !Array.isArray(only)) return value;
  const list = only as readonly Json[];
  const item = itemNode(node, 0);
  const isOfKind =
    list.length > 0 && requiredOf(item).length > 0 && list.every((entry) => fits(entry, item, workBudget()));
  const isMeant = LIST_KEYS.test(key) || key === node.schema['title'] || (isOfKind && !OTHER_LISTS.test(key));
  return isMeant ? list : value;
}
