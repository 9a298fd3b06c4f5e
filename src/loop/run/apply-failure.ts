import type { FailureAction } from '../../core/event.ts';
import type { Failure, Owner } from '../../core/failure.ts';
import { userMessage } from '../../core/message.ts';
import type { ModelReply } from '../../core/provider.ts';
import type { Tool } from '../../core/tool.ts';
import { decideRetry } from '../../resilience/retry.ts';
import type { RunConfig } from './run-config.ts';
import { budgetReached, tooManyErrors } from '../guards/limits.ts';
import { continueAfterFailure } from '../nudges.ts';
import { unlimited } from './outer-run.ts';
import { afterDescribedCall } from './slips.ts';
import type { Spent } from './spent.ts';
import { nothingSpent } from './spent.ts';
import type { Ending, EventBody, ModelPhase, Outcome, RunState, Transition } from './state.ts';
import { firstAttempt } from './state.ts';
import { append, compactedTo, markRewound } from '../history/transcript.ts';
import { assistantMessage, end, withSpent } from './next-state.ts';

type ModelFailure = Extract<Outcome, { type: 'model-failure' }>;

/** After an attempt that gave no reply: the table says who deals with it, unless a hook said so. */
export function applyFailure(state: RunState, outcome: ModelFailure, config: RunConfig): Transition {
  const { failure, reowned } = outcome;
  const next: RunState = {
    ...state,
    requests: state.requests + 1,
    ...withSpent(state, outcome.spent),
    lastRequest: atLeast(state.lastRequest, outcome.spent),
    failures: [...state.failures, failure],
  };
  if (reowned === 'stop') return stopped(next, outcome, 'nobody');
  if (reowned === 'model' || (reowned === undefined && config.table[failure.kind].remedy === 'tell-model'))
    return tellModel(next, outcome, config);
  return askAgain(next, outcome, config);
}

/** What the next request needs at least: a reply that is no use was paid for like any other, and it is asked for again. */
function atLeast(lastRequest: RunState['lastRequest'], spent: Spent): RunState['lastRequest'] {
  if (spent === nothingSpent) return lastRequest;
  return {
    tokens: Math.max(lastRequest.tokens, spent.tokens),
    costUsd: Math.max(lastRequest.costUsd, spent.costUsd ?? 0),
  };
}

/** What the events say of a failure. */
function told(state: RunState, outcome: ModelFailure, owner: Owner, action: FailureAction): EventBody[] {
  const turn = state.turn + 1;
  const failed: EventBody = { type: 'failure', turn, failure: outcome.failure, owner, action };
  return outcome.hasStreamed ? [failed, { type: 'text-void', turn, reason: 'failed-attempt' }] : [failed];
}

function stopped(state: RunState, outcome: ModelFailure, owner: Owner): Transition {
  const { failure } = outcome;
  return endWithReply(state, outcome, { status: 'failed', failure }, told(state, outcome, owner, 'stop'));
}

/** Ends a run. A whole reply that is the failure was a turn, and what it says is part of the work so far. */
function endWithReply(
  state: RunState,
  { reply, issuer }: ModelFailure,
  ending: Ending,
  events: readonly EventBody[],
): Transition {
  if (reply === undefined) return { state: end(state, ending), events };
  const turn = state.turn + 1;
  const transcript = append(state.transcript, assistantMessage(reply, [], issuer));
  return { state: end({ ...state, turn, transcript }, ending), events: [...events, { type: 'turn-end', turn }] };
}

/** Costs the model a turn. */
function tellModel(state: RunState, outcome: ModelFailure, config: RunConfig): Transition {
  const events = told(state, outcome, 'model', 'tell-model');
  // The last turn after a limit has no other one.
  if (state.finishing !== undefined)
    return endWithReply(state, outcome, { status: 'stopped', ...state.finishing }, events);
  const next: RunState = { ...state, turn: state.turn + 1, phase: firstAttempt };
  const tool = config.tools.get(outcome.failure.toolName ?? '');
  if (outcome.reply !== undefined && tool !== undefined) {
    const rewound = rewindDescribedCall(next, outcome.reply, outcome, tool, config);
    return { state: rewound.state, events: [...events, ...rewound.events] };
  }
  const transcript = append(state.transcript, userMessage(continueAfterFailure()));
  return { state: { ...next, transcript }, events };
}

/** Waits and asks again, with a shorter history or another provider where that is the remedy; else the run ends. */
function askAgain(state: RunState, outcome: ModelFailure, config: RunConfig): Transition {
  const { failure } = outcome;
  const phase = state.phase.type === 'model' ? state.phase : firstAttempt;
  const ownRow = config.table[failure.kind];
  // What was kept aside for the last turn after a limit pays for one reply.
  if (state.finishing !== undefined && budgetReached(state, config, unlimited, 1) !== undefined) {
    const ending: Ending = { status: 'stopped', ...state.finishing };
    return endWithReply(state, outcome, ending, told(state, outcome, ownRow.owner, 'stop'));
  }
  const row = outcome.reowned === 'retry' ? ({ ...ownRow, remedy: 'retry' } as const) : ownRow;
  const turn = state.turn + 1;
  const emptyReplies = phase.emptyReplies + (failure.kind === 'empty-reply' ? 1 : 0);
  const situation = {
    attempt: phase.attempt,
    waitedMs: phase.waitedMs,
    remainingMs: state.startedAt + config.deadlines.runMs - outcome.at,
    emptyReplies,
  };
  const decision = decideRetry(failure, row, situation, config.retry, () => outcome.random);
  if (decision.retry) {
    const { delayMs } = decision;
    const { maxAttempts } = config.retry;
    const attempt = phase.attempt + 1;
    const waiting: ModelPhase = {
      ...phase,
      attempt,
      dueAt: delayMs > 0 ? outcome.at + delayMs : undefined,
      waitedMs: phase.waitedMs + delayMs,
      emptyReplies,
      isNudged: decision.nudge,
    };
    const retry: EventBody = { type: 'retry', turn, attempt, maxAttempts, delayMs, failure };
    const events = told(state, outcome, row.owner === 'nobody' ? 'code' : row.owner, 'retry');
    return { state: { ...state, phase: waiting }, events: [...events, retry] };
  }
  if (row.remedy === 'compact' && config.compactor !== undefined && !phase.isCompacted) {
    const events = told(state, outcome, 'code', 'compact');
    return { state: { ...state, phase: { ...phase, overflow: failure } }, events };
  }
  const fallenBack = onNextProvider(state, failure, { ...firstAttempt, isCompacted: phase.isCompacted }, config);
  if (fallenBack !== undefined) {
    const events = told(state, outcome, ownRow.owner, 'fall-back');
    return { state: fallenBack.state, events: [...events, ...fallenBack.events] };
  }
  // A context that nobody can shorten is nobody's failure: the caller has to send less.
  return stopped(state, outcome, row.remedy === 'compact' ? 'nobody' : ownRow.owner);
}

/** A reply that wrote about a call: told by a note in the system text, since there is no call that a result could answer. */
function rewindDescribedCall(
  state: RunState,
  reply: ModelReply,
  { issuer }: ModelFailure,
  tool: Tool,
  config: RunConfig,
): Transition {
  const { turn } = state;
  const { slips, rewind } = afterDescribedCall(state.slips, tool);
  const said = append(state.transcript, assistantMessage(reply, [], issuer));
  const errorTurns = state.errorTurns + 1;
  const reached = tooManyErrors(errorTurns, config);
  return {
    state: {
      ...state,
      transcript: markRewound(said, rewind.exchanges),
      slips,
      errorTurns,
      ...(reached === undefined ? {} : { reached }),
    },
    events: [
      { type: 'rewind', turn, ...rewind },
      { type: 'turn-end', turn },
    ],
  };
}

/** Goes on with the next provider, if there is one: nothing of the failed reply goes with it, since nothing of it was kept. */
function onNextProvider(
  state: RunState,
  failure: Failure,
  phase: ModelPhase,
  config: RunConfig,
): Transition | undefined {
  const mayFallBack =
    config.table[failure.kind].mayFallBack || (failure.kind === 'refused' && config.fallBackOnRefusal);
  const providerIndex = state.providerIndex + 1;
  const left = config.providers[state.providerIndex];
  const next = config.providers[providerIndex];
  if (!mayFallBack || left === undefined || next === undefined) return undefined;
  const turn = state.turn + 1;
  const names = { from: left.id, to: next.id, fromModel: left.model, toModel: next.model };
  return {
    state: { ...state, providerIndex, phase },
    events: [{ type: 'fall-back', turn, ...names, failure }],
  };
}

/** After the history was shortened, or could not be. */
export function applyCompaction(
  state: RunState,
  outcome: Extract<Outcome, { type: 'compacted' }>,
  config: RunConfig,
): Transition {
  const { phase } = state;
  if (phase.type !== 'model' || phase.overflow === undefined) return { state, events: [] };
  const { charsBefore, charsAfter, messages } = outcome;
  if (messages === undefined) {
    const ended = end(state, { status: 'failed', failure: phase.overflow });
    return onNextProvider(state, phase.overflow, firstAttempt, config) ?? { state: ended, events: [] };
  }
  return {
    state: {
      ...state,
      transcript: compactedTo(state.transcript, messages),
      phase: { ...phase, overflow: undefined, isCompacted: true, attempt: phase.attempt + 1 },
    },
    events: [{ type: 'history-compacted', turn: state.turn + 1, charsBefore, charsAfter }],
  };
}
