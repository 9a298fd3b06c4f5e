import type { Random } from '../core/clock.ts';

/** How long to wait between attempts. */
export interface BackoffOptions {
  /** Longest first wait; doubled for each further attempt. */
  readonly baseDelayMs: number;
  /** Longest wait that is our own choice; what a server asks for may be longer. */
  readonly maxDelayMs: number;
}

/** The longest wait of our own choice before the attempt that follows attempt number `attempt`. */
export function backoffCeilingMs(attempt: number, options: BackoffOptions): number {
  return Math.min(options.maxDelayMs, options.baseDelayMs * 2 ** (attempt - 1));
}

/**
 * The wait before the attempt that follows attempt number `attempt` (from 1): full jitter, so anything from 0 to
 * the doubled base. A `minimumMs` that the server asked for is kept, with the jitter on top of it, so that many
 * clients that were told the same time do not come back in the same instant.
 *
 * Full jitter spreads best of the known schemes: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function backoffMs(attempt: number, options: BackoffOptions, random: Random, minimumMs = 0): number {
  const ceiling = backoffCeilingMs(attempt, options);
  return Math.round(minimumMs + random() * ceiling);
}
