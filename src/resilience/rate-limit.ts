import type { RateLimit } from '../core/provider.ts';
import { durationMs, plainNumber, resetMs } from './retry-after.ts';
import type { HeaderLookup } from './retry-after.ts';

/**
 * What a server says of its limits, from the headers of OpenAI and its imitators (`x-ratelimit-*`) or of Anthropic
 * (`anthropic-ratelimit-*`). Undefined where it says nothing: the usual case of a local server, which costs two look-ups.
 */
export function rateLimitOf(header: HeaderLookup, nowMs: number): RateLimit | undefined {
  const isOpenAI =
    header('x-ratelimit-limit-requests') !== undefined || header('x-ratelimit-remaining-requests') !== undefined;
  if (isOpenAI) return openaiLimit(header, nowMs);
  return header('anthropic-ratelimit-requests-remaining') === undefined ? undefined : anthropicLimit(header, nowMs);
}

function openaiLimit(header: HeaderLookup, nowMs: number): RateLimit {
  const requests = countIn(header, 'x-ratelimit-limit-requests');
  const remaining = countIn(header, 'x-ratelimit-remaining-requests');
  const reset = waitIn(header, 'x-ratelimit-reset-requests', nowMs);
  return {
    requestsPerMinute: isPerMinute(header('x-ratelimit-reset-requests'), requests, remaining) ? requests : undefined,
    remainingRequests: remaining,
    requestsResetMs: reset,
    remainingTokens: countIn(header, 'x-ratelimit-remaining-tokens'),
    tokensResetMs: waitIn(header, 'x-ratelimit-reset-tokens', nowMs),
  };
}

function anthropicLimit(header: HeaderLookup, nowMs: number): RateLimit {
  return {
    // Anthropic's limit of requests is one for a minute (https://docs.anthropic.com/en/api/rate-limits).
    requestsPerMinute: countIn(header, 'anthropic-ratelimit-requests-limit'),
    remainingRequests: countIn(header, 'anthropic-ratelimit-requests-remaining'),
    requestsResetMs: waitIn(header, 'anthropic-ratelimit-requests-reset', nowMs),
    remainingTokens: countIn(header, 'anthropic-ratelimit-tokens-remaining'),
    tokensResetMs: waitIn(header, 'anthropic-ratelimit-tokens-reset', nowMs),
  };
}

/**
 * The window is not named (Groq counts requests by the day), but the reset tells it: the time until what was used is back. A
 * limit that regains its used requests at the rate of one a minute's share is one for a minute.
 */
function isPerMinute(reset: string | undefined, limit: number | undefined, remaining: number | undefined): boolean {
  if (reset === undefined || limit === undefined || remaining === undefined || limit <= remaining) return false;
  const waitMs = durationMs(reset.trim());
  const used = limit - remaining;
  // Twice, for the time that has passed since the server counted.
  return waitMs !== undefined && waitMs <= (used / limit) * 60_000 * 2;
}

function countIn(header: HeaderLookup, name: string): number | undefined {
  const value = header(name);
  return value === undefined ? undefined : plainNumber(value.trim());
}

function waitIn(header: HeaderLookup, name: string, nowMs: number): number | undefined {
  const value = header(name);
  return value === undefined ? undefined : resetMs(value.trim(), nowMs);
}
