import type { Clock } from '../core/clock.ts';
import { systemClock } from '../core/clock.ts';
import type { Failure } from '../core/failure.ts';
import type { ModelReply, ModelRequest, ProviderEvent } from '../core/provider.ts';
import { rateLimitOf } from '../resilience/rate-limit.ts';
import type { HeaderLookup } from '../resilience/retry-after.ts';
import type { Assembled, AssemblyPhase, DeltaSink } from './assembler.ts';
import { BodyReader } from './body-reader.ts';
import { fieldNames } from './dialect/dialect.ts';
import { CircleWatch, withoutCircle, withoutLateCircle } from './circles.ts';
import type { CirclePlace } from './circles.ts';
import { EventQueue } from './event-queue.ts';
import { suspectSize } from './errors/suspect-size.ts';
import type { RequestSizes } from './errors/suspect-size.ts';
import type { UsageWatch } from './suspect-usage.ts';
import type { Exchange, TransportError, TransportListener } from './transport.ts';
import { Utf8Chunks } from './utf8.ts';
import { readVendorError } from './errors/vendor-error.ts';
import type { VendorError } from './errors/vendor-error.ts';
import { bugFailure, httpFailure, problemFailure, transportFailure } from './errors/vendor-failure.ts';
import type { Wire } from './wire.ts';

/** A server, and what it is asked. */
export interface Question {
  readonly wire: Wire;
  readonly usageWatch: UsageWatch;
  readonly sizes: RequestSizes;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
}

/** Chosen: the longest error text looked at; an error page of a proxy has some kilobytes. */
const MAX_ERROR_CHARS = 256 * 1024;

/**
 * Chosen: how long a stream may stay open after it has said its last word (`closed`), or after the reply is whole and only
 * figures may follow (`finished`). Some servers never close; the connection is then given up.
 */
const GRACE_MS = { finished: 1000, closed: 100 } as const;

/** Statuses under which servers report what is not of their dialect; chat templates raise it as an error of the server's. */
const LEARNING_STATUSES: ReadonlySet<number> = new Set([400, 404, 422, 500]);

function noHeader(): undefined {}

/** For what is looked at and not shown. */
function unmasked(text: string): string {
  return text;
}

/**
 * One question, from the request to the last event. Invariants:
 * 1. The last event is one `reply` or one `failure`, unless the signal aborts or the consumer leaves: then there may be none.
 * 2. Once it is over, the connection is free or being freed, no timer runs and the signal has no listener of ours.
 * 3. The request is sent at the first `next()`.
 */
export class ReplyStream implements AsyncIterableIterator<ProviderEvent, undefined>, TransportListener, DeltaSink {
  readonly #question: Question;
  readonly #queue = new EventQueue();
  #isStarted = false;
  #isOver = false;
  #exchange: Exchange | undefined;
  #isPaused = false;
  #sentBytes = 0;
  #sentVersion = '';
  // One answer: a reply is read, an error collected.
  #status = 0;
  #header: HeaderLookup = noHeader;
  #reader: BodyReader | undefined;
  #errorUtf8: Utf8Chunks | undefined;
  #errorText = '';
  #hasBegun = false;
  #delta = '';
  #deltaType: 'text-delta' | 'reasoning-delta' = 'text-delta';
  /** One for each text of the reply that may go in circles. */
  readonly #watches: Record<CirclePlace, CircleWatch> = {
    text: new CircleWatch(() => this.#clock.monotonic()),
    reasoning: new CircleWatch(() => this.#clock.monotonic()),
    calls: new CircleWatch(() => this.#clock.monotonic()),
  };
  #circlesIn: CirclePlace | undefined;
  #cancelGrace: (() => void) | undefined;
  #gracePhase: AssemblyPhase = 'open';

  constructor(question: Question) {
    this.#question = question;
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
    const { signal } = this.#question;
    this.#isStarted = true;
    if (signal.aborted) return this.#abort();
    signal.addEventListener('abort', this.#abort);
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
    this.#question.signal.removeEventListener('abort', this.#abort);
    this.#cancelGrace?.();
    this.#exchange?.abort();
  }

  #send(): void {
    const { wire, request } = this.#question;
    this.#guard(() => {
      this.#sentVersion = wire.memory.versionFor(request.messages);
      const body = wire.body(request);
      this.#sentBytes = body.byteLength;
      this.#exchange = wire.transport({ url: wire.server.url, headers: wire.headers, body }, this);
    });
  }

  /** A fault of ours is a failure as well: it must not fly into the transport. */
  #guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#fail(bugFailure(this.#question.wire.server, error));
    }
  }

  // The transport's side.

  onHead(status: number, header: HeaderLookup): void {
    const { wire } = this.#question;
    this.#status = status;
    this.#header = header;
    if (status >= 200 && status < 300)
      this.#reader = new BodyReader(wire.makeAssembler(this), wire.framing, wire.maxReplyBytes);
    else this.#errorUtf8 = new Utf8Chunks();
    this.#queue.push({ type: 'progress', phase: 'headers' });
  }

  onChunk(bytes: Uint8Array): void {
    if (!this.#isOver) this.#guard(() => this.#take(bytes));
  }

  onEnd(): void {
    if (this.#isOver) return;
    const reader = this.#reader;
    this.#guard(() => (reader === undefined ? this.#takeError() : this.#conclude(reader.end())));
  }

  onError(error: TransportError): void {
    if (this.#isOver) return;
    const reader = this.#reader;
    // What breaks after the last word of a reply does not take the reply back.
    if (reader !== undefined && reader.phase !== 'open') return this.#giveUpRest(reader);
    // A server that answers with an error status and resets the connection has still answered.
    if (this.#errorUtf8 !== undefined) return this.onEnd();
    this.#fail(transportFailure(this.#question.wire.server, error));
  }

  // The assembler's side.

  text(delta: string): void {
    this.#watch('text', delta);
    this.#show('text-delta', delta);
  }

  reasoning(delta: string): void {
    this.#watch('reasoning', delta);
    this.#show('reasoning-delta', delta);
  }

  call(delta: string): void {
    this.#watch('calls', delta);
  }

  #watch(place: CirclePlace, delta: string): void {
    if (this.#watches[place].push(delta)) this.#circlesIn ??= place;
  }

  #show(type: 'text-delta' | 'reasoning-delta', delta: string): void {
    if (this.#deltaType !== type) {
      this.#tellDelta();
      this.#deltaType = type;
    }
    this.#delta += delta;
    this.#hasBegun = true;
  }

  /** All deltas of one kind in one network chunk are one event. */
  #tellDelta(): boolean {
    if (this.#delta === '') return false;
    this.#queue.push({ type: this.#deltaType, text: this.#delta });
    this.#delta = '';
    return true;
  }

  #take(bytes: Uint8Array): void {
    const reader = this.#reader;
    if (reader === undefined) {
      this.#errorText += this.#errorUtf8?.push(bytes) ?? '';
      if (this.#errorText.length > MAX_ERROR_CHARS) this.#takeError();
      return;
    }
    const problem = reader.push(bytes);
    if (problem !== undefined) return this.#conclude(problem);
    if (this.#circlesIn !== undefined) return this.#conclude(reader.cutHere());
    const hasDelta = this.#tellDelta();
    const { phase } = reader;
    if (phase !== 'open' && phase !== this.#gracePhase) this.#startGrace(reader, phase);
    else if (!hasDelta) this.#queue.push({ type: 'progress', phase: 'body' });
    if (this.#queue.isFull && !this.#isPaused) {
      this.#isPaused = true;
      this.#exchange?.pause();
    }
  }

  #startGrace(reader: BodyReader, phase: 'finished' | 'closed'): void {
    this.#gracePhase = phase;
    this.#cancelGrace?.();
    this.#cancelGrace = this.#clock.after(GRACE_MS[phase], () => {
      if (!this.#isOver) this.#giveUpRest(reader);
    });
  }

  /** The reply is whole, and the stream breaks or stays open: the begin of a further event takes nothing back. */
  #giveUpRest(reader: BodyReader): void {
    this.#guard(() => this.#conclude(reader.giveUp()));
  }

  #takeError(): void {
    const { wire, sizes } = this.#question;
    const failure = httpFailure(wire.server, this.#status, this.#header, this.#errorText, this.#clock.now());
    const error = readVendorError(this.#errorText, unmasked);
    // The loop sends it again: a request of its own, that counts as an attempt.
    if (this.#isLearnt(failure, error)) return this.#fail({ ...failure, remedy: 'at-once' });
    this.#fail(suspectSize(failure, this.#sentBytes, sizes, error.message === ''));
  }

  /** True where the next request will be written differently. */
  #isLearnt({ kind }: Failure, error: VendorError): boolean {
    const { wire, request } = this.#question;
    // A chat template raises its refusals as a 500.
    const isRefusal = kind === 'bad-request' || kind === 'server-error';
    if (!isRefusal || !LEARNING_STATUSES.has(this.#status)) return false;
    // Requests that were sent side by side are refused one after the other: the first one has taught it.
    const isOutdated = wire.memory.versionFor(request.messages) !== this.#sentVersion;
    return wire.memory.learn(error, request, fieldNames(wire.fields(request))) || isOutdated;
  }

  #conclude(assembled: Assembled): void {
    if (assembled.type !== 'reply') {
      const soFar = { nowMs: this.#clock.now(), hasBegun: this.#hasBegun, looksLike: this.#reader?.look };
      return this.#fail(problemFailure(this.#question.wire.server, assembled, soFar));
    }
    const reply =
      this.#circlesIn === undefined
        ? withoutLateCircle(assembled.reply)
        : withoutCircle(assembled.reply, this.#circlesIn);
    if (reply !== undefined) return this.#end({ type: 'reply', reply: this.#checked(reply) });
    this.#conclude({ type: 'circle', message: 'The model wrote one block again and again: the reply was cut there.' });
  }

  /** The last look at a good reply, for what stands beside it. */
  #checked(reply: ModelReply): ModelReply {
    const { usageWatch, sizes, request } = this.#question;
    sizes.longestAnswered = Math.max(sizes.longestAnswered, this.#sentBytes);
    const rateLimit = rateLimitOf(this.#header, this.#clock.now());
    const found = [usageWatch.warning(reply.usage, this.#sentBytes, request), this.#question.wire.memory.takeNote()];
    const warnings = found.filter((warning) => warning !== undefined);
    if (rateLimit === undefined && warnings.length === 0) return reply;
    return { ...reply, rateLimit, warnings: [...(reply.warnings ?? []), ...warnings] };
  }

  #fail(failure: Failure): void {
    this.#end({ type: 'failure', failure });
  }

  #end(last: ProviderEvent): void {
    this.#tellDelta();
    this.#queue.push(last);
    this.#close();
    this.#queue.end();
  }

  get #clock(): Clock {
    return this.#question.wire.clock ?? systemClock;
  }
}
