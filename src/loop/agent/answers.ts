import { isRecord } from '../../core/json.ts';
import { OilcanError } from '../../core/error.ts';
import type { ResumeOptions } from './agent.ts';
import { approvalKey } from '../input/canonical.ts';
import type { UserAnswer } from '../call/state.ts';
import type { PendingRequest } from '../../core/result.ts';
import type { RunState } from '../run/state.ts';
import { pendingOf } from '../run/state.ts';

/**
 * What a person said, by tool call id. A decision is bound to the exact arguments that it was asked about; calls that
 * nothing was said about go on waiting.
 * @throws OilcanError `unknown-call` for a call that does not wait, `invalid-decision` for a word that is none.
 */
export function answersOf(
  state: RunState,
  { decisions = {}, answers = {} }: ResumeOptions,
): Readonly<Record<string, UserAnswer>> {
  const waiting = new Map(pendingOf(state).map((pending) => [pending.toolCallId, pending]));
  for (const id of Object.keys({ ...decisions, ...answers })) {
    if (!waiting.has(id))
      throw new OilcanError(
        'unknown-call',
        `No call \`${id}\` waits for a person. Waiting: ${[...waiting.keys()].join(', ') || 'none'}.`,
      );
  }
  return Object.fromEntries(
    Array.from(waiting).flatMap(([id, pending]) => {
      const answer = answerTo(pending, saidOf(decisions, id), saidOf(answers, id));
      return answer === undefined ? [] : [[id, answer] as const];
    }),
  );
}

/** What was said about a call. Ids come from models: `constructor` is one like any other. */
function saidOf(said: Readonly<Record<string, unknown>>, id: string): unknown {
  return Object.hasOwn(said, id) ? said[id] : undefined;
}

function answerTo(pending: PendingRequest, decision: unknown, text: unknown): UserAnswer | undefined {
  const { toolCallId } = pending;
  if (decision === undefined && text === undefined) return undefined;
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
