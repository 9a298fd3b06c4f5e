import { errorData } from '../../core/error-data.ts';
import type { Stopping } from '../call/state.ts';
import { HookFailure, HookStop } from './hooks.ts';
import { bugFailure } from './bug-failure.ts';
import { maskedFailure } from './masked-failure.ts';
import type { RunContext } from './context.ts';

/**
 * How an error that user code or the library threw ends the run, as data.
 * @throws the reason of the abort, where that is all that it is: to be cut off is no outcome.
 */
export function stoppingOf({ config, abort }: RunContext, error: unknown): Stopping {
  if (error instanceof HookStop) return { type: 'hook', reason: config.redactor.redact(error.message, 'words') };
  if (error instanceof HookFailure) {
    const { message, cause } = error;
    return { type: 'fault', failure: maskedFailure({ kind: 'bug', message, cause }, config.redactor) };
  }
  if (abort.aborted) throw abort.reason;
  return {
    type: 'fault',
    failure: bugFailure(error ?? new Error('The step failed without a reason.'), config.redactor),
  };
}

/** The reason of an abort as data. */
export function reasonOf({ config }: RunContext, reason: unknown): ReturnType<typeof errorData> {
  return errorData(reason, (text) => config.redactor.redact(text, 'words'));
}
