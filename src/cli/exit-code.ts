import { assertNever } from '../core/assert.ts';
import type { RunResult } from '../core/result.ts';

/** What the command exits with. Documented in `docs/cli.md`; scripts rely on it. */
export const ExitCode = {
  completed: 0,
  failed: 1,
  /** The command was called wrongly, or has nothing to run with: nothing was run. */
  usage: 2,
  /** A limit ended the run. */
  stopped: 3,
  /** The run waits for a person. */
  suspended: 4,
  /** 128 + SIGINT, as shells expect. */
  aborted: 130,
} as const;

/** One of the documented exit codes. */
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** The exit code that says how a run ended. */
export function exitCodeOf(result: RunResult<unknown>): ExitCode {
  switch (result.status) {
    case 'completed':
      // An answer that a limit forced is shown, but a script must not take it for a finished job.
      return result.finishedBy === undefined ? ExitCode.completed : ExitCode.stopped;
    case 'failed':
      return ExitCode.failed;
    case 'stopped':
      return ExitCode.stopped;
    case 'suspended':
      return ExitCode.suspended;
    case 'aborted':
      return ExitCode.aborted;
    default:
      return assertNever(result);
  }
}
