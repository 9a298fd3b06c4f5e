import { messagesOf } from '../run/transcript.ts';
import { readAfterTurn } from './hook-results.ts';
import { callHook, HookStop } from './hooks.ts';
import type { RunContext } from './context.ts';
import type { Outcome, RunState } from '../run/state.ts';

/** Asks the `afterTurn` hooks, in order. */
export async function askAfterTurn({ runId, abort, config }: RunContext, state: RunState): Promise<Outcome> {
  const { turn, usage } = state;
  const shown = { runId, turn, messages: messagesOf(state.transcript), usage, signal: abort.signal };
  for (const hooks of config.hooks.all) {
    const hook = hooks.afterTurn;
    if (hook === undefined) continue;
    const say = readAfterTurn(await callHook('afterTurn', abort, () => hook.call(hooks, shown)));
    if (say !== undefined) throw new HookStop(say.stop);
  }
  return { type: 'turn-over' };
}
