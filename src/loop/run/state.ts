import type { RunEvent } from '../../core/event.ts';
import type { Failure } from '../../core/failure.ts';
import type { Message } from '../../core/message.ts';
import type { ModelReply, ReplyToolCall } from '../../core/provider.ts';
import type { PendingRequest, StopReason } from '../../core/result.ts';
import type { Usage } from '../../core/usage.ts';
import type { CallOutcome } from '../tool/call-outcome.ts';
import type { CallRecord } from '../guards/call-record.ts';
import type { Reowned } from '../hooks/hook-results.ts';
import type { ReadyInput } from '../tool-input/prepared-input.ts';
import type { SlipState } from './slips.ts';
import type { Spent } from './spent.ts';
import type { Transcript } from '../history/transcript.ts';

/**
 * A run at one moment, as plain data. `decide` says what is next, `apply` makes the next state of an outcome;
 * both are pure, so a journal of outcomes is enough to come back to any state.
 */
export interface RunState {
  readonly phase: Phase;
  /** Model replies so far. */
  readonly turn: number;
  /** Requests made, failed ones included: names the steps. */
  readonly requests: number;
  readonly transcript: Transcript | undefined;
  readonly usage: Usage;
  /** Tokens that count against the budget: what servers told, and an estimate where they did not. */
  readonly tokensSpent: number;
  readonly costUsd: number | undefined;
  /** True where a server did not say what it counted: an estimate is part of what is spent. */
  readonly isEstimated: boolean;
  readonly failures: readonly Failure[];
  readonly toolCalls: number;
  /** How often each tool has failed since it last gave a result, by name; only those that have. */
  readonly toolFailures: Readonly<Record<string, number>>;
  /** Turns in a row in which every call failed. */
  readonly errorTurns: number;
  /** The last calls and their results, oldest first: what the guards look at. */
  readonly recentCalls: readonly CallRecord[];
  readonly slips: SlipState;
  /** Which of the providers is asked; only ever goes up (sticky). */
  readonly providerIndex: number;
  /** When the run began, on the clock of its steps; time suspended is added. */
  readonly startedAt: number;
  /** Tokens and cost of the last request, and of what came in since: what the next one will need at least. */
  readonly lastRequest: { readonly tokens: number; readonly costUsd: number };
  /** A limit that was reached while calls ran: the run stops before the next request. */
  readonly reached: LimitReached | undefined;
  /** Set when a limit was reached and the model has one last turn without tools. */
  readonly finishing: LimitReached | undefined;
  /** Answers that did not fit the output schema so far. */
  readonly outputFailures: number;
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
  /** The model asked for tools; some calls may have their outcome already. */
  | {
      readonly type: 'tools';
      readonly reply: ModelReply;
      readonly calls: readonly CallSlot[];
      /** The provider that gave the reply. */
      readonly issuer: string;
      /** False where the model was told that no tool can be called: none is run then, whatever it asks for. */
      readonly mayRun: boolean;
    }
  /** The model answered; the answer is to be checked against the output schema. */
  | {
      readonly type: 'answer';
      readonly text: string;
      /** The answer read as calls, where it can be: they count if it does not fit. */
      readonly asCalls: (TextCalls & { readonly issuer: string; readonly mayRun: boolean }) | undefined;
    }
  | { readonly type: 'ended'; readonly ending: Ending };

/** The model is asked, perhaps not for the first time. */
export interface ModelPhase {
  readonly type: 'model';
  /** Which attempt at this reply comes next on this provider, from 1. */
  readonly attempt: number;
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

/** One call of a reply on its way. */
export interface CallSlot {
  readonly call: ReplyToolCall;
  /** Unique in the run. */
  readonly toolCallId: string;
  readonly outcome: CallOutcome | undefined;
  /** What the call waits for, when a person has to say something. */
  readonly pending: PendingRequest | undefined;
  /** What the person said. */
  readonly answer: UserAnswer | undefined;
  /** The arguments of a call that waits, as the person was shown them: they are not read a second time. */
  readonly ready?: ReadyInput | undefined;
}

/** What a person said to a pending call. */
export type UserAnswer =
  | { readonly type: 'approve'; readonly inputKey: string }
  | { readonly type: 'deny'; readonly reason: string | undefined }
  | { readonly type: 'answer'; readonly text: string };

/** What the calls of a run wait for. */
export function pendingOf({ phase }: RunState): PendingRequest[] {
  if (phase.type !== 'tools') return [];
  return phase.calls.flatMap((slot) => (slot.outcome === undefined && slot.pending ? [slot.pending] : []));
}

/** How a run ended, before it becomes a result. */
export type Ending =
  | { readonly status: 'completed'; readonly text: string; readonly output?: unknown }
  | { readonly status: 'stopped'; readonly stopReason: StopReason; readonly message: string }
  | { readonly status: 'failed'; readonly failure: Failure }
  | { readonly status: 'aborted'; readonly reason: unknown }
  | { readonly status: 'suspended'; readonly pending: readonly PendingRequest[] };

/** The phase in which the model is asked for its next reply. */
export const firstAttempt: ModelPhase = {
  type: 'model',
  attempt: 1,
  dueAt: undefined,
  waitedMs: 0,
  emptyReplies: 0,
  isNudged: false,
  isCompacted: false,
  overflow: undefined,
};

/** What is to be done next. */
export type Effect =
  | {
      readonly type: 'call-model';
      readonly key: string;
      readonly attempt: number;
      readonly dueAt: number | undefined;
      readonly isNudged: boolean;
    }
  | { readonly type: 'run-calls'; readonly indexes: readonly number[] }
  | { readonly type: 'compact'; readonly failure: Failure }
  | { readonly type: 'check-answer'; readonly text: string }
  | { readonly type: 'finish'; readonly reached: LimitReached }
  | { readonly type: 'end'; readonly ending: Ending };

/** What came of an effect. */
export type Outcome =
  | {
      readonly type: 'reply';
      readonly reply: ModelReply;
      /** The provider that gave it. */
      readonly issuer: string;
      /** False where the request said that no tool can be called. */
      readonly mayRun: boolean;
      /** The text of the reply read as calls, where an answer is asked for that may look like them. */
      readonly asCalls: TextCalls | undefined;
      readonly spent: Spent;
    }
  | {
      readonly type: 'model-failure';
      readonly failure: Failure;
      readonly at: number;
      /** A number in [0, 1) for the jitter, drawn by the driver. */
      readonly random: number;
      /** True where text of the failed attempt was shown. */
      readonly hasStreamed: boolean;
      readonly spent: Spent;
      /** A hook's say: who is to own it. */
      readonly reowned: Reowned;
      /** The reply that is the failure, where there was a whole one: it stays in the transcript. */
      readonly reply: ModelReply | undefined;
      /** The provider that was asked. */
      readonly issuer: string;
    }
  | { readonly type: 'calls'; readonly results: readonly CallSlot[] }
  | {
      readonly type: 'compacted';
      readonly messages: readonly Message[] | undefined;
      readonly charsBefore: number;
      readonly charsAfter: number;
    }
  | {
      readonly type: 'answer-checked';
      readonly check:
        | { readonly ok: true; readonly output: unknown }
        | { readonly ok: false; readonly problem: string };
    }
  | { readonly type: 'finish'; readonly reached: LimitReached };

/** An event without what the driver knows: the run's id. */
export type EventBody = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, 'runId'> : never) : never;

/** The next state, and what is to be told about the way there. */
export interface Transition {
  readonly state: RunState;
  readonly events: readonly EventBody[];
}
