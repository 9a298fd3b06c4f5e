import type { Json } from '../../core/json.ts';
import type { Tool } from '../../core/tool.ts';
import type { CallOutcome, CallState } from '../call/state.ts';
import { readApprove } from './hook-results.ts';
import { callHook } from './hooks.ts';
import type { RunContext } from './context.ts';
import * as texts from '../words/for-models.ts';
import { approvalKey } from '../input/canonical.ts';
import { safeError } from '../output/safe-text.ts';
import { shownInput } from '../output/shown-input.ts';
import { askBeforeTool } from './call-hooks.ts';
import type { LiveCalls } from './live-calls.ts';
import { stoppingOf } from './stopping.ts';

type Gate = Extract<CallState, { at: 'gate' }>;

/** Asks the hooks, then the tool's own approval and the person. What they throw ends the run; this call was then not run. */
export async function askGate(context: RunContext, turn: number, state: Gate, live: LiveCalls): Promise<CallOutcome> {
  const { config } = context;
  const { ready, toolCallId } = state;
  const { toolName } = ready;
  const tool = config.tools.get(toolName);
  if (tool === undefined) throw new Error(`There is no tool ${toolName} any more.`);
  const denied = (reason: string, by: 'hook' | 'person'): CallOutcome => {
    return { type: 'denied', text: safeError(config, texts.denied(toolName, reason)), by };
  };
  if (state.isQuestion === true) return answerTo(context, state, tool);
  try {
    const shown = shownInput(await live.inputOf(context, tool, state));
    const say = await askBeforeTool(context, turn, { toolCallId, toolName, input: shown });
    if (say !== undefined) return 'deny' in say ? denied(say.deny, 'hook') : { type: 'go', stopping: say };
    const { answer } = state;
    if (answer?.type === 'deny') return denied(answer.reason ?? 'The user said no.', 'person');
    if (!(await needsPerson(context, tool, state, shown, live))) return { type: 'go' };
    const input = shownInput(await live.inputOf(context, tool, state));
    return { type: 'pending', pending: { type: 'approval', toolCallId, toolName, input } };
  } catch (error) {
    return { type: 'go', stopping: stoppingOf(context, error) };
  }
}

/** Whether a person has to decide. A decision counts for exactly the arguments that it was asked about. */
async function needsPerson(
  context: RunContext,
  tool: Tool,
  state: Gate,
  shown: Json,
  live: LiveCalls,
): Promise<boolean> {
  const { approve } = tool.options;
  const { answer } = state;
  if (approve === undefined || approve === false) return false;
  if (answer?.type === 'approve') return answer.inputKey !== approvalKey(tool.name, shown);
  if (approve === true) return true;
  const input = await live.inputOf(context, tool, state);
  return readApprove(await callHook('approve', context.abort, () => approve(input)), tool.name);
}

/** A tool that asked a question has run, and does not run again: what the person says becomes its result. */
function answerTo({ config }: RunContext, { answer }: Gate, { name }: Tool): CallOutcome {
  if (answer?.type === 'answer') {
    const text = config.redactor.redact(answer.text).toWellFormed();
    return { type: 'value', content: [{ type: 'text', text: text.trim() === '' ? '(no answer)' : text }] };
  }
  const reason = (answer?.type === 'deny' ? answer.reason : undefined) ?? 'The user did not answer its question.';
  return {
    type: 'bad-value',
    text: safeError(config, texts.toolFailed(name, reason, { retryable: false })),
    failure: { kind: 'denied', message: `The user did not answer the question of ${name}.`, toolName: name },
  };
}
