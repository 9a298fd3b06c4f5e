import type { RunEvent } from '../../core/event.ts';

/** What the driver adds to an event: the run, the event's place in it and its time; the number of a failure is counted. */
type Added = 'runId' | 'v' | 'seq' | 'at' | 'number';

/** An event without what is added to it. */
export type EventBody = RunEvent extends infer E
  ? E extends RunEvent
    ? Omit<E, Added> & { readonly number?: number }
    : never
  : never;
