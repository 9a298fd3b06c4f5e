import type { Failure } from '../../core/failure.ts';
import { textOf } from '../../core/message.ts';
import { failureOf } from '../call/result.ts';
import type { CallOutcome, CallState, Override, Stopping } from '../call/state.ts';
import { readAfterTool, readBeforeTool, readOnFailure } from './hook-results.ts';
import type { HookedCall } from './hooks.ts';
import { callHook } from './hooks.ts';
import type { RunContext } from './context.ts';
import { safeOutput } from '../output/safe-text.ts';
import { shownInput } from '../output/shown-input.ts';
import type { LiveCalls } from './live-calls.ts';
import { stoppingOf } from './stopping.ts';

/** What `beforeTool` hooks say, asked in order: the reason of the first one that denies the call. */
export async function askBeforeTool(
  { runId, abort, config }: RunContext,
  turn: number,
  call: HookedCall,
): Promise<{ readonly deny: string } | Stopping | undefined> {
  for (const entry of config.hooks.all) {
    const hook = entry.beforeTool;
    if (hook === undefined) continue;
    const shown = { runId, turn, call: own(call), signal: abort.signal };
    const read = readBeforeTool(await callHook('beforeTool', abort, () => hook.call(entry, shown)));
    if (read === undefined) continue;
    return 'stop' in read ? { type: 'hook', reason: config.redactor.redact(read.stop) } : read;
  }
  return undefined;
}

/**
 * Shows a result to the `afterTool` hooks, each what the one before made of it. One that throws or stops ends the run,
 * but the result stays: the tool has run.
 */
export async function showResult(
  context: RunContext,
  turn: number,
  { toolCallId, ready, result }: Extract<CallState, { at: 'show' }>,
  call: HookedCall,
): Promise<CallOutcome> {
  const { runId, config, abort } = context;
  const tool = config.tools.get(ready.toolName);
  let { content } = result;
  let failure = failureOf(result);
  let isError: boolean | undefined;
  const outcome = (stopping?: Stopping): CallOutcome => ({
    type: 'shown',
    ...(content === result.content ? {} : { content }),
    ...(isError === undefined ? {} : { isError }),
    ...(stopping === undefined ? {} : { stopping }),
  });
  for (const entry of config.hooks.all) {
    const hook = entry.afterTool;
    if (hook === undefined) continue;
    const shown = {
      runId,
      turn,
      call: own(call),
      result: {
        toolCallId,
        toolName: ready.toolName,
        output: textOf(content),
        isError: failure !== undefined,
        failure,
      },
      signal: abort.signal,
    };
    try {
      const change = readAfterTool(await callHook('afterTool', abort, () => hook.call(entry, shown)));
      if (change === undefined) continue;
      if ('stop' in change) return outcome({ type: 'hook', reason: config.redactor.redact(change.stop) });
      if (change.output !== undefined && tool !== undefined)
        content = [{ type: 'text', text: safeOutput(config, tool, change.output) }];
      if (change.isError === undefined) continue;
      isError = change.isError;
      if (!isError) failure = undefined;
      else
        failure ??= {
          kind: 'tool-failed',
          message: `A hook marked the result of ${ready.toolName} as an error.`,
          toolName: ready.toolName,
        };
    } catch (error) {
      return outcome(stoppingOf(context, error));
    }
  }
  return outcome();
}

/** Asks the `onFailure` hooks who is to own a failure; the last one that says something counts. */
export async function overrideOf(
  { runId, config, abort }: RunContext,
  turn: number,
  failure: Failure,
  attempt: number,
): Promise<Override> {
  const { owner } = config.table[failure.kind];
  let override: Override;
  for (const entry of config.hooks.all) {
    const hook = entry.onFailure;
    if (hook === undefined) continue;
    const say = await callHook('onFailure', abort, () =>
      hook.call(entry, { runId, turn, failure, owner, attempt, signal: abort.signal }),
    );
    override = readOnFailure(say) ?? override;
  }
  return override;
}

/** The same for a failure of a call: a hook that throws ends the run when all calls have their results. */
export async function askOwner(
  context: RunContext,
  turn: number,
  failure: Failure,
  attempt: number,
): Promise<CallOutcome> {
  try {
    return { type: 'owned', say: await overrideOf(context, turn, failure, attempt) };
  } catch (error) {
    return { type: 'owned', say: undefined, stopping: stoppingOf(context, error) };
  }
}

/** A call as hooks see it: with what its tool runs with. */
export async function hookedCall(
  context: RunContext,
  state: Extract<CallState, { at: 'show' }>,
  live: LiveCalls,
): Promise<HookedCall> {
  const { toolCallId, ready } = state;
  const { toolName } = ready;
  const tool = context.config.tools.get(toolName);
  const input = tool === undefined ? ready.wireInput : shownInput(await live.inputOf(context, tool, state));
  return { toolCallId, toolName, input };
}

/** Each hook gets a copy of its own. */
function own(call: HookedCall): HookedCall {
  return { ...call, input: shownInput(call.input) };
}
