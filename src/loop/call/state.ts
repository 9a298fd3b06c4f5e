import type { Failure } from '../../core/failure.ts';
import type { Interrupted } from '../../core/journal.ts';
import type { ReplyToolCall } from '../../core/provider.ts';
import type { PendingRequest } from '../../core/result.ts';
import type { Spent } from '../run/spent.ts';
import type { CallResult, Parts, Ready } from './result.ts';

/** What a person said to a pending call. */
export type UserAnswer =
  | { readonly type: 'approve'; readonly inputKey: string }
  | { readonly type: 'deny'; readonly reason: string | undefined }
  | { readonly type: 'answer'; readonly text: string };

/** A try that failed, with every text that may have to be told of it. */
export interface FailedTry {
  readonly failure: Failure;
  /** What the model is told where nothing better comes of it. */
  readonly text: string;
  /** Set where the tool may have taken effect: what is told if nobody can say, and if it is known that it did not. */
  readonly doubt?: { readonly unknown: string; readonly notDone: string } | undefined;
  /** A number in [0, 1) for the jitter of the wait. */
  readonly random: number;
}

/**
 * One call of a reply on its way. Each stage waits for one outcome; `ready` and `place` are left without one, as soon as
 * enough is known of the calls before it.
 */
export type CallState = {
  readonly call: ReplyToolCall;
  /** Unique in the run. */
  readonly toolCallId: string;
  /** When its stretch of work began, in milliseconds since 1970. */
  readonly since?: number | undefined;
  /** What the tool spent by asking models itself. */
  readonly spent?: Spent | undefined;
} & CallStage;

/** Where a call stands. */
export type CallStage =
  /** Its tool is to be found and its arguments are to be read. */
  | { readonly at: 'read' }
  | { readonly at: 'ready'; readonly ready: Ready; readonly round: number }
  /** Hooks and the tool's own approval are to be asked. */
  | {
      readonly at: 'gate';
      readonly ready: Ready;
      /** Counts how often, from 1: again after a person's word. */
      readonly round: number;
      readonly answer?: UserAnswer | undefined;
      /** The answer is to a question of the tool's: it has run. */
      readonly isQuestion?: boolean | undefined;
    }
  /** Allowed: runs as soon as its place under the limit of tool calls is certain. */
  | { readonly at: 'place'; readonly ready: Ready }
  | {
      readonly at: 'waiting';
      readonly ready: Ready;
      readonly round: number;
      readonly pending: PendingRequest;
    }
  | {
      readonly at: 'try';
      readonly ready: Ready;
      /** From 1. */
      readonly attempt: number;
      /** Not before this time, in milliseconds since 1970. */
      readonly dueAt?: number | undefined;
      readonly retried: readonly Failure[];
    }
  /** It failed, and may have taken effect all the same: the tool is to be asked. */
  | TryStage<'doubt'>
  /** It failed: hooks are to be asked who owns that. */
  | TryStage<'failed'>
  /** It failed for good: a stored value may stand in. */
  | (TryStage<'stand-in'> & { readonly say: Override })
  /** What came of it is to be shown to hooks. */
  | { readonly at: 'show'; readonly ready: Ready; readonly result: CallResult; readonly say: Override | 'not-asked' }
  /** Nothing ran, or a hook has changed the result: hooks are to be asked who owns the failure. */
  | { readonly at: 'own'; readonly result: CallResult }
  | { readonly at: 'done'; readonly result: CallResult };

interface TryStage<At extends string> extends FailedTry {
  readonly at: At;
  readonly ready: Ready;
  readonly attempt: number;
  readonly retried: readonly Failure[];
}

/** What hooks say of a failure: who is to own it, for this once. */
export type Override = 'model' | 'retry' | 'stop' | undefined;

/** Why the run is to end as soon as its calls have their results. */
export type Stopping =
  | { readonly type: 'hook'; readonly reason: string }
  | { readonly type: 'fault'; readonly failure: Failure };

/** What came of the stage of a call. */
export type CallOutcome = {
  /** What the tool spent meanwhile. */
  readonly spent?: Spent | undefined;
  /** A hook ends the run. */
  readonly stopping?: Stopping | undefined;
} & CallWord;

/** What came, in one word. */
export type CallWord =
  | { readonly type: 'ready'; readonly ready: Ready }
  /** Nothing ran, and nothing can: the call is wrong, or its schema is broken. */
  | { readonly type: 'unfit'; readonly result: CallResult }
  | { readonly type: 'go' }
  | { readonly type: 'denied'; readonly text: string; readonly by: 'person' | 'hook' }
  | { readonly type: 'pending'; readonly pending: PendingRequest }
  | { readonly type: 'value'; readonly content: Parts }
  | { readonly type: 'bad-value'; readonly failure: Failure; readonly text: string }
  | ({ readonly type: 'failed' } & FailedTry)
  /** The breaker did not let it run. */
  | { readonly type: 'barred'; readonly failure: Failure; readonly text: string }
  | { readonly type: 'verified'; readonly is: 'not-done' | 'unknown' }
  | { readonly type: 'owned'; readonly say: Override }
  /** The stored value, if there is one. */
  | { readonly type: 'stood-in'; readonly content: Parts | undefined }
  /** What hooks made of the result. */
  | { readonly type: 'shown'; readonly content?: Parts | undefined; readonly isError?: boolean | undefined }
  /** The driver itself is broken at this place. */
  | { readonly type: 'lost' }
  | Interrupted;

/** What a call needs next, and the key of what will come of it. */
export interface CallAct {
  readonly key: string;
  readonly toolCallId: string;
  /** True where the tool itself is run. */
  readonly hasEffect?: boolean | undefined;
  readonly dueAt?: number | undefined;
}
