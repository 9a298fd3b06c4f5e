import type { FailureKind } from '../../core/failure.ts';
import type { LostBy } from '../words/for-models.ts';
import { serialise } from '../output/serialise.ts';

/** What a tool threw, made readable: nothing in here can throw, whatever the value is. */
export interface Thrown {
  readonly kind: Extract<FailureKind, 'tool-failed' | 'tool-unavailable' | 'tool-bug'>;
  /** The tool's own words, as they are: not yet safe for a model. */
  readonly message: string;
  readonly hint: string | undefined;
  readonly retryable: boolean | undefined;
  /** Why the tool can't know whether what it asked for was done; undefined where it had an answer, or never asked. */
  readonly lostBy: LostBy | undefined;
  /** True for `ToolError`: its words were written for a model and stand as they are, but for secrets. */
  readonly isForModels: boolean;
  /** For the developer: name, message and cause. */
  readonly detail: string;
}

/** Errors that JavaScript itself throws: the tool's code is wrong, and its message is about code. */
const BUG_NAMES = /^(Type|Reference|Range|Syntax|Eval|URI|Assertion|Internal)Error$/;

/**
 * Codes of a network that can't be reached (Node's `errno` names, undici's, gRPC's UNAVAILABLE): what the tool stands on
 * is down, and that is nobody's mistake.
 */
const UNREACHED_CODES =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|UND_ERR_CONNECT_TIMEOUT|UNAVAILABLE)$/;

/** Those of one that breaks when a request is on its way already: whether it was carried out, nobody knows. */
const BROKEN_CODES = /^(ECONNRESET|ECONNABORTED|ETIMEDOUT|EPIPE|UND_ERR_(HEADERS_TIMEOUT|BODY_TIMEOUT|SOCKET))$/;

/** Finds out what a thrown value means. */
export function classifyThrown(error: unknown): Thrown {
  const name = read(error, 'name');
  const message = wordsOf(error);
  const retryable = readRaw(error, 'retryable');
  const { kind, lostBy } = meaningOf(error, name);
  return {
    kind,
    message,
    hint: read(error, 'hint'),
    retryable: typeof retryable === 'boolean' ? retryable : undefined,
    isForModels: name === 'ToolError' || name === 'ToolUnavailableError',
    lostBy,
    detail: detailOf(error, name, message),
  };
}

function meaningOf(error: unknown, name = ''): { readonly kind: Thrown['kind']; readonly lostBy?: LostBy } {
  if (name === 'ToolUnavailableError') return { kind: 'tool-unavailable' };
  if (name === 'ToolError') return { kind: 'tool-failed' };
  const status = firstInChain(error, statusOf);
  if (status !== undefined) return meaningOfStatus(status);
  const code = firstInChain(error, networkCodeOf);
  if (code !== undefined)
    return BROKEN_CODES.test(code) ? { kind: 'tool-unavailable', lostBy: 'connection' } : { kind: 'tool-unavailable' };
  // What `AbortSignal.timeout()` and an aborted `fetch` throw: the tool gave up waiting.
  if (name === 'TimeoutError') return { kind: 'tool-unavailable', lostBy: 'wait' };
  if (name === 'AbortError') return { kind: 'tool-failed', lostBy: 'interruption' };
  // A system error knows the call that failed; its message is about this machine.
  const isBug = BUG_NAMES.test(name) || read(error, 'syscall') !== undefined;
  return { kind: isBug ? 'tool-bug' : 'tool-failed' };
}

/**
 * A server that gave a status has answered, whatever else the error says: too busy or broken is not the model's doing,
 * all else is for the model. Only a gateway that got no answer itself (502, 504) can't say what was done behind it.
 */
function meaningOfStatus(status: number): { readonly kind: Thrown['kind']; readonly lostBy?: LostBy } {
  if (status === 502 || status === 504) return { kind: 'tool-unavailable', lostBy: 'gateway' };
  const isUnavailable = status >= 500 || status === 408 || status === 425 || status === 429;
  return { kind: isUnavailable ? 'tool-unavailable' : 'tool-failed' };
}

/** Where clients put the status: `fetch` wrappers and axios, node's http clients, the AWS SDK, Google's clients. */
function statusOf(error: unknown): number | undefined {
  const response = readRaw(error, 'response');
  const given = [
    readRaw(error, 'status'),
    readRaw(error, 'statusCode'),
    readRaw(response, 'status'),
    readRaw(response, 'statusCode'),
    readRaw(readRaw(error, '$metadata'), 'httpStatusCode'),
    readRaw(error, 'code'),
  ];
  // From 400: lower numbers are the exit codes of child processes, too.
  return given.map((value) => (typeof value === 'string' ? Number(value) : value)).find(isErrorStatus);
}

function isErrorStatus(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 400 && value <= 599;
}

/** True for `NeedsUser`, of any installed copy of the library. */
export function questionOf(error: unknown): string | undefined {
  return read(error, 'name') === 'NeedsUser' ? (read(error, 'question') ?? '') : undefined;
}

function wordsOf(error: unknown): string {
  if (typeof error === 'string') return error;
  if (typeof error === 'object' && error !== null) return issueWords(error) ?? (messageOf(error) || partWords(error));
  return typeof error === 'number' || typeof error === 'boolean' || typeof error === 'bigint' ? String(error) : '';
}

/** Chosen: the first few say what is wrong; the rest is more of it. */
const MAX_PARTS = 5;

/** The first sentences of a list, without the empty ones. */
function sentences(list: readonly unknown[], sentenceOf: (entry: unknown) => string): string {
  return list
    .slice(0, MAX_PARTS)
    .map(sentenceOf)
    .filter((sentence) => sentence !== '')
    .join('; ');
}

/** What a validator threw: a sentence for each issue instead of the dump that its message is (Zod's is JSON). */
function issueWords(error: object): string | undefined {
  const issues = readRaw(error, 'issues');
  if (!Array.isArray(issues)) return undefined;
  const words = sentences(issues, (issue) => {
    const path = readRaw(issue, 'path');
    const keys: unknown[] = Array.isArray(path) ? path : [];
    const place = keys.filter((key) => typeof key === 'string' || typeof key === 'number').join('.');
    return `${place === '' ? '' : `"${place}": `}${messageOf(issue)}`;
  });
  return words || undefined;
}

/** What an error without a message holds: the errors of an `AggregateError`, or the data that was thrown in place of one. */
function partWords(error: object): string {
  const parts = readRaw(error, 'errors');
  if (Array.isArray(parts)) return sentences(parts, messageOf);
  return isData(error) ? serialise(error, MAX_DATA_CHARS) : '';
}

function messageOf(value: unknown): string {
  return read(value, 'message') ?? '';
}

/** Chosen: far more than is shown, since it is masked before it is cut to that. */
const MAX_DATA_CHARS = 100_000;

function isData(value: object): boolean {
  try {
    const prototype: unknown = Object.getPrototypeOf(value);
    return prototype === Object.prototype || prototype === null || Array.isArray(value);
  } catch {
    return false;
  }
}

/** The network's word for what failed. */
function networkCodeOf(error: unknown): string | undefined {
  const code = read(error, 'code') ?? '';
  return UNREACHED_CODES.test(code) || BROKEN_CODES.test(code) ? code : undefined;
}

/** Looks at an error and what caused it: `fetch` hides the network's word in the cause. */
function firstInChain<T>(error: unknown, look: (error: unknown) => T | undefined): T | undefined {
  let current = error;
  for (let depth = 0; depth < 4; depth += 1) {
    const found = look(current);
    if (found !== undefined) return found;
    current = readRaw(current, 'cause');
  }
  return undefined;
}

function detailOf(error: unknown, name: string | undefined, message: string): string {
  const cause = readRaw(error, 'cause');
  const causeWords = cause === undefined ? '' : ` (cause: ${read(cause, 'name') ?? 'value'}: ${wordsOf(cause)})`;
  // What is no error has no name: a text that was thrown is told as it is.
  return name === undefined
    ? `${message || (error === null ? 'null' : typeof error)} (thrown, but no Error)${causeWords}`
    : `${name}: ${message}${causeWords}`;
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
