import { assertNever } from '../../core/assert.ts';
import { decideCall } from '../call/decide-call.ts';
import { nextLimit } from './limits.ts';
import type { RunRules } from './rules.ts';
import type { Effect, RunState } from './state.ts';
import { pendingOf } from './state.ts';

/**
 * What a run does next. Pure: the same state and rules give the same effect.
 *
 * 1. A reply with calls is followed by the result of every one of them before anything else is asked.
 * 2. No request is made that would break a limit; what is running is let finish.
 */
export function decide(state: RunState, rules: RunRules): Effect {
  const { phase } = state;
  const place = `t${state.turn + 1}`;
  switch (phase.type) {
    case 'ended':
      return { type: 'end', ending: phase.ending };
    case 'answer':
      return { type: 'check-answer', key: `t${state.turn}/answer`, text: phase.text };
    case 'after-turn':
      return { type: 'after-turn', key: `t${state.turn}/after` };
    case 'tools': {
      const acts = phase.calls.flatMap((call) => decideCall(call, state.turn) ?? []);
      if (acts.length > 0) return { type: 'calls', acts };
      return { type: 'end', ending: { status: 'suspended', pending: pendingOf(state) } };
    }
    case 'model': {
      const { request, attempt, dueAt, isNudged, overflow } = phase;
      const key = request === 1 ? place : `${place}#${request}`;
      if (overflow !== undefined) return { type: 'shorten', key: `${key}/shorten`, failure: overflow };
      const limit = nextLimit(state, rules);
      if (limit !== undefined) return { type: 'limit', key: `${key}/limit`, ...limit };
      return { type: 'ask-model', key, attempt, dueAt, isNudged, isFirst: request === 1 };
    }
    default:
      return assertNever(phase);
  }
}
