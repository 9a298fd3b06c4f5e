import type { Failure } from './failure.ts';
import type { AssistantMessage, Message } from './message.ts';
import type { Json } from './json.ts';
import type { Usage } from './usage.ts';

/** Which limit ended a run. Every one of them keeps the work done so far. */
export type StopReason =
  | 'max-turns'
  | 'errors-in-a-row'
  | 'no-progress'
  | 'max-tool-calls'
  | 'max-tokens'
  | 'max-cost'
  | 'deadline'
  /** The model's text was cut by the output limit of its reply. */
  | 'output-limit'
  /** A hook ended the run. */
  | 'hook'
  /** The model's answer did not fit the output schema, after all tries. */
  | 'invalid-output';

/** What a suspended run waits for: a decision on a call, or an answer to a question. */
export type PendingRequest =
  | {
      readonly type: 'approval';
      readonly toolCallId: string;
      readonly toolName: string;
      /** Exactly what the tool will be run with: defaults filled in, transforms done, undeclared keys gone. */
      readonly input: Json;
    }
  | {
      readonly type: 'question';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly question: string;
    };

/** What every outcome of a run carries. */
export interface RunSummary {
  readonly runId: string;
  /** The whole transcript, valid for another run's `input`; exchanges that were rewound are marked. */
  readonly messages: readonly Message[];
  /** The sum over all attempts, failed ones included as far as the server told. */
  readonly usage: Usage;
  /** Cost in US dollars, where the model's price is known. */
  readonly costUsd?: number | undefined;
  /** Model replies used. */
  readonly turns: number;
  /** Every failure, in order, recovered or not. */
  readonly failures: readonly Failure[];
}

/** The model answered. */
export interface CompletedRun<Output = undefined> extends RunSummary {
  readonly status: 'completed';
  readonly text: string;
  /** The structured answer, where the run asked for one. */
  readonly output: Output;
  /** Replies that it took to get an answer that fits `output`; 1 without a schema. */
  readonly outputAttempts: number;
  /** The limit that was reached, where the model was then given one last turn without tools (`onLimit: 'finish'`). */
  readonly finishedBy?: StopReason | undefined;
}

/** A limit ended the run. */
export interface StoppedRun extends RunSummary {
  readonly status: 'stopped';
  readonly stopReason: StopReason;
  /** One sentence: which limit, and how to change it. */
  readonly message: string;
  /** The last text of the model, if any: not an answer. */
  readonly partialText: string;
}

/** A failure that nobody in the run could mend ended it. */
export interface FailedRun extends RunSummary {
  readonly status: 'failed';
  readonly failure: Failure;
  readonly partialText: string;
}

/** The caller's signal (or `abort()`) ended the run. */
export interface AbortedRun extends RunSummary {
  readonly status: 'aborted';
  readonly reason: unknown;
  readonly partialText: string;
}

/**
 * The run waits for a person; `agent.resume` goes on from here. `messages` holds the calls of the last reply that have run,
 * with their results, and those that wait, each with a placeholder (`isWaiting`) for its result.
 */
export interface SuspendedRun<Output = unknown> extends RunSummary {
  readonly status: 'suspended';
  readonly pending: readonly PendingRequest[];
  readonly partialText: string;
  /** Never there: carries the type of the answer to `agent.resume`. */
  readonly outputType?: Output | undefined;
}

/** Every way in which a run can end that is not an answer. */
export type UnfinishedRun<Output = unknown> = StoppedRun | FailedRun | AbortedRun | SuspendedRun<Output>;

/** Every way in which a run can end. */
export type RunResult<Output = undefined> = CompletedRun<Output> | UnfinishedRun<Output>;

/** A suspended run, as `agent.suspended()` lists it. */
export interface WaitingRun {
  readonly runId: string;
  readonly pending: readonly PendingRequest[];
  /** When it was suspended, in milliseconds since 1970. */
  readonly since: number;
  /** When it is dropped if nobody decides (`deadlines.suspendedMs`); Infinity for never. */
  readonly expiresAt: number;
}

/** The text of the last assistant message of a transcript. */
export function lastText(messages: readonly Message[]): string {
  const last = messages.findLast((message): message is AssistantMessage => message.role === 'assistant');
  let text = '';
  for (const part of last?.content ?? []) if (part.type === 'text') text += part.text;
  return text;
}
