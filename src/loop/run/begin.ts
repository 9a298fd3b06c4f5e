import type { Message } from '../../core/message.ts';
import { append } from './transcript.ts';
import { noSlips } from './slips.ts';
import type { RunState } from './state.ts';
import { firstAttempt } from './state.ts';

/** The state that a run begins in: what its entries are applied to. */
export function begin(messages: readonly Message[] = [], startedAt: number = 0): RunState {
  return {
    phase: firstAttempt,
    turn: 0,
    now: startedAt,
    transcript: append(undefined, ...messages),
    usage: {},
    tokensSpent: 0,
    costUsd: undefined,
    isEstimated: false,
    failures: [],
    failuresTold: 0,
    openFailures: [],
    toolCalls: 0,
    toolFailures: {},
    errorTurns: 0,
    recentCalls: [],
    slips: noSlips,
    providerIndex: 0,
    startedAt,
    lastRequest: { tokens: 0, costUsd: 0 },
    reached: undefined,
    finishing: undefined,
    outputFailures: 0,
    pauses: 0,
    heard: 0,
    inbox: [],
  };
}
