import { parseJson } from './json-fields.ts';

/** How far an object or a list has come: what follows after its end is a further value. */
type Extent = 'begin' | 'open' | 'closed' | 'beyond' | 'other';

/**
 * Collects the arguments of one call as they come. Normally the pieces are joined. Some servers repeat what they have said:
 * each piece holds everything so far, or the whole comes once more at the end, or an empty object comes before the
 * real one. What was meant can only be told at the end, because a piece may rightly look like a repetition
 * (JSON inside JSON, two equal tokens): joined text that is valid JSON is always taken as it is.
 *
 * Every piece is looked at once: what a question costs does not grow with the pieces before it.
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
  #extent: Extent = 'begin';
  /** The extent before the last piece. */
  #extentBefore: Extent = 'begin';
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The answer of `isWhole`, until a further piece comes. */
  #whole: boolean | undefined;

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
    this.#whole = undefined;
    this.#extentBefore = this.#extent;
    this.#follow(piece);
  }

  /** The arguments as far as they came. */
  text(): string {
    const joined = this.#joined;
    if (!this.#isSuspicious || this.#isJoinedJson()) return joined;
    const last = this.#last;
    // Two pieces can look like growth by chance; three, or a whole value at the end, hardly.
    if (this.#isGrowing && (this.#count > 2 || isJson(last))) return last;
    if (joined.length === 2 * last.length && joined.startsWith(last)) return last;
    if (this.#extentBefore === 'closed' && isSameJson(joined.slice(0, -last.length), last)) return last;
    const withoutFirst = joined.slice(this.#first.length);
    return this.#first.trim() === '{}' && withoutFirst.trimStart().startsWith('{') ? withoutFirst : joined;
  }

  /** True where the text so far is a whole JSON value: a further piece belongs to something else. */
  isWhole(): boolean {
    return (this.#whole ??= this.#last.trimEnd().endsWith('}') && (this.#isJoinedJson() || this.#isRepeated()));
  }

  /** True where what is no JSON as it was joined is one by being told again. */
  #isRepeated(): boolean {
    const mayRepeat = this.#isSuspicious && (this.#isGrowing || this.#extentBefore === 'closed');
    return mayRepeat && isJson(this.text());
  }

  #isJoinedJson(): boolean {
    return (this.#extent === 'closed' || this.#extent === 'other') && isJson(this.#joined);
  }

  /** Follows the brackets through a piece. */
  #follow(piece: string): void {
    for (let at = 0; at < piece.length; at += 1) {
      const code = piece.charCodeAt(at);
      if (this.#extent === 'open') this.#followInside(code);
      else if (code !== 32 && (code < 9 || code > 13)) {
        if (this.#extent === 'closed') this.#extent = 'beyond';
        if (this.#extent === 'begin') this.#extent = code === 0x7b || code === 0x5b ? 'open' : 'other';
        if (this.#extent === 'open') this.#depth = 1;
        else return;
      }
    }
  }

  #followInside(code: number): void {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (code === 0x5c) this.#isEscaped = true;
      else if (code === 0x22) this.#isInString = false;
    } else if (code === 0x22) this.#isInString = true;
    else if (code === 0x7b || code === 0x5b) this.#depth += 1;
    else if (code === 0x7d || code === 0x5d) {
      this.#depth -= 1;
      if (this.#depth === 0) this.#extent = 'closed';
    }
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
