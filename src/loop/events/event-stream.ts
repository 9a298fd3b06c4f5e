import type { Clock } from '../../core/clock.ts';
import type { RunEvent } from '../../core/event.ts';
import { ownCopy } from './own-copy.ts';

/** Events that may wait for a slow reader before the run waits too, and that are kept for one to come. Chosen: some hundred turns. */
const MAX_WAITING = 1024;

/** One `for await`: what it has not fetched, and how it is woken. */
interface Reader {
  waiting: RunEvent[];
  wake: (() => void) | undefined;
  /** Whether it has read anything since the run began to wait. */
  hasRead: boolean;
  /** True from when it read nothing while the run waited until it has caught up: nobody waits for it. */
  isGivenUp: boolean;
}

/** How long the run waits for readers that don't read. */
export interface Patience {
  readonly clock: Clock;
  /** A reader that has read nothing for this long is given up. In milliseconds. */
  readonly idleMs: number;
  /** Told when readers are given up. */
  readonly onGivenUp: () => void;
}

/**
 * The events of a run, for any number of readers with `for await`.
 *
 * 1. Each reader sees all events, whatever the others have read; one that begins late begins with what is kept of the
 *    past: the last {@link MAX_WAITING} events.
 * 2. Bounded: text and reasoning that wait are joined into one event, and beyond {@link MAX_WAITING} events the run waits
 *    for the slowest reader. Without a reader the run waits for nobody.
 * 3. The wait is bounded, too: a reader that reads nothing meanwhile is given up, and loses the oldest of what waits
 *    until it has caught up.
 */
export class EventStream implements AsyncIterable<RunEvent> {
  readonly #past: RunEvent[] = [];
  readonly #readers = new Set<Reader>();
  #isOver = false;
  #writers: (() => void)[] = [];

  push(event: RunEvent): void {
    if (this.#isOver) return;
    if (!grow(this.#past, event)) this.#past.push({ ...event });
    if (this.#past.length > MAX_WAITING) this.#past.shift();
    for (const reader of this.#readers) {
      if (!grow(reader.waiting, event)) reader.waiting.push(ownCopy(event));
      if (reader.isGivenUp && reader.waiting.length > MAX_WAITING) reader.waiting.shift();
      reader.wake?.();
    }
  }

  /** No more events will come. */
  end(): void {
    this.#isOver = true;
    for (const reader of this.#readers) reader.wake?.();
    this.#wakeWriters();
  }

  /** True while a reader is so far behind that the run should wait: see {@link EventStream.drained}. */
  get isFull(): boolean {
    if (this.#isOver) return false;
    for (const reader of this.#readers) if (isBehind(reader)) return true;
    return false;
  }

  /** Resolves when every reader has caught up or is given up, or when the run is over: an abort ends this wait, too. */
  drained({ clock, idleMs, onGivenUp }: Patience): Promise<void> {
    if (!this.isFull) return Promise.resolve();
    return new Promise((resolve) => {
      let cancel = (): void => {};
      const look = (): void => {
        for (const reader of this.#readers) reader.hasRead = false;
        if (idleMs !== Infinity) cancel = clock.after(idleMs, giveUp);
      };
      const giveUp = (): void => {
        // One that is nearly as far behind goes too: each would else cost the whole time again.
        const still = [...this.#readers].filter(isStill);
        for (const reader of still) reader.isGivenUp = true;
        if (still.length > 0) onGivenUp();
        if (this.isFull) look();
        else this.#wakeWriters();
      };
      this.#writers.push(() => {
        cancel();
        resolve();
      });
      look();
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, void, undefined> {
    const reader: Reader = {
      waiting: this.#past.map((event) => ownCopy(event)),
      wake: undefined,
      hasRead: true,
      isGivenUp: false,
    };
    this.#readers.add(reader);
    try {
      while (true) {
        const batch = reader.waiting;
        reader.waiting = [];
        reader.hasRead = true;
        reader.isGivenUp = false;
        this.#wakeWriters();
        for (const event of batch) {
          yield event;
          reader.hasRead = true;
        }
        if (reader.waiting.length > 0) continue;
        if (this.#isOver) return;
        await new Promise<void>((resolve) => {
          reader.wake = resolve;
        });
        reader.wake = undefined;
      }
    } finally {
      this.#readers.delete(reader);
      this.#wakeWriters();
    }
  }

  #wakeWriters(): void {
    if (this.#writers.length === 0 || this.isFull) return;
    for (const wake of this.#writers.splice(0)) wake();
  }
}

function isBehind({ waiting, isGivenUp }: Reader): boolean {
  return !isGivenUp && waiting.length >= MAX_WAITING;
}

/** Whether it has events to read and has read none; one that waits for events is not still. */
function isStill({ wake, hasRead, isGivenUp }: Reader): boolean {
  return wake === undefined && !hasRead && !isGivenUp;
}

/**
 * Makes the last event longer by a further piece of its text; false where the event is no such piece. The lists hold
 * copies of their own, and what is fetched is in none of them.
 */
function grow(events: readonly RunEvent[], event: RunEvent): boolean {
  if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') return false;
  const last = events.at(-1);
  if (last?.type !== event.type) return false;
  const growing: { text: string } = last;
  growing.text += event.text;
  return true;
}
