import { textOf } from '../../core/message.ts';
import type { CallOutcome } from '../tool/call-outcome.ts';

/** What the guards remember of a call. */
export interface CallRecord {
  readonly key: string;
  /** What the model was told. */
  readonly text: string;
  readonly isError: boolean;
  /** Why it was not run, where the guard stepped in. */
  readonly blockedBy: 'failed-before' | 'no-progress' | undefined;
  /** A good result that this call had not given lately: something has changed. */
  readonly isProgress: boolean;
  readonly polls: boolean;
}

/** How many calls the guards look back. Chosen: room for a cycle of eight calls, repeated four times, twice over. */
const MEMORY = 64;

/** The records with new outcomes added and the oldest dropped. */
export function remember(records: readonly CallRecord[], outcomes: readonly CallOutcome[]): readonly CallRecord[] {
  const next = records.slice(Math.max(0, records.length + outcomes.length - MEMORY));
  for (const outcome of outcomes) {
    const text = textOf(outcome.content);
    const isKnown = next.some((record) => record.key === outcome.callKey && record.text === text);
    next.push({
      key: outcome.callKey,
      text,
      isError: outcome.isError,
      blockedBy: outcome.blockedBy,
      isProgress: !outcome.isError && !isKnown,
      polls: outcome.polls,
    });
  }
  return next;
}
