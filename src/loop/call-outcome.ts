import type { Mend } from '../core/event.ts';
import type { Failure } from '../core/failure.ts';
import type { JsonObject } from '../core/json.ts';
import type { ImagePart, TextPart } from '../core/message.ts';

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
  /** Undefined for a good result. */
  readonly failure: Failure | undefined;
  readonly mends: readonly Mend[];
  /** Tells calls apart that mean the same: the tool and its arguments, whatever their order. */
  readonly callKey: string;
  /** True where nothing ran because the call itself was wrong: it may be rewound. */
  readonly isSlip: boolean;
  /** What the model needs to know to get it right, for the system text after a rewind. */
  readonly slipNote: string | undefined;
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
}
