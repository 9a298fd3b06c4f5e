import type { RecoveredBy } from '../../core/event.ts';
import type { ErrorData } from '../../core/error-data.ts';
import type { Failure } from '../../core/failure.ts';
import type { Entry, Interrupted } from '../../core/journal.ts';
import type { Message } from '../../core/message.ts';
import type { ModelReply } from '../../core/provider.ts';
import type { PendingRequest, StopReason } from '../../core/result.ts';
import type { Usage } from '../../core/usage.ts';
import type { CallAct, CallOutcome, CallState, Override, Stopping, UserAnswer } from '../call/state.ts';
import type { CallRecord } from '../call/record.ts';
import type { Transcript } from './transcript.ts';
import type { SlipNote } from '../words/for-models.ts';
import type { EventBody } from './event-body.ts';
import type { SlipState } from './slips.ts';
import type { Spent } from './spent.ts';

/**
 * A run at one moment, as plain data: the fold of its entries. `decide` says what is next, `apply` makes the next state
 * of an entry; both are pure, so a journal of entries is enough to come back to any state.
 */
export interface RunState {
  readonly phase: Phase;
  /** The time of the last entry, in milliseconds since 1970. */
  readonly now: number;
  /** Model replies so far. */
  readonly turn: number;
  readonly transcript: Transcript | undefined;
  readonly usage: Usage;
  /** Tokens that count against the budget: what servers told, and an estimate where they did not. */
  readonly tokensSpent: number;
  readonly costUsd: number | undefined;
  /** True where an estimate is part of what is spent. */
  readonly isEstimated: boolean;
  readonly failures: readonly Failure[];
  /** Failures that were told so far: numbers them. */
  readonly failuresTold: number;
  /** Failures that nothing has made good yet. */
  readonly openFailures: readonly OpenFailure[];
  readonly toolCalls: number;
  /** Failures of each tool since it last gave a result, by its name. */
  readonly toolFailures: Readonly<Record<string, number>>;
  /** Turns in a row in which every call failed. */
  readonly errorTurns: number;
  /** The last calls and their results, oldest first: what the guards look at. */
  readonly recentCalls: readonly CallRecord[];
  readonly slips: SlipState;
  /** Which of the providers is asked; only ever goes up (sticky). */
  readonly providerIndex: number;
  /** When the run began, in milliseconds since 1970; time suspended is added. */
  readonly startedAt: number;
  /** Tokens and cost of the last request, and of what came in since: what the next one will need at least. */
  readonly lastRequest: { readonly tokens: number; readonly costUsd: number };
  /** A limit that was reached while calls ran: the run stops before the next request. */
  readonly reached: LimitReached | undefined;
  /** Set when a limit was reached and the model has one last turn without tools. */
  readonly finishing: LimitReached | undefined;
  /** Answers that did not fit the output schema so far. */
  readonly outputFailures: number;
  /** How often the run has waited for a person. */
  readonly pauses: number;
  /** How often somebody has said something. */
  readonly heard: number;
  /** What somebody said while the run went on, and the model has not been told yet. */
  readonly inbox: readonly Message[];
}

/** A failure that nothing has made good yet. */
export interface OpenFailure {
  readonly number: number;
  /** The tool that failed; undefined for a failure of the model's server. */
  readonly toolName: string | undefined;
  readonly toolCallId: string | undefined;
  /** The last thing that was done about it. */
  readonly by: RecoveredBy;
  /** What the run had come to then. */
  readonly at: number;
  readonly tokens: number;
  readonly costUsd: number | undefined;
}

/** A limit that ends a run. */
export interface LimitReached {
  readonly stopReason: StopReason;
  /** One sentence for a developer: which limit, and how to change it. */
  readonly message: string;
}

/** Where a run stands. */
export type Phase =
  /** The model is to be asked. */
  | ModelPhase
  /** The model asked for tools; each call is on its way by itself. */
  | ToolsPhase
  /** The model answered; the answer is to be checked against the output schema. */
  | {
      readonly type: 'answer';
      readonly text: string;
      /** The answer read as calls, where it can be: they count if it does not fit. */
      readonly asCalls: (TextCalls & { readonly issuer: string; readonly mayRun: boolean }) | undefined;
    }
  /** The calls of a turn are over: hooks are to be asked before the run goes on. */
  | { readonly type: 'after-turn'; readonly next: Phase }
  | { readonly type: 'ended'; readonly ending: Ending };

/** The calls of a reply. */
export interface ToolsPhase {
  readonly type: 'tools';
  readonly reply: ModelReply;
  readonly calls: readonly CallState[];
  /** The provider that gave the reply. */
  readonly issuer: string;
  /** False where the model was told that no tool can be called: none is run then, whatever it asks for. */
  readonly mayRun: boolean;
  /** The run ends as soon as every call has its result. */
  readonly stopping?: Stopping | undefined;
  /** Calls beyond the most that one reply may hold: they are in no history, and the model is told. */
  readonly leftOut?: number | undefined;
  /** Which call of the reply brought that about: those before it go on, none after it begins. */
  readonly stoppedAt?: number | undefined;
}

/** The model is asked, perhaps not for the first time. */
export interface ModelPhase {
  readonly type: 'model';
  /** Which attempt at this reply comes next on this provider, from 1. */
  readonly attempt: number;
  /** Which request for this reply comes next, on whatever provider, from 1: names it. */
  readonly request: number;
  /** Not before this time, in milliseconds since 1970. */
  readonly dueAt: number | undefined;
  /** How long the attempts at this reply have waited together. */
  readonly waitedMs: number;
  readonly emptyReplies: number;
  /** Ask with a nudge: the last replies were empty. */
  readonly isNudged: boolean;
  /** The history was shortened for this reply already. */
  readonly isCompacted: boolean;
  /** An overflow waits for the history to be shortened. */
  readonly overflow: Failure | undefined;
}

/** Calls that a reply wrote as text. */
export interface TextCalls {
  /** The reply with calls in place of its text. */
  readonly reply: ModelReply;
  /** True where the text was shown. */
  readonly hasStreamed: boolean;
}

/** What the calls of a run wait for. */
export function pendingOf({ phase }: RunState): PendingRequest[] {
  if (phase.type !== 'tools') return [];
  return phase.calls.flatMap((call) => (call.at === 'waiting' ? [call.pending] : []));
}

/** How a run ended, before it becomes a result. */
export type Ending =
  | { readonly status: 'completed'; readonly text: string }
  | { readonly status: 'stopped'; readonly stopReason: StopReason; readonly message: string }
  | { readonly status: 'failed'; readonly failure: Failure }
  | { readonly status: 'aborted'; readonly reason: ErrorData }
  | { readonly status: 'suspended'; readonly pending: readonly PendingRequest[] };

/** The phase in which the model is asked for its next reply. */
export const firstAttempt: ModelPhase = {
  type: 'model',
  attempt: 1,
  request: 1,
  dueAt: undefined,
  waitedMs: 0,
  emptyReplies: 0,
  isNudged: false,
  isCompacted: false,
  overflow: undefined,
};

/** What is to be done next. Each has the key of what will come of it. */
export type Effect =
  | {
      readonly type: 'ask-model';
      readonly key: string;
      readonly attempt: number;
      readonly dueAt: number | undefined;
      readonly isNudged: boolean;
      /** The first request of its turn. */
      readonly isFirst: boolean;
    }
  | { readonly type: 'calls'; readonly acts: readonly CallAct[] }
  | { readonly type: 'shorten'; readonly key: string; readonly failure: Failure }
  | { readonly type: 'check-answer'; readonly key: string; readonly text: string }
  | { readonly type: 'after-turn'; readonly key: string }
  | { readonly type: 'limit'; readonly key: string; readonly reached: LimitReached; readonly mayFinish: boolean }
  | { readonly type: 'end'; readonly ending: Ending };

/** What came of an effect: JSON, without secrets. */
export type Outcome =
  /** The run begins: with these messages, at this time (milliseconds since 1970). */
  | { readonly type: 'began'; readonly messages: readonly Message[]; readonly startedAt: number }
  | ReplyOutcome
  | NoReplyOutcome
  /** What came of the stage of one call. */
  | { readonly type: 'call'; readonly toolCallId: string; readonly outcome: CallOutcome }
  | {
      readonly type: 'shortened';
      readonly messages: readonly Message[] | undefined;
      readonly charsBefore: number;
      readonly charsAfter: number;
    }
  /** An answer was checked against the output schema; `problem` says why it does not fit. */
  | { readonly type: 'checked'; readonly problem?: string | undefined }
  | { readonly type: 'turn-over' }
  /** A limit is reached: of this run, or of the one around it. */
  | { readonly type: 'limit'; readonly reached: LimitReached; readonly mayFinish: boolean }
  /** A person has decided about calls, by tool call id, after a pause. */
  | {
      readonly type: 'person';
      readonly answers: Readonly<Record<string, UserAnswer>>;
      readonly pausedMs: number;
    }
  /** Somebody said something to the run while it went on. */
  | { readonly type: 'said'; readonly text: string }
  /** A hook, or a bug, ends the run. */
  | { readonly type: 'stopped'; readonly stopping: Stopping }
  /** The caller or the run's own deadline ends the run. */
  | ({
      readonly type: 'cut-off';
      /** What the model had written by then. */
      readonly text: string;
      /** The calls whose tool had been called. */
      readonly begun: readonly string[];
      /** What the calls had spent that were on their way. */
      readonly spent?: readonly { readonly toolCallId: string; readonly spent: Spent }[] | undefined;
    } & ({ readonly by: 'caller'; readonly reason: ErrorData } | { readonly by: 'deadline'; readonly message: string }))
  | Interrupted;

/** A whole reply. */
export interface ReplyOutcome {
  readonly type: 'reply';
  readonly reply: ModelReply;
  /** The provider that gave it. */
  readonly issuer: string;
  /** False where the request said that no tool can be called. */
  readonly mayRun: boolean;
  /** The text of the reply read as calls, where an answer is asked for that may look like them. */
  readonly asCalls: TextCalls | undefined;
  /** True where the calls of the reply were written as text. */
  readonly isFromText: boolean;
  readonly spent: Spent;
  readonly attempt: AttemptFigures;
}

/** An attempt that gave no reply that is of use. */
export interface NoReplyOutcome {
  readonly type: 'no-reply';
  readonly failure: Failure;
  /** A number in [0, 1) for the jitter of the wait. */
  readonly random: number;
  readonly spent: Spent;
  /** A hook's say: who is to own it. */
  readonly override: Override;
  /** A hook has ended the run over it, or the run was cut off while hooks were asked. */
  readonly stopping?: Stopping | { readonly type: 'abort' } | undefined;
  /** The reply that is the failure, where there was a whole one: it stays in the transcript. */
  readonly reply: ModelReply | undefined;
  /** What the model needs to know, where the reply wrote about a call. */
  readonly note?: SlipNote | undefined;
  /** The provider that was asked. */
  readonly issuer: string;
  /** Undefined where nothing was sent. */
  readonly attempt: AttemptFigures | undefined;
}

/** What is known of one attempt, whatever came of it. */
export interface AttemptFigures {
  readonly attempt: number;
  readonly durationMs: number;
  /** From the request to the first byte of the reply. */
  readonly firstByteMs: number | undefined;
  /** True where text was shown. */
  readonly hasStreamed: boolean;
}

/** The next state, and what is to be told about the way there. */
export interface Transition {
  readonly state: RunState;
  readonly events: readonly EventBody[];
}

/** An outcome with its time, as a journal keeps it. */
export type RunEntry = Entry<Outcome>;
