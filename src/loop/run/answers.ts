import { isRecord } from '../../core/json.ts';
import { OilcanError } from '../../core/error.ts';
import type { ResumeOptions } from '../agent/agent.ts';
import { approvalKey } from '../tool/canonical.ts';
import type { CallSlot, RunState, UserAnswer } from './state.ts';

/**
 * The state with what a person said. A decision is bound to the exact arguments that it was asked about; calls that
 * nothing was said about go on waiting.
 * @throws OilcanError `unknown-call` for a call that does not wait, `invalid-decision` for a word that is none.
 */
export function withAnswers(state: RunState, { decisions = {}, answers = {} }: ResumeOptions): RunState {
  const { phase } = state;
  const slots = phase.type === 'tools' ? phase.calls : [];
  const waiting = new Set(
    slots.filter((slot) => slot.outcome === undefined && slot.pending !== undefined).map((slot) => slot.toolCallId),
  );
  for (const id of Object.keys({ ...decisions, ...answers })) {
    if (!waiting.has(id))
      throw new OilcanError(
        'unknown-call',
        `No call \`${id}\` waits for a person. Waiting: ${[...waiting].join(', ') || 'none'}.`,
      );
  }
  if (phase.type !== 'tools') return state;
  const calls = slots.map((slot): CallSlot => {
    const id = slot.toolCallId;
    const answer = waiting.has(id) ? answerTo(slot, saidOf(decisions, id), saidOf(answers, id)) : undefined;
    return answer === undefined ? slot : { ...slot, answer };
  });
  return { ...state, phase: { ...phase, calls } };
}

/** What was said about a call. Ids come from models: `constructor` is one like any other. */
function saidOf(said: Readonly<Record<string, unknown>>, id: string): unknown {
  return Object.hasOwn(said, id) ? said[id] : undefined;
}

function answerTo({ pending, toolCallId }: CallSlot, decision: unknown, text: unknown): UserAnswer | undefined {
  if (pending === undefined || (decision === undefined && text === undefined)) return undefined;
  if (isRecord(decision) && typeof decision['deny'] === 'string') return { type: 'deny', reason: decision['deny'] };
  if (decision === 'deny') return { type: 'deny', reason: undefined };
  if (pending.type === 'question') {
    if (typeof text === 'string') return { type: 'answer', text };
    throw invalidDecision(
      `Call \`${toolCallId}\` has asked a question: give its answer in \`answers\`, or deny it in \`decisions\`.`,
    );
  }
  if (decision === 'approve') {
    return { type: 'approve', inputKey: approvalKey(pending.toolName, pending.input) };
  }
  throw invalidDecision(
    `Call \`${toolCallId}\` waits for a decision: expected \`decisions\` to say 'approve', 'deny' or { deny: reason }.`,
  );
}

function invalidDecision(message: string): OilcanError {
  return new OilcanError('invalid-decision', message);
}
