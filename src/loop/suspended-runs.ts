import { invalidOption } from '../core/option-check.ts';
import type { RunConfig } from './config.ts';
import type { ModelStepMemory } from './model-step.ts';
import type { RunState } from './state.ts';

/** A run that waits for a person, in this process. */
export interface SuspendedRun {
  readonly state: RunState;
  readonly config: RunConfig;
  readonly memory: ModelStepMemory;
  /** When it was suspended, on its own clock. */
  readonly since: number;
}

/** Suspended runs that an agent keeps. Chosen: more than people decide on in a day; each holds its whole transcript. */
const MAX_SUSPENDED = 1000;

/** The suspended runs of one agent, oldest first. */
export class SuspendedRuns {
  readonly #runs = new Map<string, SuspendedRun>();

  /** Keeps one more. Where there are too many, drops the one that has waited longest and says so. */
  keep(runId: string, run: SuspendedRun): string | undefined {
    this.#runs.set(runId, run);
    const [oldest] = this.#runs.keys();
    if (this.#runs.size <= MAX_SUSPENDED || oldest === undefined) return undefined;
    this.#runs.delete(oldest);
    return `More than ${MAX_SUSPENDED} runs of this agent are suspended: \`${oldest}\`, the oldest, was dropped and can't be resumed.`;
  }

  /**
   * The run, which stays here.
   * @throws OilcanError `invalid-option` where there is none.
   */
  find(runId: string): SuspendedRun {
    const run = this.#runs.get(runId);
    if (run !== undefined) return run;
    throw invalidOption(
      `No run \`${String(runId).slice(0, 100)}\` of this agent is suspended. Resume with the \`runId\` of a result whose status is 'suspended', once, and on the same agent: suspended runs live in the agent object of this process, the last ${MAX_SUSPENDED} of them.`,
    );
  }

  /** Goes on: nobody can resume it a second time. */
  drop(runId: string): void {
    this.#runs.delete(runId);
  }
}
