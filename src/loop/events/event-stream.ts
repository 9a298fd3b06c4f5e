import type { RunEvent } from '../../core/event.ts';
import { ownCopy } from './own-copy.ts';

/** Events that may wait for a slow reader before the run waits too, and that are kept for one to come. Chosen: some hundred turns. */
const MAX_WAITING = 1024;

/** One `for await`: what it has not fetched, and how it is woken. */
interface Reader {
  waiting: RunEvent[];
  wake: (() => void) | undefined;
}

/**
 * The events of a run, for any number of readers with `for await`.
 *
 * 1. Each reader sees all events, whatever the others have read; one that begins late begins with what is kept of the
 *    past: the last {@link MAX_WAITING} events.
 * 2. Bounded: text and reasoning that wait are joined into one event, and beyond {@link MAX_WAITING} events the run waits
 *    for the slowest reader. Without a reader the run waits for nobody.
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
    for (const reader of this.#readers) if (reader.waiting.length >= MAX_WAITING) return true;
    return false;
  }

  /** Resolves when every reader has caught up, or when the run is over: an abort ends this wait, too. */
  drained(): Promise<void> {
    if (!this.isFull) return Promise.resolve();
    return new Promise((resolve) => {
      this.#writers.push(resolve);
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, void, undefined> {
    const reader: Reader = { waiting: this.#past.map(ownCopy), wake: undefined };
    this.#readers.add(reader);
    try {
      while (true) {
        const batch = reader.waiting;
        reader.waiting = [];
        this.#wakeWriters();
        for (const event of batch) yield event;
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
