import type { Transform } from 'node:stream';

/** What is asked for: everything that Node decodes. */
export const ACCEPTED_ENCODINGS = 'gzip, br, deflate';

/**
 * A stream that decodes a body that begins with these bytes; undefined for an encoding that was not asked for. A body that ends before its
 * compression says so is an error of the stream, never a short text.
 */
export function decoderOf(encoding: string, first: Uint8Array): Transform | undefined {
  const zlib = process.getBuiltinModule('node:zlib');
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
