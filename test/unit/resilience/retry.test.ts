import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backoffMs } from '../../../src/resilience/backoff.ts';
import { failureTable } from '../../../src/resilience/failure-table.ts';
import type { RetrySituation } from '../../../src/resilience/retry.ts';
import { decideRetry, retryPolicy } from '../../../src/resilience/retry.ts';

const half = (): number => 0.5;
const first: RetrySituation = { attempt: 1, waitedMs: 0, remainingMs: 3_600_000, emptyReplies: 0 };
const policy = retryPolicy();

describe('backoff', () => {
  test('a wait is never shorter than what the server asked for and never longer than that plus the ceiling', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 0, max: 1e7 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, minimum, random) => {
          const wait = backoffMs(attempt, { baseDelayMs: 500, maxDelayMs: 30_000 }, () => random, minimum);
          expect(wait).toBeGreaterThanOrEqual(minimum);
          expect(wait).toBeLessThanOrEqual(minimum + 30_000);
        },
      ),
    );
  });

  test('clients that were told the same time do not come back in the same instant', () => {
    const options = { baseDelayMs: 500, maxDelayMs: 30_000 };
    expect(backoffMs(1, options, () => 0.1, 1000)).not.toBe(backoffMs(1, options, () => 0.9, 1000));
  });
});

describe('the decision to retry', () => {
  test.each([
    { name: 'a 503 is asked again', kind: 'overloaded', situation: first, retry: true },
    { name: 'a wrong key is not', kind: 'unauthorized', situation: first, retry: false },
    { name: 'a broken request is not', kind: 'bad-request', situation: first, retry: false },
    { name: 'the last attempt is the last', kind: 'overloaded', situation: { ...first, attempt: 4 }, retry: false },
    { name: 'a spent budget ends it', kind: 'overloaded', situation: { ...first, waitedMs: 180_000 }, retry: false },
    {
      name: 'a deadline of the run that is nearer than the wait ends it',
      kind: 'overloaded',
      situation: { ...first, remainingMs: 100 },
      retry: false,
    },
    {
      name: 'a first empty reply is asked again',
      kind: 'empty-reply',
      situation: { ...first, emptyReplies: 1 },
      retry: true,
    },
    {
      name: 'a third empty reply is the last',
      kind: 'empty-reply',
      situation: { ...first, attempt: 3, emptyReplies: 3 },
      retry: false,
    },
  ] as const)('$name', ({ kind, situation, retry }) => {
    expect(decideRetry({ kind, message: '' }, failureTable[kind], situation, policy, half).retry).toBe(retry);
  });

  test('a server that asks for more than the budget is not waited for', () => {
    const failure = { kind: 'rate-limited', message: '', retryAfterMs: 3_600_000 } as const;
    expect(decideRetry(failure, failureTable['rate-limited'], first, policy, half)).toMatchObject({ retry: false });
  });

  test.each([NaN, Infinity, -1e9, '5'])(
    'a server that asks for %s ms is waited for as if it had not said it',
    (told) => {
      const failure = { kind: 'rate-limited', message: '', retryAfterMs: told as number } as const;
      const row = failureTable['rate-limited'];
      const silent = decideRetry({ kind: 'rate-limited', message: '' }, row, first, policy, half);
      expect(silent).toMatchObject({ retry: true });
      expect(decideRetry(failure, row, first, policy, half)).toEqual(silent);
    },
  );

  test('a network that fails is given some time, although the jitter would give it none', () => {
    const soonest = (kind: 'network' | 'overloaded'): unknown =>
      decideRetry({ kind, message: '' }, failureTable[kind], { ...first, attempt: 2 }, policy, () => 0);
    expect(soonest('network')).toMatchObject({ delayMs: 500 });
    expect(soonest('overloaded')).toMatchObject({ delayMs: 0 });
  });

  test('a connection that had gone stale is replaced without a wait, and still counts as an attempt', () => {
    const stale = { kind: 'network', message: '', remedy: 'at-once' } as const;
    expect(decideRetry(stale, failureTable.network, first, policy, half)).toEqual({
      retry: true,
      delayMs: 0,
      nudge: false,
    });
    expect(decideRetry(stale, failureTable.network, { ...first, attempt: 4 }, policy, half).retry).toBe(false);
  });

  test('a failure that is final is not asked again, whatever the table says', () => {
    expect(
      decideRetry({ kind: 'overloaded', message: '', remedy: 'never' }, failureTable.overloaded, first, policy, half)
        .retry,
    ).toBe(false);
  });

  test('the second empty reply is answered with a nudge', () => {
    const again = (emptyReplies: number): unknown =>
      decideRetry(
        { kind: 'empty-reply', message: '' },
        failureTable['empty-reply'],
        { ...first, emptyReplies },
        policy,
        half,
      );
    expect(again(1)).toEqual({ retry: true, delayMs: 0, nudge: false });
    expect(again(2)).toEqual({ retry: true, delayMs: 0, nudge: true });
  });

  test.each([
    [{ maxAttempts: 0 }, 'Expected `retry.maxAttempts` to be an integer >= 1, got 0.'],
    [{ maxAttempts: 1.5 }, 'Expected `retry.maxAttempts` to be an integer >= 1, got 1.5.'],
    [{ budgetMs: -1 }, 'Expected `retry.budgetMs` to be milliseconds >= 0, got -1.'],
  ])('options out of range are refused: %o', (options, message) => {
    expect(() => retryPolicy(options)).toThrow(message);
  });
});
