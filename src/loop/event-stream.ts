import type { RunEvent } from '../core/event.ts';

/** Events that may wait for a slow reader before the run waits too. Chosen: some seconds of a fast model. */
const MAX_WAITING = 1024;

/**
 * The events of a run for one reader with `for await`. Bounded: text that a slow reader has not fetched is joined
 * into one event, and beyond {@link MAX_WAITING} the run waits for the reader. Without a reader nothing is kept
 * beyond that many events, and the run waits for nobody.
 */
export class EventStream implements AsyncIterable<RunEvent> {
  #waiting: RunEvent[] = [];
  #isOver = false;
  #hasReader = false;
  #isAbandoned = false;
  #wakeReader: (() => void) | undefined;
  #wakeWriter: (() => void) | undefined;

  push(event: RunEvent): void {
    if (this.#isAbandoned || this.#isOver) return;
    const last = this.#waiting.at(-1);
    if (event.type === 'text-delta' && last?.type === 'text-delta' && this.#waiting.length > 1) {
      this.#waiting[this.#waiting.length - 1] = { ...last, text: last.text + event.text };
    } else this.#waiting.push(event);
    // Nobody reads and nobody has begun to: keep the run going rather than the past.
    if (!this.#hasReader && this.#waiting.length > MAX_WAITING) this.#waiting.shift();
    this.#wakeReader?.();
  }

  /** No more events will come. */
  end(): void {
    this.#isOver = true;
    this.#wakeReader?.();
    this.#wakeWriter?.();
  }

  /** True while the reader is so far behind that the run should wait: see {@link EventStream.drained}. */
  get isFull(): boolean {
    return this.#hasReader && !this.#isAbandoned && this.#waiting.length >= MAX_WAITING;
  }

  /** Resolves when the reader has caught up. */
  drained(): Promise<void> {
    if (!this.isFull) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wakeWriter = () => {
        this.#wakeWriter = undefined;
        resolve();
      };
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, void, undefined> {
    this.#hasReader = true;
    try {
      while (true) {
        const batch = this.#waiting;
        this.#waiting = [];
        this.#wakeWriter?.();
        for (const event of batch) yield event;
        if (this.#waiting.length > 0) continue;
        if (this.#isOver) return;
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve;
        });
        this.#wakeReader = undefined;
      }
    } finally {
      this.#isAbandoned = true;
      this.#waiting = [];
      this.#wakeWriter?.();
    }
  }
}
