import { expect, test } from 'vitest';
import { createBreaker } from '../../../src/resilience/breaker.ts';
import { createVirtualClock } from '../../../src/testing/virtual-clock.ts';

const options = { failures: 3, windowMs: 10_000, cooldownMs: 5000 };

test('failures in a row open it, and a success in between starts the count again', () => {
  const breaker = createBreaker(options, createVirtualClock());
  for (const outcome of ['failed', 'failed', 'succeeded', 'failed', 'failed'] as const) breaker[outcome]();
  expect(breaker.state).toBe('closed');
  breaker.failed();
  expect(breaker.state).toBe('open');
  expect(breaker.tryPass()).toBe(false);
});

test('after the cooldown exactly one probe passes, and its success closes it', async () => {
  const clock = createVirtualClock();
  const breaker = createBreaker(options, clock);
  for (let count = 0; count < 3; count += 1) breaker.failed();
  const states = [breaker.state];
  await clock.advance(5000);
  expect([breaker.tryPass(), breaker.tryPass()]).toEqual([true, false]);
  states.push(breaker.state);
  breaker.succeeded();
  expect(breaker.tryPass()).toBe(true);
  expect([...states, breaker.state]).toEqual(['open', 'half-open', 'closed']);
});

test('a failed probe opens it for another cooldown', async () => {
  const clock = createVirtualClock();
  const breaker = createBreaker(options, clock);
  for (let count = 0; count < 3; count += 1) breaker.failed();
  await clock.advance(5000);
  breaker.tryPass();
  breaker.failed();
  expect(breaker.state).toBe('open');
  expect(breaker.remainingMs).toBe(5000);
});

test('an aborted probe gives its place to the next one', async () => {
  const clock = createVirtualClock();
  const breaker = createBreaker(options, clock);
  for (let count = 0; count < 3; count += 1) breaker.failed();
  await clock.advance(5000);
  breaker.tryPass();
  breaker.abandoned();
  expect(breaker.tryPass()).toBe(true);
});

test('failures that lie further apart than the window are not in a row', async () => {
  const clock = createVirtualClock();
  const breaker = createBreaker(options, clock);
  for (let count = 0; count < 5; count += 1) {
    breaker.failed();
    await clock.advance(10_001);
  }
  expect(breaker.state).toBe('closed');
});
