import type { Abort } from '../../core/abort.ts';
import type { Clock, Random } from '../../core/clock.ts';
import { sleep } from '../../core/clock.ts';
import type { Step, Steps } from '../../core/steps.ts';

/**
 * Steps that are performed and not remembered: a run that lives and dies with its process. A class, because thousands
 * of runs may wait at the same time and an object of as many closures takes a kilobyte.
 */
export class MemorySteps implements Steps {
  readonly runId: string;
  readonly #abort: Abort;
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(runId: string, abort: Abort, clock: Clock, random: Random) {
    this.runId = runId;
    this.#abort = abort;
    this.#clock = clock;
    this.#random = random;
  }

  get attempt(): string {
    return this.runId;
  }

  /** Made when somebody asks for it: most steps listen to the run's own `Abort`. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  step<T>(step: Step<T>): Promise<T> {
    return step.perform(this);
  }

  batch<T>(steps: readonly Step<T>[]): Promise<T[]> {
    return Promise.all(steps.map((step) => step.perform(this)));
  }

  sleepUntil(_key: string, dueAt: number): Promise<void> {
    return sleep(this.#clock, dueAt - this.#clock.now(), this.signal);
  }

  now(): number {
    return this.#clock.now();
  }

  random(): number {
    return this.#random();
  }

  note(): Promise<void> {
    return Promise.resolve();
  }
}
