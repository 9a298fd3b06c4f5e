import { textOf } from '../../core/message.ts';
import type { CallResult } from './result.ts';
import { failureOf } from './result.ts';

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

/** The records with new results added and the oldest dropped. */
export function remember(records: readonly CallRecord[], results: readonly CallResult[]): readonly CallRecord[] {
  const next = records.slice(Math.max(0, records.length + results.length - MEMORY));
  for (const result of results) {
    const text = textOf(result.content);
    const isError = failureOf(result) !== undefined;
    const isKnown = next.some((record) => record.key === result.key && record.text === text);
    next.push({
      key: result.key,
      text,
      isError,
      blockedBy: blockedBy(result),
      isProgress: !isError && !isKnown,
      polls: result.polls,
    });
  }
  return next;
}

function blockedBy(result: CallResult): CallRecord['blockedBy'] {
  if (result.is !== 'refused') return undefined;
  if (result.by === 'no-progress-again') return 'no-progress';
  return result.by === 'failed-before' || result.by === 'no-progress' ? result.by : undefined;
}
