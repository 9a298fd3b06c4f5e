import type { ProviderEvent } from '../core/provider.ts';

/** Chosen: at this many waiting characters the network is paused; a reader that is this far behind is not live any more. */
const MAX_WAITING_CHARS = 1024 * 1024;

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * The events of one request, from a producer that pushes to a consumer that pulls. Deltas of one kind that wait
 * are joined, so that a slow consumer gets fewer and larger ones, and the queue stays short.
 */
export class EventQueue {
  #events: ProviderEvent[] = [];
  /** The next one to give: to take it off a long array would move all others. */
  #next = 0;
  #waitingChars = 0;
  #isOver = false;
  #wake: ((result: IteratorResult<ProviderEvent, undefined>) => void) | undefined;

  /** True while the consumer is so far behind that nothing more should be read. */
  get isFull(): boolean {
    return this.#waitingChars > MAX_WAITING_CHARS;
  }

  /** Adds an event. Two `progress` events in a row are one. */
  push(event: ProviderEvent): void {
    if (this.#isOver) return;
    const wake = this.#wake;
    if (wake !== undefined) {
      this.#wake = undefined;
      wake({ done: false, value: event });
      return;
    }
    const lastIndex = this.#events.length - 1;
    const last = lastIndex < this.#next ? undefined : this.#events[lastIndex];
    if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
      this.#waitingChars += event.text.length;
      if (last?.type === event.type) {
        this.#events[lastIndex] = { type: event.type, text: last.text + event.text };
        return;
      }
    } else if (event.type === 'progress' && last?.type === 'progress' && last.phase === event.phase) return;
    this.#events.push(event);
  }

  /** No event follows. Those that wait are still given. */
  end(): void {
    this.#isOver = true;
    this.#wake?.(END);
    this.#wake = undefined;
  }

  /** No event follows, and none that waits is given. */
  clear(): void {
    this.#events = [];
    this.#next = 0;
    this.#waitingChars = 0;
    this.end();
  }

  next(): Promise<IteratorResult<ProviderEvent, undefined>> {
    const event = this.#events[this.#next];
    if (event !== undefined) {
      this.#next += 1;
      if (this.#next === this.#events.length) {
        this.#events = [];
        this.#next = 0;
      }
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') this.#waitingChars -= event.text.length;
      return Promise.resolve({ done: false, value: event });
    }
    if (this.#isOver) return Promise.resolve(END);
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
