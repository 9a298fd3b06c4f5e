import type { RunResult } from '../core/result.ts';
import { withoutCauses } from '../core/without-causes.ts';
import { hintOf } from './user-error.ts';

/** What `--json` prints of a run: its result as it is, with what stood around it. */
export type RunDocument = RunResult<unknown> & {
  readonly provider: string;
  readonly model: string;
  readonly requests: number;
  readonly durationMs: number;
  /** What to do about a run that gave no answer, in words of the command. */
  readonly hint?: string | undefined;
};

/** One JSON document, indented. What was thrown inside a failure (`cause`) is no data and is left out. */
export function documentText(document: RunDocument): string {
  return JSON.stringify(withoutCauses(document), undefined, 2);
}

/** The document of a command that could not start. */
export function errorDocumentText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return JSON.stringify({ status: 'error', error: { message, hint: hintOf(error) } }, undefined, 2);
}
