import type { CallRecord } from './call-record.ts';

/** Limits of repetition. */
export interface RepetitionLimits {
  /** Failures of the same call after which it is not run again, unless something has changed since. */
  readonly sameCallFailures: number;
  /** How often the same calls may give the same results in a row before they are not run again. */
  readonly repeats: number;
}

/** Why a call is not run. `isLast`: the model was told before and nothing has changed, so the run stops. */
export type RepetitionVerdict =
  | { readonly type: 'run' }
  | { readonly type: 'block'; readonly why: 'failed-before' | 'no-progress'; readonly times: number; readonly isLast: boolean };

const RUN: RepetitionVerdict = { type: 'run' };

/** Longest cycle of calls that is noticed (A-B-A-B is a cycle of 2). Chosen: longer ones are caught by the turn limit. */
const MAX_CYCLE = 8;

/** Whether a call may run, given what the same calls gave before. */
export function checkRepetition(
  records: readonly CallRecord[],
  key: string,
  polls: boolean,
  limits: RepetitionLimits,
): RepetitionVerdict {
  const since = records.findLastIndex((record) => record.isProgress) + 1;
  const lately = records.slice(since);
  const failures = lately.filter((record) => record.isError && record.blockedBy === undefined && record.key === key).length;
  if (failures >= limits.sameCallFailures) return { type: 'block', why: 'failed-before', times: failures, isLast: false };
  if (polls || !continuesCycle(records, key, limits.repeats)) return RUN;
  const wasTold = lately.some((record) => record.blockedBy === 'no-progress');
  return { type: 'block', why: 'no-progress', times: limits.repeats, isLast: wasTold };
}

/** True where the calls so far go round in a circle, `repeats` times, and `key` would go round once more. */
function continuesCycle(records: readonly CallRecord[], key: string, repeats: number): boolean {
  if (!records.some((record) => record.key === key)) return false;
  const ran = records.filter((record) => record.blockedBy === undefined);
  for (let cycle = 1; cycle <= MAX_CYCLE; cycle += 1) {
    const length = cycle * repeats;
    if (ran.length < length) return false;
    if (ran[ran.length - cycle]?.key === key && isPeriodic(ran.slice(-length), cycle)) return true;
  }
  return false;
}

function isPeriodic(records: readonly CallRecord[], cycle: number): boolean {
  return records.every((record, index) => {
    if (record.polls) return false;
    const before = records[index - cycle];
    return before === undefined || (before.key === record.key && before.text === record.text);
  });
}
