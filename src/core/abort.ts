import { checkSignal } from './option-check.ts';

/**
 * Cancellation inside the library: like an AbortController, but telling its few subscribers costs no event
 * objects, and a real `AbortSignal` is only made when somebody asks for one.
 */
export class Abort {
  #isAborted = false;
  #reason: unknown;
  #subscribers: Set<(reason: unknown) => void> | undefined;
  #controller: AbortController | undefined;

  get aborted(): boolean {
    return this.#isAborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** The same abort for code that wants a standard signal. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isAborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /**
   * Aborts, once: later calls change nothing. An abort that is passed on while another one is being told waits in line
   * instead of nesting: however deep runs stand inside each other, the stack stays flat.
   */
  abort(reason: unknown): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason;
    waiting.push(() => this.#tell(reason));
    if (!isTelling) tellAll();
  }

  #tell(reason: unknown): void {
    const subscribers = this.#subscribers;
    this.#subscribers = undefined;
    this.#controller?.abort(reason);
    for (const tell of subscribers ?? []) tell(reason);
  }

  /** Calls `tell` when the abort comes (at once if it has come); the returned function takes it back. */
  subscribe(tell: (reason: unknown) => void): () => void {
    if (this.#isAborted) {
      tell(this.#reason);
      return () => {};
    }
    const subscribers = (this.#subscribers ??= new Set());
    subscribers.add(tell);
    return () => subscribers.delete(tell);
  }

  /**
   * Aborts with the caller's signal. The returned function ends the link.
   *
   * @throws OilcanError `invalid-option` for something that is no signal.
   */
  follow(signal: AbortSignal | undefined): () => void {
    if (signal === undefined) return () => {};
    checkSignal(signal);
    if (signal.aborted) {
      this.abort(signal.reason);
      return () => {};
    }
    return listen(signal, this);
  }
}

/** Aborts that have not been told to their subscribers yet, in order. */
const waiting: (() => void)[] = [];
let isTelling = false;

function tellAll(): void {
  isTelling = true;
  try {
    for (let index = 0; index < waiting.length; index += 1) waiting[index]?.();
  } finally {
    waiting.length = 0;
    isTelling = false;
  }
}

/** Who follows a signal: all of them share one listener, since Node warns of a leak where a signal has more than ten. */
const followersOf = new WeakMap<AbortSignal, Followers>();

interface Followers {
  readonly aborts: Set<Abort>;
  readonly onAbort: () => void;
}

function listen(signal: AbortSignal, abort: Abort): () => void {
  const followers = followersOf.get(signal) ?? startListening(signal);
  const { aborts, onAbort } = followers;
  aborts.add(abort);
  return () => {
    if (!aborts.delete(abort) || aborts.size > 0) return;
    signal.removeEventListener('abort', onAbort);
    followersOf.delete(signal);
  };
}

function startListening(signal: AbortSignal): Followers {
  const aborts = new Set<Abort>();
  const onAbort = (): void => {
    followersOf.delete(signal);
    for (const abort of aborts) abort.abort(signal.reason);
    aborts.clear();
  };
  const followers = { aborts, onAbort };
  followersOf.set(signal, followers);
  signal.addEventListener('abort', onAbort, { once: true });
  return followers;
}
