import { expect, test } from 'vitest';
import { deadlines, watchAttempt } from '../../../src/resilience/deadline.ts';
import { createVirtualClock } from '../../../src/testing/virtual-clock.ts';

const limits = deadlines({ firstByteMs: 1000, idleMs: 300, totalMs: 5000 });

test('the first-byte deadline passes where nothing comes', async () => {
  const clock = createVirtualClock();
  const passed: string[] = [];
  watchAttempt(clock, limits, (name) => passed.push(name));
  await clock.advance(999);
  expect(passed).toEqual([]);
  await clock.advance(2);
  expect(passed).toEqual(['first-byte']);
});

test('the idle deadline counts from the last piece, and is heard although the first-byte timer was longer', async () => {
  const clock = createVirtualClock();
  const passed: string[] = [];
  const watch = watchAttempt(clock, limits, (name) => passed.push(name));
  await clock.advance(100);
  watch.alive();
  await clock.advance(250);
  watch.alive();
  await clock.advance(250);
  expect(passed).toEqual([]);
  await clock.advance(100);
  expect(passed).toEqual(['idle']);
});

test('a stream that never idles still ends at the total deadline', async () => {
  const clock = createVirtualClock();
  const passed: string[] = [];
  const watch = watchAttempt(clock, limits, (name) => passed.push(name));
  for (let piece = 0; piece < 60 && passed.length === 0; piece += 1) {
    watch.alive();
    await clock.advance(100);
  }
  expect(passed).toEqual(['total']);
  expect(clock.monotonic()).toBeGreaterThanOrEqual(5000);
});

test('a watch that has ended leaves no timer', () => {
  const clock = createVirtualClock();
  watchAttempt(clock, limits, () => {}).end();
  expect(clock.pending).toBe(0);
});

test('a first piece that comes after the end sets no timer', () => {
  const clock = createVirtualClock();
  const watch = watchAttempt(clock, limits, () => {});
  watch.end();
  watch.alive();
  watch.pause();
  watch.goOn();
  expect(clock.pending).toBe(0);
});

test.each<{ name: string; pieces: number; leftMs: number; passes: string }>([
  { name: 'first byte', pieces: 0, leftMs: 1000, passes: 'first-byte' },
  { name: 'idle', pieces: 1, leftMs: 200, passes: 'idle' },
  { name: 'total', pieces: 49, leftMs: 100, passes: 'total' },
])('the $name deadline stands still while we hold the stream back', async ({ pieces, leftMs, passes }) => {
  const clock = createVirtualClock();
  const passed: string[] = [];
  const watch = watchAttempt(clock, limits, (name) => passed.push(name));
  for (let piece = 1; piece <= pieces; piece += 1) {
    watch.alive();
    await clock.advance(100);
  }
  watch.pause();
  await clock.advance(3_600_000);
  expect(clock.pending).toBe(0);
  watch.goOn();
  await clock.advance(leftMs - 2);
  expect(passed).toEqual([]);
  await clock.advance(4);
  expect(passed).toEqual([passes]);
});

test('deadlines of 0 are refused in a sentence that says what to write', () => {
  expect(() => deadlines({ idleMs: 0 })).toThrow(
    'Expected `deadlines.idleMs` to be milliseconds > 0 (Infinity for none), got 0.',
  );
});
