import type { RunEvent, RunEventOf, RunEventType } from '../../core/event.ts';
import { describeValue, expected, invalidOption, kindOf, noSuch } from '../../core/option-check.ts';
import { isThenable } from '../../core/thenable.ts';
import { ownCopy } from './own-copy.ts';
import { thrownWords } from '../../core/thrown-words.ts';

/** Hears events of one type, or of all (`'*'`). What it throws or rejects with is reported and changes nothing. */
export type Listener<T extends RunEventType | '*'> = (
  event: T extends RunEventType ? RunEventOf<T> : RunEvent,
) => unknown;

/** Every event, so that a misspelled one is refused; the compiler keeps the list whole. */
const EVENT_TYPES = {
  'run-start': true,
  'turn-start': true,
  'attempt-start': true,
  'attempt-end': true,
  'text-delta': true,
  'reasoning-delta': true,
  'text-void': true,
  reply: true,
  failure: true,
  recovered: true,
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
 * 2. Each listener gets a copy of its own.
 * 3. Nothing is told of a run that is over: what listeners throw by then has no event to be reported in.
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

  /** `isOver` says, also later on, whether the run has ended. */
  emit(event: RunEvent, isOver: () => boolean = () => false): void {
    if (!this.wants(event.type)) return;
    const listeners = [...(this.#listeners.get(event.type) ?? []), ...(this.#listeners.get('*') ?? [])];
    const report = (error: unknown): void => this.#report(event, error, isOver);
    for (const listener of listeners) {
      try {
        const result = listener(ownCopy(event));
        if (isThenable(result)) result.then(undefined, report);
      } catch (error) {
        report(error);
      }
    }
  }

  /** A listener that fails on a warning is not told of its own failure: that would never end. */
  #report({ type, ...told }: RunEvent, error: unknown, isOver: () => boolean): void {
    if (type === 'warning' || isOver()) return;
    const message = `A listener of \`${type}\` threw ${thrownWords(error)}. The run continues; fix the listener.`;
    const { v, seq, at, runId, turn } = told;
    this.emit({ v, seq, at, runId, turn, type: 'warning', message: this.#mask(message) }, isOver);
  }
}

function unknownEvent(type: unknown): Error {
  if (typeof type !== 'string')
    return invalidOption(`Expected the name of an event or '*', got ${describeValue(type)}.`);
  return noSuch('event', type, Object.keys(EVENT_TYPES), (types) => `Events are ${types}, and '*' for all.`);
}
