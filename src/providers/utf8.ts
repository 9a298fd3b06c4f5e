/** Keeps byte order marks: one may stand at the beginning of any chunk. */
const OPTIONS = { ignoreBOM: true };

/** They hold nothing between two calls, so one serves all. Node decodes whole buffers five to nine times as fast as streams of them. */
const strictDecoder = new TextDecoder('utf-8', { ...OPTIONS, fatal: true });
const kindDecoder = new TextDecoder('utf-8', OPTIONS);

const NOTHING = new Uint8Array(0);

/**
 * Decodes chunks of UTF-8 to text. Characters that are split between chunks come whole, in the later one. Bytes that are
 * no UTF-8 become replacement characters; of a `strict` text what comes before them is all that is given.
 */
export class Utf8Chunks {
  /** True once a strict text had bytes that are no UTF-8. */
  isBroken = false;
  readonly #isStrict: boolean;
  /** The bytes of a character whose rest has not come. */
  #begun: Uint8Array = NOTHING;
  #isStart = true;

  constructor(options?: { readonly strict: boolean }) {
    this.#isStrict = options?.strict ?? false;
  }

  push(bytes: Uint8Array): string {
    const whole = this.#begun.length === 0 ? bytes : joined(this.#begun, bytes);
    const end = endOfWhole(whole);
    // The bytes of a chunk are valid during the call only.
    this.#begun = end === whole.length ? NOTHING : whole.slice(end);
    return this.#withoutMark(this.#decode(end === whole.length ? whole : whole.subarray(0, end)));
  }

  /** What is left at the end: a character that was cut. */
  end(): string {
    const left = this.#begun;
    this.#begun = NOTHING;
    return this.#withoutMark(this.#decode(left));
  }

  #decode(bytes: Uint8Array): string {
    if (bytes.length === 0 || this.isBroken) return '';
    if (!this.#isStrict) return kindDecoder.decode(bytes);
    try {
      return strictDecoder.decode(bytes);
    } catch {
      this.isBroken = true;
      return beforeBroken(bytes);
    }
  }

  /** Drops a byte order mark at the very beginning. */
  #withoutMark(text: string): string {
    if (!this.#isStart || text === '') return text;
    this.#isStart = false;
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

/** Where the last character begins that is not whole, or the length. Nearly every chunk ends with a line, and so with a whole one. */
function endOfWhole(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let at = length - 1; at >= 0 && at >= length - 3; at -= 1) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) return length;
    if (byte < 0xc0) continue;
    const needed = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return at + needed > length ? at : length;
  }
  return length;
}

/** The text before the first bytes that are no UTF-8. A replacement character may also have been sent as such. */
function beforeBroken(bytes: Uint8Array): string {
  const text = kindDecoder.decode(bytes);
  const encoder = new TextEncoder();
  let chars = 0;
  let offset = 0;
  for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', chars)) {
    offset += encoder.encode(text.slice(chars, at)).length;
    const isSent = bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd;
    if (!isSent) return text.slice(0, at);
    offset += 3;
    chars = at + 1;
  }
  return text;
}
