import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../../src/core/event.ts';
import { EventHub } from '../../../../src/loop/events/event-hub.ts';

const turnStart: RunEvent = { v: 1, seq: 1, at: 0, type: 'turn-start', runId: 'r', turn: 1 };

/** Ends a test that would never end. */
function boundedCount(): () => number {
  let count = 0;
  return () => {
    count += 1;
    if (count > 1000) throw new Error('It is told for ever.');
    return count;
  };
}

describe('an event is told to those that listened when it was emitted', () => {
  test('a listener that takes itself off and puts itself on again hears each event once', () => {
    const hub = new EventHub();
    const heard = boundedCount();
    const ofOther: string[] = [];
    hub.on('turn-start', () => ofOther.push('told'));
    const listener = (): void => {
      off();
      if (heard() < 5) off = hub.on('turn-start', listener);
    };
    let off = hub.on('turn-start', listener);
    hub.emit(turnStart);
    expect(heard()).toBe(2);
    hub.emit(turnStart);
    expect(heard()).toBe(4);
    expect(ofOther).toHaveLength(2);
  });

  test.each(['turn-start', '*'] as const)(
    'a listener of %s that is added while an event is told hears the next',
    (type) => {
      const hub = new EventHub();
      const heard: number[] = [];
      hub.on('turn-start', ({ turn }) => {
        if (turn === 1) hub.on(type, (event) => heard.push(event.turn));
      });
      hub.emit(turnStart);
      expect(heard).toEqual([]);
      hub.emit({ ...turnStart, turn: 2 });
      expect(heard).toEqual([2]);
    },
  );

  test('a listener that is taken away while an event is told hears that one last', () => {
    const hub = new EventHub();
    const heard: number[] = [];
    hub.on('turn-start', () => off());
    const off = hub.on('turn-start', ({ turn }) => heard.push(turn));
    hub.emit(turnStart);
    hub.emit({ ...turnStart, turn: 2 });
    expect(heard).toEqual([1]);
  });
});

test('a listener that is taken away twice takes nobody with it', () => {
  const hub = new EventHub();
  const heard: string[] = [];
  const offFirst = hub.on('turn-start', () => heard.push('first'));
  offFirst();
  const second = (): unknown => heard.push('second');
  const offSecond = hub.on('turn-start', second);
  offFirst();
  hub.emit(turnStart);
  expect(heard).toEqual(['second']);
  offSecond();
  hub.on('turn-start', second);
  offSecond();
  hub.emit(turnStart);
  expect(heard).toEqual(['second', 'second']);
});

test('what a listener edits is a copy', () => {
  const hub = new EventHub();
  const event = {
    type: 'tool-start',
    runId: 'r',
    turn: 1,
    toolCallId: 'a',
    v: 1,
    seq: 1,
    at: 0,
    toolName: 'pay',
    input: { to: { amount: 5 } },
    attempt: 1,
  } as const;
  hub.on('tool-start', (told) => {
    Object.assign(told, { toolName: 'other' });
    Object.assign((told.input as { to: object }).to, { amount: 500 });
  });
  hub.emit(event);
  expect(event).toMatchObject({ toolName: 'pay', input: { to: { amount: 5 } } });
});
