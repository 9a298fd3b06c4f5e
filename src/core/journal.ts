import type { Abort } from './abort.ts';

/** One thing that a run asks of the world. */
export interface Act<Outcome> {
  /** Names a place in the conversation (`t3`, `t3#2`, `t3/call_9`, `t3/call_9#2`), never a position in the journal. */
  readonly key: string;
  /** True where the act may change the world: a journal keeps the intent before it begins. */
  readonly hasEffect?: boolean | undefined;
  /** Does it. Resolves for every expected failure; rejects only where it was cut off, and then nothing is recorded. */
  readonly perform: () => Promise<Outcome>;
}

/** What came of an act, and when. The outcome is JSON: masked, cut, and as the model will read it. */
export interface Entry<Outcome> {
  readonly key: string;
  readonly outcome: Outcome;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** True where it was recorded before: what it led to has been told. */
  readonly isReplay: boolean;
}

/** An earlier process has begun the act (its intent stands), and nobody knows how it ended. */
export interface Interrupted {
  readonly type: 'interrupted';
}

/** Where a run keeps what came of its acts. Each engine is one implementation of this. */
export interface Journal<Outcome> {
  /** What was recorded before this process took the run over, in order. */
  readonly recorded: readonly Entry<Outcome>[];
  /** Aborts when the run is no longer this process's own: begin nothing more, write nothing. */
  readonly lost: Abort;
  /** Gives what was recorded under the key; else performs the act and records what came of it. */
  act(act: Act<Outcome>): Promise<Entry<Outcome | Interrupted>>;
  /** Told each state that entries have led to: a journal may keep one as a snapshot, and must not change it. */
  readonly applied?: ((state: unknown) => void) | undefined;
  /** Waits until `at`, which stands in the state already. Rejects when the abort comes. */
  sleepUntil(key: string, at: number, abort: Abort): Promise<void>;
}

/** Where the journals of an agent's runs are. */
export interface Journals<Outcome> {
  /** The journal of a run, with what earlier processes recorded in it. */
  open(runId: string): Journal<Outcome> | Promise<Journal<Outcome>>;
}
