import type { Readable, Transform } from 'node:stream';
import type * as Zlib from 'node:zlib';

/** Who gets the decoded bytes. */
export interface InflateListener {
  onChunk(bytes: Uint8Array): void;
  onEnd(): void;
  onError(error: unknown): void;
}

/** False for `identity` and for no encoding at all. */
export function isCompressed(encoding: string): boolean {
  const name = encoding.trim().toLowerCase();
  return name !== '' && name !== 'identity';
}

/** Decodes a compressed body as it comes. A body that ends before its compression says so is an error, never a short text. */
export function inflate(body: Readable, encoding: string, zlib: typeof Zlib, listener: InflateListener): void {
  let decoder: Transform | undefined;
  let isOver = false;
  const fail = (error: unknown): void => {
    if (isOver) return;
    isOver = true;
    decoder?.destroy();
    listener.onError(error);
  };
  const start = (first: Uint8Array): Transform | undefined => {
    const made = makeDecoder(encoding.trim().toLowerCase(), first, zlib);
    if (made === undefined) {
      fail(
        Object.assign(new Error(`The content encoding ${encoding.slice(0, 40)} was not asked for.`), {
          code: 'UNKNOWN_ENCODING',
        }),
      );
      return undefined;
    }
    made.on('data', (bytes: Uint8Array) => {
      if (!isOver) listener.onChunk(bytes);
    });
    made.on('end', () => {
      if (isOver) return;
      isOver = true;
      listener.onEnd();
    });
    made.on('error', fail);
    made.on('drain', () => body.resume());
    return made;
  };
  body.on('data', (bytes: Uint8Array) => {
    if (isOver) return;
    decoder ??= start(bytes);
    if (decoder !== undefined && !decoder.write(bytes)) body.pause();
  });
  body.on('end', () => {
    if (decoder !== undefined) decoder.end();
    else if (!isOver) listener.onEnd();
  });
  // Who reads the body hears of its error; here only the decoder is let go.
  body.on('error', () => decoder?.destroy());
}

function makeDecoder(encoding: string, first: Uint8Array, zlib: typeof Zlib): Transform | undefined {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip();
    case 'br':
      return zlib.createBrotliDecompress();
    case 'deflate':
      // Some servers leave out the zlib header (RFC 1950), whose low four bits are always 8.
      return ((first[0] ?? 0) & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw();
    default:
      return undefined;
  }
}
