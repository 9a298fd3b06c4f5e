import type { AssistantMessage, ToolCallPart } from '../../core/message.ts';
import type { ModelReply } from '../../core/provider.ts';
import { usd } from '../../resilience/price.ts';
import { addUsage } from '../../core/usage.ts';
import type { CallOutcome } from '../tool/call-outcome.ts';
import type { Spent } from './spent.ts';
import type { CallSlot, Ending, EventBody, Phase, RunState, TextCalls } from './state.ts';

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

/** The phase in which the calls of a reply are run. */
export function toolsPhase(
  reply: ModelReply,
  { issuer, mayRun }: { readonly issuer: string; readonly mayRun: boolean },
): Phase {
  const calls = reply.content.flatMap((part): CallSlot[] =>
    part.type === 'tool-call'
      ? [{ call: part, toolCallId: part.id ?? '', outcome: undefined, pending: undefined, answer: undefined }]
      : [],
  );
  return { type: 'tools', reply, calls, issuer, mayRun };
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
export function assistantMessage(
  reply: ModelReply,
  outcomes: readonly CallOutcome[],
  issuer: string,
): AssistantMessage {
  let index = 0;
  const content = reply.content.map((part) => {
    if (part.type !== 'tool-call') return part;
    const outcome = outcomes[index];
    index += 1;
    const call: ToolCallPart = {
      type: 'tool-call',
      toolCallId: outcome?.toolCallId ?? part.id ?? '',
      toolName: outcome?.toolName ?? part.name,
      input: outcome?.wireInput ?? {},
      ...(outcome?.rawInput === undefined ? {} : { rawInput: outcome.rawInput }),
      ...(part.vendorData === undefined ? {} : { vendor: { issuer, data: part.vendorData } }),
    };
    return call;
  });
  return { role: 'assistant', content };
}
