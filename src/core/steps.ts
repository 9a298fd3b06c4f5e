import type { Json } from './json.ts';

/** Names a step within its run. Keys, not positions, decide which recorded outcome belongs to which effect. */
export type StepKey = string;

/** One effect: what it is called and how it is performed. It resolves for every expected failure: only bugs reject. */
export interface Step<T> {
  readonly key: StepKey;
  readonly perform: (context: { readonly signal: AbortSignal }) => Promise<T>;
}

/**
 * Performs the effects of one run and remembers their outcomes: the seam of durable execution. In memory it
 * only performs; a journal also gives back what an earlier process had recorded, instead of performing again.
 */
export interface Steps {
  readonly runId: string;
  /** Fresh for every process that works on the run, never replayed: tells our own intents from those of a process that died. */
  readonly attempt: string;
  /** Aborts when the run is to end: by its caller, or because this process no longer owns it. */
  readonly signal: AbortSignal;
  step<T>(step: Step<T>): Promise<T>;
  /** Starts the steps in order, before any is awaited, and gives their outcomes in the same order. */
  batch<T>(steps: readonly Step<T>[]): Promise<T[]>;
  /** Waits until `dueAt` (milliseconds since 1970): the due time is remembered, so a crash does not start the wait again. */
  sleepUntil(key: StepKey, dueAt: number): Promise<void>;
  /** Milliseconds since 1970, the same on replay. */
  now(): number;
  /** Deterministic per run and key. */
  random(key: StepKey): number;
  /** Records something that is no effect (an end, a decision). */
  note(key: StepKey, value: Json): Promise<void>;
}
