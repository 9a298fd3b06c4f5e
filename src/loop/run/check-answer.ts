import type { RunConfig } from './run-config.ts';
import { HookFailure } from '../hooks/hooks.ts';
import type { Outcome } from './state.ts';
import { readAnswer } from '../tool-input/read-answer.ts';

/** Checks an answer against the output schema of the run. */
export async function checkAnswer(config: RunConfig, text: string): Promise<Outcome> {
  if (config.output === undefined) return { type: 'answer-checked', check: { ok: true, output: undefined } };
  const read = await readAnswer(config.output, text);
  if (read.ok) return { type: 'answer-checked', check: { ok: true, output: read.output } };
  if (read.problem === undefined) throw new HookFailure('output', read.error);
  // What the schema says goes to the model and into the message of a stop.
  return { type: 'answer-checked', check: { ok: false, problem: config.redactor.redact(read.problem) } };
}
