import type { Failure } from '../../core/failure.ts';
import { charsOf } from '../history/compact.ts';
import { repairHistory } from '../history/history.ts';
import { sentOf } from '../run/transcript.ts';
import { messagesOfHook, sendable } from './hook-messages.ts';
import { callHook } from './hooks.ts';
import type { RunContext } from './context.ts';
import type { Outcome, RunState } from '../run/state.ts';

/** Shortens the history, where the agent can. */
export async function shorten({ abort, config }: RunContext, state: RunState, failure: Failure): Promise<Outcome> {
  const { compactor } = config;
  const messages = sentOf(state.transcript);
  const charsBefore = charsOf(messages);
  const shortened =
    compactor === undefined
      ? undefined
      : await callHook('compact', abort, () => compactor({ messages, failure, signal: abort.signal }));
  if (shortened === undefined || shortened === null)
    return { type: 'shortened', messages: undefined, charsBefore, charsAfter: charsBefore };
  const repaired = sendable('compact', repairHistory(messagesOfHook('compact', shortened)).messages);
  return { type: 'shortened', messages: repaired, charsBefore, charsAfter: charsOf(repaired) };
}
