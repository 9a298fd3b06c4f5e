import type { FailureKind } from '../core/failure.ts';
import { serialise } from './tool-output/serialise.ts';

/** What a tool threw, made readable: nothing in here can throw, whatever the value is. */
export interface Thrown {
  readonly kind: Extract<FailureKind, 'tool-failed' | 'tool-unavailable' | 'tool-bug'>;
  /** The tool's own words, as they are: not yet safe for a model. */
  readonly message: string;
  readonly hint: string | undefined;
  readonly retryable: boolean | undefined;
  /** True where the tool can't know whether what it asked for was done: a connection that broke, a wait that ended. */
  readonly isOutcomeUnknown: boolean;
  /** True for `ToolError`: its words were written for a model and stand as they are, but for secrets. */
  readonly isForModels: boolean;
  /** For the developer: name, message and cause. */
  readonly detail: string;
}

/** Errors that JavaScript itself throws: the tool's code is wrong, and its message is about code. */
const BUG_NAMES = new Set([
  'TypeError',
  'ReferenceError',
  'RangeError',
  'SyntaxError',
  'EvalError',
  'URIError',
  'AssertionError',
  'InternalError',
]);

/**
 * Codes of a network that fails (Node's `errno` names, undici's, gRPC's UNAVAILABLE): what the tool stands on is
 * down, and that is nobody's mistake.
 */
const NETWORK_CODES =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENETDOWN|UND_ERR_(CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT|SOCKET)|UNAVAILABLE)$/;

/** Those of them that come when a request is on its way already: whether it was carried out, nobody knows. */
const BROKEN_CODES = /^(ECONNRESET|ECONNABORTED|ETIMEDOUT|EPIPE|UND_ERR_(HEADERS_TIMEOUT|BODY_TIMEOUT|SOCKET))$/;

/** Finds out what a thrown value means. */
export function classifyThrown(error: unknown): Thrown {
  const name = read(error, 'name');
  const message = wordsOf(error);
  const code = codeOf(error);
  const hint = read(error, 'hint');
  const retryable = readRaw(error, 'retryable');
  const base = {
    message,
    hint,
    retryable: typeof retryable === 'boolean' ? retryable : undefined,
    isForModels: name === 'ToolError' || name === 'ToolUnavailableError',
    isOutcomeUnknown: false,
    detail: detailOf(error, name, message),
  };
  if (name === 'ToolUnavailableError') return { kind: 'tool-unavailable', ...base };
  if (name === 'ToolError') return { kind: 'tool-failed', ...base };
  if (code !== undefined && NETWORK_CODES.test(code))
    return { ...base, kind: 'tool-unavailable', isOutcomeUnknown: BROKEN_CODES.test(code) };
  // What `AbortSignal.timeout()` and an aborted `fetch` throw: the tool gave up waiting.
  if (name === 'TimeoutError') return { ...base, kind: 'tool-unavailable', isOutcomeUnknown: true };
  if (name === 'AbortError') return { ...base, kind: 'tool-failed', isOutcomeUnknown: true };
  // A system error knows the call that failed; its message is about this machine.
  if ((name !== undefined && BUG_NAMES.has(name)) || read(error, 'syscall') !== undefined)
    return { kind: 'tool-bug', ...base };
  return { kind: 'tool-failed', ...base };
}

/** True for `NeedsUser`, of any installed copy of the library. */
export function questionOf(error: unknown): string | undefined {
  return read(error, 'name') === 'NeedsUser' ? (read(error, 'question') ?? '') : undefined;
}

function wordsOf(error: unknown): string {
  if (typeof error === 'string') return error;
  if (typeof error === 'object' && error !== null)
    return issueWords(error) ?? (read(error, 'message') || partWords(error));
  return typeof error === 'number' || typeof error === 'boolean' || typeof error === 'bigint' ? String(error) : '';
}

/** Chosen: the first few say what is wrong; the rest is more of it. */
const MAX_PARTS = 5;

/** What a validator threw: a sentence for each issue instead of the dump that its message is (Zod's is JSON). */
function issueWords(error: object): string | undefined {
  const issues = readRaw(error, 'issues');
  if (!Array.isArray(issues)) return undefined;
  const sentences = issues.slice(0, MAX_PARTS).map((issue: unknown) => {
    const path = readRaw(issue, 'path');
    const place = Array.isArray(path)
      ? path.filter((key) => typeof key === 'string' || typeof key === 'number').join('.')
      : '';
    return `${place === '' ? '' : `"${place}": `}${read(issue, 'message') ?? ''}`;
  });
  const words = sentences.filter((sentence) => sentence !== '').join('; ');
  return words === '' ? undefined : words;
}

/** What an error without a message holds: the errors of an `AggregateError`, or the data that was thrown in place of one. */
function partWords(error: object): string {
  const parts = readRaw(error, 'errors');
  if (Array.isArray(parts)) {
    const messages = parts.slice(0, MAX_PARTS).map((part: unknown) => read(part, 'message') ?? '');
    return messages.filter((message) => message !== '').join('; ');
  }
  return isData(error) ? serialise(error, MAX_DATA_CHARS) : '';
}

/** Chosen: more does not fit into a text for a model. */
const MAX_DATA_CHARS = 2000;

function isData(value: object): boolean {
  try {
    const prototype: unknown = Object.getPrototypeOf(value);
    return prototype === Object.prototype || prototype === null || Array.isArray(value);
  } catch {
    return false;
  }
}

/** The error's code, or that of its cause: `fetch` hides the network's word there. */
function codeOf(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth < 4; depth += 1) {
    const code = read(current, 'code');
    if (code !== undefined && NETWORK_CODES.test(code)) return code;
    current = readRaw(current, 'cause');
    if (current === undefined) return code;
  }
  return undefined;
}

function detailOf(error: unknown, name: string | undefined, message: string): string {
  const cause = readRaw(error, 'cause');
  const causeWords = cause === undefined ? '' : ` (cause: ${read(cause, 'name') ?? 'value'}: ${wordsOf(cause)})`;
  return `${name ?? typeof error}: ${message}${causeWords}`;
}

function read(value: unknown, key: string): string | undefined {
  const found = readRaw(value, key);
  return typeof found === 'string' ? found : undefined;
}

/** A property of anything; a getter or a proxy that throws gives nothing. */
function readRaw(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}
