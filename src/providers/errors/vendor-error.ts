import { durationMs } from '../../resilience/retry-after.ts';
import { describeText, excerpt } from '../describe-text.ts';
import type { Mask } from '../describe-text.ts';
import { countOf } from '../../core/usage.ts';
import { listOf, parseJson, recordOf, stringOf } from '../json-fields.ts';

/** An error of a model's server in one shape, whatever the vendor. */
export interface VendorError {
  /** The server's own words, '' where it gave none. */
  readonly message: string;
  /** Every machine-readable word that it gave, in lower case: type, code, status, inner code. */
  readonly words: readonly string[];
  /** The most telling of the words, as it came. */
  readonly code?: string | undefined;
  /** The parameter that it is about. */
  readonly param?: string | undefined;
  /** An HTTP status inside the body, for errors that travel in an answer of another status. */
  readonly status?: number | undefined;
  /** A wait that the body asks for (Google's `RetryInfo`). */
  readonly retryAfterMs?: number | undefined;
  /** Token counts that are fields of their own (llama.cpp). */
  readonly tokens?: { readonly needed: number | undefined; readonly limit: number | undefined } | undefined;
}

/** Chosen: long enough for every vendor's sentence, short enough for a log line. */
const MAX_MESSAGE_CHARS = 500;

/** Chosen: no vendor's code is half as long. */
const MAX_CODE_CHARS = 100;

/** Reads the body of an error answer: JSON of any known shape, an event that holds it, a page, or plain text. */
export function readVendorError(bodyText: string, mask: Mask): VendorError {
  return vendorErrorOf(parseJson(bodyText) ?? parseFramed(bodyText) ?? bodyText, mask);
}

function parseFramed(bodyText: string): unknown {
  const data = /^data: ?(\{.*)$/m.exec(bodyText)?.[1];
  return data === undefined ? undefined : parseJson(data);
}

/** Reads an error payload that is already parsed. What of it is shown is masked. */
export function vendorErrorOf(payload: unknown, mask: Mask): VendorError {
  if (typeof payload === 'string') return { message: describeText(payload, mask), words: [] };
  // Google wraps the object into an array; OpenRouter's and Anthropic's stand inside `error`.
  const outer = recordOf(Array.isArray(payload) ? payload[0] : payload) ?? {};
  const response = recordOf(outer['response']);
  const choice = recordOf(listOf(outer['choices'])[0]);
  const inner = outer['error'] ?? response?.['error'] ?? choice?.['error'] ?? listOf(outer['errors'])[0];
  const error = recordOf(inner) ?? outer;
  const cause = recordOf(error['innererror'] ?? error['inner_error']);
  // Google says `INVALID_ARGUMENT` of a wrong key too, and the reason beside it (google.rpc.ErrorInfo).
  const details = listOf(error['details']).map((detail) => recordOf(detail) ?? {});
  const message = messageOf(inner) || messageOf(outer);
  const words = [
    error['code'],
    error['type'],
    error['status'],
    cause?.['code'],
    outer['code'],
    outer['type'],
    outer['error_code'],
    message === outer['error'] ? '' : outer['error'],
    ...details.map((detail) => detail['reason']),
    // OpenRouter's moderation answers a bare 403 and says why beside it.
    Array.isArray(recordOf(error['metadata'])?.['reasons']) ? 'moderation_blocked' : '',
  ].flatMap((word) => (typeof word === 'string' && word !== '' && word !== 'error' ? [word] : []));
  const retryDelay = details.map((detail) => stringOf(detail['retryDelay'])).find(Boolean);
  return {
    message: excerpt(message, MAX_MESSAGE_CHARS, mask),
    words: words.map((word) => word.toLowerCase()),
    code: codeOf(words[0], mask),
    param: stringOf(error['param']) ?? stringOf(placeOf(listOf(outer['detail'])[0]).at(-1)),
    status: statusIn(error) ?? statusIn(outer),
    retryAfterMs: durationMs(retryDelay ?? ''),
    tokens: { needed: countOf(error['n_prompt_tokens']), limit: countOf(error['n_ctx']) },
  };
}

/** A code as it may be shown. One that is too long is a text in the wrong place, and a piece of it says nothing. */
function codeOf(word: string | undefined, mask: Mask): string | undefined {
  return word === undefined || word.length > MAX_CODE_CHARS ? undefined : mask(word);
}

/** The words for people: a string, `message` or its synonyms, or the issues of a validating server (FastAPI). */
function messageOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.slice(0, 5).map(issueText).filter(Boolean).join('; ');
  const record = recordOf(value);
  if (record === undefined) return '';
  const { message, msg, error_description, title, detail, metadata } = record;
  const text = [message, msg, error_description, title].find((word) => typeof word === 'string');
  if (text === undefined) return messageOf(message ?? detail);
  // OpenRouter says "Provider returned error" and keeps the provider's words beside it.
  const raw = stringOf(recordOf(metadata)?.['raw']);
  return raw === undefined ? text : `${text}: ${raw}`;
}

function issueText(issue: unknown): string {
  const place = placeOf(issue).join('.');
  return place === '' ? messageOf(issue) : `${place}: ${messageOf(issue)}`;
}

/** Where in the request an issue is (FastAPI). */
function placeOf(issue: unknown): readonly unknown[] {
  return listOf(recordOf(issue)?.['loc']);
}

function statusIn(record: Readonly<Record<string, unknown>>): number | undefined {
  return [record['status'], record['status_code'], record['statusCode'], record['code']]
    .map(Number)
    .find((status) => Number.isInteger(status) && status >= 400 && status < 600);
}
