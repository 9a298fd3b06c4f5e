import { isJsonObject } from '../../core/json.ts';
import type { Json } from '../../core/json.ts';
import type { OutputConfig } from '../run/run-config.ts';
import { cloneJson } from './clone-json.ts';
import { explain } from './explain.ts';
import { readJson } from './lenient-json.ts';
import { mendInput } from './mend-input.ts';
import { rootNode, typesOf } from './schema-view.ts';
import { validate } from './validate.ts';

/** A structured answer, read; `problem` is for the model, and missing where the schema itself threw `error`. */
export type ReadAnswer =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly problem: string | undefined; readonly error?: unknown };

/** Reads the model's final text as JSON and checks it against the output schema, with the same mending as for arguments. */
export async function readAnswer({ schema, jsonSchema }: OutputConfig, text: string): Promise<ReadAnswer> {
  const isList = typesOf(rootNode(jsonSchema)).includes('array');
  const parsed = readJson(isList ? listIn(text) : text);
  if (!parsed.ok) return { ok: false, problem: `It could not be read as JSON: ${parsed.problem}.` };
  const first = cloneJson(parsed.value);
  if (!first.ok) return { ok: false, problem: 'It is nested too deeply.' };
  const mended = mendInput(isList ? unwrapped(first.value) : first.value, jsonSchema).value;
  let problem = '';
  for (const value of new Set([first.value, mended])) {
    const checked = await validate(schema, value);
    if (checked.status === 'valid') return { ok: true, output: checked.value };
    if (checked.status === 'bug') return { ok: false, problem: undefined, error: checked.error };
    problem = explain(checked.issues, jsonSchema, value).sentences.join(' ');
  }
  return { ok: false, problem };
}

/** The list in a text, without the prose or the fence around it; the text itself where it holds something else first. */
function listIn(text: string): string {
  const start = text.search(/[[{]/);
  const end = text.lastIndexOf(']');
  return start >= 0 && text[start] === '[' && end > start ? text.slice(start, end + 1) : text;
}

/** `{"items": […]}` for `[…]`: models like to begin with an object, and one list alone can't be meant otherwise. */
function unwrapped(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const members = Object.values(value);
  const [only] = members;
  return members.length === 1 && Array.isArray(only) ? (only as readonly Json[]) : value;
}
