/** Whether calls pass, do not pass, or one passes as a probe. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/**
 * Stops asking what keeps failing. Closed: everything passes. Open: nothing passes until the cooldown is over.
 * Half-open: one probe passes; its outcome closes the breaker or opens it again.
 *
 * `now` is the time in milliseconds on a clock that never goes back.
 */
export interface Breaker {
  readonly state: BreakerState;
  /** Whether a call may be made now. A true answer in half-open state takes the one probe: tell its outcome. */
  tryPass(now: number): boolean;
  succeeded(): void;
  /** `words` say what failed, for the error text of a call that finds it open. */
  failed(now: number, words?: string): void;
  /** The call ended without telling anything about the other side (an abort): gives the probe back. */
  abandoned(): void;
  /** How long until a probe is let through; 0 when not open. */
  remainingMs(now: number): number;
  /** What the last failure was. */
  readonly lastWords: string | undefined;
}
