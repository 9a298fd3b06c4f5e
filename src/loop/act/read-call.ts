import { maskedHead } from '../../core/error-data.ts';
import type { Mend } from '../../core/event.ts';
import type { ModelFailureKind } from '../../core/failure.ts';
import type { ReplyToolCall } from '../../core/provider.ts';
import type { Tool } from '../../core/tool.ts';
import type { CallResult } from '../call/result.ts';
import { oneText } from '../call/result.ts';
import type { CallOutcome, CallState } from '../call/state.ts';
import { wireToolName } from '../history/history.ts';
import type { RunConfig } from './host.ts';
import type { RunContext } from './context.ts';
import { maskedFailure } from './masked-failure.ts';
import { untilAborted } from './until-aborted.ts';
import * as texts from '../words/for-models.ts';
import { keyOfCall } from '../input/canonical.ts';
import { classifyThrown } from './thrown.ts';
import { safeError } from '../output/safe-text.ts';
import { findTool } from '../input/find-tool.ts';
import { prepareInput } from '../input/prepare-input.ts';
import type { PreparedInput } from '../input/prepared-input.ts';
import type { LiveCalls } from './live-calls.ts';

/** Finds the tool of a call and reads its arguments. */
export async function readCall(
  context: RunContext,
  { call, toolCallId }: CallState,
  live: LiveCalls,
): Promise<CallOutcome> {
  const { config, abort } = context;
  const found = findTool(call.name, config.tools);
  const { tool } = found;
  if (tool === undefined) return { type: 'unfit', result: unknownTool(config, toolCallId, call, found.nearest) };
  const given = prepareInput(tool, call, (words) => config.redactor.redact(words));
  const prepared = given instanceof Promise ? await untilAborted(given, abort) : given;
  if (!prepared.ok) return { type: 'unfit', result: unfitArguments(config, toolCallId, call, tool, prepared) };
  const { input, wireInput, rawInput, mends } = prepared;
  live.keepInput(toolCallId, input);
  const renamed: Mend[] = found.renamed
    ? [
        {
          kind: 'name',
          path: '',
          what: `"${maskedHead(call.name, 80, (words) => config.redactor.redact(words))}" to "${tool.name}"`,
        },
      ]
    : [];
  return {
    type: 'ready',
    ready: {
      toolName: tool.name,
      wireInput,
      rawInput,
      mends: renamed.length === 0 ? mends : [...renamed, ...mends],
      key: keyOfCall(tool, wireInput, input),
    },
  };
}

/** The call names no tool. */
function unknownTool(
  config: RunConfig,
  toolCallId: string,
  call: ReplyToolCall,
  nearest: readonly string[],
): CallResult {
  const { tools } = config;
  const text = texts.unknownTool(nearest, [...tools.keys()]);
  // A model can write anything as a name, also what it should not know.
  const name = maskedHead(call.name, 100, (words) => config.redactor.redact(words, 'words'));
  const detail = `The model called a tool that does not exist: "${name}".`;
  return {
    ...invalid(config, toolCallId, call, 'unknown-tool', wireToolName(name), text, detail),
    rawInput: rawArguments(call),
    note: safeNote(config, texts.unknownToolNote(nearest, [...tools.values()])),
  };
}

/** The arguments could not be read, or do not fit. */
function unfitArguments(
  config: RunConfig,
  toolCallId: string,
  call: ReplyToolCall,
  tool: Tool,
  prepared: Extract<PreparedInput, { ok: false }>,
): CallResult {
  const { wireInput, rawInput } = prepared;
  if (prepared.kind === 'bug') {
    const thrown = classifyThrown(prepared.error);
    const reference = toolCallId.slice(-8);
    const detail = `The schema of ${tool.name} threw: ${thrown.detail}`;
    const text = texts.toolBug(tool.name, reference);
    const { failure, ...result } = invalid(config, toolCallId, call, 'tool-bug', tool.name, text, detail);
    const cause = prepared.error;
    return {
      ...result,
      is: 'failed',
      input: wireInput,
      failure: maskedFailure({ ...failure, reference, cause }, config.redactor),
    };
  }
  return {
    ...invalid(config, toolCallId, call, prepared.kind, tool.name, '', prepared.detail),
    input: wireInput,
    rawInput,
    // Nothing is masked here: the model's own values and the declared words belong into the call that it is to make.
    content: oneText(prepared.text.toWellFormed()),
    note: texts.slipNote(tool, prepared),
  };
}

/** Chosen: a developer reads no more. */
const MAX_DETAIL_CHARS = 2000;

/** A call that is wrong in itself. */
function invalid(
  config: RunConfig,
  toolCallId: string,
  call: ReplyToolCall,
  kind: ModelFailureKind,
  toolName: string,
  text: string,
  detail: string,
): Extract<CallResult, { is: 'invalid' }> {
  return {
    toolCallId,
    toolName,
    input: {},
    content: oneText(safeError(config, text)),
    key: `${toolName} ${rawArguments(call)}`,
    mends: [],
    retried: [],
    hasRun: false,
    polls: false,
    is: 'invalid',
    failure: {
      kind,
      message: maskedHead(detail, MAX_DETAIL_CHARS, (words) => config.redactor.redact(words, 'words')),
      toolName,
    },
  };
}

/** A note without secrets: a schema's own words may hold anything, and it stands in the system text and in an event. */
function safeNote({ redactor }: RunConfig, { takes, needs }: texts.SlipNote): texts.SlipNote {
  return { takes: redactor.redact(takes), needs: needs.map((need) => redactor.redact(need)) };
}

function rawArguments({ arguments: written }: ReplyToolCall): string {
  if ('text' in written) return written.text;
  try {
    return JSON.stringify(written.value) ?? '';
  } catch {
    return '';
  }
}
