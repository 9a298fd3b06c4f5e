import type { Failure } from './failure.ts';
import type { RunResult } from './result.ts';

/** A failure as data. What was thrown inside of it is for developers: it does not leave the process. */
export function withoutCause({ cause: _cause, ...failure }: Failure): Failure {
  return failure;
}

/** A result whose failures are data. All else stays as it is: `cause` may be the name of a tool's argument. */
export function withoutCauses<R extends RunResult<unknown>>(result: R): R {
  const failures = result.failures.map(withoutCause);
  if (result.status !== 'failed') return { ...result, failures };
  return { ...result, failures, failure: withoutCause(result.failure) };
}
