import { setImmediate as nextLoop } from 'node:timers/promises';
import { constants, createGzip, gzipSync } from 'node:zlib';
import { sleep, systemClock } from '../../core/clock.ts';
import type { Dialect, Frame } from './dialect.ts';
import { breakConnection, type Exchange } from './exchange.ts';
import type { LoopbackDelivery, LoopbackPoint } from './step.ts';

/**
 * Time between the last bytes before a break and the break itself. Chosen: a reset makes the client's kernel throw
 * away what it has not read, so without a pause nobody could tell which bytes were seen.
 */
const SETTLE_MS = 20;

/** What is sent and how. */
export interface Delivered {
  readonly status: number;
  readonly contentType: string;
  readonly delivery: LoopbackDelivery;
  readonly dialect: Dialect;
}

/** Sends a stream frame by frame and lets the scripted fault strike at its point. */
export async function deliverFrames(frames: readonly Frame[], sent: Delivered, exchange: Exchange): Promise<void> {
  const { delivery, dialect } = sent;
  exchange.response.writeHead(sent.status, headersOf(sent, exchange));
  exchange.response.flushHeaders();
  const writer = openWriter(delivery, exchange);
  if (delivery.bom) await writer.write('\uFEFF');

  const fault = faultOf(delivery);
  if (fault?.point.after === 'start') return strike(fault, writer, sent, exchange);
  if (delivery.oneWrite) {
    await writer.write(frames.map((frame) => dress(frame.data, delivery, dialect)).join(''));
    if (fault !== undefined)
      exchange.reportScriptError(`A stream in one write has no middle: its ${fault.kind} never struck.`);
    return writer.end();
  }
  let seen = 0;
  for (const frame of frames) {
    await writer.write(dress(frame.data, delivery, dialect));
    if (fault === undefined || !frame.tags.includes(fault.point.after)) continue;
    seen += 1;
    if (seen === (fault.point.count ?? 1)) return strike(fault, writer, sent, exchange);
  }
  if (fault !== undefined) {
    exchange.reportScriptError(
      `The reply has fewer than ${fault.point.count ?? 1} pieces of ${fault.point.after}: its ${fault.kind} never struck.`,
    );
  }
  writer.end();
}

/** Sends one whole body; a cut or a stall strikes in its middle, and an error takes its place. */
export async function deliverBody(body: string | Uint8Array, sent: Delivered, exchange: Exchange): Promise<void> {
  const { delivery, dialect } = sent;
  const { response } = exchange;
  const fault = faultOf(delivery);
  const text = fault?.kind === 'errorEvent' ? errorBodyOf(fault.error, dialect) : body;
  const plain = Buffer.concat([Buffer.from(delivery.bom ? '\uFEFF' : ''), bytesOf(text, delivery)]);
  const bytes = isGzipped(delivery, exchange) ? gzipSync(plain) : plain;
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  const headers = headersOf(sent, exchange);
  const isCutClean = fault?.kind === 'cut' && fault.how === 'end';
  if (isCutClean) exchange.markBroken();
  response.writeHead(sent.status, { 'content-length': isCutClean ? half.length : bytes.length, ...headers });
  response.flushHeaders();
  // Compressed as a whole already, so the writer gets the bytes as they are.
  const writer = openWriter({ ...delivery, gzip: undefined }, exchange);
  if (fault === undefined || fault.kind === 'errorEvent') {
    await writer.write(bytes);
    return writer.end();
  }
  await writer.write(half);
  if (isCutClean) return writer.end();
  await strike(fault, writer, sent, exchange);
}

type Fault =
  | { readonly kind: 'cut'; readonly point: LoopbackPoint; readonly how: 'reset' | 'end' | 'drop' }
  | { readonly kind: 'stall'; readonly point: LoopbackPoint; readonly pingMs: number | undefined }
  | {
      readonly kind: 'errorEvent';
      readonly point: LoopbackPoint;
      readonly error: NonNullable<LoopbackDelivery['errorEvent']>;
    };

function faultOf({ cut, stall, errorEvent }: LoopbackDelivery): Fault | undefined {
  if (cut !== undefined) return { kind: 'cut', point: cut, how: cut.how };
  if (stall !== undefined) return { kind: 'stall', point: stall, pingMs: stall.pingMs };
  if (errorEvent !== undefined) return { kind: 'errorEvent', point: errorEvent, error: errorEvent };
  return undefined;
}

async function strike(fault: Fault, writer: Writer, { dialect }: Delivered, exchange: Exchange): Promise<void> {
  switch (fault.kind) {
    case 'stall':
      // Without a ping nothing more is done: the exchange ends when the client leaves or the server closes.
      while (fault.pingMs !== undefined) {
        await sleep(systemClock, fault.pingMs, exchange.signal);
        await writer.write(dialect.ping);
      }
      return;
    case 'errorEvent': {
      const { event, status, ...error } = fault.error;
      await writer.write(
        event === undefined ? dialect.errorFrame({ ...error, status: status ?? 503 }) : dialect.eventFrame(event),
      );
      return writer.end();
    }
    case 'cut':
      if (fault.how === 'end') {
        exchange.markBroken();
        return writer.endUnfinished();
      }
      await sleep(systemClock, SETTLE_MS, exchange.signal);
      return breakConnection(exchange, fault.how);
  }
}

interface Writer {
  write(data: string | Uint8Array): Promise<void>;
  end(): void;
  /** Ends the HTTP message in order, whatever the compressor still holds. */
  endUnfinished(): void;
}

function openWriter(delivery: LoopbackDelivery, exchange: Exchange): Writer {
  const { response, signal } = exchange;
  const gzip = isGzipped(delivery, exchange) ? createGzip({ flush: constants.Z_SYNC_FLUSH }) : undefined;
  gzip?.pipe(response);
  const target = gzip ?? response;
  const { bytesPerWrite, gapMs } = delivery;
  let hasWritten = false;

  async function write(data: string | Uint8Array): Promise<void> {
    const bytes = bytesOf(data, delivery);
    const size = bytesPerWrite ?? Math.max(1, bytes.length);
    for (let start = 0; start < bytes.length; start += size) {
      if (hasWritten && gapMs !== undefined) await sleep(systemClock, gapMs, signal);
      // One turn of the event loop between two writes, so that the client gets them one by one.
      else if (bytesPerWrite !== undefined) await nextLoop();
      signal.throwIfAborted();
      hasWritten = true;
      target.write(bytes.subarray(start, start + size));
    }
  }
  return {
    write,
    end: () => void target.end(),
    endUnfinished() {
      if (gzip === undefined) return void response.end();
      // What was written is passed on, the compressor's own ending is not.
      gzip.flush(() => response.end());
    },
  };
}

function bytesOf(data: string | Uint8Array, { latin1 }: LoopbackDelivery): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data, latin1 ? 'latin1' : 'utf8') : data;
}

function isGzipped({ gzip }: LoopbackDelivery, { request }: Exchange): boolean {
  return (
    gzip === 'always' || (gzip === 'accepted' && /\bgzip\b/u.test(String(request.headers['accept-encoding'] ?? '')))
  );
}

function headersOf({ contentType, delivery }: Delivered, exchange: Exchange): Record<string, string> {
  return {
    'content-type': delivery.contentType ?? contentType,
    ...(isGzipped(delivery, exchange) ? { 'content-encoding': 'gzip' } : {}),
    ...delivery.headers,
  };
}

function errorBodyOf(error: NonNullable<LoopbackDelivery['errorEvent']>, dialect: Dialect): string {
  const { event, status, ...rest } = error;
  return JSON.stringify(event ?? dialect.errorBody({ ...rest, status: status ?? 503 }));
}

/** The dress that a step puts on each frame: comments before it, and its line ends. */
function dress(data: string, { comments, crlf }: LoopbackDelivery, { streamType }: Dialect): string {
  const dressed = comments && streamType === 'text/event-stream' ? `: keep-alive\n\n${data}` : data;
  return crlf ? dressed.replaceAll('\n', '\r\n') : dressed;
}
