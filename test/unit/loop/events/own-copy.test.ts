import { expect, test } from 'vitest';
import type { RunEvent } from '../../../../src/core/event.ts';
import { ownCopy } from '../../../../src/loop/events/own-copy.ts';

const of = { v: 1, seq: 1, at: 0, runId: 'r', turn: 1 } as const;
const ofTool = { ...of, toolCallId: 'a', toolName: 'pay' };
const failure = {
  kind: 'overloaded',
  message: 'Busy.',
  status: 503,
  tokens: { needed: 5 },
  cause: { name: 'Error', message: 'Busy.', cause: { name: 'Error', message: 'Full.' } },
} as const;
const input = { to: { cents: [5] } };

const events: RunEvent[] = [
  { ...ofTool, type: 'tool-start', input, attempt: 1 },
  { ...of, type: 'pending', request: { type: 'approval', toolCallId: 'a', toolName: 'pay', input } },
  { ...ofTool, type: 'call-mended', mends: [{ kind: 'type', path: 'cents', what: 'string to number' }] },
  { ...of, type: 'history-repaired', changes: ['A result was missing.'] },
  {
    ...of,
    type: 'reply',
    text: 'One.',
    toolCalls: 0,
    finishReason: 'stop',
    rawFinishReason: 'stop',
    usage: { inputTokens: 10, outputTokens: 5 },
    durationMs: 1,
    firstByteMs: 1,
    model: undefined,
    responseId: undefined,
  },
  { ...of, type: 'failure', failure, number: 1, owner: 'code', action: 'retry' },
  { ...of, type: 'retry', attempt: 2, maxAttempts: 4, delayMs: 500, failure, number: 1 },
  { ...of, type: 'fall-back', from: 'a', to: 'b', fromModel: 'a', toModel: 'b', failure, number: 1 },
  { ...ofTool, type: 'tool-retry', attempt: 2, maxAttempts: 3, delayMs: 200, failure, number: 1 },
  {
    ...of,
    type: 'run-end',
    durationMs: 1,
    result: {
      runId: 'r',
      status: 'suspended',
      messages: [{ role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'pay', input }] }],
      usage: { inputTokens: 10 },
      turns: 1,
      failures: [failure],
      pending: [{ type: 'approval', toolCallId: 'a', toolName: 'pay', input }],
      partialText: '',
    },
  },
];

/** Empties every object and every list that it finds. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    spoil(member);
    Reflect.deleteProperty(value, key);
  }
}

test.each(events)('a copy of $type tells the same, and shares nothing that can be changed', (event) => {
  const before = structuredClone(event);
  const copy = ownCopy(event);
  expect(copy).toEqual(before);
  spoil(copy);
  expect(event).toEqual(before);
});

test('an event of words and figures is copied, too: each listener has its own', () => {
  const event: RunEvent = { ...of, type: 'text-delta', text: 'One.' };
  expect(ownCopy(event)).toEqual(event);
  expect(ownCopy(event)).not.toBe(event);
});

test("an output and the reason of an abort are the caller's own values", () => {
  const own = new Map([['a', 1]]);
  const summary = { runId: 'r', messages: [], usage: {}, turns: 1, failures: [] };
  const completed = { ...summary, status: 'completed', text: '', output: own, outputAttempts: 1 } as const;
  const aborted = { ...summary, status: 'aborted', reason: own, partialText: '' } as const;
  for (const result of [completed, aborted]) {
    const copy = ownCopy({ ...of, type: 'run-end', result, durationMs: 1 });
    expect(copy).toHaveProperty(result.status === 'completed' ? 'result.output' : 'result.reason', own);
  }
});
