import type { FailureKind } from '../core/failure.ts';
import type { Overflow } from './context-overflow.ts';
import { findOverflow } from './context-overflow.ts';
import type { VendorError } from './vendor-error.ts';

/** What an error of a server is, decided by status, type and code: never by digits in its text. */
export interface Classified {
  readonly kind: FailureKind;
  readonly overflow?: Overflow | undefined;
}

/** Words of `type` and `code` that name a class, from the vendors' error pages. */
const KIND_OF_WORD: ReadonlyMap<string, FailureKind> = new Map<string, FailureKind>([
  // OpenAI, Azure, DeepSeek, Kimi, OpenRouter, Anthropic: paid for is paid for; waiting does not help.
  ['insufficient_quota', 'quota-exhausted'],
  ['billing_hard_limit_reached', 'quota-exhausted'],
  ['billing_not_active', 'quota-exhausted'],
  ['billing_error', 'quota-exhausted'],
  ['insufficient_balance', 'quota-exhausted'],
  ['insufficient_credits', 'quota-exhausted'],
  ['credit_balance_too_low', 'quota-exhausted'],
  ['exceeded_current_quota_error', 'quota-exhausted'],
  ['payment_required', 'quota-exhausted'],
  // Zhipu: the account is in arrears, with status 429.
  ['1113', 'quota-exhausted'],
  // Content filters: Azure, OpenAI.
  ['content_filter', 'refused'],
  ['responsibleaipolicyviolation', 'refused'],
  ['content_policy_violation', 'refused'],
  ['moderation_blocked', 'refused'],
  ['rate_limit_error', 'rate-limited'],
  ['rate_limit_exceeded', 'rate-limited'],
  ['rate_limited', 'rate-limited'],
  ['rate_limit_reached_error', 'rate-limited'],
  ['too_many_requests', 'rate-limited'],
  ['throttlingexception', 'rate-limited'],
  ['resource_exhausted', 'rate-limited'],
  ['overloaded_error', 'overloaded'],
  ['overloaded', 'overloaded'],
  ['engine_overloaded', 'overloaded'],
  ['engine_overloaded_error', 'overloaded'],
  ['model_overloaded', 'overloaded'],
  ['slow_down', 'overloaded'],
  ['capacity_exceeded', 'overloaded'],
  ['unavailable', 'overloaded'],
  ['unavailable_error', 'overloaded'],
  ['service_unavailable', 'overloaded'],
  ['authentication_error', 'unauthorized'],
  ['invalid_api_key', 'unauthorized'],
  ['invalid_authentication_error', 'unauthorized'],
  ['unauthenticated', 'unauthorized'],
  ['api_key_invalid', 'unauthorized'],
  ['permission_error', 'unauthorized'],
  ['permission_denied', 'unauthorized'],
  ['not_found_error', 'not-found'],
  ['model_not_found', 'not-found'],
  ['not_found', 'not-found'],
  // Mistral, with status 400.
  ['invalid_model', 'not-found'],
  ['request_too_large', 'too-large'],
  ['invalid_request_error', 'bad-request'],
  ['invalid_argument', 'bad-request'],
  ['invalid_prompt', 'bad-request'],
  ['server_error', 'server-error'],
  ['api_error', 'server-error'],
  ['internal_error', 'server-error'],
  ['internal_server_error', 'server-error'],
  ['internal', 'server-error'],
  ['timeout_error', 'server-error'],
  ['deadline_exceeded', 'server-error'],
]);

/** Kinds that a word decides whatever the status: gateways wrap them in statuses of their own. */
const DECIDED_BY_WORD: ReadonlySet<FailureKind> = new Set(['quota-exhausted', 'refused', 'rate-limited', 'overloaded']);

/** Classifies an answer with an error status. */
export function classifyAnswer(status: number, error: VendorError): Classified {
  const special = classifySpecial(status, error);
  if (special !== undefined) return special;
  const word = kindOfWords(error.words);
  // A single request over the token limit of a minute (Groq): no wait makes it smaller.
  if (status === 413) return { kind: 'too-large' };
  if (word !== undefined && DECIDED_BY_WORD.has(word)) return { kind: word };
  if (status === 400 && (word === 'not-found' || word === 'unauthorized')) return { kind: word };
  // "In any wrapping": a gateway's 400 or 5xx around an inner 429 or 503.
  const isWrapped = error.status !== undefined && error.status !== status && (status === 400 || status >= 500);
  return { kind: kindOfStatus(isWrapped && error.status !== undefined ? error.status : status) };
}

/** Classifies an error that stands inside an answer of status 200. */
export function classifyPayload(error: VendorError): Classified {
  const special = classifySpecial(error.status, error);
  if (special !== undefined) return special;
  const word = kindOfWords(error.words);
  if (word !== undefined && DECIDED_BY_WORD.has(word)) return { kind: word };
  if (error.status !== undefined) return { kind: kindOfStatus(error.status) };
  // An error that says nothing about itself, after the request was accepted: the server's own trouble.
  return { kind: word ?? 'server-error' };
}

/** Statuses under which vendors report that a request is too long; a 429 with such words is a rate limit. */
const OVERFLOW_STATUSES: ReadonlySet<number | undefined> = new Set([undefined, 400, 413, 422, 500]);

function classifySpecial(status: number | undefined, error: VendorError): Classified | undefined {
  if (OVERFLOW_STATUSES.has(status)) {
    const found = findOverflow(error.message, error.words);
    if (found !== undefined) {
      const { tokens } = error;
      return {
        kind: 'context-overflow',
        overflow: { needed: tokens?.needed ?? found.needed, limit: tokens?.limit ?? found.limit },
      };
    }
  }
  // llama.cpp answers 500 to arguments in the history that it can't read, at every try.
  if (status === 500 && /^failed to parse tool call arguments/i.test(error.message)) return { kind: 'bad-request' };
  // Anthropic reports an empty account as a plain `invalid_request_error`.
  if (status === 400 && /^your credit balance is too low/i.test(error.message)) return { kind: 'quota-exhausted' };
  return undefined;
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

function kindOfStatus(status: number): FailureKind {
  switch (status) {
    case 401:
    case 403:
      return 'unauthorized';
    case 402:
      return 'quota-exhausted';
    case 404:
    case 410:
      return 'not-found';
    case 408:
    case 409:
    case 425:
      return 'server-error';
    case 413:
      return 'too-large';
    case 429:
      return 'rate-limited';
    // 498 is Groq's "flex tier capacity exceeded", 529 Anthropic's "overloaded".
    case 498:
    case 503:
    case 529:
      return 'overloaded';
    default:
      return status >= 500 ? 'server-error' : 'bad-request';
  }
}
