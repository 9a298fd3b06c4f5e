import { OilcanError } from '../../core/error.ts';
import { textOf } from '../../core/message.ts';
import type { CompletedRun, RunResult, RunSummary, UnfinishedRun } from '../../core/result.ts';
import { lastText } from '../../core/result.ts';
import type { EndedRun } from './run-loop.ts';
import type { RunState } from './state.ts';
import { messagesOf } from '../history/transcript.ts';

/** What a run that has ended gives its caller. `cutOffText` is what an abort cut off, and no part of the transcript. */
export function resultOf({ state, ending }: EndedRun, runId: string, cutOffText: string): RunResult<unknown> {
  const transcript = messagesOf(state.transcript);
  // A suspended run goes on from these very messages: what the caller does with the result must not reach them.
  const messages = ending.status === 'suspended' ? structuredClone(transcript) : transcript;
  const partialText = cutOffText || pendingText(state) || lastText(messages);
  const summary: RunSummary = {
    runId,
    messages,
    usage: state.usage,
    ...(state.costUsd === undefined ? {} : { costUsd: state.costUsd }),
    turns: state.turn,
    failures: state.failures,
  };
  if (ending.status !== 'completed') return { ...summary, ...ending, partialText };
  return {
    ...summary,
    status: 'completed',
    text: ending.text,
    output: ending.output,
    outputAttempts: state.outputFailures + 1,
    ...(state.finishing === undefined ? {} : { finishedBy: state.finishing.stopReason }),
  };
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
