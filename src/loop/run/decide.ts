import { assertNever } from '../../core/assert.ts';
import type { RunConfig } from './run-config.ts';
import { budgetReached, limitReached } from '../guards/limits.ts';
import type { Left } from './outer-run.ts';
import { unlimited } from './outer-run.ts';
import type { Effect, LimitReached, RunState } from './state.ts';
import { pendingOf } from './state.ts';

/**
 * What a run does next. Pure: the same state, options, time and rest of an outer budget give the same effect.
 *
 * 1. A reply with calls is followed by the outcome of every one of them before anything else is asked.
 * 2. No request is made that would break a limit; what is running is let finish.
 */
export function decide(state: RunState, config: RunConfig, now: number, outer: Left = unlimited): Effect {
  const { phase } = state;
  switch (phase.type) {
    case 'ended':
      return { type: 'end', ending: phase.ending };
    case 'answer':
      return { type: 'check-answer', text: phase.text };
    case 'tools': {
      const indexes: number[] = [];
      for (const [index, slot] of phase.calls.entries()) {
        if (slot.outcome === undefined && (slot.pending === undefined || slot.answer !== undefined))
          indexes.push(index);
      }
      if (indexes.length > 0) return { type: 'run-calls', indexes };
      return { type: 'end', ending: { status: 'suspended', pending: pendingOf(state) } };
    }
    case 'model': {
      if (phase.overflow !== undefined) return { type: 'compact', failure: phase.overflow };
      if (state.finishing === undefined) {
        const limit = limitReached(state, config, now, outer);
        if (limit !== undefined && !canFinish(limit, state, config, outer))
          return { type: 'end', ending: { status: 'stopped', ...limit } };
        // What the last turn needs is kept for it: a budget is kept to with it as well.
        const reached = limit ?? (config.onLimit === 'finish' ? budgetReached(state, config, outer, 2) : undefined);
        if (reached !== undefined) return { type: 'finish', reached };
      } else if (phase.attempt > 1 && budgetReached(state, config, outer, 1) !== undefined) {
        // The last turn is paid from what was kept for it; other tries may have used that up, here or in an outer run.
        return { type: 'end', ending: { status: 'stopped', ...state.finishing } };
      }
      return {
        type: 'call-model',
        key: `model/${state.requests + 1}`,
        attempt: phase.attempt,
        dueAt: phase.dueAt,
        isNudged: phase.isNudged,
      };
    }
    default:
      return assertNever(phase);
  }
}

/** Whether one more request, without tools, may follow: not where there is nothing left to pay it with. */
function canFinish(limit: LimitReached, state: RunState, config: RunConfig, outer: Left): boolean {
  if (config.onLimit !== 'finish' || limit.stopReason === 'deadline') return false;
  return budgetReached(state, config, outer, 1) === undefined;
}
