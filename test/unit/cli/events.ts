import type { RunEvent } from '../../../src/core/event.ts';
import type { Failure, FailureKind } from '../../../src/core/failure.ts';
import type { CompletedRun } from '../../../src/core/result.ts';

/** An event of turn `turn`, its common fields filled in. */
type Bare<E> = E extends RunEvent ? Omit<E, 'v' | 'seq' | 'at' | 'runId' | 'turn' | 'number'> : never;

export function at(turn: number, event: Bare<RunEvent>): RunEvent {
  return { v: 1, seq: 1, at: 0, number: 1, runId: 'run_1', turn, ...event } as RunEvent;
}

export function failureOf(kind: FailureKind, more: Partial<Failure> = {}): Failure {
  return { kind, message: `A ${kind} happened.`, ...more };
}

export const completed: CompletedRun = {
  status: 'completed',
  runId: 'run_1',
  messages: [],
  usage: {},
  turns: 5,
  failures: [],
  text: 'The temple door is open.',
  output: undefined,
  outputAttempts: 1,
};

const attempt = (turn: number, number: number): RunEvent =>
  at(turn, {
    type: 'attempt-start',
    providerId: 'openai-chat',
    model: 'demo-model',
    origin: 'http://127.0.0.1:1',
    attempt: number,
  });

const reply = (turn: number, text: string, toolCalls: number): RunEvent =>
  at(turn, {
    type: 'reply',
    text,
    toolCalls,
    finishReason: toolCalls > 0 ? 'tool-calls' : 'stop',
    rawFinishReason: undefined,
    usage: {},
    durationMs: 12,
    firstByteMs: 3,
    model: 'demo-model',
    responseId: undefined,
  });

function retried(turn: number, number: number, delayMs: number, failure: Failure, text?: string): RunEvent[] {
  return [
    ...(text === undefined ? [] : [at(turn, { type: 'text-delta', text })]),
    at(turn, { type: 'failure', failure, owner: 'code', action: 'retry' }),
    ...(text === undefined ? [] : [at(turn, { type: 'text-void', reason: 'failed-attempt' })]),
    at(turn, { type: 'retry', attempt: number, maxAttempts: 4, delayMs, failure }),
    attempt(turn, number),
  ];
}

function failedCall(
  turn: number,
  toolName: string,
  kind: FailureKind,
  output: string,
  input?: { item: string; target: string },
): RunEvent[] {
  const call = { toolCallId: `call_${turn}`, toolName };
  return [
    ...(input === undefined ? [] : [at(turn, { ...call, type: 'tool-start', input, attempt: 1 })]),
    at(turn, {
      type: 'failure',
      failure: failureOf(kind, { toolName }),
      owner: 'model',
      action: 'tell-model',
      toolCallId: call.toolCallId,
    }),
    at(turn, { ...call, type: 'tool-end', isError: true, output, durationMs: 1, failureKind: kind, isCached: false }),
  ];
}

function goodCall(turn: number, toolName: string, input: { item: string; target: string }, output: string): RunEvent[] {
  const call = { toolCallId: `call_${turn}`, toolName };
  return [
    at(turn, { ...call, type: 'tool-start', input, attempt: 1 }),
    at(turn, {
      ...call,
      type: 'tool-end',
      isError: false,
      output,
      durationMs: 1,
      failureKind: undefined,
      isCached: false,
    }),
  ];
}

/** The temple, by hand: every kind of thing that the demo meets. */
export const temple: readonly RunEvent[] = [
  at(0, { type: 'run-start', agentName: 'temple', input: 'Open the temple door.' }),
  at(1, { type: 'turn-start' }),
  attempt(1, 1),
  ...retried(1, 2, 420, failureOf('overloaded', { status: 503 })),
  ...retried(1, 3, 1063, failureOf('rate-limited', { status: 429, retryAfterMs: 1000 })),
  reply(1, 'I will oil the lock.', 1),
  ...failedCall(1, 'oil_lock', 'unknown-tool', 'There is no such tool. Use look_at or use.'),
  at(1, { type: 'turn-end' }),
  at(2, { type: 'turn-start' }),
  attempt(2, 1),
  ...retried(2, 2, 300, failureOf('cut-reply'), 'I will take the'),
  reply(2, '', 1),
  ...failedCall(2, 'use', 'unreadable-arguments', 'use failed: the arguments are not JSON. Send one JSON object.'),
  at(2, { type: 'turn-end' }),
  at(3, { type: 'turn-start' }),
  attempt(3, 1),
  reply(3, '', 1),
  ...failedCall(3, 'use', 'tool-failed', 'use failed: The lock is rusted shut. Oil it first: use oil_can with lock.', {
    item: 'key',
    target: 'door',
  }),
  at(3, { type: 'turn-end' }),
  at(4, { type: 'turn-start' }),
  attempt(4, 1),
  reply(4, '', 1),
  ...goodCall(4, 'use', { item: 'oil_can', target: 'lock' }, 'The rust gives way.'),
  at(4, { type: 'turn-end' }),
  at(5, { type: 'turn-start' }),
  attempt(5, 1),
  reply(5, 'The temple door is open.', 0),
  at(5, { type: 'turn-end' }),
  at(5, { type: 'run-end', result: completed, durationMs: 2134 }),
];
