import { assertNever } from '../../core/assert.ts';
import type { Failure } from '../../core/failure.ts';
import { textOf } from '../../core/message.ts';
import { apply } from './apply.ts';
import { checkAnswer } from './check-answer.ts';
import { interruptedCall } from '../tool/call-results.ts';
import { charsOf } from '../history/compact.ts';
import { decide } from './decide.ts';
import { repairHistory } from '../history/history.ts';
import { messagesOfHook, sendable } from '../hooks/hook-messages.ts';
import { readAfterTurn } from '../hooks/hook-results.ts';
import { callHook, HookFailure, HookStop } from '../hooks/hooks.ts';
import { bugFailure } from './bug-failure.ts';
import { maskedFailure } from './masked-failure.ts';
import type { ModelStepMemory } from '../model/model-step.ts';
import { modelStep } from '../model/model-step.ts';
import { runCalls } from '../tool/run-calls.ts';
import type { RunContext } from './run-context.ts';
import type { CallSlot, Effect, Ending, Outcome, RunState } from './state.ts';
import { messagesOf, sentOf } from '../history/transcript.ts';
import { untilAborted } from './until-aborted.ts';

/** The reason of an abort by a run's own deadline. It names the run: a subagent's run follows the abort of the outer one. */
export class RunDeadlinePassed extends Error {
  override readonly name = 'RunDeadlinePassed';
  readonly runId: string;

  constructor(runId: string, runMs: number) {
    super(`The run took longer than \`deadlines.runMs\` (${runMs} ms)`);
    this.runId = runId;
  }
}

/** A run that has ended, and how. */
export interface EndedRun {
  readonly state: RunState;
  readonly ending: Ending;
}

/**
 * Drives a run to its end: decide, perform, apply, tell. Never rejects: whatever goes wrong becomes an ending.
 *
 * 1. Nothing but `perform` touches the world, and nothing but `apply` makes a new state.
 * 2. An abort ends the run at the next moment at which its history is valid: nothing waits beyond it, code of the
 *    user's included.
 */
export async function runLoop(context: RunContext, memory: ModelStepMemory, initial: RunState): Promise<EndedRun> {
  const { config, steps, abort } = context;
  let state = initial;
  let startedTurn = initial.turn;
  while (true) {
    const isCutShort = abort.aborted && state.phase.type !== 'ended';
    const effect = isCutShort
      ? ({ type: 'end', ending: abortEnding(context, state) } as const)
      : decide(state, config, steps.now(), context.outer?.left());
    if (effect.type === 'end') {
      const { ending } = effect;
      if (ending.status === 'stopped' && state.phase.type !== 'ended')
        context.emit({
          type: 'guard',
          turn: state.turn,
          guard: ending.stopReason,
          action: 'stop',
          message: ending.message,
        });
      return { state: ending.status === 'suspended' ? state : withAllResults(context, state), ending };
    }
    if (effect.type === 'call-model' && startedTurn <= state.turn) {
      startedTurn = state.turn + 1;
      context.emit({ type: 'turn-start', turn: startedTurn });
    }
    const { outcome, error } = await perform(context, memory, state, effect);
    if (outcome !== undefined) {
      const turnBefore = state.turn;
      const transition = apply(state, outcome, config);
      state = transition.state;
      for (const event of transition.events) context.emit(event);
      if (
        outcome.type === 'calls' &&
        error === undefined &&
        !abort.aborted &&
        config.hooks.has.afterTurn &&
        turnBefore === state.turn &&
        state.phase.type !== 'tools'
      ) {
        const stop = await afterTurn(context, state);
        if (stop !== undefined) return endedBy(context, state, stop.error);
      }
    }
    if (error !== undefined) return endedBy(context, state, error);
  }
}

async function perform(
  context: RunContext,
  memory: ModelStepMemory,
  state: RunState,
  effect: Exclude<Effect, { type: 'end' }>,
): Promise<{ readonly outcome?: Outcome; readonly error?: unknown }> {
  try {
    switch (effect.type) {
      case 'call-model':
        return await modelStep(context, memory, state, effect);
      case 'run-calls':
        return await runCalls(context, state, effect.indexes);
      case 'compact':
        return { outcome: await compact(context, state, effect.failure) };
      case 'check-answer':
        return { outcome: await untilAborted(checkAnswer(context.config, effect.text), context.abort) };
      case 'finish':
        return { outcome: { type: 'finish', reached: effect.reached } };
      default:
        return assertNever(effect);
    }
  } catch (error) {
    return { error: error ?? new Error('The step failed without a reason.') };
  }
}

async function compact(context: RunContext, state: RunState, failure: Failure): Promise<Outcome> {
  const { abort } = context;
  const { compactor } = context.config;
  const messages = sentOf(state.transcript);
  const charsBefore = charsOf(messages);
  const shortened =
    compactor === undefined
      ? undefined
      : await callHook('compact', abort, () => compactor({ messages, failure, signal: abort.signal }));
  if (shortened === undefined || shortened === null)
    return { type: 'compacted', messages: undefined, charsBefore, charsAfter: charsBefore };
  const repaired = sendable('compact', repairHistory(messagesOfHook('compact', shortened)).messages);
  return { type: 'compacted', messages: repaired, charsBefore, charsAfter: charsOf(repaired) };
}

async function afterTurn(context: RunContext, state: RunState): Promise<{ readonly error: unknown } | undefined> {
  const { runId, abort } = context;
  const { turn, usage } = state;
  const shown = { runId, turn, messages: messagesOf(state.transcript), usage, signal: abort.signal };
  for (const hooks of context.config.hooks.all) {
    const hook = hooks.afterTurn;
    if (hook === undefined) continue;
    try {
      const say = readAfterTurn(await callHook('afterTurn', abort, () => hook.call(hooks, shown)));
      if (say !== undefined) return { error: new HookStop(say.stop) };
    } catch (error) {
      return { error };
    }
  }
  return undefined;
}

function abortEnding(context: RunContext, state: RunState): Ending {
  const { reason } = context.abort;
  if (!(reason instanceof RunDeadlinePassed && reason.runId === context.runId)) return { status: 'aborted', reason };
  const message = `${reason.message}; it was in turn ${state.turn + 1}.`;
  return { status: 'stopped', stopReason: 'deadline', message };
}

/** Ends a run by an error of the driver's, with every result that there is. */
function endedBy(context: RunContext, state: RunState, error: unknown): EndedRun {
  const ending = endingOf(context, state, error);
  const whole = withAllResults(context, state);
  if (ending.status === 'stopped' && ending.stopReason === 'deadline')
    context.emit({ type: 'guard', turn: state.turn, guard: 'deadline', action: 'stop', message: ending.message });
  if (ending.status !== 'failed') return { state: whole, ending };
  const { failure } = ending;
  context.emit({
    type: 'failure',
    turn: state.turn,
    failure,
    owner: context.config.table[failure.kind].owner,
    action: 'stop',
  });
  return { state: { ...whole, failures: [...whole.failures, failure] }, ending };
}

/** How an error of the driver's ends the run: the user's hook, the user's abort, or a bug. */
function endingOf(context: RunContext, state: RunState, error: unknown): Ending {
  if (error instanceof HookStop) return { status: 'stopped', stopReason: 'hook', message: error.message };
  if (error instanceof HookFailure) {
    const { message, cause } = error;
    return { status: 'failed', failure: maskedFailure({ kind: 'bug', message, cause }, context.config.redactor) };
  }
  if (context.abort.aborted) return abortEnding(context, state);
  return { status: 'failed', failure: bugFailure(error, context.config.redactor) };
}

/** Calls that an error left without a result get one, so that the transcript can be used again. */
function withAllResults(context: RunContext, state: RunState): RunState {
  const { phase } = state;
  if (phase.type !== 'tools') return state;
  const results = phase.calls.map((slot): CallSlot => {
    if (slot.outcome !== undefined) return slot;
    const outcome = interruptedCall(slot);
    const { toolCallId, toolName, isError, content } = outcome;
    context.emit({
      type: 'tool-end',
      turn: state.turn,
      toolCallId,
      toolName,
      isError,
      output: textOf(content),
      durationMs: 0,
      failureKind: 'not-run',
      isCached: false,
    });
    return { ...slot, outcome };
  });
  return apply(state, { type: 'calls', results }, context.config).state;
}
