import { parseHttpDate } from './http-date.ts';

/** Gives a header's value by its lower-case name. */
export type HeaderLookup = (name: string) => string | undefined;

/** Chosen: no rate limit asks for more than a day in earnest; a longer wait is a broken clock or a broken server. */
const MAX_WAIT_MS = 86_400_000;

/**
 * How long the server asks to be left alone, from `retry-after-ms` (OpenAI, Azure) or `retry-after`
 * (RFC 9110 10.2.3: seconds or a date; more forms are understood, see `resetMs`). What is negative, in the past, over a
 * day or unreadable is `undefined`.
 */
export function retryAfterMs(header: HeaderLookup, nowMs: number): number | undefined {
  const milliseconds = plainNumber(header('retry-after-ms'));
  return milliseconds === undefined ? resetMs(header('retry-after'), nowMs) : credible(milliseconds);
}

/** The headers that say when a limit is whole again. What is left of it is said by one of the same name but for one word. */
const RESET_HEADERS = [
  'x-ratelimit-reset-requests',
  'x-ratelimit-reset-tokens',
  'anthropic-ratelimit-requests-reset',
  'anthropic-ratelimit-tokens-reset',
  'anthropic-ratelimit-input-tokens-reset',
  'anthropic-ratelimit-output-tokens-reset',
  'x-ratelimit-reset',
  'ratelimit-reset',
];

/**
 * How long a rate limit lasts, from the vendors' reset headers: the longest wait among the limits that are used up.
 * Only meaningful for an answer of status 429, since vendors send these headers with every answer.
 */
export function rateLimitResetMs(header: HeaderLookup, nowMs: number): number | undefined {
  let usedUp: number | undefined;
  let any: number | undefined;
  for (const name of RESET_HEADERS) {
    const waitMs = resetMs(header(name), nowMs);
    if (waitMs === undefined) continue;
    any = Math.max(any ?? 0, waitMs);
    const remaining = plainNumber(header(name.replace('reset', 'remaining'))) ?? 0;
    if (remaining <= 0) usedUp = Math.max(usedUp ?? 0, waitMs);
  }
  return usedUp ?? any;
}

const MS_OF_UNIT: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Reads `1s`, `6m0s`, `20ms`, `1h2m3.5s` (OpenAI, Groq, Gemini): milliseconds. */
export function durationMs(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|h|m|s))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit = ''] of text.matchAll(/([\d.]+)(\D+)/g))
    total += Number(amount) * (MS_OF_UNIT[unit] ?? 0);
  return credible(total);
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
