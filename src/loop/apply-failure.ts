import type { FailureAction } from '../core/event.ts';
import type { Failure, Owner } from '../core/failure.ts';
import { userMessage } from '../core/message.ts';
import type { ModelReply } from '../core/provider.ts';
import type { Tool } from '../core/tool.ts';
import { decideRetry } from '../resilience/retry.ts';
import type { RunConfig } from './config.ts';
import { tooManyErrors } from './guards/limits.ts';
import { continueAfterFailure } from './nudges.ts';
import { afterDescribedCall } from './slips.ts';
import type { EventBody, ModelPhase, Outcome, RunState, Transition } from './state.ts';
import { firstAttempt } from './state.ts';
import { append, compactedTo, markRewound } from './transcript.ts';
import { assistantMessage, end, issuerOf, withSpent } from './next-state.ts';

type ModelFailure = Extract<Outcome, { type: 'model-failure' }>;

/** After an attempt that gave no reply: the table says who deals with it, unless a hook said so. */
export function applyFailure(state: RunState, outcome: ModelFailure, config: RunConfig): Transition {
  const { failure, reowned } = outcome;
  const next: RunState = {
    ...state,
    requests: state.requests + 1,
    ...withSpent(state, outcome.spent),
    failures: [...state.failures, failure],
  };
  if (reowned === 'stop') return stopped(next, outcome, 'nobody');
  if (reowned === 'model' || (reowned === undefined && config.table[failure.kind].remedy === 'tell-model'))
    return tellModel(next, outcome, config);
  return askAgain(next, outcome, config);
}

/** What the events say of a failure. */
function told(state: RunState, outcome: ModelFailure, owner: Owner, action: FailureAction): EventBody[] {
  const turn = state.turn + 1;
  const failed: EventBody = { type: 'failure', turn, failure: outcome.failure, owner, action };
  return outcome.hasStreamed ? [failed, { type: 'text-void', turn, reason: 'failed-attempt' }] : [failed];
}

function stopped(state: RunState, outcome: ModelFailure, owner: Owner): Transition {
  const { failure } = outcome;
  return { state: end(state, { status: 'failed', failure }), events: told(state, outcome, owner, 'stop') };
}

/** Costs the model a turn. */
function tellModel(state: RunState, outcome: ModelFailure, config: RunConfig): Transition {
  const events = told(state, outcome, 'model', 'tell-model');
  // The last turn after a limit has no other one.
  if (state.finishing !== undefined) return { state: end(state, { status: 'stopped', ...state.finishing }), events };
  const next: RunState = { ...state, turn: state.turn + 1, phase: firstAttempt };
  const tool = config.tools.get(outcome.failure.toolName ?? '');
  if (outcome.reply !== undefined && tool !== undefined) {
    const rewound = rewindDescribedCall(next, outcome.reply, tool, config);
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
  const to = nextProvider(state, failure, config);
  if (to !== undefined) {
    const from = issuerOf(state, config);
    const fresh = { ...firstAttempt, isCompacted: phase.isCompacted };
    const fallBack: EventBody = { type: 'fall-back', turn, from, to: to.id, failure };
    const events = told(state, outcome, ownRow.owner, 'fall-back');
    return { state: { ...state, providerIndex: to.index, phase: fresh }, events: [...events, fallBack] };
  }
  // A context that nobody can shorten is nobody's failure: the caller has to send less.
  return stopped(state, outcome, row.remedy === 'compact' ? 'nobody' : ownRow.owner);
}

/** A reply that wrote about a call: told by a note in the system text, since there is no call that a result could answer. */
function rewindDescribedCall(state: RunState, reply: ModelReply, tool: Tool, config: RunConfig): Transition {
  const { turn } = state;
  const { slips, rewind } = afterDescribedCall(state.slips, tool);
  const said = append(state.transcript, assistantMessage(reply, [], issuerOf(state, config)));
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

/** Where a fallback goes on: nothing of the failed reply goes with it, since nothing of it was kept. */
function nextProvider(state: RunState, failure: Failure, config: RunConfig): { index: number; id: string } | undefined {
  const mayFallBack =
    config.table[failure.kind].mayFallBack || (failure.kind === 'refused' && config.fallBackOnRefusal);
  const index = state.providerIndex + 1;
  const provider = config.providers[index];
  return mayFallBack && provider !== undefined ? { index, id: provider.id } : undefined;
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
    const fallBackTo = nextProvider(state, phase.overflow, config);
    if (fallBackTo !== undefined)
      return { state: { ...state, providerIndex: fallBackTo.index, phase: firstAttempt }, events: [] };
    return { state: end(state, { status: 'failed', failure: phase.overflow }), events: [] };
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
