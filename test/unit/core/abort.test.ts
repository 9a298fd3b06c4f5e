import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { Abort } from '../../../src/core/abort.ts';

describe('an abort that follows a signal', () => {
  test('comes with it, with its reason, for each of many followers, which share one listener', () => {
    const { signal, abort } = controller();
    const followers = Array.from({ length: 30 }, () => new Abort());
    for (const follower of followers) follower.follow(signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    abort('gone');
    expect(followers.map((follower) => follower.reason)).toEqual(followers.map(() => 'gone'));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('does not come after the link has ended; the last one takes the listener away, and a later one hears again', () => {
    const { signal, abort } = controller();
    const [first, second, third] = [new Abort(), new Abort(), new Abort()];
    const endFirst = first.follow(signal);
    const endSecond = second.follow(signal);
    endFirst();
    endFirst();
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    endSecond();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    third.follow(signal);
    abort('gone');
    expect([first.aborted, second.aborted, third.aborted]).toEqual([false, false, true]);
  });

  test('asks for a signal', () => {
    for (const wrong of [{}, null, 5]) {
      expect(() => new Abort().follow(wrong as AbortSignal)).toThrow('Expected `signal` to be an AbortSignal');
    }
  });

  test('comes at once where the signal has aborted before, and ends without harm after it', () => {
    const abort = new Abort();
    const end = abort.follow(AbortSignal.abort('early'));
    expect(abort.reason).toBe('early');
    end();
    const { signal, abort: fire } = controller();
    const late = new Abort();
    const endLate = late.follow(signal);
    fire('gone');
    endLate();
    expect(late.reason).toBe('gone');
  });
});

function controller(): { signal: AbortSignal; abort: (reason: unknown) => void } {
  const made = new AbortController();
  return { signal: made.signal, abort: (reason) => made.abort(reason) };
}

test('an abort that is passed on from one to the next, however often, does not nest', () => {
  const chain = Array.from({ length: 100_000 }, () => new Abort());
  for (const [index, abort] of chain.entries()) abort.subscribe((reason) => chain[index + 1]?.abort(reason));
  chain[0]?.abort('enough');
  expect(chain.every((abort) => abort.reason === 'enough')).toBe(true);
});

test('a subscriber that throws does not keep a later abort from being told', () => {
  const broken = new Abort();
  broken.subscribe(() => {
    throw new Error('broken');
  });
  expect(() => broken.abort('first')).toThrow('broken');
  const next = new Abort();
  const heard: unknown[] = [];
  next.subscribe((reason) => heard.push(reason));
  next.abort('second');
  expect(heard).toEqual(['second']);
});
