import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../../src/core/event.ts';
import type { Patience } from '../../../../src/loop/events/event-stream.ts';
import { EventStream } from '../../../../src/loop/events/event-stream.ts';
import { createVirtualClock } from '../../../../src/testing/virtual-clock.ts';

const of = { v: 1, seq: 1, at: 0, runId: 'r', turn: 1 } as const;
const start: RunEvent = { ...of, type: 'turn-start' };
const end: RunEvent = { ...of, type: 'turn-end' };
const text = (piece: string): RunEvent => ({ ...of, type: 'text-delta', text: piece });
const reasoning = (piece: string): RunEvent => ({ ...of, type: 'reasoning-delta', text: piece });

/** What a reader got, in short: names of events, and texts. */
async function read(stream: AsyncIterable<RunEvent>): Promise<string[]> {
  const got: string[] = [];
  for await (const event of stream) got.push('text' in event ? event.text : event.type);
  return got;
}

async function settle(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await Promise.resolve();
}

describe('readers of one stream', () => {
  test('each see all events', async () => {
    const stream = new EventStream();
    stream.push(start);
    const readers = [read(stream), read(stream)];
    for (const piece of ['One ', 'two.']) {
      stream.push(text(piece));
      await settle();
    }
    stream.push(end);
    stream.end();
    const all = ['turn-start', 'One ', 'two.', 'turn-end'];
    expect(await Promise.all(readers)).toEqual([all, all]);
  });

  test.each(['has read all', 'has left'])('one that begins late gets the past although another %s', async (how) => {
    const stream = new EventStream();
    stream.push(start);
    if (how === 'has left') for await (const _event of stream) break;
    const early = how === 'has left' ? undefined : read(stream);
    for (const piece of ['One ', 'two ', 'three.']) {
      stream.push(text(piece));
      await settle();
    }
    const late = read(stream);
    await settle();
    stream.push(text(' Four.'));
    await settle();
    stream.push(end);
    stream.end();
    expect(await late).toEqual(['turn-start', 'One two three.', ' Four.', 'turn-end']);
    if (early !== undefined)
      expect(await early).toEqual(['turn-start', 'One ', 'two ', 'three.', ' Four.', 'turn-end']);
    expect(await read(stream)).toEqual(['turn-start', 'One two three. Four.', 'turn-end']);
  });

  test('do not see what another one edits', async () => {
    const stream = new EventStream();
    stream.push(start);
    stream.push(text('One.'));
    stream.end();
    for await (const event of stream) Object.assign(event, { type: 'turn-end', text: 'edited' });
    expect(await read(stream)).toEqual(['turn-start', 'One.']);
  });
});

describe('a slow reader', () => {
  test.each([
    ['text', text],
    ['reasoning', reasoning],
  ])('gets the %s that waited as one event, and holds nobody back', async (_name, piece) => {
    const stream = new EventStream();
    const iterator = stream[Symbol.asyncIterator]();
    stream.push(start);
    await iterator.next();
    stream.push(end);
    for (let index = 0; index < 5000; index += 1) stream.push(piece('hm '));
    expect(stream.isFull).toBe(false);
    stream.end();
    expect(await read({ [Symbol.asyncIterator]: () => iterator })).toEqual(['turn-end', 'hm '.repeat(5000)]);
  });

  test('does not run text and reasoning together', async () => {
    const stream = new EventStream();
    for (const event of [start, text('a'), text('b'), reasoning('c'), reasoning('d'), text('e')]) stream.push(event);
    stream.end();
    expect(await read(stream)).toEqual(['turn-start', 'ab', 'cd', 'e']);
  });

  test('holds the run back until it reads on, however fast another one is', async () => {
    const { stream, slow } = await heldBack();
    let isDrained = false;
    const drained = Promise.all([stream.drained(patience()), stream.drained(patience())]).then(
      () => (isDrained = true),
    );
    await settle();
    expect(isDrained).toBe(false);
    await slow.next();
    await drained;
    expect(stream.isFull).toBe(false);
  });

  test.each<[string, (held: Awaited<ReturnType<typeof heldBack>>) => unknown]>([
    ['it leaves', ({ slow }) => slow.return()],
    ['the run ends', ({ stream }) => stream.end()],
  ])('holds nobody back once %s', async (_name, act) => {
    const held = await heldBack();
    const drained = held.stream.drained(patience());
    await act(held);
    await drained;
    expect(held.stream.isFull).toBe(false);
  });
});

describe('a reader that holds the run back and reads nothing', () => {
  test('is given up after its time: it loses the oldest of what waits, the others nothing', async () => {
    const { stream, slow } = await heldBack();
    const clock = createVirtualClock();
    let givenUp = 0;
    const drained = stream.drained(patience({ clock, onGivenUp: () => (givenUp += 1) }));
    await clock.advance(59_999);
    expect([givenUp, stream.isFull]).toEqual([0, true]);
    await clock.advance(1);
    await drained;
    expect([givenUp, clock.pending]).toEqual([1, 0]);
    for (let turn = 2; turn <= 3001; turn += 1) {
      stream.push({ ...end, turn });
      await settle();
      expect(stream.isFull).toBe(false);
    }
    const first = await slow.next();
    expect(first.value).toMatchObject({ turn: 1978 });
    // It has caught up, so it is waited for again.
    await settle();
    for (let count = 0; count < 1024; count += 1) stream.push(end);
    await settle();
    expect(stream.isFull).toBe(true);
  });

  test('takes no second time for one that is nearly as far behind, and none is given up that waits for events', async () => {
    const { stream } = await heldBack();
    const nearly = stream[Symbol.asyncIterator]();
    const quick = read(stream);
    await nearly.next();
    await settle();
    const clock = createVirtualClock();
    const drained = stream.drained(patience({ clock }));
    for (let round = 0; round < 500; round += 1) await settle();
    await clock.advance(60_000);
    await drained;
    for (let turn = 2; turn <= 2000; turn += 1) {
      stream.push({ ...end, turn });
      await settle();
    }
    expect(stream.isFull).toBe(false);
    for (let turn = 0; turn < 1024; turn += 1) stream.push({ ...end, turn });
    // The quick one is waited for.
    expect(stream.isFull).toBe(true);
    stream.end();
    expect((await quick).length).toBe(1024 + 1999 + 1024);
  });

  test('has the whole time again after each event that it reads', async () => {
    const stream = new EventStream();
    const slow = stream[Symbol.asyncIterator]();
    for (let turn = 1; turn <= 10; turn += 1) stream.push({ ...end, turn });
    await slow.next();
    for (let count = 0; count < 1024; count += 1) stream.push(end);
    const clock = createVirtualClock();
    let givenUp = 0;
    const drained = stream.drained(patience({ clock, onGivenUp: () => (givenUp += 1) }));
    for (let minute = 0; minute < 5; minute += 1) {
      await clock.advance(50_000);
      await slow.next();
      await clock.advance(10_000);
    }
    expect(givenUp).toBe(0);
    await clock.advance(60_000);
    await drained;
    expect(givenUp).toBe(1);
  });

  test.each<[string, (held: Awaited<ReturnType<typeof heldBack>>) => unknown]>([
    ['reads on', ({ slow }) => slow.next()],
    ['leaves', ({ slow }) => slow.return()],
    ['sees the end', ({ stream }) => stream.end()],
  ])('leaves no timer behind when it %s', async (_name, act) => {
    const held = await heldBack();
    const clock = createVirtualClock();
    const drained = held.stream.drained(patience({ clock }));
    expect(clock.pending).toBe(1);
    await act(held);
    await drained;
    expect(clock.pending).toBe(0);
  });

  test('is waited for without end where `idleMs` is Infinity', async () => {
    const { stream } = await heldBack();
    const clock = createVirtualClock();
    void stream.drained(patience({ clock, idleMs: Infinity }));
    expect(clock.pending).toBe(0);
  });
});

test('without a reader the run waits for nobody, and the newest events are kept', async () => {
  const stream = new EventStream();
  for (let turn = 1; turn <= 3000; turn += 1) stream.push({ ...start, turn });
  expect(stream.isFull).toBe(false);
  stream.end();
  const turns: number[] = [];
  for await (const event of stream) turns.push(event.turn);
  expect([turns.length, turns[0], turns.at(-1)]).toEqual([1024, 1977, 3000]);
});

/** A minute, on a clock that stands still. */
function patience(more: Partial<Patience> = {}): Patience {
  return { clock: createVirtualClock(), idleMs: 60_000, onGivenUp: () => {}, ...more };
}

/** A stream with one reader that keeps up, and one that has let 1,024 events wait. */
async function heldBack(): Promise<{ stream: EventStream; slow: AsyncGenerator<RunEvent, void, undefined> }> {
  const stream = new EventStream();
  void read(stream);
  const slow = stream[Symbol.asyncIterator]();
  stream.push(start);
  await slow.next();
  for (let count = 0; count < 1024; count += 1) {
    expect(stream.isFull).toBe(false);
    stream.push(end);
    await settle();
  }
  expect(stream.isFull).toBe(true);
  return { stream, slow };
}
