import type { Failure, ModelFailureKind } from '../../core/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import { isRecord } from '../../core/json.ts';
import type { Tool } from '../../core/tool.ts';
import type { CallOutcome } from './call-outcome.ts';
import { callOutcome } from './call-outcome.ts';
import type { Call, Told } from './call.ts';
import { classifyThrown } from './classify-thrown.ts';
import type { RunConfig } from '../run/run-config.ts';
import { wireToolName } from '../history/history.ts';
import { maskedFailure } from '../run/masked-failure.ts';
import { safeError } from './safe-text.ts';
import type { CallSlot } from '../run/state.ts';
import * as texts from '../texts.ts';
import type { prepareInput } from '../tool-input/prepare-input.ts';
import type { SlipAdvice } from '../tool-input/prepared-input.ts';

/**
 * An error for the model, and the failure behind it for the developer: both without secrets. `words` says whether the
 * text was written for a model (`ToolError`) or may be anything.
 */
export function failed(
  config: RunConfig,
  kind: ModelFailureKind,
  text: string,
  failure: Omit<Failure, 'kind'>,
  hasRun: boolean,
  words: 'any' | 'for-models' = 'any',
): Told {
  return {
    content: [{ type: 'text', text: safeError(config, text, { words }) }],
    failure: { ...maskedFailure(failure, config.redactor), kind },
    hasRun,
  };
}

/** The outcome of a call that was found and read. */
export function outcomeOf(call: Call, told: Told): CallOutcome {
  const { failure } = told;
  return callOutcome({
    toolCallId: call.slot.toolCallId,
    toolName: call.tool.name,
    wireInput: call.wireInput,
    rawInput: call.rawInput,
    content: told.content,
    isError: failure !== undefined,
    retried: call.retried,
    failure: failure === undefined ? undefined : { ...failure, toolName: call.tool.name },
    mends: call.mends,
    callKey: call.key,
    hasRun: told.hasRun === true,
    polls: call.tool.options.polls === true,
    isCached: told.isCached === true,
    spent: call.spending.spent,
  });
}

/** A call that is right but is not run. */
export function withoutRun(config: RunConfig, call: Call, kind: ModelFailureKind, text: string): CallOutcome {
  return outcomeOf(call, failed(config, kind, text, { message: text }, false));
}

/** The call names no tool. */
export function unknownTool(config: RunConfig, slot: CallSlot, nearest: readonly string[]): CallOutcome {
  const { tools } = config;
  const text = texts.unknownTool(nearest, [...tools.keys()]);
  const detail = `The model called a tool that does not exist: "${slot.call.name.slice(0, 100)}".`;
  const outcome = slipOutcome(config, slot, 'unknown-tool', wireToolName(slot.call.name), text, detail);
  return {
    ...outcome,
    rawInput: rawArguments(slot),
    slipNote: safeNote(config, texts.unknownToolNote(nearest, [...tools.values()])),
  };
}

/** The arguments could not be read, or do not fit. */
export function unfitArguments(
  config: RunConfig,
  slot: CallSlot,
  tool: Tool,
  prepared: Extract<Awaited<ReturnType<typeof prepareInput>>, { ok: false }>,
): CallOutcome {
  if (prepared.kind === 'bug') return validatorBug(config, slot, tool, prepared);
  const outcome = slipOutcome(config, slot, prepared.kind, tool.name, prepared.text, prepared.detail);
  return {
    ...outcome,
    wireInput: prepared.wireInput,
    rawInput: prepared.rawInput,
    // A cut call was no slip of the pen: the model has to hear that it was too long.
    isSlip: prepared.kind !== 'cut-arguments',
    slipNote: safeNote(config, texts.slipNote(tool, { advice: safeAdvice(config, prepared.advice) })),
  };
}

/** What goes into the part of a note that is cut: without secrets before, so that no half of one is left at the edge. */
function safeAdvice({ redactor }: RunConfig, { holes, needs, example }: SlipAdvice): SlipAdvice {
  return {
    holes: new Map(Array.from(holes, ([path, words]) => [path, redactor.redact(words)])),
    needs,
    example: example === undefined ? undefined : redactor.redact(example),
  };
}

/** A note without secrets: a schema's own words may hold anything, and it stands in the system text and in an event. */
function safeNote({ redactor }: RunConfig, { takes, needs }: texts.SlipNote): texts.SlipNote {
  return { takes: redactor.redact(takes), needs: needs.map((need) => redactor.redact(need)) };
}

function validatorBug(
  config: RunConfig,
  slot: CallSlot,
  tool: Tool,
  prepared: { readonly error: unknown; readonly wireInput: JsonObject },
): CallOutcome {
  const thrown = classifyThrown(prepared.error);
  const reference = slot.toolCallId.slice(-8);
  const outcome = slipOutcome(
    config,
    slot,
    'tool-bug',
    tool.name,
    texts.toolBug(tool.name, reference),
    `The schema of ${tool.name} threw: ${thrown.detail}`,
  );
  const failure =
    outcome.failure && maskedFailure({ ...outcome.failure, reference, cause: prepared.error }, config.redactor);
  return { ...outcome, failure, wireInput: prepared.wireInput, isSlip: false };
}

/** A call that is wrong in itself. */
function slipOutcome(
  config: RunConfig,
  slot: CallSlot,
  kind: ModelFailureKind,
  toolName: string,
  text: string,
  detail: string,
): CallOutcome {
  return callOutcome({
    toolCallId: slot.toolCallId,
    toolName,
    wireInput: {},
    content: [{ type: 'text', text: safeError(config, text) }],
    isError: true,
    failure: { kind, message: config.redactor.redact(detail), toolName },
    callKey: `${toolName} ${rawArguments(slot)}`,
    isSlip: true,
  });
}

function rawArguments(slot: CallSlot): string {
  const written = slot.call.arguments;
  if ('text' in written) return written.text;
  try {
    return JSON.stringify(written.value) ?? '';
  } catch {
    return '';
  }
}

/** A call that the end of the run left without a result. It has not begun, unless its tool asked a question. */
export function interruptedCall(slot: CallSlot): CallOutcome {
  return withoutResult(slot, slot.pending?.type === 'question' ? texts.cancelledUnknown : texts.cancelledBeforeStart);
}

/** What stands in for the result of a call that waits for a person. */
export function waitingCall(slot: CallSlot): CallOutcome {
  const { pending, ready } = slot;
  const outcome = withoutResult(slot, (toolName) =>
    pending?.type === 'question' ? texts.waitsForAnswer(toolName, pending.question) : texts.waitsForApproval(toolName),
  );
  return ready === undefined ? outcome : { ...outcome, wireInput: ready.wireInput, rawInput: ready.rawInput };
}

/** A call of which nobody knows how far it came. */
export function lostCall(slot: CallSlot): CallOutcome {
  return withoutResult(slot, texts.cancelledUnknown);
}

function withoutResult(slot: CallSlot, textFor: (toolName: string) => string): CallOutcome {
  const toolName = wireToolName(slot.pending?.toolName ?? slot.call.name);
  return callOutcome({
    toolCallId: slot.toolCallId,
    toolName,
    wireInput: readableArguments(slot),
    content: [{ type: 'text', text: textFor(toolName) }],
    isError: true,
    failure: { kind: 'not-run', message: 'The run ended before this call had a result.', toolName },
    callKey: toolName,
  });
}

/** The arguments as they go back to the server, where nobody has read them yet. */
function readableArguments(slot: CallSlot): JsonObject {
  const written = slot.call.arguments;
  try {
    const value: unknown = 'text' in written ? JSON.parse(written.text) : written.value;
    return isRecord(value) ? (JSON.parse(JSON.stringify(value)) as JsonObject) : {};
  } catch {
    return {};
  }
}
