/** Decodes chunks of UTF-8 to text. Characters that are split between chunks come whole, in the later one. */
export class Utf8Chunks {
  /** Not in stream mode: Node decodes whole buffers five to nine times as fast as streams of them. */
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** The first bytes of a character whose rest has not come. */
  #carry: Uint8Array | undefined;
  #isStart = true;

  push(bytes: Uint8Array): string {
    let whole = bytes;
    if (this.#carry !== undefined) {
      whole = new Uint8Array(this.#carry.length + bytes.length);
      whole.set(this.#carry);
      whole.set(bytes, this.#carry.length);
      this.#carry = undefined;
    }
    const complete = completeLength(whole);
    if (complete < whole.length) {
      this.#carry = whole.slice(complete);
      if (complete === 0) return '';
      whole = whole.subarray(0, complete);
    }
    return this.#withoutMark(this.#decoder.decode(whole));
  }

  /** What is left at the end: a replacement character for a character that was cut. */
  end(): string {
    const rest = this.#carry;
    this.#carry = undefined;
    return rest === undefined ? '' : this.#withoutMark(this.#decoder.decode(rest));
  }

  /** Drops a byte order mark at the very beginning. */
  #withoutMark(text: string): string {
    if (!this.#isStart || text === '') return text;
    this.#isStart = false;
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }
}

/** How many of the bytes form whole characters: all but an unfinished sequence of up to three bytes at the end. */
function completeLength(bytes: Uint8Array): number {
  const { length } = bytes;
  const last = bytes[length - 1];
  if (last === undefined || last < 0x80) return length;
  for (let back = 1; back <= 3 && back <= length; back++) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0xc0) {
      if (byte < 0x80) return length;
      continue;
    }
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return size > back ? length - back : length;
  }
  return length;
}
