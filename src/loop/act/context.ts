import type { Abort } from '../../core/abort.ts';
import type { RunEventType } from '../../core/event.ts';
import type { Journal } from '../../core/journal.ts';
import type { RunConfig } from './host.ts';
import type { OuterRun } from './outer-run.ts';
import type { EventBody } from '../run/event-body.ts';
import type { Outcome } from '../run/state.ts';

/** What every effect of a run may use. */
export interface RunContext {
  readonly runId: string;
  readonly config: RunConfig;
  readonly abort: Abort;
  readonly journal: Journal<Outcome>;
  /** Whether anybody hears events of this type. */
  wants(type: RunEventType): boolean;
  /** `at`: when it happened, where that is known better than by now. */
  emit(event: EventBody, at?: number): void;
  /** Resolves when the readers of the run's events have caught up; undefined where none is too far behind. */
  backpressure(): Promise<void> | undefined;
  /** What somebody said to the run, and it has not taken up yet. */
  readonly said: string[];
  /** What an abort cut off: the text that the model had written by then. */
  readonly partial: { text: string };
  /** The run whose tool started this one: its budget holds here too. */
  readonly outer: OuterRun | undefined;
}
