import { parseHttpDate } from './http-date.ts';

/** Gives a header's value by its lower-case name. */
export type HeaderLookup = (name: string) => string | undefined;

/** Chosen: a longer wait is a broken clock or a broken server. What is shorter is kept to, or the run ends. */
const MAX_WAIT_MS = 366 * 86_400_000;

/** Headers that ask for a wait in milliseconds (OpenAI, Azure). */
const WAIT_MS_HEADERS = ['retry-after-ms', 'x-retry-after-ms', 'x-ms-retry-after-ms'];

const WAIT_HEADERS = ['retry-after', 'x-retry-after', 'x-ratelimit-reset-after', 'x-ratelimit-retry-after'];

/**
 * How long the server asks to be left alone, from `retry-after-ms` (OpenAI, Azure) or `retry-after`
 * (RFC 9110 10.2.3: seconds or a date; more forms are understood, see `resetMs`), or their imitations. What is negative, in the
 * past, over a year or unreadable is `undefined`.
 */
export function retryAfterMs(header: HeaderLookup, nowMs: number): number | undefined {
  return (
    first(WAIT_MS_HEADERS, (name) => credible(plainNumber(header(name)))) ??
    first(WAIT_HEADERS, (name) => resetMs(header(name), nowMs))
  );
}

/** One limit of a server: what is left of it, and when it is whole again. */
interface LimitWindow {
  readonly waitMs: number | undefined;
  /** How many requests it still lets through; undefined where the server does not say. */
  readonly requestsLeft: number | undefined;
}

/** Chosen: a request of an agent has some thousand tokens. */
const TOKENS_OF_REQUEST = 4000;

/** The headers of one limit each. What is left of it is said by one of the same name but for a word. */
const RESET_HEADERS: readonly string[] = [
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].flatMap((of) => [
    `anthropic-ratelimit-${of}-reset`,
    // Cerebras and SambaNova name the window.
    ...['', '-minute', '-hour', '-day'].map((window) => `x-ratelimit-reset-${of}${window}`),
  ]),
  'x-ratelimit-reset',
  'x-rate-limit-reset',
  'ratelimit-reset',
  // Together, Mistral: limits of tokens.
  'x-tokenlimit-reset',
  'ratelimitbysize-reset',
  'x-ratelimitbysize-reset',
];

/**
 * How long a rate limit lasts, from the vendors' reset headers. With several limits those count that are used up, the longest of
 * them; where none is, the one of which the fewest requests are left. Only meaningful for an answer of status 429, since vendors
 * send these headers with every answer.
 */
export function rateLimitResetMs(header: HeaderLookup, nowMs: number): number | undefined {
  const windows = [
    ...RESET_HEADERS.map((name) => limitWindow(name, header(name), header(name.replace('reset', 'remaining')), nowMs)),
    ...structuredWindows(header('ratelimit') ?? header('x-ratelimit') ?? '', nowMs),
    ...UNIFIED.map((name) => unifiedWindow(name, header, nowMs)),
  ].filter(({ waitMs }) => waitMs !== undefined);
  const known = windows.filter(({ requestsLeft }) => requestsLeft !== undefined);
  const least = Math.max(0, Math.min(...known.map(({ requestsLeft = 0 }) => requestsLeft)));
  const counted = known.length === 0 ? windows : known.filter(({ requestsLeft = 0 }) => requestsLeft <= least);
  return counted.length === 0 ? undefined : Math.max(...counted.map(({ waitMs = 0 }) => waitMs));
}

function limitWindow(name: string, reset: string | undefined, left: string | undefined, nowMs: number): LimitWindow {
  const remaining = plainNumber(left);
  const perRequest = /token|size/.test(name) ? TOKENS_OF_REQUEST : 1;
  return {
    waitMs: resetMs(reset, nowMs),
    requestsLeft: remaining === undefined ? undefined : remaining / perRequest,
  };
}

/** `"burst";r=0;t=20, "day";r=90;t=3600` (draft-ietf-httpapi-ratelimit-headers), and the older `limit=9, remaining=0, reset=20`. */
function structuredWindows(value: string, nowMs: number): LimitWindow[] {
  const items = /\bt=/.test(value) ? value.split(',') : [value];
  return items.map((item) =>
    limitWindow('', /\b(?:t|reset)=(\d+)/.exec(item)?.[1], /\b(?:r|remaining)=(\d+)/.exec(item)?.[1], nowMs),
  );
}

/** Anthropic's limits of a plan. The first is the one that counts; the others say by a status whether they do. */
const UNIFIED = ['anthropic-ratelimit-unified', 'anthropic-ratelimit-unified-5h', 'anthropic-ratelimit-unified-7d'];

function unifiedWindow(name: string, header: HeaderLookup, nowMs: number): LimitWindow {
  const status = header(`${name}-status`);
  const isOpen = status === undefined ? name !== UNIFIED[0] : status.startsWith('allowed');
  return { waitMs: resetMs(header(`${name}-reset`), nowMs), requestsLeft: isOpen ? Infinity : 0 };
}

const MS_OF_UNIT: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A piece of a duration, in lower case: `20s`, `5 minutes`. */
const PIECE = String.raw`\d{1,15}(?:\.\d{1,15})? ?(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])`;

const DURATION = new RegExp(`^(?:${PIECE})+$`);

/** Reads `1s`, `6m0s`, `20ms`, `1h2m3.5s` (OpenAI, Groq, Gemini), `20 seconds`, `PT20S` (ISO 8601): milliseconds. */
export function durationMs(text: string): number | undefined {
  const pieces = text.toLowerCase().replace(/^pt/, '');
  return DURATION.test(pieces) ? sumMs(pieces) : undefined;
}

function sumMs(pieces: string): number | undefined {
  let total = 0;
  for (const [, amount, unit = ''] of pieces.matchAll(/([\d.]+) ?([a-z]+)/g))
    total += Number(amount) * (/^(?:ms$|milli)/.test(unit) ? 1 : (MS_OF_UNIT[unit.charAt(0)] ?? NaN));
  return credible(total);
}

/** "Please try again in 20s", "Please retry after 26 seconds", "resets in 5h20m", "wait 3 seconds", "30 秒后重试". */
const ASKS = new RegExp(
  String.raw`\b(?:try(?:ing)?(?: it| this| your request)? again|retry(?:ing)?(?: your request)?|wait(?:ing)?|resets?|available(?: again)?)` +
    String.raw`(?: (?:in|after|for|within|at least|about|approximately|another))*:? ((?:${PIECE},? ?(?:and )?)+)` +
    String.raw`|\bretry[-_ ]after(-ms|_ms)?["']?[:=] ?["']?(\d{1,9}(?:\.\d{1,9})?)\b|(\d{1,6}) ?秒后`,
);

/** The wait that a sentence in lower case asks for: milliseconds. A number without a unit asks for nothing. */
export function waitInWords(text: string): number | undefined {
  const [, pieces, unit, amount, seconds] = ASKS.exec(text) ?? [];
  if (pieces !== undefined) return sumMs(pieces);
  const figure = amount ?? seconds;
  return figure === undefined ? undefined : credible(Number(figure) * (unit === undefined ? 1000 : 1));
}

/** A duration, a date, seconds from now, or a moment since 1970 in seconds or milliseconds. */
export function resetMs(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  const amount = plainNumber(text);
  if (amount === undefined) {
    const date = parseHttpDate(text);
    return date === undefined ? durationMs(text) : credible(date - nowMs);
  }
  // A moment since 1970 has ten digits in seconds and thirteen in milliseconds; a wait has far fewer.
  const ms = amount >= 1e12 ? amount : amount * 1000;
  return credible(ms >= 1e12 ? ms - nowMs : ms);
}

/** Digits with an optional fraction; signs, exponents, hexadecimal and infinities are not understood. */
export function plainNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const digits = text.trim();
  return /^\d{1,15}(?:\.\d{1,9})?$/.test(digits) ? Number(digits) : undefined;
}

/**
 * A wait that can be kept to, or undefined: NaN or Infinity would stay for good in every moment that is reckoned from it.
 * To be asked of whatever a provider tells, since anybody may write one.
 */
export function credible(waitMs: unknown): number | undefined {
  return typeof waitMs === 'number' && waitMs >= 0 && waitMs <= MAX_WAIT_MS ? Math.ceil(waitMs) : undefined;
}

function first<T>(names: readonly string[], read: (name: string) => T | undefined): T | undefined {
  for (const name of names) {
    const found = read(name);
    if (found !== undefined) return found;
  }
  return undefined;
}
