import type { FailureKind } from '../../core/failure.ts';
import type { Overflow } from './context-overflow.ts';
import { findOverflow } from './context-overflow.ts';
import type { VendorError } from './vendor-error.ts';
import type { Under } from './wordings.ts';
import { kindOfCode, STATUSES, WORDINGS } from './wordings.ts';

/** What an error of a server is, decided by its sentences, its machine words and its status: never by digits in its text. */
export interface Classified {
  readonly kind: FailureKind;
  readonly overflow?: Overflow | undefined;
}

/** Kinds that a code decides whatever the status: gateways wrap them in statuses of their own. */
const DECIDED_BY_CODE: ReadonlySet<FailureKind> = new Set(['quota-exhausted', 'refused', 'rate-limited', 'overloaded']);

/** Statuses under which the words of an overflow mean something else: a key, an account, a limit of a minute. */
const NO_OVERFLOW: ReadonlySet<number | undefined> = new Set([401, 402, 429]);

/** Classifies an error by the status of its answer; one inside an answer of status 200 by the status that it names itself. */
export function classifyError(error: VendorError, status: number | undefined = error.status): Classified {
  const overflow = NO_OVERFLOW.has(status) ? undefined : findOverflow(error);
  return overflow === undefined ? { kind: kindOf(error, status) } : { kind: 'context-overflow', overflow };
}

function kindOf(error: VendorError, status: number | undefined): FailureKind {
  if (isOverMinute(error)) return 'too-large';
  const wording = WORDINGS.find(({ under, pattern }) => counts(under, status) && pattern.test(error.text));
  if (wording !== undefined) return wording.kind;
  if (status === 413) return 'too-large';
  const code = kindOfCodes(error.words);
  if (code !== undefined && DECIDED_BY_CODE.has(code)) return code;
  // An error that says nothing about itself, after the request was accepted: the server's own trouble.
  if (status === undefined) return code ?? 'server-error';
  const mayWrap = counts('wrapping', status);
  if (mayWrap && (code === 'not-found' || code === 'unauthorized')) return code;
  const told = mayWrap ? (error.status ?? status) : status;
  return STATUSES[told] ?? (told >= 500 ? 'server-error' : 'bad-request');
}

/** Client errors that gateways give to the failures of others. */
const WRAPPING: ReadonlySet<number> = new Set([400, 403, 422, 424, 446]);

function counts(under: Under, status: number | undefined): boolean {
  if (under === 'any' || status === undefined || status >= 500) return true;
  return under === 'wrapping' && WRAPPING.has(status);
}

/** A single request over the token limit of a minute (OpenAI, Groq): no wait makes it smaller. */
function isOverMinute({ text }: VendorError): boolean {
  const [, limit, requested] =
    /per min.{0,40}?\blimit:? ([\d,]{1,15}).{0,40}?\brequested:? ([\d,]{1,15})/.exec(text) ?? [];
  return Number(requested?.replaceAll(',', '')) > Number(limit?.replaceAll(',', ''));
}

function kindOfCodes(words: readonly string[]): FailureKind | undefined {
  let found: FailureKind | undefined;
  for (const word of words) {
    const kind = kindOfCode(word);
    if (kind === undefined) continue;
    // A quota is also a rate limit by its second word (OpenAI: type and code): the graver one counts.
    if (kind === 'quota-exhausted' || kind === 'refused') return kind;
    // `invalid_request_error` is the type of nearly everything at OpenAI: the code beside it says more.
    if (found === undefined || found === 'bad-request') found = kind;
  }
  return found;
}
