/** Sets of characters of which secrets are made. */
export type Alphabet = 'alnum' | 'word' | 'base64' | 'pem' | 'parameter' | 'bare';

const CHARACTERS: Readonly<Record<Exclude<Alphabet, 'bare'>, RegExp>> = {
  alnum: /[A-Za-z\d]/,
  word: /[\w-]/,
  base64: /[\w+/=-]/,
  // Of an address.
  parameter: /[^\s&;"'`<>#)\]\\,|]/,
  // With the white space between the lines, and its escapes in JSON.
  pem: /[\w+/=\s\\]/,
};

/** One bit for each alphabet, by character. */
const BITS: Readonly<Record<Alphabet, number>> = { word: 1, base64: 2, pem: 4, bare: 8, alnum: 16, parameter: 32 };

const ALPHABETS_OF = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  let bits = code > 32 ? BITS.bare : 0;
  for (const [name, pattern] of Object.entries(CHARACTERS))
    if (pattern.test(character)) bits |= BITS[name as keyof typeof CHARACTERS];
  return bits;
});

/**
 * Finds the ends of runs of characters in one text. Each run is read once, wherever one asks in it, so that a text of
 * nothing but beginnings costs no more than its length.
 */
export class RunEnds {
  readonly #text: string;
  readonly #runs = new Map<Alphabet, { from: number; end: number }>();
  #triedEnd = -1;
  #tries = 0;
  readonly #nexts = new Map<string, { from: number; at: number }>();

  constructor(text: string) {
    this.#text = text;
  }

  /** Where the run of `alphabet` at `from` ends; `from` itself where there is none. */
  end(alphabet: Alphabet, from: number): number {
    const known = this.#runs.get(alphabet);
    if (known !== undefined && known.from <= from && from <= known.end) return known.end;
    const bit = BITS[alphabet];
    const text = this.#text;
    let end = from;
    for (; end < text.length; end += 1) {
      const code = text.charCodeAt(end);
      if (((code < 128 ? (ALPHABETS_OF[code] ?? 0) : BITS.bare) & bit) === 0) break;
    }
    this.#runs.set(alphabet, { from, end });
    return end;
  }

  /** How often one has asked for the run that ends at `end`, in a row. */
  triesIn(end: number): number {
    this.#tries = this.#triedEnd === end ? this.#tries + 1 : 1;
    this.#triedEnd = end;
    return this.#tries;
  }

  /** The next place of `word` at `from` or behind it; -1 where there is none. */
  next(word: string, from: number): number {
    const known = this.#nexts.get(word);
    if (known !== undefined && known.from <= from && (known.at < 0 || from <= known.at)) return known.at;
    const at = this.#text.indexOf(word, from);
    this.#nexts.set(word, { from, at });
    return at;
  }
}
