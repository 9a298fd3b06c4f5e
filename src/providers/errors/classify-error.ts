import type { FailureKind } from '../../core/failure.ts';
import type { Overflow } from './context-overflow.ts';
import { findOverflow } from './context-overflow.ts';
import type { VendorError } from './vendor-error.ts';

/** What an error of a server is, decided by status, type and code: never by digits in its text. */
export interface Classified {
  readonly kind: FailureKind;
  readonly overflow?: Overflow | undefined;
}

/** Words of `type` and `code` that name a class, from the vendors' error pages. */
const WORDS: Partial<Record<FailureKind, readonly string[]>> = {
  // OpenAI, Azure, DeepSeek, Kimi, OpenRouter, Anthropic: paid for is paid for; waiting does not help.
  'quota-exhausted': [
    'insufficient_quota',
    'billing_hard_limit_reached',
    'billing_not_active',
    'billing_error',
    'insufficient_balance',
    'insufficient_credits',
    'credit_balance_too_low',
    'exceeded_current_quota_error',
    'payment_required',
    // Zhipu: the account is in arrears, with status 429.
    '1113',
  ],
  // Content filters: Azure, OpenAI.
  refused: ['content_filter', 'responsibleaipolicyviolation', 'content_policy_violation', 'moderation_blocked'],
  'rate-limited': [
    'rate_limit_error',
    'rate_limit_exceeded',
    'rate_limited',
    'rate_limit_reached_error',
    'too_many_requests',
    'throttlingexception',
    'resource_exhausted',
  ],
  overloaded: [
    'overloaded_error',
    'overloaded',
    'engine_overloaded',
    'engine_overloaded_error',
    'model_overloaded',
    'slow_down',
    'capacity_exceeded',
    'unavailable',
    'unavailable_error',
    'service_unavailable',
  ],
  unauthorized: [
    'authentication_error',
    'invalid_api_key',
    'invalid_authentication_error',
    'unauthenticated',
    'api_key_invalid',
    'permission_error',
    'permission_denied',
  ],
  // `invalid_model` is Mistral's, with status 400.
  'not-found': ['not_found_error', 'model_not_found', 'not_found', 'invalid_model'],
  'too-large': ['request_too_large'],
  'bad-request': ['invalid_request_error', 'invalid_argument', 'invalid_prompt'],
  'server-error': [
    'server_error',
    'api_error',
    'internal_error',
    'internal_server_error',
    'internal',
    'timeout_error',
    'deadline_exceeded',
  ],
};

const KIND_OF_WORD: ReadonlyMap<string, FailureKind> = new Map(
  Object.entries(WORDS).flatMap(([kind, words]) => words.map((word) => [word, kind as FailureKind] as const)),
);

/** Kinds that a word decides whatever the status: gateways wrap them in statuses of their own. */
const DECIDED_BY_WORD: ReadonlySet<FailureKind> = new Set(['quota-exhausted', 'refused', 'rate-limited', 'overloaded']);

/** Those that are not what their first digit says: the client's fault, or the server's. */
const KIND_OF_STATUS: Readonly<Record<number, FailureKind>> = {
  401: 'unauthorized',
  402: 'quota-exhausted',
  403: 'unauthorized',
  404: 'not-found',
  408: 'server-error',
  409: 'server-error',
  410: 'not-found',
  413: 'too-large',
  425: 'server-error',
  429: 'rate-limited',
  // Groq: "flex tier capacity exceeded".
  498: 'overloaded',
  503: 'overloaded',
  // Anthropic.
  529: 'overloaded',
};

/** Statuses under which vendors report that a request is too long; a 429 with such words is a rate limit. */
const OVERFLOW_STATUSES: ReadonlySet<number | undefined> = new Set([undefined, 400, 413, 422, 500]);

/** Classifies an error by the status of its answer; one inside an answer of status 200 by the status that it names itself. */
export function classifyError(error: VendorError, status: number | undefined = error.status): Classified {
  const overflow = OVERFLOW_STATUSES.has(status) ? findOverflow(error) : undefined;
  return overflow === undefined ? { kind: kindOf(error, status) } : { kind: 'context-overflow', overflow };
}

function kindOf(error: VendorError, status: number | undefined): FailureKind {
  // llama.cpp answers 500 to arguments in the history that it can't read, at every try.
  if (status === 500 && /^failed to parse tool call arguments/i.test(error.message)) return 'bad-request';
  // Anthropic reports an empty account as a plain `invalid_request_error`.
  if (status === 400 && /^your credit balance is too low/i.test(error.message)) return 'quota-exhausted';
  // A single request over the token limit of a minute (Groq): no wait makes it smaller.
  if (status === 413) return 'too-large';
  const word = kindOfWords(error.words);
  if (word !== undefined && DECIDED_BY_WORD.has(word)) return word;
  // An error that says nothing about itself, after the request was accepted: the server's own trouble.
  if (status === undefined) return word ?? 'server-error';
  if (status === 400 && (word === 'not-found' || word === 'unauthorized')) return word;
  // "In any wrapping": a gateway's 400 or 5xx around an inner 429 or 503.
  const mayWrap = status === 400 || status >= 500;
  const told = mayWrap ? (error.status ?? status) : status;
  return KIND_OF_STATUS[told] ?? (told >= 500 ? 'server-error' : 'bad-request');
}

function kindOfWords(words: readonly string[]): FailureKind | undefined {
  let found: FailureKind | undefined;
  for (const word of words) {
    const kind = KIND_OF_WORD.get(word);
    if (kind === undefined) continue;
    // A quota is also a rate limit by its second word (OpenAI: type and code): the graver one counts.
    if (kind === 'quota-exhausted' || kind === 'refused') return kind;
    // `invalid_request_error` is the type of nearly everything at OpenAI: the code beside it says more.
    if (found === undefined || found === 'bad-request') found = kind;
  }
  return found;
}
