import { HookFailure } from './hooks.ts';
import type { RunContext } from './context.ts';
import type { Outcome } from '../run/state.ts';
import { untilAborted } from './until-aborted.ts';
import { readAnswer } from '../input/read-answer.ts';
import type { RunMemory } from './run-memory.ts';

/** Checks an answer against the output schema of the run. What the schema made of it stays in memory: it may be no JSON. */
export async function checkAnswer({ config, abort }: RunContext, memory: RunMemory, text: string): Promise<Outcome> {
  if (config.output === undefined) return { type: 'checked' };
  const read = await untilAborted(readAnswer(config.output, text), abort);
  if (read.ok) {
    memory.output = read.output;
    return { type: 'checked' };
  }
  if (read.problem === undefined) throw new HookFailure('output', read.error);
  // What the schema says goes to the model and into the message of a stop.
  return { type: 'checked', problem: config.redactor.redact(read.problem) };
}
