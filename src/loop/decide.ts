import { assertNever } from '../core/assert.ts';
import type { RunConfig } from './config.ts';
import { limitReached } from './guards/limits.ts';
import type { Effect, RunState } from './state.ts';

/**
 * What a run does next. Pure: the same state, options and time give the same effect.
 *
 * 1. A reply with calls is followed by the outcome of every one of them before anything else is asked.
 * 2. No request is made that would break a limit; what is running is let finish.
 */
export function decide(state: RunState, config: RunConfig, now: number): Effect {
  const { phase } = state;
  switch (phase.type) {
    case 'ended':
      return { type: 'end', ending: phase.ending };
    case 'answer':
      return { type: 'check-answer', text: phase.text };
    case 'tools': {
      const indexes: number[] = [];
      for (const [index, slot] of phase.calls.entries()) {
        if (slot.outcome === undefined && (slot.pending === undefined || slot.answer !== undefined)) indexes.push(index);
      }
      if (indexes.length > 0) return { type: 'run-calls', indexes };
      const pending = phase.calls.flatMap((slot) => (slot.outcome === undefined && slot.pending ? [slot.pending] : []));
      return { type: 'end', ending: { status: 'suspended', pending } };
    }
    case 'model': {
      if (phase.overflow !== undefined) return { type: 'compact', key: `compact/${state.requests}`, failure: phase.overflow };
      // Retries of a reply that was begun within the limits are still that reply.
      if (phase.attempt === 1 && state.finishing === undefined) {
        const limit = limitReached(state, config, now);
        if (limit !== undefined) {
          const canFinish = config.onLimit === 'finish' && limit.stopReason !== 'deadline';
          return canFinish ? { type: 'finish', reached: limit } : { type: 'end', ending: { status: 'stopped', ...limit } };
        }
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
