import type { Clock } from '../core/clock.ts';
import type { Failure } from '../core/failure.ts';
import type { ModelReply, ModelRequest, ProviderEvent } from '../core/provider.ts';
import type { HeaderLookup } from '../resilience/retry-after.ts';
import type { Assembled, Assembler, DeltaSink, MakeAssembler, ReplyProblem } from './assembler.ts';
import { BodyReader } from './body-reader.ts';
import type { Framing } from './body-reader.ts';
import { EventQueue } from './event-queue.ts';
import type { Exchange, Transport, TransportError, TransportListener, TransportRequest } from './transport.ts';
import { Utf8Chunks } from './utf8.ts';

/** A server and how it is asked: one for all requests of a provider, so that a waiting request holds little. */
export interface Asking {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly framing: Framing;
  readonly makeAssembler: MakeAssembler;
  /** Builds what is sent. Called again where `adapt` has changed it. */
  readonly prepare: (request: ModelRequest) => TransportRequest;
  /** Called with an error of the server: true where a part that it does not know was left out, so that it is asked once more. */
  readonly adapt: (request: ModelRequest, status: number, bodyText: string) => boolean;
  /** The last look at a good reply, for what stands beside it. */
  readonly check: (request: ModelRequest, sentBytes: number, reply: ModelReply, header: HeaderLookup) => ModelReply;
  readonly httpFailure: (status: number, header: HeaderLookup, bodyText: string) => Failure;
  readonly problemFailure: (problem: ReplyProblem) => Failure;
  readonly transportFailure: (error: TransportError) => Failure;
  /** The request could not be built or the answer not be read, by a fault of ours. */
  readonly bugFailure: (error: unknown) => Failure;
}

/** Chosen: the longest error text looked at; an error page of a proxy has some kilobytes. */
const MAX_ERROR_CHARS = 256 * 1024;

/**
 * Chosen: how long a stream may stay open after it has said its last word (`closed`), or after the reply is whole and only
 * figures may follow (`finished`). Some servers never close; the connection is then given up.
 */
const GRACE_MS = { finished: 1000, closed: 100 } as const;

/** Parts that a server may not know: one request more for each of them, at most. */
const MAX_ADAPTATIONS = 4;

function noHeader(): undefined {}

/**
 * One question, from the request to the last event. Invariants:
 * 1. The last event is one `reply` or one `failure`, unless the signal aborts or the consumer leaves: then there may be none.
 * 2. Once it is over, the connection is free or being freed, no timer runs and the signal has no listener of ours.
 * 3. The request is sent at the first `next()`.
 */
export class ReplyStream implements AsyncIterableIterator<ProviderEvent, undefined>, TransportListener, DeltaSink {
  readonly #asking: Asking;
  readonly #request: ModelRequest;
  readonly #signal: AbortSignal;
  readonly #queue = new EventQueue();
  #isStarted = false;
  #isOver = false;
  #exchange: Exchange | undefined;
  #isPaused = false;
  #adaptations = 0;
  #sentBytes = 0;
  // One answer:
  #status = 0;
  #header: HeaderLookup = noHeader;
  #errorText: string | undefined;
  #errorUtf8: Utf8Chunks | undefined;
  #assembler: Assembler | undefined;
  #reader: BodyReader | undefined;
  #delta = '';
  #deltaType: 'text-delta' | 'reasoning-delta' = 'text-delta';
  #cancelGrace: (() => void) | undefined;
  #gracePhase: 'open' | 'finished' | 'closed' = 'open';

  constructor(asking: Asking, request: ModelRequest, signal: AbortSignal) {
    this.#asking = asking;
    this.#request = request;
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<ProviderEvent, undefined>> {
    if (!this.#isStarted) this.#start();
    const result = this.#queue.next();
    if (this.#isPaused && !this.#queue.isFull) {
      this.#isPaused = false;
      this.#exchange?.resume();
    }
    return result;
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.#abort();
    return Promise.resolve({ done: true, value: undefined });
  }

  #start(): void {
    this.#isStarted = true;
    if (this.#signal.aborted) return this.#abort();
    this.#signal.addEventListener('abort', this.#abort);
    this.#send();
  }

  /** A field, so that the same function can be added to the signal and taken off it. */
  readonly #abort = (): void => {
    this.#isStarted = true;
    if (!this.#isOver) this.#close();
    this.#queue.clear();
  };

  /** Frees everything. */
  #close(): void {
    this.#isOver = true;
    this.#signal.removeEventListener('abort', this.#abort);
    this.#cancelGrace?.();
    this.#exchange?.abort();
  }

  #send(): void {
    try {
      const sent = this.#asking.prepare(this.#request);
      this.#sentBytes = sent.body.byteLength;
      this.#exchange = this.#asking.transport(sent, this);
    } catch (error) {
      this.#fail(this.#asking.bugFailure(error));
    }
  }

  // The transport's side.

  onHead(status: number, header: HeaderLookup): void {
    this.#status = status;
    this.#header = header;
    if (status >= 200 && status < 300) {
      this.#assembler = this.#asking.makeAssembler(this);
      this.#reader = new BodyReader(this.#assembler, this.#asking.framing);
    } else {
      this.#errorText = '';
      this.#errorUtf8 = new Utf8Chunks();
    }
    this.#queue.push({ type: 'progress', phase: 'headers' });
  }

  onChunk(bytes: Uint8Array): void {
    if (this.#isOver) return;
    if (this.#reader === undefined) return this.#errorChunk(bytes);
    try {
      const problem = this.#reader.push(bytes);
      if (problem !== undefined) return this.#fail(this.#asking.problemFailure(problem));
      this.#tellChunk();
    } catch (error) {
      this.#fail(this.#asking.bugFailure(error));
    }
  }

  onEnd(): void {
    if (this.#isOver) return;
    try {
      if (this.#reader === undefined) this.#httpError();
      else this.#conclude(this.#reader.end());
    } catch (error) {
      this.#fail(this.#asking.bugFailure(error));
    }
  }

  /** The reply is whole, and the stream breaks or stays open: the begin of a further event takes nothing back. */
  #giveUpRest(reader: BodyReader): void {
    try {
      this.#conclude(reader.giveUp());
    } catch (error) {
      this.#fail(this.#asking.bugFailure(error));
    }
  }

  onError(error: TransportError): void {
    if (this.#isOver) return;
    // What breaks after the last word of a reply does not take the reply back.
    if (this.#reader !== undefined && this.#assembler?.phase !== 'open') return this.#giveUpRest(this.#reader);
    // A server that answers with an error status and resets the connection has still answered.
    if (this.#errorText !== undefined) return this.onEnd();
    this.#fail(this.#asking.transportFailure(error));
  }

  // The assembler's side.

  text(delta: string): void {
    if (this.#deltaType !== 'text-delta') {
      this.#tellDelta();
      this.#deltaType = 'text-delta';
    }
    this.#delta += delta;
  }

  reasoning(delta: string): void {
    if (this.#deltaType !== 'reasoning-delta') {
      this.#tellDelta();
      this.#deltaType = 'reasoning-delta';
    }
    this.#delta += delta;
  }

  /** All deltas of one kind in one network chunk are one event. */
  #tellDelta(): boolean {
    if (this.#delta === '') return false;
    this.#queue.push({ type: this.#deltaType, text: this.#delta });
    this.#delta = '';
    return true;
  }

  #tellChunk(): void {
    const hasDelta = this.#tellDelta();
    const phase = this.#assembler?.phase ?? 'open';
    if (phase !== 'open' && phase !== this.#gracePhase) this.#startGrace(phase);
    else if (!hasDelta) this.#queue.push({ type: 'progress', phase: 'body' });
    if (this.#queue.isFull && !this.#isPaused) {
      this.#isPaused = true;
      this.#exchange?.pause();
    }
  }

  #startGrace(phase: 'finished' | 'closed'): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    this.#gracePhase = phase;
    this.#cancelGrace?.();
    this.#cancelGrace = this.#asking.clock.after(GRACE_MS[phase], () => {
      if (!this.#isOver) this.#giveUpRest(reader);
    });
  }

  #errorChunk(bytes: Uint8Array): void {
    this.#errorText += this.#errorUtf8?.push(bytes) ?? '';
    if ((this.#errorText?.length ?? 0) > MAX_ERROR_CHARS) this.#httpError();
  }

  #httpError(): void {
    const text = this.#errorText ?? '';
    if (this.#adaptations < MAX_ADAPTATIONS && this.#asking.adapt(this.#request, this.#status, text)) {
      this.#adaptations++;
      this.#exchange?.abort();
      this.#errorText = undefined;
      return this.#send();
    }
    this.#fail(this.#asking.httpFailure(this.#status, this.#header, text));
  }

  #conclude(assembled: Assembled): void {
    this.#tellDelta();
    if (assembled.type !== 'reply') return this.#fail(this.#asking.problemFailure(assembled));
    this.#queue.push({
      type: 'reply',
      reply: this.#asking.check(this.#request, this.#sentBytes, assembled.reply, this.#header),
    });
    this.#close();
    this.#queue.end();
  }

  #fail(failure: Failure): void {
    this.#tellDelta();
    this.#queue.push({ type: 'failure', failure });
    this.#close();
    this.#queue.end();
  }
}
