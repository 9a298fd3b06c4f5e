import { isRecord } from '../../core/json.ts';
import { countOf } from '../../core/usage.ts';
import { credible, durationMs, plainNumber, waitInWords } from '../../resilience/retry-after.ts';
import { describeText, excerpt } from '../describe-text.ts';
import type { Mask } from '../describe-text.ts';
import { listOf, parseJson, recordOf, stringOf } from '../json-fields.ts';
import { jsonInText } from './json-in-text.ts';
import { STATUS_SENTENCES } from './wordings.ts';

/** An error of a model's server in one shape, whatever the vendor and however many gateways wrapped it. */
export interface VendorError {
  /** The server's own words, masked and cut, '' where it gave none. */
  readonly message: string;
  /** All that it said, in lower case, its machine-readable words at the end. To be looked at, never shown. */
  readonly text: string;
  /** Every machine-readable word that it gave, in lower case, the innermost first: type, code, status, inner code. */
  readonly words: readonly string[];
  /** The most telling of the words, as it came. */
  readonly code?: string | undefined;
  /** The parameter that it is about. */
  readonly param?: string | undefined;
  /** The innermost HTTP status inside the body, for errors that travel in an answer of another status. */
  readonly status?: number | undefined;
  /** A wait that the body asks for, by a field or in words. */
  readonly retryAfterMs?: number | undefined;
  /** Headers of the wrapped answer (OpenRouter), by names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Token counts that are fields of their own (llama.cpp). */
  readonly tokens?: { readonly needed: number | undefined; readonly limit: number | undefined } | undefined;
}

/** Chosen: long enough for every vendor's sentence, short enough for a log line. */
const MAX_MESSAGE_CHARS = 500;

/** Chosen: holds the longest sentence behind the longest prefix of a gateway, and any pattern is fast on it. */
const MAX_TEXT_CHARS = 8192;

/** Chosen: no vendor's code is half as long. */
const MAX_CODE_CHARS = 100;

/** Chosen: a gateway behind a gateway wraps an error in six objects and texts. */
const MAX_DEPTH = 12;

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
  const found = new Findings();
  // A page is known by its title: what else it says is no error.
  const isPage = typeof payload === 'string' && payload.trimStart().startsWith('<');
  found.take(isPage ? describeText(payload, (text) => text) : payload, 0);
  const said = found.messages.join(': ');
  const words = found.words.map((word) => word.toLowerCase());
  const text = `${said.slice(0, MAX_TEXT_CHARS)}\n${words.join(' ')}`.toLowerCase().replace(/\s+/g, ' ');
  return {
    message:
      typeof payload === 'string' && found.words.length === 0
        ? describeText(payload, mask)
        : excerpt(said, MAX_MESSAGE_CHARS, mask),
    text,
    words,
    code: codeOf(found.words[0], mask),
    param: found.param,
    status: found.status,
    retryAfterMs: found.waitMs ?? waitInWords(text),
    headers: found.headers,
    tokens: found.tokens,
  };
}

/** A code as it may be shown. One that is too long is a text in the wrong place, and a piece of it says nothing. */
function codeOf(word: string | undefined, mask: Mask): string | undefined {
  return word === undefined || word.length > MAX_CODE_CHARS ? undefined : mask(word);
}

/** Where servers put another error, the outermost first. A choice's own message is the model's text. */
const INNER = 'response error errors base_resp detail metadata raw body cause upstream_error'.split(' ');

/** Fields that hold a machine-readable word. */
const WORD_FIELDS = 'code type status error_code error_type reason __type quotaId native_error_code'.split(' ');

/** Fields that hold words for people; the first that is there counts. */
const MESSAGE_FIELDS = 'message msg Message status_msg error_description title'.split(' ');

const STATUS_FIELDS = 'status status_code statusCode http_code code'.split(' ');

/** Fields that hold a wait, in milliseconds where the name says so, else in seconds. */
const WAIT_FIELDS =
  'retry_after_ms retryAfterMs retry_after retryAfter retry_after_seconds retryAfterSeconds retryDelay resets_in_seconds'.split(
    ' ',
  );

/** What stands in the layers of an error, from the outermost to the innermost. */
class Findings {
  readonly messages: string[] = [];
  readonly words: string[] = [];
  status: number | undefined;
  waitMs: number | undefined;
  param: string | undefined;
  headers: Record<string, string> = {};
  tokens: VendorError['tokens'];

  take(value: unknown, depth: number): void {
    if (depth > MAX_DEPTH) return;
    if (typeof value === 'string') this.#takeText(value, depth);
    else if (Array.isArray(value)) this.#takeList(value, depth);
    else if (isRecord(value)) this.#takeRecord(value, depth);
  }

  #takeRecord(record: Readonly<Record<string, unknown>>, depth: number): void {
    const message = MESSAGE_FIELDS.map((name) => record[name]).find((field) => typeof field === 'string');
    const { param, metadata, headers, n_prompt_tokens: needed, n_ctx: limit } = record;
    this.status = statusIn(record) ?? this.status;
    this.waitMs = waitIn(record) ?? this.waitMs;
    this.param = stringOf(param) ?? this.param;
    for (const [name, text] of Object.entries(recordOf(headers) ?? {})) this.headers[name.toLowerCase()] = String(text);
    if (needed !== undefined || limit !== undefined) this.tokens = { needed: countOf(needed), limit: countOf(limit) };
    const own = WORD_FIELDS.map((name) => record[name]);
    // Azure and Google say more beside the code.
    for (const field of ['innererror', 'inner_error'] as const) own.push(recordOf(record[field])?.['code']);
    for (const detail of listOf(record['details'])) this.#takeDetail(detail, own);
    own.push(recordOf(record['details'])?.['error_code']);
    // OpenRouter's moderation answers a bare 403 and says why beside it.
    if (Array.isArray(recordOf(metadata)?.['reasons'])) own.push('moderation_blocked');
    if (message !== undefined) this.take(message, depth + 1);
    else if (isRecord(record['message']) || Array.isArray(record['message'])) this.take(record['message'], depth + 1);
    for (const name of INNER) {
      if (name === 'error' && typeof record[name] === 'string' && message !== undefined) own.push(record[name]);
      else if (name !== 'detail' || message === undefined) this.take(record[name], depth + 1);
    }
    this.take(recordOf(listOf(record['choices'])[0])?.['error'], depth + 1);
    this.words.push(
      ...own.filter((word): word is string => typeof word === 'string' && word !== '' && word !== 'error'),
    );
  }

  #takeDetail(detail: unknown, words: unknown[]): void {
    const { reason, violations, retryDelay } = recordOf(detail) ?? {};
    this.waitMs = waitIn({ retryDelay }) ?? this.waitMs;
    words.push(reason, ...listOf(violations).map((violation) => recordOf(violation)?.['quotaId']));
  }

  /** Google puts the object into an array; a validating server (FastAPI) lists its issues. */
  #takeList(list: readonly unknown[], depth: number): void {
    const issues = list.slice(0, 5).flatMap((issue) => {
      const { loc, msg } = recordOf(issue) ?? {};
      return typeof msg === 'string' && Array.isArray(loc) ? [{ loc: loc.map(String), msg }] : [];
    });
    if (issues.length === 0) return this.take(list[0], depth + 1);
    this.param = issues[0]?.loc.at(-1) ?? this.param;
    this.#say(issues.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '));
  }

  #takeText(text: string, depth: number): void {
    const head = text.slice(0, MAX_TEXT_CHARS);
    for (const sentence of STATUS_SENTENCES) {
      const status = sentence.exec(head)?.[1];
      if (status !== undefined) this.status = Number(status);
    }
    // `litellm.RateLimitError: …`, `An error occurred (ThrottlingException) when …`
    const classes = [...head.matchAll(/(?:^|: ?|\(|litellm\.)([A-Z]\w{2,60}(?:Error|Exception))\b/g)];
    const inner = jsonInText(head);
    if (inner === undefined) this.#say(text);
    else {
      const said = this.messages.length;
      this.#say(inner.before);
      const found = this.messages.length + this.words.length;
      this.take(inner.value, depth + 1);
      // Braces that hold no error belong to the sentence: "does not support parameters: {'parallel_tool_calls': False}".
      if (this.messages.length + this.words.length === found) {
        this.messages.length = said;
        this.#say(text);
      }
    }
    this.words.push(...(inner?.words ?? []), ...classes.map(([, name = '']) => name));
  }

  /** Some servers say the same twice. */
  #say(text: string): void {
    const words = text.trim().replace(/[: ]+$/, '');
    if (words !== '' && !this.messages.some((said) => said.includes(words))) this.messages.push(words);
  }
}

function statusIn(record: Readonly<Record<string, unknown>>): number | undefined {
  return STATUS_FIELDS.map((name) => Number(record[name])).find(
    (status) => Number.isInteger(status) && status >= 400 && status < 600,
  );
}

function waitIn(record: Readonly<Record<string, unknown>>): number | undefined {
  for (const name of WAIT_FIELDS) {
    const value = record[name];
    // Protocol buffers are seconds and nanoseconds in some gateways.
    const amount = plainNumber(String(recordOf(value)?.['seconds'] ?? value));
    const waitMs =
      amount === undefined ? durationMs(String(value)) : credible(/ms$/i.test(name) ? amount : amount * 1000);
    if (waitMs !== undefined) return waitMs;
  }
  return undefined;
}
