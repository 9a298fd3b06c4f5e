import { SentHistory } from '../run/transcript.ts';
import type { Journal } from '../../core/journal.ts';
import type { Outcome } from '../run/state.ts';
import { CallIds } from './call-ids.ts';
import { LiveCalls } from './live-calls.ts';

/** What a run has in memory beside its state: nothing that can't be made again from it. */
export class RunMemory {
  readonly history: SentHistory = new SentHistory();
  readonly ids: CallIds = new CallIds();
  readonly live: LiveCalls = new LiveCalls();
  /** The validated answer. */
  output: unknown;
  /** The journal of the run, as soon as it is open. */
  journal: Journal<Outcome> | Promise<Journal<Outcome>> | undefined;
  /** Events told so far. */
  seq = 0;
}
