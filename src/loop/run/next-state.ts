import type { AssistantMessage, ToolCallPart } from '../../core/message.ts';
import { textOf } from '../../core/message.ts';
import type { ModelReply } from '../../core/provider.ts';
import { usd } from '../../resilience/price.ts';
import { addUsage } from '../../core/usage.ts';
import type { CallResult } from '../call/result.ts';
import type { CallState, Stopping } from '../call/state.ts';
import type { RunRules } from './rules.ts';
import type { EventBody } from './event-body.ts';
import type { Spent } from './spent.ts';
import type { AttemptFigures, Ending, RunState, TextCalls, ToolsPhase, Transition } from './state.ts';

/** What is spent so far, with something added. It only ever grows. */
export function withSpent(
  state: RunState,
  spent: Spent,
): Pick<RunState, 'usage' | 'tokensSpent' | 'costUsd' | 'isEstimated'> {
  return {
    usage: addUsage(state.usage, spent.usage),
    tokensSpent: state.tokensSpent + spent.tokens,
    costUsd: spent.costUsd === undefined ? state.costUsd : usd((state.costUsd ?? 0) + spent.costUsd),
    isEstimated: state.isEstimated || spent.isEstimated === true,
  };
}

/** The state of a run that is over. */
export function end(state: RunState, ending: Ending): RunState {
  return { ...state, phase: { type: 'ended', ending } };
}

/**
 * Chosen: more than models make at once, even where they are asked to. Each call looks at the others of its reply, so a
 * reply of 20,000 would block the process for minutes.
 */
const MAX_CALLS = 128;

/** The phase in which the calls of a reply are run: the first of them, where they are too many. */
export function toolsPhase(
  reply: ModelReply,
  { issuer, mayRun }: { readonly issuer: string; readonly mayRun: boolean },
): ToolsPhase {
  const calls: CallState[] = [];
  let leftOut = 0;
  const content = reply.content.filter((part) => {
    if (part.type !== 'tool-call') return true;
    if (calls.length < MAX_CALLS) calls.push({ call: part, toolCallId: part.id ?? '', at: 'read' });
    else leftOut += 1;
    return leftOut === 0;
  });
  const phase: ToolsPhase = { type: 'tools', reply, calls, issuer, mayRun };
  return leftOut === 0 ? phase : { ...phase, reply: { ...reply, content }, leftOut };
}

/** The end of an attempt, as it is told; nothing where nothing was sent. */
export function eventsOfAttempt(
  turn: number,
  figures: AttemptFigures | undefined,
  status: 'reply' | 'failed',
): EventBody[] {
  if (figures === undefined) return [];
  const { attempt, durationMs, firstByteMs } = figures;
  return [{ type: 'attempt-end', turn, attempt, status, durationMs, firstByteMs }];
}

/** A whole reply, as it is told. */
export function eventsOfReply(turn: number, reply: ModelReply, figures: AttemptFigures): EventBody[] {
  return [
    {
      type: 'reply',
      turn,
      text: textOf(reply.content),
      toolCalls: reply.content.filter((part) => part.type === 'tool-call').length,
      finishReason: reply.finishReason,
      rawFinishReason: reply.rawFinishReason,
      usage: reply.usage,
      durationMs: figures.durationMs,
      firstByteMs: figures.firstByteMs,
      model: reply.model,
      responseId: reply.responseId,
    },
    ...(reply.warnings ?? []).map((message): EventBody => ({ type: 'warning', turn, message })),
  ];
}

/** What is told of calls that were written as text. */
export function eventsOfTextCalls({ reply, hasStreamed }: TextCalls, turn: number): EventBody[] {
  const mended = reply.content.flatMap((part): EventBody[] => {
    if (part.type !== 'tool-call') return [];
    const mends = [{ kind: 'text-call', path: '', what: 'a call written as text' } as const];
    return [{ type: 'call-mended', turn, toolCallId: part.id ?? '', toolName: part.name, mends }];
  });
  return hasStreamed ? [{ type: 'text-void', turn, reason: 'text-call' }, ...mended] : mended;
}

/** The reply as it enters the history: its calls with the arguments that a server accepts. */
export function assistantMessage(reply: ModelReply, results: readonly CallResult[], issuer: string): AssistantMessage {
  let index = 0;
  const content = reply.content.map((part) => {
    if (part.type !== 'tool-call') return part;
    const result = results[index];
    index += 1;
    const call: ToolCallPart = {
      type: 'tool-call',
      toolCallId: result?.toolCallId ?? part.id ?? '',
      toolName: result?.toolName ?? part.name,
      input: result?.input ?? {},
      ...(result?.rawInput === undefined ? {} : { rawInput: result.rawInput }),
      ...(part.vendorData === undefined ? {} : { vendor: { issuer, data: part.vendorData } }),
    };
    return call;
  });
  return { role: 'assistant', content };
}

/** The end that a hook or a bug brings. */
export function endedBy(state: RunState, stopping: Stopping, rules: RunRules): Transition {
  const { turn } = state;
  if (stopping.type === 'hook')
    return { state: end(state, { status: 'stopped', stopReason: 'hook', message: stopping.reason }), events: [] };
  const { failure } = stopping;
  return {
    state: end({ ...state, failures: [...state.failures, failure] }, { status: 'failed', failure }),
    events: [{ type: 'failure', turn, failure, owner: rules.table[failure.kind].owner, action: 'stop' }],
  };
}
