import type { Failure } from '../../core/failure.ts';
import { textOf } from '../../core/message.ts';
import type { Call, Told } from '../tool/call.ts';
import type { HookedCall, HookedResult } from './hooks.ts';
import type { Reowned, ResultChanges } from './hook-results.ts';
import { readAfterTool, readBeforeTool, readOnFailure } from './hook-results.ts';
import { callHook, HookStop } from './hooks.ts';
import type { RunContext } from '../run/run-context.ts';
import { safeOutput } from '../tool/safe-text.ts';
import { shownInput } from '../tool/shown-input.ts';
import type { TurnLedger } from '../tool/turn-ledger.ts';

/** Asks the `beforeTool` hooks, in order. Gives the reason of the first one that denies the call. */
export async function askBeforeTool(context: RunContext, call: Call): Promise<string | undefined> {
  const { runId, abort } = context;
  for (const entry of context.config.hooks.all) {
    const hook = entry.beforeTool;
    if (hook === undefined) continue;
    const say = await callHook('beforeTool', abort, () =>
      hook.call(entry, { runId, turn: call.turn, call: hooked(call), signal: abort.signal }),
    );
    const read = readBeforeTool(say);
    if (read === undefined) continue;
    if ('stop' in read) throw new HookStop(read.stop);
    return read.deny;
  }
  return undefined;
}

/**
 * Shows the result to the `afterTool` hooks, each what the one before made of it. One that throws or stops, and an
 * abort that comes while they are asked, ends the run, but the result stays: the tool has run.
 */
export async function askAfterTool(context: RunContext, call: Call, told: Told): Promise<Told> {
  const { runId, config, abort } = context;
  const { turn } = call;
  let current = told;
  for (const entry of config.hooks.all) {
    const hook = entry.afterTool;
    if (hook === undefined) continue;
    const result = shownResult(call, current);
    const shown = { runId, turn, call: hooked(call), result, signal: abort.signal };
    try {
      const change = readAfterTool(await callHook('afterTool', abort, () => hook.call(entry, shown)));
      if (change === undefined) continue;
      if ('stop' in change) throw new HookStop(change.stop);
      current = changed(context, call, current, change);
    } catch (error) {
      call.ledger.errors.push(error);
      return current;
    }
  }
  return current;
}

function shownResult(call: Call, { content, failure }: Told): HookedResult {
  return {
    toolCallId: call.slot.toolCallId,
    toolName: call.tool.name,
    output: textOf(content),
    isError: failure !== undefined,
    failure,
  };
}

function changed(context: RunContext, call: Call, told: Told, change: ResultChanges): Told {
  const { config } = context;
  const { tool } = call;
  let { content, failure } = told;
  if (change.output !== undefined) {
    content = [{ type: 'text', text: safeOutput(config, tool, change.output) }];
  }
  if (change.isError === false) failure = undefined;
  else if (change.isError === true)
    failure ??= {
      kind: 'tool-failed',
      message: `A hook marked the result of ${tool.name} as an error.`,
      toolName: tool.name,
    };
  return { ...told, content, failure };
}

/** Asks the `onFailure` hooks who is to own a failure; the last one that says something counts. */
export async function reownedByHooks(
  { runId, config, abort }: RunContext,
  turn: number,
  failure: Failure,
  attempt: number,
): Promise<Reowned> {
  const { owner } = config.table[failure.kind];
  let reowned: Reowned;
  for (const entry of config.hooks.all) {
    const hook = entry.onFailure;
    if (hook === undefined) continue;
    const say = await callHook('onFailure', abort, () =>
      hook.call(entry, { runId, turn, failure, owner, attempt, signal: abort.signal }),
    );
    reowned = readOnFailure(say) ?? reowned;
  }
  return reowned;
}

/** The same for a failure of a tool call: a hook that throws ends the run when all calls have their results. */
export async function askOnFailure(
  context: RunContext,
  turn: number,
  failure: Failure,
  attempt: number,
  ledger: TurnLedger,
): Promise<Reowned> {
  try {
    return await reownedByHooks(context, turn, failure, attempt);
  } catch (error) {
    ledger.errors.push(error);
    return undefined;
  }
}

function hooked(call: Call): HookedCall {
  return { toolCallId: call.slot.toolCallId, toolName: call.tool.name, input: shownInput(call.input) };
}
