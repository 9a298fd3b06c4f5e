import type { Failure } from '../../core/failure.ts';
import type { Redactor } from '../../secrets/redactor.ts';
import { thrownWords } from '../../core/thrown-words.ts';
import { maskedFailure } from './masked-failure.ts';

/** The failure of a run that was ended by an error which nobody had foreseen. */
export function bugFailure(cause: unknown, redactor: Redactor): Failure {
  return maskedFailure<Failure>(
    { kind: 'bug', message: `The run failed by a bug: ${thrownWords(cause)}.`, cause },
    redactor,
  );
}
