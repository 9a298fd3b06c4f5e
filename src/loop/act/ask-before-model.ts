import { invalidOption } from '../../core/option-check.ts';
import type { ModelRequest, Provider, ToolChoice } from '../../core/provider.ts';
import type { Price } from '../../resilience/price.ts';
import { repairHistory } from '../history/history.ts';
import { messagesOfHook, sendable } from './hook-messages.ts';
import { noSuchToolToForce, readBeforeModel } from './hook-results.ts';
import { callHook, HookFailure, HookStop } from './hooks.ts';
import type { RunContext } from './context.ts';
import type { RunState } from '../run/state.ts';

/** A request, and whom it goes to. */
export interface PlannedRequest {
  readonly request: ModelRequest;
  readonly provider: Provider;
}

/** Asks the `beforeModel` hooks, in order, each about what the one before made of the request. */
export async function askBeforeModel(
  context: RunContext,
  state: RunState,
  attempt: number,
  planned: PlannedRequest,
): Promise<PlannedRequest> {
  const { runId, config, abort } = context;
  let { request, provider } = planned;
  for (const entry of config.hooks.all) {
    const hook = entry.beforeModel;
    if (hook === undefined) continue;
    // A copy: what a hook does to the array reaches nobody unless the hook gives it back.
    const messages = [...request.messages];
    const shown = { runId, turn: state.turn + 1, attempt, messages, usage: state.usage, signal: abort.signal };
    const change = readBeforeModel(await callHook('beforeModel', abort, () => hook.call(entry, shown)));
    if (change === undefined) continue;
    if ('stop' in change) throw new HookStop(change.stop);
    if (change.messages !== undefined)
      request = { ...request, messages: repairedByHook(context, state, change.messages) };
    if ('system' in change) request = { ...request, system: change.system };
    if (change.toolChoice !== undefined) request = { ...request, toolChoice: knownChoice(config, change.toolChoice) };
    if (change.provider === undefined) continue;
    provider = pricedProvider(config, change.provider);
    config.redactor.learn(provider);
  }
  return { request, provider };
}

/** A tool that a hook forces: a name that is none would make a request that the server refuses. */
function knownChoice(config: RunContext['config'], choice: ToolChoice): ToolChoice {
  if (typeof choice !== 'object' || config.tools.has(choice.toolName)) return choice;
  throw new HookFailure('beforeModel', noSuchToolToForce(choice.toolName, config.tools));
}

/** A provider that a hook chose: with a limit on the cost, it has to have a price as well. */
function pricedProvider(config: RunContext['config'], provider: Provider): Provider {
  if (config.limits.costUsd === Infinity || priceOfHooks(config, provider) !== undefined) return provider;
  throw new HookFailure(
    'beforeModel',
    invalidOption(
      `\`limits.costUsd\` is set, but the price of \`${provider.model}\` is not known. Give it in \`prices\`.`,
    ),
  );
}

function priceOfHooks(config: RunContext['config'], provider: Provider): Price | undefined {
  try {
    return config.price?.(provider);
  } catch (error) {
    throw new HookFailure('beforeModel', error);
  }
}

function repairedByHook(
  context: RunContext,
  state: RunState,
  given: ModelRequest['messages'],
): ModelRequest['messages'] {
  const { messages, changes } = repairHistory(messagesOfHook('beforeModel', given));
  if (changes.length > 0) context.emit({ type: 'history-repaired', turn: state.turn + 1, changes });
  return sendable('beforeModel', messages);
}
