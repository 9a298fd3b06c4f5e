import { OilcanError } from '../../core/error.ts';
import type { Message } from '../../core/message.ts';
import { textOf } from '../../core/message.ts';
import type { CompletedRun, FailedRun, RunResult, RunSummary, UnfinishedRun } from '../../core/result.ts';
import { lastText } from '../../core/result.ts';
import type { Redactor } from '../../secrets/redactor.ts';
import { copyOf } from '../input/clone-json.ts';
import type { CallResult } from '../call/result.ts';
import { unreadResult } from '../call/result.ts';
import type { CallState } from '../call/state.ts';
import * as texts from '../words/for-models.ts';
import { exchangeOf } from '../run/apply-calls.ts';
import { bugFailure } from '../act/bug-failure.ts';
import { ownMessages } from '../events/own-messages.ts';
import type { EndedRun } from '../act/drive.ts';
import type { RunState } from '../run/state.ts';
import { messagesOf } from '../run/transcript.ts';

/** What a run has in memory at its end, and its state has as data or not at all. */
export interface LiveEnd {
  /** What an abort cut off: it becomes the last message, marked as partial. */
  readonly cutOffText: string;
  /** Why the caller ended the run: the very value that was given. */
  readonly reason: unknown;
  /** The validated answer. */
  readonly output: unknown;
}

/** What a run that has ended gives its caller. */
export function resultOf({ state, ending }: EndedRun, runId: string, live: LiveEnd): RunResult<unknown> {
  const { cutOffText, reason, output } = live;
  const summary = summaryOf(state, runId);
  const partialText = cutOffText || pendingText(state) || lastText(summary.messages);
  if (ending.status === 'suspended') {
    const messages = [...summary.messages, ...openExchange(state)];
    return { ...ownSummary({ ...summary, messages }), ...ending, pending: copyOf(ending.pending), partialText };
  }
  if (ending.status !== 'completed') {
    const messages = [...summary.messages, ...cutOffReply(cutOffText)];
    const cutShort = { ...summary, messages, partialText };
    return ending.status === 'aborted' ? { ...cutShort, status: 'aborted', reason } : { ...cutShort, ...ending };
  }
  return {
    ...summary,
    status: 'completed',
    text: ending.text,
    output,
    outputAttempts: state.outputFailures + 1,
    ...(state.finishing === undefined ? {} : { finishedBy: state.finishing.stopReason }),
  };
}

/** The result of a run that the library itself broke, with what it had when it began. */
export function brokenRun(state: RunState, runId: string, cause: unknown, redactor: Redactor): FailedRun {
  const failure = bugFailure(cause, redactor);
  const summary = summaryOf(state, runId);
  const partialText = lastText(summary.messages);
  return { ...summary, failures: [...summary.failures, failure], status: 'failed', failure, partialText };
}

function summaryOf(state: RunState, runId: string): RunSummary {
  return {
    runId,
    messages: messagesOf(state.transcript),
    usage: state.usage,
    ...(state.costUsd === undefined ? {} : { costUsd: state.costUsd }),
    turns: state.turn,
    failures: state.failures,
  };
}

/** A suspended run goes on from these very values: what the caller does with the result must not reach them. */
function ownSummary(summary: RunSummary): RunSummary {
  return {
    ...summary,
    messages: ownMessages(summary.messages),
    usage: { ...summary.usage },
    failures: summary.failures.map((failure) => ({ ...failure })),
  };
}

/** What an abort cut off, as a message: a user has seen it, so the conversation goes on from it. */
function cutOffReply(text: string): Message[] {
  if (text.trim() === '') return [];
  return [{ role: 'assistant', content: [{ type: 'text', text }], isPartial: true }];
}

/** The last reply with what its calls have come to so far. Who goes on from these messages repeats nothing that was done. */
function openExchange({ phase }: RunState): Message[] {
  if (phase.type !== 'tools') return [];
  const { calls } = phase;
  const results = calls.map((call) => (call.at === 'done' ? call.result : placeholder(call)));
  return exchangeOf(phase, results).map((message) =>
    message.role === 'tool'
      ? {
          ...message,
          content: message.content.map((part, index) =>
            calls[index]?.at === 'done' ? part : { ...part, isWaiting: true },
          ),
        }
      : message,
  );
}

/** What stands in for the result of a call that waits for a person. */
function placeholder(state: CallState): CallResult {
  const { toolCallId, call } = state;
  if (state.at !== 'waiting') return unreadResult(toolCallId, call, texts.waitsForApproval);
  const { pending, ready } = state;
  const result = unreadResult(toolCallId, { ...call, name: ready.toolName }, (toolName) =>
    pending.type === 'question' ? texts.waitsForAnswer(toolName, pending.question) : texts.waitsForApproval(toolName),
  );
  return { ...result, input: ready.wireInput, rawInput: ready.rawInput };
}

/** What the model said beside the calls that wait: why it wants them. */
function pendingText({ phase }: RunState): string {
  return phase.type === 'tools' ? textOf(phase.reply.content) : '';
}

/** The result of a completed run; every other outcome is thrown, so that nobody can mistake it for an answer. */
export function completedOrThrow(result: RunResult<unknown>): CompletedRun<unknown> {
  if (result.status === 'completed') return result;
  throw errorOf(result);
}

function errorOf(run: UnfinishedRun): OilcanError {
  switch (run.status) {
    case 'stopped':
      return new OilcanError('run-stopped', `The run was stopped (${run.stopReason}). ${run.message}`, { run });
    case 'failed': {
      const { failure } = run;
      const message = /[.!?]$/.test(failure.message) ? failure.message : `${failure.message}.`;
      return new OilcanError('run-failed', failure.hint === undefined ? message : `${message} ${failure.hint}`, {
        run,
        failure,
        ...('cause' in failure ? { cause: failure.cause } : {}),
      });
    }
    case 'aborted':
      return new OilcanError('run-aborted', 'The run was aborted.', { run, cause: run.reason });
    case 'suspended': {
      const tools = run.pending.map((request) => request.toolName).join(', ');
      return new OilcanError('run-suspended', `The run waits for a person (${tools}). Go on with \`agent.resume\`.`, {
        run,
      });
    }
  }
}
