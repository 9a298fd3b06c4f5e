import { assertNever } from '../../core/assert.ts';
import { textOf } from '../../core/message.ts';
import { applyAnswer } from './apply-answer.ts';
import { applyCalls } from './apply-calls.ts';
import { applyCompaction, applyFailure } from './apply-failure.ts';
import type { RunConfig } from './run-config.ts';
import { endOfRow } from './slips.ts';
import type { EventBody, Outcome, RunState, Transition } from './state.ts';
import { firstAttempt } from './state.ts';
import { append } from '../history/transcript.ts';
import { assistantMessage, end, toolsPhase, withSpent } from './next-state.ts';

/** The state after an outcome. Pure: time and randomness come in with the outcome. */
export function apply(state: RunState, outcome: Outcome, config: RunConfig): Transition {
  switch (outcome.type) {
    case 'reply':
      return applyReply(state, outcome, config);
    case 'model-failure':
      return applyFailure(state, outcome, config);
    case 'calls':
      return applyCalls(state, outcome.results, config);
    case 'compacted':
      return applyCompaction(state, outcome, config);
    case 'answer-checked':
      return applyAnswer(state, outcome.check, config);
    case 'finish':
      return {
        state: { ...state, finishing: outcome.reached, reached: undefined },
        events: [
          {
            type: 'guard',
            turn: state.turn,
            guard: outcome.reached.stopReason,
            action: 'finish',
            message: outcome.reached.message,
          },
        ],
      };
    default:
      return assertNever(outcome);
  }
}

function applyReply(state: RunState, outcome: Extract<Outcome, { type: 'reply' }>, config: RunConfig): Transition {
  const { reply } = outcome;
  const next: RunState = {
    ...state,
    turn: state.turn + 1,
    requests: state.requests + 1,
    ...withSpent(state, outcome.spent),
    lastRequest: { tokens: outcome.spent.tokens, costUsd: outcome.spent.costUsd ?? 0 },
  };
  const calls = reply.content.filter((part) => part.type === 'tool-call');
  if (calls.length > 0) return { state: { ...next, phase: toolsPhase(reply, outcome) }, events: [] };
  const text = textOf(reply.content);
  const told = {
    ...next,
    transcript: append(next.transcript, assistantMessage(reply, [], outcome.issuer)),
    // What comes between two slips ends their row: a rewind takes out the last exchanges, and this is none of them. What
    // may yet be calls is waited for.
    slips: outcome.asCalls === undefined ? endOfRow(next.slips) : next.slips,
  };
  const turnEnd: EventBody = { type: 'turn-end', turn: next.turn };
  if (reply.finishReason === 'pause') {
    const goesOn = state.finishing === undefined;
    return {
      state: goesOn ? { ...told, phase: firstAttempt } : end(told, { status: 'stopped', ...state.finishing }),
      events: [turnEnd],
    };
  }
  if (reply.finishReason === 'length') {
    const message =
      'The answer was cut by the output limit of the model. Raise `maxOutputTokens` of the provider, or ask for less.';
    return { state: end(told, { status: 'stopped', stopReason: 'output-limit', message }), events: [turnEnd] };
  }
  if (config.output !== undefined) {
    const asCalls = outcome.asCalls && { ...outcome.asCalls, issuer: outcome.issuer, mayRun: outcome.mayRun };
    return {
      state: { ...told, phase: { type: 'answer', text, asCalls } },
      events: asCalls === undefined ? [turnEnd] : [],
    };
  }
  return { state: end(told, { status: 'completed', text }), events: [turnEnd] };
}
