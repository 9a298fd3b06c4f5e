import type { OutputConfig } from '../config.ts';
import { explain } from './explain.ts';
import { readJson } from './lenient-json.ts';
import { validate } from './validate.ts';
import { mendInput } from './mend-input.ts';
import { cloneJson } from './clone-json.ts';

/** A structured answer, read; `problem` is for the model, and missing where the schema itself threw `error`. */
export type ReadAnswer =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly problem: string | undefined; readonly error?: unknown };

/** Reads the model's final text as JSON and checks it against the output schema, with the same mending as for arguments. */
export async function readAnswer({ schema, jsonSchema }: OutputConfig, text: string): Promise<ReadAnswer> {
  const parsed = readJson(text);
  if (!parsed.ok) return { ok: false, problem: `It could not be read as JSON: ${parsed.problem}.` };
  const first = cloneJson(parsed.value);
  if (!first.ok) return { ok: false, problem: 'It is nested too deeply.' };
  const checked = await validate(schema, first.value);
  if (checked.status === 'valid') return { ok: true, output: checked.value };
  if (checked.status === 'bug') return { ok: false, problem: undefined, error: checked.error };
  const { value, mends } = mendInput(first.value, jsonSchema);
  const again = mends.length === 0 ? checked : await validate(schema, value);
  if (again.status === 'valid') return { ok: true, output: again.value };
  if (again.status === 'bug') return { ok: false, problem: undefined, error: again.error };
  return { ok: false, problem: explain(again.issues, jsonSchema, value).sentences.join(' ') };
}
