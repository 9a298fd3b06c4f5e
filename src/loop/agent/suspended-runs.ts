import type { Clock } from '../../core/clock.ts';
import { OilcanError } from '../../core/error.ts';
import { invalidOption } from '../../core/option-check.ts';
import type { WaitingRun } from '../../core/result.ts';
import { copyOf } from '../input/clone-json.ts';
import type { RunConfig } from '../act/host.ts';
import type { RunMemory } from '../act/run-memory.ts';
import type { RunState } from '../run/state.ts';
import { pendingOf } from '../run/state.ts';

/** A run that waits for a person, in this process. */
export interface SuspendedRun {
  readonly state: RunState;
  readonly config: RunConfig;
  readonly memory: RunMemory;
  /** When it was suspended, on its own clock. */
  readonly since: number;
}

/** Suspended runs that an agent keeps. Chosen: more than people decide on in a day; each holds its whole transcript. */
const MAX_SUSPENDED = 1000;

/**
 * The suspended runs of one agent, oldest first, and the ids of those that run. An id stands for one run at a time: what
 * is decided about its calls, and the idempotency keys made of it, would else reach another run.
 */
export class SuspendedRuns {
  readonly #runs = new Map<string, SuspendedRun>();
  readonly #running = new Set<string>();
  readonly #clock: Clock;
  readonly #keptMs: number;

  /** `keptMs`: how long a run is kept. Looked at whenever somebody asks, so that no timer holds the process. */
  constructor(clock: Clock, keptMs: number) {
    this.#clock = clock;
    this.#keptMs = keptMs;
  }

  /** The runs that wait, the oldest first. */
  list(): WaitingRun[] {
    this.#dropExpired();
    return Array.from(this.#runs, ([runId, { state, since }]) => ({
      runId,
      pending: copyOf(pendingOf(state)),
      since,
      expiresAt: since + this.#keptMs,
    }));
  }

  #dropExpired(): void {
    const oldest = this.#clock.now() - this.#keptMs;
    for (const [runId, { since }] of this.#runs) {
      if (since > oldest) return;
      this.#runs.delete(runId);
    }
  }

  /** Whether a run of this id runs or is suspended. */
  has(runId: string): boolean {
    return this.#running.has(runId) || this.#runs.has(runId);
  }

  /**
   * A new run begins.
   * @throws OilcanError `invalid-option` where a run of this id runs or is suspended.
   */
  begin(runId: string): void {
    this.#dropExpired();
    const name = `A run with the \`id\` \`${runId.slice(0, 100)}\``;
    if (this.#running.has(runId))
      throw invalidOption(`${name} is running in this agent: give each run an \`id\` of its own, or wait for its end.`);
    if (this.#runs.has(runId))
      throw invalidOption(
        `${name} of this agent is suspended: go on with it (\`agent.resume\`), give it up (\`agent.giveUp\`), or give the new run an \`id\` of its own.`,
      );
    this.#running.add(runId);
  }

  /** A run has ended, or is about to be kept. */
  end(runId: string): void {
    this.#running.delete(runId);
  }

  /** Keeps one more. Where there are too many, drops the one that has waited longest and says so. */
  keep(runId: string, run: SuspendedRun): string | undefined {
    this.#dropExpired();
    this.#runs.set(runId, run);
    const [oldest] = this.#runs.keys();
    if (this.#runs.size <= MAX_SUSPENDED || oldest === undefined) return undefined;
    this.#runs.delete(oldest);
    return `More than ${MAX_SUSPENDED} runs of this agent are suspended: \`${oldest}\`, the oldest, was dropped and can't be resumed.`;
  }

  /**
   * The run, which stays here.
   * @throws OilcanError `unknown-run` where there is none.
   */
  find(runId: string): SuspendedRun {
    this.#dropExpired();
    const run = this.#runs.get(runId);
    if (run !== undefined) return run;
    throw new OilcanError(
      'unknown-run',
      `No run \`${String(runId).slice(0, 100)}\` of this agent is suspended. Resume with the \`runId\` of a result whose status is 'suspended', once, and on the same agent: suspended runs live in the agent object of this process, the last ${MAX_SUSPENDED} of them, each as long as \`deadlines.suspendedMs\` says.`,
    );
  }

  /** Nobody will go on with it. */
  drop(runId: string): void {
    this.#runs.delete(runId);
  }

  /** Goes on: nobody can resume it a second time. */
  goOn(runId: string): void {
    this.#runs.delete(runId);
    this.#running.add(runId);
  }
}
