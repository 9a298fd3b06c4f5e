import type { RunEvent, RunEventOf, RunEventType } from '../../core/event.ts';
import { describeValue, expected, invalidOption, kindOf, noSuch } from '../../core/option-check.ts';
import { isThenable } from '../../core/thenable.ts';
import { ownCopy } from './own-copy.ts';
import { thrownWords } from '../../core/thrown-words.ts';

/** Hears events of one type, or of all (`'*'`). What it throws or rejects with is reported and changes nothing. */
export type Listener<T extends RunEventType | '*'> = (
  event: T extends RunEventType ? RunEventOf<T> : RunEvent,
) => unknown;

/** Every event, so that a misspelled one is not waited for for ever; the compiler keeps the list whole. */
const EVENT_TYPES = {
  'run-start': true,
  'turn-start': true,
  'attempt-start': true,
  'text-delta': true,
  'reasoning-delta': true,
  'text-void': true,
  reply: true,
  failure: true,
  retry: true,
  'fall-back': true,
  'call-mended': true,
  'tool-start': true,
  'tool-retry': true,
  'tool-end': true,
  rewind: true,
  'history-repaired': true,
  'history-compacted': true,
  guard: true,
  warning: true,
  breaker: true,
  pending: true,
  'turn-end': true,
  'run-end': true,
} satisfies Record<RunEventType, true>;

type AnyListener = (event: RunEvent) => unknown;

/**
 * Tells events to listeners. Listeners watch; they can neither change nor hurt what they watch.
 *
 * 1. An event is told to those that listened when it was emitted: one that is added while it is told, by a listener
 *    that puts itself on again, hears the next one.
 * 2. Listeners get a copy.
 */
export class EventHub {
  /** The lists are never changed: another one takes their place. */
  readonly #listeners = new Map<string, readonly AnyListener[]>();
  readonly #mask: (text: string) => string;

  /** `mask` takes the secrets out of what listeners throw. */
  constructor(mask: (text: string) => string = (text) => text) {
    this.#mask = mask;
  }

  /**
   * Adds a listener (once, however often it is added); the returned function takes it away.
   * @throws OilcanError `invalid-option` for an event that is none.
   */
  on<T extends RunEventType | '*'>(type: T, listener: Listener<T>): () => void {
    if (type !== '*' && !Object.hasOwn(EVENT_TYPES, type)) throw unknownEvent(type);
    if (typeof listener !== 'function') throw expected(`the listener of \`${type}\``, 'a function', kindOf(listener));
    // The hub calls it with events of its type only.
    const known = listener as AnyListener;
    const others = this.#listeners.get(type) ?? [];
    if (!others.includes(known)) this.#listeners.set(type, [...others, known]);
    let isOn = true;
    return () => {
      // A second time it may be on again, by another `on`.
      if (!isOn) return;
      isOn = false;
      const left = (this.#listeners.get(type) ?? []).filter((other) => other !== known);
      if (left.length > 0) this.#listeners.set(type, left);
      else this.#listeners.delete(type);
    };
  }

  /** Whether anybody hears events of this type: if not, they need not be made. */
  wants(type: RunEventType): boolean {
    return this.#listeners.size > 0 && (this.#listeners.has(type) || this.#listeners.has('*'));
  }

  emit(event: RunEvent): void {
    if (!this.wants(event.type)) return;
    const ofType = this.#listeners.get(event.type);
    const ofAll = this.#listeners.get('*');
    const copy = ownCopy(event);
    this.#tell(ofType, copy);
    this.#tell(ofAll, copy);
  }

  #tell(listeners: readonly AnyListener[] | undefined, event: RunEvent): void {
    if (listeners === undefined) return;
    for (const listener of listeners) {
      try {
        const result = listener(event);
        if (isThenable(result)) result.then(undefined, (error: unknown) => this.#report(event, error));
      } catch (error) {
        this.#report(event, error);
      }
    }
  }

  /** A listener that fails on a warning is not told of its own failure: that would never end. */
  #report(event: RunEvent, error: unknown): void {
    if (event.type === 'warning') return;
    this.emit({
      type: 'warning',
      runId: event.runId,
      turn: event.turn,
      message: this.#mask(
        `A listener of \`${event.type}\` threw ${thrownWords(error)}. The run goes on; mend the listener.`,
      ),
    });
  }
}

function unknownEvent(type: unknown): Error {
  if (typeof type !== 'string')
    return invalidOption(`Expected the name of an event or '*', got ${describeValue(type)}.`);
  return noSuch('event', type, Object.keys(EVENT_TYPES), (types) => `Events are ${types}, and '*' for all.`);
}
