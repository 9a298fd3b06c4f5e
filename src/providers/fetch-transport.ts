import { recordOf, stringOf } from './json-fields.ts';
import type { Exchange, Transport, TransportListener, TransportRequest } from './transport.ts';

/** The part of `fetch` that is used: any function of this form will do. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** What `fetch` is called with. */
export interface FetchInit {
  readonly method: 'POST';
  readonly headers: Record<string, string>;
  /** A plain `Uint8Array` over memory of its own, in the words of every version of TypeScript: before 5.7 it took no type argument. */
  readonly body: ReturnType<Uint8Array['slice']>;
  readonly signal: AbortSignal;
  readonly redirect: 'manual';
}

/** What is read of a `Response`. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): FetchReader } | null;
}

interface FetchReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/**
 * A transport made of any `fetch`: for hosts without `node:http`, for proxies and for tests. Node's own `fetch` gives up
 * after 300 s without headers, which a local model with a long prompt may need.
 */
export function fetchTransport(fetch: Fetch): Transport {
  return (request, listener) => new FetchExchange(fetch, request, listener);
}

class FetchExchange implements Exchange {
  readonly #controller = new AbortController();
  readonly #listener: TransportListener;
  #phase: 'head' | 'body' = 'head';
  #isOver = false;
  #resume: (() => void) | undefined;
  #gate: Promise<void> | undefined;

  constructor(fetch: Fetch, request: TransportRequest, listener: TransportListener) {
    this.#listener = listener;
    // Nothing is heard before the constructor has returned, even from a `fetch` that throws at once.
    queueMicrotask(() => this.#run(fetch, request).catch((error: unknown) => this.#fail(error)));
  }

  pause(): void {
    this.#gate ??= new Promise((resolve) => (this.#resume = resolve));
  }

  resume(): void {
    this.#resume?.();
    this.#gate = undefined;
    this.#resume = undefined;
  }

  abort(): void {
    this.#isOver = true;
    this.resume();
    this.#controller.abort();
  }

  async #run(fetch: Fetch, request: TransportRequest): Promise<void> {
    if (this.#isOver) return;
    const response = await fetch(request.url, {
      method: 'POST',
      headers: { ...request.headers },
      // A copy: `fetch` reads the body later, and the buffer may have grown or moved by then.
      body: request.body.slice(),
      signal: this.#controller.signal,
      redirect: 'manual',
    });
    if (this.#isOver) return;
    this.#phase = 'body';
    this.#listener.onHead(response.status, (name) => response.headers.get(name) ?? undefined);
    if (response.body !== null) await this.#read(response.body.getReader());
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.onEnd();
  }

  async #read(reader: FetchReader): Promise<void> {
    for (;;) {
      if (this.#gate !== undefined) await this.#gate;
      if (this.#isOver) return;
      const { done, value } = await reader.read();
      if (done || this.#isOver) return;
      if (value !== undefined) this.#listener.onChunk(value);
    }
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller.abort();
    // Node's `fetch` says "fetch failed" and hides the reason in the cause; one of the user's own may reject with anything.
    const told = recordOf(error);
    const cause = recordOf(told?.['cause']);
    const code = stringOf(cause?.['code']) ?? (this.#phase === 'body' ? 'ABORTED_BODY' : 'FETCH_FAILED');
    const [message = 'fetch gave no reason'] = [cause?.['message'], told?.['message'], error].filter(isText);
    this.#listener.onError({ code, message, phase: this.#phase, cause: error });
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
