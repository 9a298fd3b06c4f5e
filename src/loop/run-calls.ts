import { runLimited } from '../resilience/run-limited.ts';
import type { RunContext } from './run-context.ts';
import type { CallSlot, Outcome, RunState } from './state.ts';
import { findTool } from './tool-input/find-tool.ts';
import { toolStep } from './tool-step.ts';

/**
 * Runs the calls of a reply that have no outcome yet. Side by side, up to `toolConcurrency`; a tool that is
 * `exclusive` runs alone. Results keep the order of the calls.
 *
 * A hook that throws does not tear its neighbours down: they are let finish, so that what they did is in the
 * history, and then the error ends the run.
 */
export async function runCalls(
  context: RunContext,
  state: RunState,
  indexes: readonly number[],
): Promise<{ readonly outcome: Extract<Outcome, { type: 'calls' }>; readonly error: unknown }> {
  const { phase } = state;
  if (phase.type !== 'tools') throw new Error('There are no calls to run.');
  const slots = [...phase.calls];
  let left = context.config.limits.toolCalls - state.toolCalls;
  const errors: unknown[] = [];
  const taskOf = (index: number, slot: CallSlot): (() => Promise<void>) => {
    const isOverLimit = left <= 0;
    left -= 1;
    return async () => {
      try {
        slots[index] = await toolStep(context, state, slot, isOverLimit);
      } catch (error) {
        errors.push(error);
      }
    };
  };
  let together: (() => Promise<void>)[] = [];
  for (const index of indexes) {
    const slot = slots[index];
    if (slot === undefined) continue;
    const isExclusive = findTool(slot.call.name, context.config.tools).tool?.options.exclusive === true;
    if (isExclusive && together.length > 0) {
      await runLimited(together, context.config.toolConcurrency);
      together = [];
    }
    const task = taskOf(index, slot);
    if (isExclusive) await task();
    else together.push(task);
  }
  if (together.length > 0) await runLimited(together, context.config.toolConcurrency);
  return { outcome: { type: 'calls', results: slots }, error: errors[0] };
}
