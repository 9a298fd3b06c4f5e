import { runLimited } from '../../resilience/run-limited.ts';
import { lostCall } from './call-results.ts';
import type { RunContext } from '../run/run-context.ts';
import type { Outcome, RunState } from '../run/state.ts';
import { findTool } from '../tool-input/find-tool.ts';
import { announce, toolStep } from './tool-step.ts';
import { turnLedger } from './turn-ledger.ts';

/**
 * Runs the calls of a reply that have no outcome yet. Side by side, up to `toolConcurrency`; a tool that is
 * `exclusive` runs alone. Results keep the order of the calls.
 *
 * A hook that throws does not tear its neighbours down: those that run are let finish, so that what they did is in
 * the history, those that have not begun are not begun, and then the error ends the run.
 */
export async function runCalls(
  context: RunContext,
  state: RunState,
  indexes: readonly number[],
): Promise<{ readonly outcome: Extract<Outcome, { type: 'calls' }>; readonly error: unknown }> {
  const { phase } = state;
  if (phase.type !== 'tools') throw new Error('There are no calls to run.');
  const slots = [...phase.calls];
  const ledger = turnLedger(context, state, phase.calls);
  let together: (() => Promise<void>)[] = [];
  for (const index of indexes) {
    const slot = slots[index];
    if (slot === undefined) continue;
    const task = async (): Promise<void> => {
      try {
        slots[index] = await toolStep(context, state, slot, ledger);
      } catch (error) {
        ledger.errors.push(error);
        // A bug of ours, at a place that is not known: the tool may have run.
        const outcome = lostCall(slot);
        announce(context, state.turn, outcome, 0);
        slots[index] = { ...slot, outcome };
      }
    };
    const isExclusive = findTool(slot.call.name, context.config.tools).tool?.options.exclusive === true;
    if (isExclusive && together.length > 0) {
      await runLimited(together, context.config.toolConcurrency);
      together = [];
    }
    if (isExclusive) await task();
    else together.push(task);
  }
  if (together.length > 0) await runLimited(together, context.config.toolConcurrency);
  return { outcome: { type: 'calls', results: slots }, error: ledger.errors[0] };
}
