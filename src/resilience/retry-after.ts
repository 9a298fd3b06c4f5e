import { parseHttpDate } from './http-date.ts';

/** Gives a header's value by its lower-case name. */
export type HeaderLookup = (name: string) => string | undefined;

/** Chosen: no rate limit asks for more than a day in earnest; a longer wait is a broken clock or a broken server. */
const MAX_WAIT_MS = 86_400_000;

/**
 * How long the server asks to be left alone, from `retry-after-ms` (OpenAI, Azure) or `retry-after`
 * (RFC 9110 10.2.3: seconds or a date). What is negative, in the past, over a day or unreadable is `undefined`.
 */
export function retryAfterMs(header: HeaderLookup, nowMs: number): number | undefined {
  const milliseconds = header('retry-after-ms');
  if (milliseconds !== undefined) {
    const waitMs = plainNumber(milliseconds.trim());
    if (waitMs !== undefined) return credible(waitMs);
  }
  const value = header('retry-after')?.trim();
  if (value === undefined) return undefined;
  const seconds = plainNumber(value);
  if (seconds !== undefined) return credible(seconds * 1000);
  const date = parseHttpDate(value);
  return date === undefined ? undefined : credible(date - nowMs);
}

/** A limit, the header that says what is left of it, and the one that says when it is whole again. */
interface RateLimitHeaders {
  readonly remaining: string;
  readonly reset: string;
}

const RATE_LIMITS: readonly RateLimitHeaders[] = [
  { remaining: 'x-ratelimit-remaining-requests', reset: 'x-ratelimit-reset-requests' },
  { remaining: 'x-ratelimit-remaining-tokens', reset: 'x-ratelimit-reset-tokens' },
  { remaining: 'anthropic-ratelimit-requests-remaining', reset: 'anthropic-ratelimit-requests-reset' },
  { remaining: 'anthropic-ratelimit-tokens-remaining', reset: 'anthropic-ratelimit-tokens-reset' },
  { remaining: 'anthropic-ratelimit-input-tokens-remaining', reset: 'anthropic-ratelimit-input-tokens-reset' },
  { remaining: 'anthropic-ratelimit-output-tokens-remaining', reset: 'anthropic-ratelimit-output-tokens-reset' },
  { remaining: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset' },
  { remaining: 'ratelimit-remaining', reset: 'ratelimit-reset' },
];

/**
 * How long a rate limit lasts, from the vendors' reset headers: the longest wait among the limits that are used up.
 * Only meaningful for an answer of status 429, since vendors send these headers with every answer.
 */
export function rateLimitResetMs(header: HeaderLookup, nowMs: number): number | undefined {
  let usedUp: number | undefined;
  let any: number | undefined;
  for (const limit of RATE_LIMITS) {
    const value = header(limit.reset);
    if (value === undefined) continue;
    const waitMs = resetMs(value.trim(), nowMs);
    if (waitMs === undefined) continue;
    any = Math.max(any ?? 0, waitMs);
    const remaining = plainNumber(header(limit.remaining)?.trim() ?? '0');
    if (remaining === undefined || remaining <= 0) usedUp = Math.max(usedUp ?? 0, waitMs);
  }
  return usedUp ?? any;
}

/** Reads `1s`, `6m0s`, `20ms`, `1h2m3.5s` (OpenAI, Groq, Gemini): milliseconds. */
export function durationMs(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|h|m|s))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)) {
    total += Number(amount) * (unit === 'ms' ? 1 : unit === 's' ? 1000 : unit === 'm' ? 60_000 : 3_600_000);
  }
  return credible(total);
}

/** A duration, a date, seconds from now, or a moment since 1970 in seconds or milliseconds. */
export function resetMs(value: string, nowMs: number): number | undefined {
  const amount = plainNumber(value);
  if (amount === undefined) {
    const date = parseHttpDate(value);
    return date === undefined ? durationMs(value) : credible(date - nowMs);
  }
  // A moment since 1970 has ten digits in seconds and thirteen in milliseconds; a wait has far fewer.
  if (amount >= 1e12) return credible(amount - nowMs);
  if (amount >= 1e9) return credible(amount * 1000 - nowMs);
  return credible(amount * 1000);
}

/** Digits with an optional fraction; signs, exponents, hexadecimal and infinities are not understood. */
export function plainNumber(text: string): number | undefined {
  return /^\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Number(text) : undefined;
}

function credible(waitMs: number): number | undefined {
  return waitMs >= 0 && waitMs <= MAX_WAIT_MS ? Math.ceil(waitMs) : undefined;
}
