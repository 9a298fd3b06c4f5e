import type { Failure } from '../../core/failure.ts';
import { isRecord } from '../../core/json.ts';
import { notNegative } from '../../core/option-rules.ts';
import type { RateLimit } from '../../core/provider.ts';

/** What a failure or a reply tells of waits and limits. */
export type FiguresTold = Pick<Failure, 'retryAfterMs' | 'rateLimit'>;

const LIMITS = {
  requestsPerMinute: true,
  remainingRequests: true,
  requestsResetMs: true,
  remainingTokens: true,
  tokensResetMs: true,
} satisfies Record<keyof RateLimit, true>;

/**
 * The names of figures that are none: NaN, Infinity, a text, less than 0. A provider that reads a header wrongly gives
 * them; whoever wrote it should hear of it, but no run has to end for it.
 */
export function oddFigures({ retryAfterMs, rateLimit }: FiguresTold): readonly string[] {
  const limits = (Object.keys(LIMITS) as (keyof RateLimit)[]).filter((name) => isOdd(rateLimit?.[name]));
  return isOdd(retryAfterMs) ? ['retryAfterMs', ...limits] : limits;
}

/** The same without these figures. */
export function withoutFigures<T extends FiguresTold>(told: T, names: readonly string[]): T {
  const { retryAfterMs, rateLimit } = told;
  const none = Object.fromEntries(names.filter((name) => name in LIMITS).map((name) => [name, undefined]));
  return {
    ...told,
    retryAfterMs: names.includes('retryAfterMs') ? undefined : retryAfterMs,
    rateLimit: isRecord(rateLimit) ? { ...rateLimit, ...none } : undefined,
  };
}

function isOdd(figure: unknown): boolean {
  return figure !== undefined && figure !== null && !notNegative.fits(figure);
}
