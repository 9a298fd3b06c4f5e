import { assertNever } from '../../core/assert.ts';
import { userMessage, textOf } from '../../core/message.ts';
import { append } from './transcript.ts';
import { applyAnswer } from './apply-answer.ts';
import { applyCallOutcome, applyPerson, closeCalls } from './apply-calls.ts';
import { applyFailure, applyShortened } from './apply-failure.ts';
import type { EventBody } from './event-body.ts';
import {
  assistantMessage,
  end,
  endedBy,
  eventsOfAttempt,
  eventsOfReply,
  eventsOfTextCalls,
  toolsPhase,
  withSpent,
} from './next-state.ts';
import { withRecovery } from './recovery.ts';
import type { RunRules } from './rules.ts';
import { endOfRow } from './slips.ts';
import type { Ending, Outcome, ReplyOutcome, RunEntry, RunState, Transition } from './state.ts';
import { firstAttempt } from './state.ts';
import type { Stopping } from '../call/state.ts';

/** The state after an entry, and what is to be told. Pure: time and chance come in with the entry. */
export function apply(before: RunState, entry: RunEntry, rules: RunRules): Transition {
  // Clocks of two processes may differ: a run never goes back in time.
  const state = entry.at > before.now ? { ...before, now: entry.at } : before;
  const { state: next, events } = applyOutcome(state, entry.outcome, rules);
  return withRecovery(before, withInbox(next), events);
}

function applyOutcome(state: RunState, outcome: Outcome, rules: RunRules): Transition {
  switch (outcome.type) {
    case 'began': {
      const { messages, startedAt } = outcome;
      return { state: { ...state, transcript: append(undefined, ...messages), startedAt }, events: [] };
    }
    case 'reply':
      return applyReply(state, outcome, rules);
    case 'no-reply': {
      const failed = applyFailure(state, outcome, rules);
      const { stopping } = outcome;
      if (stopping === undefined) return failed;
      // The end itself follows.
      if (stopping.type === 'abort') return { state: { ...failed.state, phase: state.phase }, events: failed.events };
      return stopped(failed.state, stopping, rules, failed.events);
    }
    case 'call':
      return applyCallOutcome(state, outcome, rules);
    case 'person':
      return applyPerson(state, outcome);
    case 'shortened':
      return applyShortened(state, outcome, rules);
    case 'checked':
      return applyAnswer(state, outcome.problem, rules);
    case 'turn-over':
      return { state: state.phase.type === 'after-turn' ? { ...state, phase: state.phase.next } : state, events: [] };
    case 'limit': {
      const { reached, mayFinish } = outcome;
      const { stopReason: guard, message } = reached;
      const { turn } = state;
      return {
        state: mayFinish
          ? { ...state, finishing: reached, reached: undefined }
          : end(state, { status: 'stopped', ...reached }),
        events: [{ type: 'guard', turn, guard, action: mayFinish ? 'finish' : 'stop', message }],
      };
    }
    case 'said':
      return {
        state: { ...state, heard: state.heard + 1, inbox: [...state.inbox, userMessage(outcome.text)] },
        events: [],
      };
    case 'stopped':
      return stopped(state, outcome.stopping, rules);
    case 'cut-off':
      return cutOff(state, outcome, rules);
    case 'interrupted':
      // An attempt at a reply has no effect: it is made again.
      return { state, events: [] };
    default:
      return assertNever(outcome);
  }
}

/** What somebody said meanwhile is heard before the next request; an answer that it has not heard is not the last word. */
function withInbox(state: RunState): RunState {
  if (state.inbox.length === 0) return state;
  const { phase } = state;
  const goesOn = phase.type === 'ended' && phase.ending.status === 'completed' && state.finishing === undefined;
  if (phase.type !== 'model' && !goesOn) return state;
  const transcript = append(state.transcript, ...state.inbox);
  return { ...state, transcript, inbox: [], ...(goesOn ? { phase: firstAttempt } : {}) };
}

function applyReply(state: RunState, outcome: ReplyOutcome, rules: RunRules): Transition {
  const { reply, attempt } = outcome;
  const turn = state.turn + 1;
  const next: RunState = {
    ...state,
    turn,
    ...withSpent(state, outcome.spent),
    lastRequest: { tokens: outcome.spent.tokens, costUsd: outcome.spent.costUsd ?? 0 },
  };
  const calls = reply.content.filter((part) => part.type === 'tool-call');
  const text = textOf(reply.content);
  const told: EventBody[] = [
    ...eventsOfAttempt(turn, attempt, 'reply'),
    ...(outcome.isFromText ? eventsOfTextCalls({ reply, hasStreamed: attempt.hasStreamed }, turn) : []),
    ...eventsOfReply(turn, reply, attempt),
  ];
  if (calls.length > 0) return { state: { ...next, phase: toolsPhase(reply, outcome) }, events: told };
  const said = {
    ...next,
    transcript: append(next.transcript, assistantMessage(reply, [], outcome.issuer)),
    // What comes between two slips ends their row: a rewind takes out the last exchanges, and this is none of them. What
    // may yet be calls is waited for.
    slips: outcome.asCalls === undefined ? endOfRow(next.slips) : next.slips,
  };
  const withEnd: EventBody[] = [...told, { type: 'turn-end', turn }];
  if (reply.finishReason === 'pause') {
    const goesOn = state.finishing === undefined;
    return {
      state: goesOn ? { ...said, phase: firstAttempt } : end(said, { status: 'stopped', ...state.finishing }),
      events: withEnd,
    };
  }
  if (reply.finishReason === 'length') {
    const message =
      'The answer was cut by the output limit of the model. Raise `maxOutputTokens` of the provider, or ask for less.';
    return { state: end(said, { status: 'stopped', stopReason: 'output-limit', message }), events: withEnd };
  }
  if (rules.outputAttempts !== undefined) {
    const asCalls = outcome.asCalls && { ...outcome.asCalls, issuer: outcome.issuer, mayRun: outcome.mayRun };
    return {
      state: { ...said, phase: { type: 'answer', text, asCalls } },
      events: asCalls === undefined ? withEnd : told,
    };
  }
  return { state: end(said, { status: 'completed', text }), events: withEnd };
}

/** Ends a run for a hook or for a bug, with every result that there is. */
function stopped(state: RunState, stopping: Stopping, rules: RunRules, before: readonly EventBody[] = []): Transition {
  const closed = closeCalls(state, rules, undefined);
  const ended = endedBy(closed.state, stopping, rules);
  return { state: ended.state, events: [...before, ...closed.events, ...ended.events] };
}

function cutOff(state: RunState, outcome: Extract<Outcome, { type: 'cut-off' }>, rules: RunRules): Transition {
  const { state: closed, events } = closeCalls(state, rules, outcome);
  if (outcome.by === 'caller') return { state: end(closed, { status: 'aborted', reason: outcome.reason }), events };
  const message = `${outcome.message}; it was in turn ${state.turn + 1}.`;
  const ending: Ending = { status: 'stopped', stopReason: 'deadline', message };
  const guard: EventBody = { type: 'guard', turn: state.turn, guard: 'deadline', action: 'stop', message };
  return { state: end(closed, ending), events: [...events, guard] };
}
