import type { FailureAction, Mend } from '../../core/event.ts';
import { textOf } from '../../core/message.ts';
import type { PendingRequest } from '../../core/result.ts';
import type { Tool } from '../../core/tool.ts';
import { askAfterTool, askBeforeTool, askOnFailure } from '../hooks/ask-hooks.ts';
import type { CallOutcome } from './call-outcome.ts';
import { failed, interruptedCall, outcomeOf, unfitArguments, unknownTool, withoutRun } from './call-results.ts';
import type { Call, Told } from './call.ts';
import { approvalKey, keyOfCall } from './canonical.ts';
import { executeTool } from './execute-tool.ts';
import { checkRepetition } from '../guards/repeated-call.ts';
import type { Reowned } from '../hooks/hook-results.ts';
import { readApprove } from '../hooks/hook-results.ts';
import { callHook } from '../hooks/hooks.ts';
import type { RunContext } from '../run/run-context.ts';
import { safeError } from './safe-text.ts';
import type { CallSlot, RunState } from '../run/state.ts';
import { shownInput } from './shown-input.ts';
import * as texts from '../texts.ts';
import { findTool } from '../tool-input/find-tool.ts';
import { prepareInput } from '../tool-input/prepare-input.ts';
import type { PreparedInput, ReadyInput } from '../tool-input/prepared-input.ts';
import type { TurnLedger } from './turn-ledger.ts';
import { CallSpending } from './turn-ledger.ts';
import { untilAborted } from '../run/until-aborted.ts';

/** A call that waits for a person, with the arguments that it will be run with. */
interface Waiting {
  readonly pending: PendingRequest;
  readonly ready: ReadyInput;
}

/** An outcome, and what hooks said of its failure where they were asked. */
type Asked = CallOutcome & { readonly asked?: { readonly say: Reowned } | undefined };

/**
 * Takes one call through the pipeline: find the tool, read and check its arguments, ask the guard, the hooks and the
 * user, run it, check and serialise what it gave, make it safe. Never rejects: whatever happens, the call gets its
 * outcome or waits for a person. What a hook throws is noted in the ledger.
 */
export async function toolStep(
  context: RunContext,
  state: RunState,
  slot: CallSlot,
  ledger: TurnLedger,
): Promise<CallSlot> {
  const started = context.config.clock.monotonic();
  const { turn } = state;
  const passed = await pass(context, state, slot, ledger);
  ledger.grants.settle(slot.toolCallId, 'pending' in passed ? 'taken' : 'free');
  if ('pending' in passed) {
    context.emit({ type: 'pending', turn, request: passed.pending });
    return { ...slot, pending: passed.pending, answer: undefined, ready: passed.ready };
  }
  const outcome = await withOwner(context, turn, passed, ledger);
  announce(context, turn, outcome, context.config.clock.monotonic() - started);
  return { ...slot, outcome, pending: undefined, ready: undefined };
}

async function pass(
  context: RunContext,
  state: RunState,
  slot: CallSlot,
  ledger: TurnLedger,
): Promise<Asked | Waiting> {
  const { config } = context;
  const { turn } = state;
  const found = findTool(slot.call.name, config.tools);
  if (found.tool === undefined) return unknownTool(config, slot, found.nearest);
  const { tool } = found;
  const prepared = slot.ready ?? (await preparedInput(context, tool, slot));
  if (prepared === undefined) return interruptedCall(slot);
  if (!prepared.ok) return unfitArguments(config, slot, tool, prepared);
  const renamed: Mend[] = found.renamed
    ? [{ kind: 'name', path: '', what: `"${slot.call.name.slice(0, 80)}" to "${tool.name}"` }]
    : [];
  const mends = renamed.length === 0 ? prepared.mends : [...renamed, ...prepared.mends];
  // A call that comes back from a person was told of before.
  if (mends.length > 0 && slot.answer === undefined)
    context.emit({ type: 'call-mended', turn, toolCallId: slot.toolCallId, toolName: tool.name, mends });
  const { input, wireInput, rawInput } = prepared;
  const spending = new CallSpending(context, state, ledger);
  const call: Call = {
    slot,
    turn,
    tool,
    input,
    wireInput,
    rawInput,
    mends,
    key: keyOfCall(tool, wireInput, input),
    ledger,
    spending,
    retried: [],
  };

  ledger.keys.set(slot.toolCallId, call.key);
  const isBack = slot.pending?.type === 'question';
  if (!isBack) {
    const refused = refuse(context, state, call);
    if (refused !== undefined) return refused;
    const gate = await askGate(context, call);
    if (gate !== 'go') return 'pending' in gate ? { ...gate, ready: prepared } : gate;
    if (!(await ledger.grants.take(slot.toolCallId, context.abort))) return overLimit(context, call);
  }
  const told = isBack ? answered(context, call) : await executeTool(context, call);
  if ('question' in told) {
    const question = safeError(config, told.question, { words: 'for-models' });
    return {
      pending: { type: 'question', toolCallId: slot.toolCallId, toolName: tool.name, question },
      ready: prepared,
    };
  }
  // A call that an abort kept from beginning has nothing to show to a hook.
  const shown = told.hasRun !== true && context.abort.aborted ? told : await askAfterTool(context, call, told);
  const outcome = outcomeOf(call, shown);
  return told.asked !== undefined && shown.failure === told.failure ? { ...outcome, asked: told.asked } : outcome;
}

/** The arguments, read and checked; undefined where the run was aborted while their schema took its time. */
async function preparedInput(context: RunContext, tool: Tool, slot: CallSlot): Promise<PreparedInput | undefined> {
  try {
    return await untilAborted(prepareInput(tool, slot.call), context.abort);
  } catch (error) {
    if (context.abort.aborted) return undefined;
    throw error;
  }
}

/** Why a call is not run, before anybody is asked. */
function refuse(context: RunContext, state: RunState, call: Call): CallOutcome | undefined {
  const { config } = context;
  const { tool, ledger, turn } = call;
  if (context.abort.aborted || ledger.errors.length > 0)
    return withoutRun(config, call, 'not-run', texts.cancelledBeforeStart(tool.name));
  const isOff = state.phase.type === 'tools' && !state.phase.mayRun;
  if (isOff || state.finishing !== undefined || state.outputFailures > 0)
    return withoutRun(config, call, 'not-run', texts.toolsAreOver(tool.name));
  if (ledger.grants.isOver(call.slot.toolCallId)) return overLimit(context, call);
  const failures = Object.hasOwn(state.toolFailures, tool.name) ? (state.toolFailures[tool.name] ?? 0) : 0;
  if (failures >= config.limits.toolFailures) {
    const message = `${tool.name} was not run: it failed ${failures} times without a result in between (\`limits.toolFailures\`).`;
    context.emit({ type: 'guard', turn, guard: 'repeated-call', action: 'tell-model', message });
    const text = texts.toolFailuresSpent(tool.name, failures);
    return { ...withoutRun(config, call, 'repeated-call', text), blockedBy: 'failed-before' };
  }
  const next = { key: call.key, before: () => keysBefore(state, call), polls: tool.options.polls === true };
  const verdict = checkRepetition(state.recentCalls, next, config.limits);
  if (verdict.type === 'run') return undefined;
  if (!verdict.isLast) {
    const what = verdict.why === 'failed-before' ? 'the same call failed' : 'the same call gave the same result';
    const message = `${tool.name} was not run again: ${what} ${verdict.times} times.`;
    context.emit({ type: 'guard', turn, guard: 'repeated-call', action: 'tell-model', message });
  }
  const text = texts.repeatedCall(tool.name, verdict.why, verdict.times);
  return { ...withoutRun(config, call, 'repeated-call', text), blockedBy: verdict.why, isLast: verdict.isLast };
}

/** What the calls before this one in the same reply are. */
function keysBefore({ phase }: RunState, { slot, ledger }: Call): (string | undefined)[] {
  const keys: (string | undefined)[] = [];
  if (phase.type !== 'tools') return keys;
  for (const { toolCallId, outcome } of phase.calls) {
    if (toolCallId === slot.toolCallId) break;
    keys.push(outcome?.callKey ?? ledger.keys.get(toolCallId));
  }
  return keys;
}

function overLimit(context: RunContext, call: Call): CallOutcome {
  return { ...withoutRun(context.config, call, 'not-run', texts.overToolLimit(call.tool.name)), isOverLimit: true };
}

/** Asks the hooks, then the user. What they throw ends the run; this call was then not run. */
async function askGate(
  context: RunContext,
  call: Call,
): Promise<'go' | CallOutcome | { readonly pending: PendingRequest }> {
  const { config } = context;
  const { tool, slot } = call;
  try {
    const denied = await askBeforeTool(context, call);
    if (denied !== undefined) return withoutRun(config, call, 'denied', texts.denied(tool.name, denied));
    const say = await askUser(context, call);
    if (say === 'go') return 'go';
    if (say === 'pending')
      return {
        pending: { type: 'approval', toolCallId: slot.toolCallId, toolName: tool.name, input: shownInput(call.input) },
      };
    return withoutRun(config, call, 'denied', texts.denied(tool.name, say.denied));
  } catch (error) {
    call.ledger.errors.push(error);
    return withoutRun(config, call, 'not-run', texts.cancelledBeforeStart(tool.name));
  }
}

/** Whether a person has to decide, and what the person said. A decision counts for exactly the arguments it was asked about. */
async function askUser({ abort }: RunContext, call: Call): Promise<'go' | 'pending' | { readonly denied: string }> {
  const { approve } = call.tool.options;
  const { answer } = call.slot;
  if (answer?.type === 'deny') return { denied: answer.reason ?? 'The user said no.' };
  if (approve === undefined || approve === false) return 'go';
  if (answer?.type === 'approve')
    return answer.inputKey === approvalKey(call.tool.name, shownInput(call.input)) ? 'go' : 'pending';
  if (approve === true) return 'pending';
  const needsPerson = readApprove(await callHook('approve', abort, () => approve(call.input)), call.tool.name);
  return needsPerson ? 'pending' : 'go';
}

/** A tool that asked a question has run, and does not run again: what the person says becomes its result. */
function answered({ config, abort }: RunContext, call: Call): Told {
  const { answer } = call.slot;
  const { name, options } = call.tool;
  if (abort.aborted)
    return failed(
      config,
      'not-run',
      texts.cancelledInFlight(name, options.effect ?? 'write'),
      { message: 'The run ended before the question was answered.' },
      true,
    );
  if (answer?.type === 'answer') {
    const text = config.redactor.redact(answer.text).toWellFormed();
    return { content: [{ type: 'text', text: text.trim() === '' ? '(no answer)' : text }], hasRun: true };
  }
  const reason = (answer?.type === 'deny' ? answer.reason : undefined) ?? 'The user did not answer its question.';
  return failed(
    config,
    'denied',
    texts.toolFailed(name, reason, { retryable: false }),
    { message: `The user did not answer the question of ${name}.` },
    true,
  );
}

/** The outcome with the owner that hooks gave its failure. What the end of the run left undone concerns no hook. */
async function withOwner(context: RunContext, turn: number, passed: Asked, ledger: TurnLedger): Promise<CallOutcome> {
  // The usual case, without a copy.
  if (passed.failure === undefined && passed.asked === undefined) return passed;
  const { asked, ...outcome } = passed;
  const { failure } = outcome;
  if (failure === undefined || failure.kind === 'not-run' || !context.config.hooks.has.onFailure) return outcome;
  const say = asked === undefined ? await askOnFailure(context, turn, failure, 1, ledger) : asked.say;
  return say === 'stop' || say === 'model' ? { ...outcome, reowned: say } : outcome;
}

/** Tells what became of a call, and of the failure in it. */
export function announce(context: RunContext, turn: number, outcome: CallOutcome, durationMs: number): void {
  const { toolCallId, toolName, isError, isCached, failure, reowned } = outcome;
  if (failure !== undefined && context.wants('failure')) {
    const row = context.config.table[failure.kind];
    const owner = reowned === undefined ? row.owner : reowned === 'stop' ? 'nobody' : 'model';
    const isStop = reowned === 'stop' || (reowned === undefined && row.remedy === 'stop') || context.abort.aborted;
    const action: FailureAction = isStop ? 'stop' : 'tell-model';
    context.emit({ type: 'failure', turn, failure, owner, action, toolCallId });
  }
  if (!context.wants('tool-end')) return;
  const output = textOf(outcome.content);
  context.emit({
    type: 'tool-end',
    turn,
    toolCallId,
    toolName,
    isError,
    output,
    durationMs,
    failureKind: failure?.kind,
    isCached,
  });
}
