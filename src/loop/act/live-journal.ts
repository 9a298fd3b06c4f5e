import { Abort } from '../../core/abort.ts';
import type { Clock } from '../../core/clock.ts';
import { sleep } from '../../core/clock.ts';
import type { Act, Entry, Journal } from '../../core/journal.ts';

const never = new Abort();

/**
 * The journal of a run that lives and dies with its process: acts are performed, and nothing is kept. A class, because
 * thousands of runs may wait at the same time and an object of as many closures takes a kilobyte.
 */
export class LiveJournal<Outcome> implements Journal<Outcome> {
  readonly recorded: readonly Entry<Outcome>[] = [];
  readonly lost: Abort = never;
  readonly #clock: Clock;
  /** What the steady clock lacks to the date when the run began. */
  readonly #offset: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offset = clock.now() - clock.monotonic();
  }

  /** The date by the steady clock: one that is set while the run waits makes no wait longer, and spends no deadline. */
  #now(): number {
    return this.#clock.monotonic() + this.#offset;
  }

  async act({ key, perform }: Act<Outcome>): Promise<Entry<Outcome>> {
    const outcome = await perform();
    return { key, outcome, at: this.#now(), isReplay: false };
  }

  sleepUntil(_key: string, at: number, abort: Abort): Promise<void> {
    return sleep(this.#clock, at - this.#now(), abort.signal);
  }
}
