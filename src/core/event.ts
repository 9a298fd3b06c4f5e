import type { Failure, FailureKind, Owner } from './failure.ts';
import type { Json } from './json.ts';
import type { FinishReason } from './provider.ts';
import type { PendingRequest, RunResult, StopReason } from './result.ts';
import type { Usage } from './usage.ts';

/** What was done about a failure. */
export type FailureAction =
  /** Waited (or not), then asked the server again, or ran the tool again; the model never knows. */
  | 'retry'
  /** The next provider was asked. */
  | 'fall-back'
  /** The model was told: by a tool result, or where there was no call, by a message or a note. */
  | 'tell-model'
  /** The history was shortened and sent again. */
  | 'compact'
  /** The run ended. */
  | 'stop';

/** A lossless change that made a call runnable without a turn. */
export interface Mend {
  /** What kind of change: the JSON text, a value's type, a key's or an enum value's spelling, the tool's name, a call written as text. */
  readonly kind: 'json' | 'type' | 'key' | 'enum' | 'name' | 'text-call';
  /** Where: a path such as `items[1].qty`, or '' for the whole. */
  readonly path: string;
  /** What was done, for a developer: "string to number". */
  readonly what: string;
}

/** What made a failure good: another attempt, another provider, a stored value, the model itself. */
export type RecoveredBy = 'retry' | 'fall-back' | 'compact' | 'cache' | 'model';

interface Base {
  /** The form of the events. */
  readonly v: 1;
  /** Counts the events of the run, from 1. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly runId: string;
  /** The turn that it belongs to, from 1. */
  readonly turn: number;
}

interface ToolBase extends Base {
  readonly toolCallId: string;
  readonly toolName: string;
}

/**
 * Everything that happens in a run, in order, grouped by lifecycle:
 *
 *     run-start
 *       (turn-start
 *          (attempt-start  text-delta* reasoning-delta*  attempt-end  (failure text-void? retry? fall-back?)? )+  reply recovered*
 *          (call-mended? (tool-start tool-end | tool-end) recovered*)*
 *        turn-end)+
 *     run-end                     exactly one, always the last
 */
export type RunEvent =
  | (Base & { readonly type: 'run-start'; readonly agentName: string | undefined; readonly input: string })
  | (Base & { readonly type: 'turn-start' })
  | (Base & {
      readonly type: 'attempt-start';
      readonly providerId: string;
      readonly model: string;
      readonly origin: string | undefined;
      readonly attempt: number;
    })
  /** An attempt is over: with a reply, or with the failure that follows. */
  | (Base & {
      readonly type: 'attempt-end';
      readonly attempt: number;
      readonly status: 'reply' | 'failed';
      readonly durationMs: number;
      /** From the request to the first byte of the reply. */
      readonly firstByteMs: number | undefined;
    })
  | (Base & { readonly type: 'text-delta'; readonly text: string })
  | (Base & { readonly type: 'reasoning-delta'; readonly text: string })
  /** The text streamed since the attempt began is void: it is no answer, or it was a tool call in disguise. */
  | (Base & { readonly type: 'text-void'; readonly reason: 'failed-attempt' | 'text-call' })
  | (Base & {
      readonly type: 'reply';
      readonly text: string;
      readonly toolCalls: number;
      readonly finishReason: FinishReason;
      readonly rawFinishReason: string | undefined;
      readonly usage: Usage;
      readonly durationMs: number;
      /** From the request to the first byte of the reply. */
      readonly firstByteMs: number | undefined;
      readonly model: string | undefined;
      readonly responseId: string | undefined;
    })
  /** One failure, its owner and what was done: what the live trace shows. */
  | (Base & {
      readonly type: 'failure';
      readonly failure: Failure;
      /** Counts the failures of the run, from 1. */
      readonly number: number;
      readonly owner: Owner;
      readonly action: FailureAction;
      readonly toolCallId?: string | undefined;
    })
  /** An earlier failure was made good, and what that took. */
  | (Base & {
      readonly type: 'recovered';
      /** Which failure. */
      readonly number: number;
      readonly by: RecoveredBy;
      readonly tookMs: number;
      /** Tokens that the run has spent since. */
      readonly tokens: number;
      /** US dollars since; undefined where no price is known. */
      readonly costUsd: number | undefined;
    })
  | (Base & {
      readonly type: 'retry';
      /** The attempt that comes next, from 2. */
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly delayMs: number;
      readonly failure: Failure;
      readonly number: number;
    })
  | (Base & {
      readonly type: 'fall-back';
      /** The ids of the providers: the same where both speak one wire. */
      readonly from: string;
      readonly to: string;
      readonly fromModel: string;
      readonly toModel: string;
      readonly failure: Failure;
      readonly number: number;
    })
  | (ToolBase & { readonly type: 'call-mended'; readonly mends: readonly Mend[] })
  | (ToolBase & { readonly type: 'tool-start'; readonly input: Json; readonly attempt: number })
  | (ToolBase & {
      readonly type: 'tool-retry';
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly delayMs: number;
      readonly failure: Failure;
      readonly number: number;
    })
  /** One for each call, also for calls that were not run. `output` is what the model is told. */
  | (ToolBase & {
      readonly type: 'tool-end';
      readonly isError: boolean;
      readonly output: string;
      readonly durationMs: number;
      /** Undefined for a good result. */
      readonly failureKind: FailureKind | undefined;
      /** True where a tagged fallback value stands in. */
      readonly isCached: boolean;
    })
  /** The failed exchanges so far were taken out of the request, and a note put into the system text. */
  | (Base & { readonly type: 'rewind'; readonly toolName: string; readonly exchanges: number; readonly note: string })
  /** The history was repaired before a request, or shortened after an overflow. */
  | (Base & { readonly type: 'history-repaired'; readonly changes: readonly string[] })
  | (Base & { readonly type: 'history-compacted'; readonly charsBefore: number; readonly charsAfter: number })
  /** A guard stepped in: the model was told, or the run is about to stop. */
  | (Base & {
      readonly type: 'guard';
      readonly guard: StopReason | 'repeated-call';
      readonly action: 'tell-model' | 'finish' | 'stop';
      readonly message: string;
    })
  /** Something a developer should know that changed nothing. */
  | (Base & { readonly type: 'warning'; readonly message: string })
  | (Base & { readonly type: 'breaker'; readonly name: string; readonly state: 'closed' | 'open' | 'half-open' })
  | (Base & { readonly type: 'pending'; readonly request: PendingRequest })
  | (Base & { readonly type: 'turn-end' })
  | (Base & { readonly type: 'run-end'; readonly result: RunResult<unknown>; readonly durationMs: number });

/** The name of an event. */
export type RunEventType = RunEvent['type'];

/** The event of a given name. */
export type RunEventOf<T extends RunEventType> = Extract<RunEvent, { type: T }>;
