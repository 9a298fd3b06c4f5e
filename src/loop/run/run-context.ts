import type { Abort } from '../../core/abort.ts';
import type { RunEventType } from '../../core/event.ts';
import type { Steps } from '../../core/steps.ts';
import type { RunConfig } from './run-config.ts';
import type { OuterRun } from './outer-run.ts';
import type { EventBody } from './state.ts';

/** What every effect of a run may use. */
export interface RunContext {
  readonly runId: string;
  readonly config: RunConfig;
  readonly abort: Abort;
  readonly steps: Steps;
  /** Whether anybody hears events of this type. */
  wants(type: RunEventType): boolean;
  emit(event: EventBody): void;
  /** Resolves when the readers of the run's events have caught up; undefined where none is too far behind. */
  backpressure(): Promise<void> | undefined;
  /** What an abort cut off: the text that the model had written by then. */
  readonly partial: { text: string };
  /** The run whose tool started this one: its budget holds here too. */
  readonly outer: OuterRun | undefined;
}
