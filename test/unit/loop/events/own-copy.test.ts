import { expect, test } from 'vitest';
import type { RunEvent } from '../../../../src/core/event.ts';
import { ownCopy } from '../../../../src/loop/events/own-copy.ts';

const of = { runId: 'r', turn: 1 };
const ofTool = { ...of, toolCallId: 'a', toolName: 'pay' };
const failure = { kind: 'overloaded', message: 'Busy.', status: 503 } as const;
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
  { ...of, type: 'failure', failure, owner: 'code', action: 'retry' },
  { ...of, type: 'retry', attempt: 2, maxAttempts: 4, delayMs: 500, failure },
  { ...of, type: 'fall-back', from: 'a', to: 'b', fromModel: 'a', toModel: 'b', failure },
  { ...ofTool, type: 'tool-retry', attempt: 2, maxAttempts: 3, delayMs: 200, failure },
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

test('an event of words and figures is told as it is', () => {
  const event: RunEvent = { ...of, type: 'text-delta', text: 'One.' };
  expect(ownCopy(event)).toBe(event);
});

test('a cause stays what was thrown', () => {
  const cause = new TypeError('a bug');
  const copy = ownCopy({ ...of, type: 'failure', failure: { ...failure, cause }, owner: 'nobody', action: 'stop' });
  expect(copy).toHaveProperty('failure.cause', cause);
});
