import type { FailureAction } from '../../core/event.ts';
import type { Failure, Owner } from '../../core/failure.ts';
import { userMessage } from '../../core/message.ts';
import type { ModelReply } from '../../core/provider.ts';
import { decideRetry } from '../../resilience/retry.ts';
import type { EventBody } from './event-body.ts';
import type { RunRules } from './rules.ts';
import { budgetReached, tooManyErrors, unlimited } from './limits.ts';
import { continueAfterFailure } from '../words/nudges.ts';
import type { SlipNote } from '../words/for-models.ts';
import { afterDescribedCall } from './slips.ts';
import type { Spent } from './spent.ts';
import { nothingSpent } from './spent.ts';
import type { Ending, ModelPhase, NoReplyOutcome, Outcome, RunState, Transition } from './state.ts';
import { firstAttempt } from './state.ts';
import { append, compactedTo, markRewound } from './transcript.ts';
import { assistantMessage, end, eventsOfAttempt, eventsOfReply, withSpent } from './next-state.ts';

type ModelFailure = NoReplyOutcome;

/** After an attempt that gave no reply: the table says who deals with it, unless a hook said so. */
export function applyFailure(state: RunState, outcome: ModelFailure, rules: RunRules): Transition {
  const { failure, override } = outcome;
  const next: RunState = {
    ...state,
    ...withSpent(state, outcome.spent),
    lastRequest: atLeast(state.lastRequest, outcome.spent),
    failures: [...state.failures, failure],
  };
  if (override === 'stop') return stopped(next, outcome, 'nobody');
  if (override === 'model' || (override === undefined && rules.table[failure.kind].remedy === 'tell-model'))
    return tellModel(next, outcome, rules);
  return askAgain(next, outcome, rules);
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
  const { attempt, reply } = outcome;
  const ended = [
    ...eventsOfAttempt(turn, attempt, 'failed'),
    ...(reply !== undefined && attempt !== undefined ? eventsOfReply(turn, reply, attempt) : []),
  ];
  return attempt?.hasStreamed === true
    ? [...ended, failed, { type: 'text-void', turn, reason: 'failed-attempt' }]
    : [...ended, failed];
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
function tellModel(state: RunState, outcome: ModelFailure, rules: RunRules): Transition {
  const events = told(state, outcome, 'model', 'tell-model');
  // The last turn after a limit has no other one.
  if (state.finishing !== undefined)
    return endWithReply(state, outcome, { status: 'stopped', ...state.finishing }, events);
  const next: RunState = { ...state, turn: state.turn + 1, phase: firstAttempt };
  const { reply, note } = outcome;
  if (reply !== undefined && note !== undefined) {
    const rewound = rewindDescribedCall(next, reply, outcome, note, rules);
    return { state: rewound.state, events: [...events, ...rewound.events] };
  }
  const transcript = append(state.transcript, userMessage(continueAfterFailure()));
  return { state: { ...next, transcript }, events };
}

/** Waits and asks again, with a shorter history or another provider where that is the remedy; else the run ends. */
function askAgain(state: RunState, outcome: ModelFailure, rules: RunRules): Transition {
  const { failure } = outcome;
  const phase = state.phase.type === 'model' ? state.phase : firstAttempt;
  const ownRow = rules.table[failure.kind];
  // What was kept aside for the last turn after a limit pays for one reply.
  if (state.finishing !== undefined && budgetReached(state, rules, unlimited, 1) !== undefined) {
    const ending: Ending = { status: 'stopped', ...state.finishing };
    return endWithReply(state, outcome, ending, told(state, outcome, ownRow.owner, 'stop'));
  }
  const row = outcome.override === 'retry' ? ({ ...ownRow, remedy: 'retry' } as const) : ownRow;
  const turn = state.turn + 1;
  const emptyReplies = phase.emptyReplies + (row.remedy === 'ask-again' ? 1 : 0);
  const situation = {
    attempt: phase.attempt,
    waitedMs: phase.waitedMs,
    remainingMs: state.startedAt + rules.deadlines.runMs - state.now,
    emptyReplies,
  };
  const decision = decideRetry(failure, row, situation, rules.retry, () => outcome.random);
  if (decision.retry) {
    const { delayMs } = decision;
    const { maxAttempts } = rules.retry;
    const attempt = phase.attempt + 1;
    const waiting: ModelPhase = {
      ...phase,
      attempt,
      request: phase.request + 1,
      dueAt: delayMs > 0 ? state.now + delayMs : undefined,
      waitedMs: phase.waitedMs + delayMs,
      emptyReplies,
      isNudged: decision.nudge,
    };
    const retry: EventBody = { type: 'retry', turn, attempt, maxAttempts, delayMs, failure };
    const events = told(state, outcome, row.owner === 'nobody' ? 'code' : row.owner, 'retry');
    return { state: { ...state, phase: waiting }, events: [...events, retry] };
  }
  if (row.remedy === 'compact' && rules.compacts && !phase.isCompacted) {
    const events = told(state, outcome, 'code', 'compact');
    return { state: { ...state, phase: { ...phase, overflow: failure } }, events };
  }
  const fallenBack = onNextProvider(
    state,
    failure,
    { ...firstAttempt, isCompacted: phase.isCompacted, request: phase.request + 1 },
    rules,
  );
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
  { issuer, failure }: ModelFailure,
  note: SlipNote,
  rules: RunRules,
): Transition {
  const { turn } = state;
  const { slips, rewind } = afterDescribedCall(state.slips, failure.toolName ?? '', note);
  const said = append(state.transcript, assistantMessage(reply, [], issuer));
  const errorTurns = state.errorTurns + 1;
  const reached = tooManyErrors(errorTurns, rules);
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
function onNextProvider(state: RunState, failure: Failure, phase: ModelPhase, rules: RunRules): Transition | undefined {
  const { mayFallBack } = rules.table[failure.kind];
  const providerIndex = state.providerIndex + 1;
  const left = rules.models[state.providerIndex];
  const next = rules.models[providerIndex];
  if (!mayFallBack || left === undefined || next === undefined) return undefined;
  const turn = state.turn + 1;
  const names = { from: left.id, to: next.id, fromModel: left.model, toModel: next.model };
  return {
    state: { ...state, providerIndex, phase },
    events: [{ type: 'fall-back', turn, ...names, failure }],
  };
}

/** After the history was shortened, or could not be. */
export function applyShortened(
  state: RunState,
  outcome: Extract<Outcome, { type: 'shortened' }>,
  rules: RunRules,
): Transition {
  const { phase } = state;
  if (phase.type !== 'model' || phase.overflow === undefined) return { state, events: [] };
  const { charsBefore, charsAfter, messages } = outcome;
  if (messages === undefined) {
    const ended = end(state, { status: 'failed', failure: phase.overflow });
    return (
      onNextProvider(state, phase.overflow, { ...firstAttempt, request: phase.request + 1 }, rules) ?? {
        state: ended,
        events: [],
      }
    );
  }
  return {
    state: {
      ...state,
      transcript: compactedTo(state.transcript, messages),
      phase: {
        ...phase,
        overflow: undefined,
        isCompacted: true,
        attempt: phase.attempt + 1,
        request: phase.request + 1,
      },
    },
    events: [{ type: 'history-compacted', turn: state.turn + 1, charsBefore, charsAfter }],
  };
}
