/** The places of a text, in order, where one of the words may begin. All where one does, and some where none does. */
export type FirstLook = (text: string) => readonly number[];

/** Chosen: what is read at once stays in the fastest cache. */
const PIECE_CHARS = 8192;

/** Chosen: below it, reading character by character is as fast as turning the text into bytes first. */
const MIN_BYTES_CHARS = 64;

const encoder = new TextEncoder();
let bytesOfPiece: Uint8Array | undefined;

/**
 * Looks through texts for many words at once, each of three characters or more, whatever their case. One look into a
 * table of 32,768 bits per character: a regular expression of sixty alternatives takes four times as long. Who asks
 * looks again at the places, since only the low five bits of three letters were compared.
 */
export function firstLook(words: Iterable<string>): FirstLook {
  const table = new Int32Array(1024);
  for (const word of words) {
    const key = nextKey(nextKey(nextKey(0, word.charCodeAt(0)), word.charCodeAt(1)), word.charCodeAt(2));
    table[key >> 5] = (table[key >> 5] ?? 0) | (1 << (key & 31));
  }
  return (text) => {
    const places: number[] = [];
    if (text.length < MIN_BYTES_CHARS) lookAtText(table, text, 0, places);
    else {
      for (let begin = 0; begin < text.length; begin += PIECE_CHARS) {
        // Pieces overlap by two, so that no word is lost between them.
        lookAtPiece(table, text.slice(begin, begin + PIECE_CHARS + 2), begin, places);
      }
    }
    return places;
  };
}

/** The low bits of the three characters at a place: equal for a word whatever its case, and for some others. */
export function keyAt(text: string, place: number): number {
  return (
    ((text.charCodeAt(place) & 31) << 10) | ((text.charCodeAt(place + 1) & 31) << 5) | (text.charCodeAt(place + 2) & 31)
  );
}

/** Lists by the three characters with which what is in them begins. */
export class ByStart<T> {
  /** Which list, from 1, by {@link keyAt}. */
  readonly #indexes = new Uint16Array(32_768);
  readonly #lists: T[][] = [[]];

  constructor(entries: Iterable<readonly [start: string, value: T]>) {
    for (const [start, value] of entries) {
      const key = keyAt(start, 0);
      if (this.#indexes[key] === 0) this.#indexes[key] = this.#lists.push([]) - 1;
      const list = this.at(start, 0);
      if (!list.includes(value)) list.push(value);
    }
  }

  /** What may begin at a place; a list without members where nothing does. */
  at(text: string, place: number): T[] {
    return this.#lists[this.#indexes[keyAt(text, place)] ?? 0] ?? [];
  }
}

/**
 * The low bits of the last three letters. Plain numbers here and below: bundlers turn constants of a module into
 * variables, and in these loops that costs twice the time.
 */
function nextKey(key: number, code: number): number {
  return ((key << 5) | (code & 31)) & 0x7fff;
}

function isSet(table: Int32Array, key: number): boolean {
  return (((table[key >> 5] ?? 0) >>> (key & 31)) & 1) === 1;
}

/**
 * Bytes are read twice as fast as the characters of a string; in a piece of plain ASCII they stand at the same places.
 * The same as `lookAtText`, with everything written out: a long text is often the first one of a process, and before the
 * loop is compiled each call in it costs as much as all the rest.
 */
function lookAtPiece(table: Int32Array, piece: string, begin: number, places: number[]): void {
  const bytes = (bytesOfPiece ??= new Uint8Array((PIECE_CHARS + 2) * 3));
  const { written } = encoder.encodeInto(piece, bytes);
  if (written !== piece.length) return lookAtText(table, piece, begin, places);
  let key = 0;
  for (let index = 0; index < written; index += 1) {
    key = ((key << 5) | ((bytes[index] ?? 0) & 31)) & 0x7fff;
    if ((((table[key >> 5] ?? 0) >>> (key & 31)) & 1) === 1 && index >= 2) places.push(begin + index - 2);
  }
}

function lookAtText(table: Int32Array, text: string, begin: number, places: number[]): void {
  let key = 0;
  for (let index = 0; index < text.length; index += 1) {
    key = nextKey(key, text.charCodeAt(index));
    if (isSet(table, key) && index >= 2) places.push(begin + index - 2);
  }
}
