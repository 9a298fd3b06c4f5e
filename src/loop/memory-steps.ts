import type { Abort } from '../core/abort.ts';
import type { Clock, Random } from '../core/clock.ts';
import { sleep } from '../core/clock.ts';
import type { Step, Steps } from '../core/steps.ts';

/** Steps that are performed and not remembered: a run that lives and dies with its process. */
export function memorySteps(runId: string, abort: Abort, clock: Clock, random: Random): Steps {
  return {
    runId,
    attempt: runId,
    get signal() {
      return abort.signal;
    },
    step: (step) => step.perform({ signal: abort.signal }),
    batch: <T>(steps: readonly Step<T>[]) => Promise.all(steps.map((step) => step.perform({ signal: abort.signal }))),
    sleepUntil: (_key, dueAt) => sleep(clock, dueAt - clock.now(), abort.signal),
    now: () => clock.now(),
    random: () => random(),
    note: () => Promise.resolve(),
  };
}
