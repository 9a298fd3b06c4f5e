import { messagesOf } from '../history/transcript.ts';
import { readAfterTurn } from '../hooks/hook-results.ts';
import { callHook, HookStop } from '../hooks/hooks.ts';
import type { RunContext } from '../run/run-context.ts';
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
