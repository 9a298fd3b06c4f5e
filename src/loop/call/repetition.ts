import type { CallRecord } from './record.ts';

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
  | {
      readonly type: 'block';
      readonly why: 'failed-before' | 'no-progress';
      readonly times: number;
      readonly isLast: boolean;
    };

const RUN: RepetitionVerdict = { type: 'run' };

/** Longest cycle of calls that is noticed (A-B-A-B is a cycle of 2). Chosen: longer ones are caught by the turn limit. */
const MAX_CYCLE = 8;

/** A call that is to run, or not. */
export interface NextCall {
  readonly key: string;
  /** The keys of the calls before it in the same reply; undefined where one is not known (yet). */
  readonly before: () => readonly (string | undefined)[];
  /** The tool polls: only its failures count. */
  readonly polls: boolean;
}

/** Whether a call may run, given what the same calls gave before. */
export function checkRepetition(
  records: readonly CallRecord[],
  next: NextCall,
  limits: RepetitionLimits,
): RepetitionVerdict {
  const { key, polls } = next;
  const since = records.findLastIndex((record) => record.isProgress) + 1;
  const lately = records.slice(since);
  const failures = lately.filter(
    (record) => record.isError && record.blockedBy === undefined && record.key === key,
  ).length;
  if (failures >= limits.sameCallFailures)
    return { type: 'block', why: 'failed-before', times: failures, isLast: false };
  if (polls || !continuesCycle(records, next, limits.repeats)) return RUN;
  const wasTold = lately.some((record) => record.blockedBy === 'no-progress');
  return { type: 'block', why: 'no-progress', times: limits.repeats, isLast: wasTold };
}

/** What the search for a circle looks at. A call without a result fits wherever its key does. */
interface Position {
  readonly key: string;
  readonly text: string | undefined;
}

/** True where the calls so far go round in a circle, `repeats` times, and `key` would go round once more. */
function continuesCycle(records: readonly CallRecord[], { key, before }: NextCall, repeats: number): boolean {
  if (!records.some((record) => record.key === key)) return false;
  const siblings = before();
  if (siblings.includes(undefined)) return false;
  const positions: Position[] = [];
  for (const { key: past, text, polls, blockedBy } of records) {
    if (polls) positions.length = 0;
    else if (blockedBy !== 'failed-before')
      positions.push({ key: past, text: blockedBy === undefined ? text : undefined });
  }
  // The others of the same reply have no results yet: they lengthen the circle, but are no proof of it.
  const told = positions.length;
  for (const sibling of siblings) positions.push({ key: sibling ?? '', text: undefined });
  for (let cycle = 1; cycle <= MAX_CYCLE && cycle * repeats <= told; cycle += 1) {
    const from = told - cycle * repeats;
    if (positions[positions.length - cycle]?.key === key && isPeriodic(positions, from, cycle)) return true;
  }
  return false;
}

function isPeriodic(positions: readonly Position[], from: number, cycle: number): boolean {
  for (let index = from + cycle; index < positions.length; index += 1) {
    const now = positions[index];
    const then = positions[index - cycle];
    if (now?.key !== then?.key) return false;
    if (now?.text !== undefined && then?.text !== undefined && now.text !== then.text) return false;
  }
  return true;
}
