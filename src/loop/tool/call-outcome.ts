import type { Mend } from '../../core/event.ts';
import type { Failure } from '../../core/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ImagePart, TextPart } from '../../core/message.ts';
import type { Spent } from '../run/spent.ts';
import type { SlipNote } from '../texts.ts';

/** What came of one tool call, whatever happened: there is exactly one for each call. */
export interface CallOutcome {
  readonly toolCallId: string;
  /** The tool's declared name, or the model's word where there is no such tool. */
  readonly toolName: string;
  /** What goes back into the history as the call's arguments. */
  readonly wireInput: JsonObject;
  /** What the model wrote, where that differs. */
  readonly rawInput: string | undefined;
  readonly content: readonly (TextPart | ImagePart)[];
  readonly isError: boolean;
  /** The failures of tries that were followed by another one. */
  readonly retried: readonly Failure[];
  /** Undefined for a good result. */
  readonly failure: Failure | undefined;
  /** Who is to own the failure, where a hook gave it to another than the table does. */
  readonly reowned: 'model' | 'stop' | undefined;
  readonly mends: readonly Mend[];
  /** Tells calls apart that mean the same: the tool and its arguments, whatever their order. */
  readonly callKey: string;
  /** True where nothing ran because the call itself was wrong: it may be rewound. */
  readonly isSlip: boolean;
  /** What the model needs to know to get it right, for the system text after a rewind. */
  readonly slipNote: SlipNote | undefined;
  /** True where the tool ran, or may have run. */
  readonly hasRun: boolean;
  /** Why the guard did not let it run, where it did not. */
  readonly blockedBy: 'failed-before' | 'no-progress' | undefined;
  /** True where it was not run because the model was told before that it repeats itself: the run stops. */
  readonly isLast: boolean;
  /** True where it was not run because the limit of tool calls was reached. */
  readonly isOverLimit: boolean;
  /** True where the tool polls: repeating it is no sign of being stuck. */
  readonly polls: boolean;
  /** True where a tagged fallback value stands in. */
  readonly isCached: boolean;
  /** What the tool spent by asking models itself. */
  readonly spent: Spent | undefined;
}

/** What every outcome says; the rest is said where it is the case. */
type Needed = 'toolCallId' | 'toolName' | 'wireInput' | 'content' | 'isError' | 'callKey';

/**
 * An outcome, with what was not the case filled in. Written out, and not spread: to copy an object and then add to it
 * takes Node 20 some 15 µs, a twentieth of a whole turn.
 */
export function callOutcome(given: Pick<CallOutcome, Needed> & Partial<CallOutcome>): CallOutcome {
  return {
    toolCallId: given.toolCallId,
    toolName: given.toolName,
    wireInput: given.wireInput,
    rawInput: given.rawInput,
    content: given.content,
    isError: given.isError,
    retried: given.retried ?? [],
    failure: given.failure,
    reowned: given.reowned,
    mends: given.mends ?? [],
    callKey: given.callKey,
    isSlip: given.isSlip ?? false,
    slipNote: given.slipNote,
    hasRun: given.hasRun ?? false,
    blockedBy: given.blockedBy,
    isLast: given.isLast ?? false,
    isOverLimit: given.isOverLimit ?? false,
    polls: given.polls ?? false,
    isCached: given.isCached ?? false,
    spent: given.spent,
  };
}
