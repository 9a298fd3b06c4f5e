import { errorData } from '../../core/error-data.ts';
import type { Failure } from '../../core/failure.ts';
import type { Redactor } from '../../secrets/redactor.ts';

/** Fields of a failure in words that are not ours: a server's, a provider's, a tool's or a model's. */
const WORDS = ['message', 'hint', 'vendorCode', 'toolName'] as const;

/** The failure with its words masked, and with what was thrown as data. */
export function maskedFailure<F extends Partial<Pick<Failure, (typeof WORDS)[number] | 'cause'>>>(
  failure: F,
  redactor: Redactor,
): F {
  const redact = (text: string): string => redactor.redact(text, 'words');
  const changes: { -readonly [Field in (typeof WORDS)[number] | 'cause']?: Failure[Field] } = {};
  for (const field of WORDS) {
    const before: unknown = failure[field];
    const after = typeof before === 'string' ? redact(before) : undefined;
    if (after !== undefined && after !== before) changes[field] = after;
  }
  if (failure.cause !== undefined) changes.cause = errorData(failure.cause, redact);
  return Object.keys(changes).length === 0 ? failure : { ...failure, ...changes };
}
