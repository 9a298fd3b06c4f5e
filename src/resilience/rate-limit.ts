import type { RateLimit } from '../core/provider.ts';
import { plainNumber, resetMs } from './retry-after.ts';
import type { HeaderLookup } from './retry-after.ts';

/**
 * What a server says of its limits, from the headers of OpenAI and its imitators (`x-ratelimit-*`) or of Anthropic
 * (`anthropic-ratelimit-*`). Undefined where it says nothing: the usual case of a local server, which costs four look-ups.
 */
export function rateLimitOf(header: HeaderLookup, nowMs: number): RateLimit | undefined {
  return (
    limitIn((what, of) => header(`x-ratelimit-${what}-${of}`), nowMs, false) ??
    // Anthropic's limit of requests is one for a minute (https://docs.anthropic.com/en/api/rate-limits).
    limitIn((what, of) => header(`anthropic-ratelimit-${of}-${what}`), nowMs, true)
  );
}

type LimitLookup = (what: 'limit' | 'remaining' | 'reset', of: 'requests' | 'tokens') => string | undefined;

function limitIn(header: LimitLookup, nowMs: number, isPerMinute: boolean): RateLimit | undefined {
  const limit = plainNumber(header('limit', 'requests'));
  const remainingRequests = plainNumber(header('remaining', 'requests'));
  if (limit === undefined && remainingRequests === undefined) return undefined;
  const requestsResetMs = resetMs(header('reset', 'requests'), nowMs);
  return {
    requestsPerMinute: isPerMinute || regainsInMinute(limit, remainingRequests, requestsResetMs) ? limit : undefined,
    remainingRequests,
    requestsResetMs,
    remainingTokens: plainNumber(header('remaining', 'tokens')),
    tokensResetMs: resetMs(header('reset', 'tokens'), nowMs),
  };
}

/**
 * The window is not named (Groq counts requests by the day), but the reset tells it: the time until what was used is back. A
 * limit that regains its used requests at the rate of one a minute's share is one for a minute.
 */
function regainsInMinute(limit = 0, remaining = limit, waitMs = Infinity): boolean {
  const used = limit - remaining;
  // Twice, for the time that has passed since the server counted.
  return used > 0 && waitMs <= (used / limit) * 60_000 * 2;
}
