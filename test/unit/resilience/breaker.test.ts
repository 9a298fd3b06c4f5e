import { expect, test } from 'vitest';
import type { BreakerState } from '../../../src/core/breaker.ts';
import { createBreaker } from '../../../src/resilience/breaker.ts';

const options = { failures: 3, windowMs: 10_000, cooldownMs: 5000 };

test('failures in a row open it, and a success in between starts the count again', () => {
  const breaker = createBreaker(options);
  for (const outcome of ['failed', 'failed', 'succeeded', 'failed', 'failed'] as const) breaker[outcome](0);
  expect(breaker.state).toBe('closed');
  breaker.failed(0);
  expect(breaker.state).toBe('open');
  expect(breaker.tryPass(0)).toBe(false);
});

test('after the cooldown exactly one probe passes, its success closes it, and each change is told', () => {
  const states: BreakerState[] = [];
  const breaker = createBreaker({ ...options, onChange: (state) => states.push(state) });
  for (let count = 0; count < 3; count += 1) breaker.failed(0);
  expect([breaker.tryPass(4999), breaker.tryPass(5000), breaker.tryPass(5000)]).toEqual([false, true, false]);
  breaker.succeeded();
  expect(breaker.tryPass(5000)).toBe(true);
  expect(states).toEqual(['open', 'half-open', 'closed']);
});

test('a failed probe opens it for another cooldown', () => {
  const breaker = createBreaker(options);
  for (let count = 0; count < 3; count += 1) breaker.failed(0);
  breaker.tryPass(5000);
  breaker.failed(5000, 'Busy.');
  expect(breaker.state).toBe('open');
  expect([breaker.remainingMs(5000), breaker.remainingMs(20_000), breaker.lastWords]).toEqual([5000, 0, 'Busy.']);
});

test('an aborted probe gives its place to the next one', () => {
  const breaker = createBreaker(options);
  for (let count = 0; count < 3; count += 1) breaker.failed(0);
  breaker.tryPass(5000);
  breaker.abandoned();
  expect(breaker.tryPass(5000)).toBe(true);
});

test('failures that lie further apart than the window are not in a row', () => {
  const breaker = createBreaker(options);
  for (let count = 0; count < 5; count += 1) breaker.failed(count * 10_001);
  expect(breaker.state).toBe('closed');
});
