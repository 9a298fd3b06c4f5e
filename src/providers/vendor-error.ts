import { durationMs } from '../resilience/retry-after.ts';
import { describeText } from './body-reader.ts';
import { listOf, recordOf, stringOf } from './json-fields.ts';

/** An error of a model's server in one shape, whatever the vendor. */
export interface VendorError {
  /** The server's own words, '' where it gave none. */
  readonly message: string;
  /** Every machine-readable word that it gave, in lower case: type, code, status, inner code. */
  readonly words: readonly string[];
  /** The most telling of the words, as it came. */
  readonly code: string | undefined;
  /** The parameter that it is about. */
  readonly param: string | undefined;
  /** An HTTP status inside the body, for errors that travel in an answer of another status. */
  readonly status: number | undefined;
  /** A wait that the body asks for (Google's `RetryInfo`). */
  readonly retryAfterMs: number | undefined;
  /** Token counts that are fields of their own (llama.cpp). */
  readonly tokens: { readonly needed: number | undefined; readonly limit: number | undefined } | undefined;
}

/** Chosen: long enough for every vendor's sentence, short enough for a log line. */
const MAX_MESSAGE_CHARS = 500;

/** Reads the body of an error answer: JSON of any known shape, a page, or plain text. */
export function readVendorError(bodyText: string): VendorError {
  let payload: unknown;
  try {
    payload = JSON.parse(bodyText);
  } catch {
    // Errors also come framed as an event.
    const framed = /^data:[ ]?(\{.*)$/m.exec(bodyText)?.[1];
    return framed === undefined ? plainError(describeText(bodyText)) : readFramed(framed);
  }
  return vendorErrorOf(payload);
}

function readFramed(data: string): VendorError {
  try {
    return vendorErrorOf(JSON.parse(data));
  } catch {
    return plainError(describeText(data));
  }
}

/** Reads an error payload that is already parsed. */
export function vendorErrorOf(payload: unknown): VendorError {
  if (typeof payload === 'string') return plainError(describeText(payload));
  // Google wraps the object into an array; OpenRouter's and Anthropic's stand inside `error`.
  const outer = recordOf(Array.isArray(payload) ? payload[0] : payload);
  if (outer === undefined) return plainError('');
  const response = recordOf(outer['response']);
  const choice = recordOf(listOf(outer['choices'])[0]);
  const inner = outer['error'] ?? response?.['error'] ?? choice?.['error'] ?? listOf(outer['errors'])[0];
  const error = recordOf(inner) ?? outer;
  const cause = recordOf(error['innererror']) ?? recordOf(error['inner_error']);
  const message = messageOf(inner) || messageOf(outer) || messageOf(outer['detail']);
  const named = [
    error['code'],
    error['type'],
    error['status'],
    cause?.['code'],
    outer['code'],
    outer['type'],
    outer['error_code'],
  ];
  if (typeof outer['error'] === 'string' && message !== outer['error']) named.push(outer['error']);
  // Google says `INVALID_ARGUMENT` of a wrong key too, and the reason beside it (google.rpc.ErrorInfo).
  for (const detail of listOf(error['details'])) named.push(recordOf(detail)?.['reason']);
  // OpenRouter's moderation answers a bare 403 and says why beside it.
  if (Array.isArray(recordOf(error['metadata'])?.['reasons'])) named.push('moderation_blocked');
  const words = named.filter((word) => typeof word === 'string' && word !== '' && word !== 'error');
  return {
    message: bounded(message),
    words: words.map((word) => String(word).toLowerCase()),
    code: stringOf(words[0])?.slice(0, 100),
    param: stringOf(error['param']) ?? paramOf(outer['detail']),
    status: statusIn(
      error['code'],
      error['status'],
      error['status_code'],
      outer['status'],
      outer['status_code'],
      outer['statusCode'],
      outer['code'],
    ),
    retryAfterMs: retryDelayOf(error['details']),
    tokens: tokensOf(error),
  };
}

function plainError(message: string): VendorError {
  return {
    message: bounded(message),
    words: [],
    code: undefined,
    param: undefined,
    status: undefined,
    retryAfterMs: undefined,
    tokens: undefined,
  };
}

function bounded(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_MESSAGE_CHARS ? `${line.slice(0, MAX_MESSAGE_CHARS)}...` : line;
}

/** The words for people: a string, `message` or its synonyms, or the issues of a validating server (FastAPI). */
function messageOf(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, 10_000);
  if (Array.isArray(value)) return value.slice(0, 5).map(issueText).filter(Boolean).join('; ');
  const record = recordOf(value);
  if (record === undefined) return '';
  const text =
    stringOf(record['message']) ??
    stringOf(record['msg']) ??
    stringOf(record['error_description']) ??
    stringOf(record['title']);
  if (text === undefined)
    return record['message'] === undefined
      ? ''
      : messageOf(record['message']) || messageOf(recordOf(record['message'])?.['detail']);
  // OpenRouter says "Provider returned error" and keeps the provider's words beside it.
  const raw = stringOf(recordOf(record['metadata'])?.['raw']);
  return (raw === undefined ? text : `${text}: ${raw}`).slice(0, 10_000);
}

function issueText(issue: unknown): string {
  const record = recordOf(issue);
  if (record === undefined) return '';
  const where = listOf(record['loc']).map(String).join('.');
  const what = stringOf(record['msg']) ?? stringOf(record['message']) ?? '';
  return where === '' ? what : `${where}: ${what}`;
}

function paramOf(detail: unknown): string | undefined {
  return stringOf(listOf(recordOf(listOf(detail)[0])?.['loc']).at(-1));
}

function statusIn(...values: readonly unknown[]): number | undefined {
  for (const value of values) {
    const status = typeof value === 'string' && /^[45]\d\d$/.test(value) ? Number(value) : value;
    if (typeof status === 'number' && Number.isInteger(status) && status >= 400 && status < 600) return status;
  }
  return undefined;
}

function retryDelayOf(details: unknown): number | undefined {
  for (const detail of listOf(details)) {
    const delay = stringOf(recordOf(detail)?.['retryDelay']);
    if (delay !== undefined) return durationMs(delay);
  }
  return undefined;
}

function tokensOf(error: Record<string, unknown>): VendorError['tokens'] {
  const needed = error['n_prompt_tokens'];
  const limit = error['n_ctx'];
  if (typeof needed !== 'number' && typeof limit !== 'number') return undefined;
  return {
    needed: typeof needed === 'number' ? needed : undefined,
    limit: typeof limit === 'number' ? limit : undefined,
  };
}
