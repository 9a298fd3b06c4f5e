import { parseJson } from './json-fields.ts';

/**
 * Collects the arguments of one call as they come. Normally the pieces are joined. Some servers repeat what they have said:
 * each piece holds everything so far, or the whole comes once more at the end, or an empty object comes before the
 * real one. What was meant can only be told at the end, because a piece may rightly look like a repetition
 * (JSON inside JSON, two equal tokens): joined text that is valid JSON is always taken as it is.
 */
export class ArgumentPieces {
  #joined = '';
  #first = '';
  #last = '';
  #count = 0;
  /** Every piece so far begins with the one before it. */
  #isGrowing = true;
  /** A later piece begins as the first one does: only then the joined text needs a second look. */
  #isSuspicious = false;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  add(piece: string): void {
    if (piece === '') return;
    if (this.#count === 0) this.#first = piece;
    else {
      if (piece.charCodeAt(0) === this.#first.charCodeAt(0)) this.#isSuspicious = true;
      if (this.#isGrowing && !piece.startsWith(this.#last)) this.#isGrowing = false;
    }
    this.#count++;
    this.#last = piece;
    this.#joined += piece;
  }

  /** The arguments as far as they came. */
  text(): string {
    const joined = this.#joined;
    if (!this.#isSuspicious || isJson(joined)) return joined;
    const last = this.#last;
    // Two pieces can look like growth by chance; three, or a whole value at the end, hardly.
    if (this.#isGrowing && (this.#count > 2 || isJson(last))) return last;
    const before = joined.slice(0, -last.length);
    if (before === last || isSameJson(before, last)) return last;
    const withoutFirst = joined.slice(this.#first.length);
    return this.#first.trim() === '{}' && withoutFirst.trimStart().startsWith('{') ? withoutFirst : joined;
  }

  /** True where the text so far is a whole JSON value: a further piece belongs to something else. */
  isWhole(): boolean {
    // Looked at first, because it is asked for many pieces and true for few.
    return this.#last.trimEnd().endsWith('}') && isJson(this.text());
  }
}

/** True for one whole JSON value, read strictly. */
export function isJson(text: string): boolean {
  return parseJson(text) !== undefined;
}

function isSameJson(a: string, b: string): boolean {
  const value = parseJson(a);
  return value !== undefined && JSON.stringify(value) === JSON.stringify(parseJson(b));
}
