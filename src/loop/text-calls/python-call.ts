import type { Json } from '../../core/json.ts';
import { MAX_DEPTH } from '../input/clone-json.ts';

/**
 * Reads one Python call with literals as arguments: `name(1, key="value", other=[True, None])`. What is no literal (a
 * variable, an expression, an f-string with a hole) can't be read; what is open at the end was cut.
 */
export type PythonCall =
  | {
      readonly ok: true;
      readonly end: number;
      /** Arguments without a key, in order. */
      readonly values: readonly Json[];
      readonly members: Readonly<Record<string, Json>>;
      /** What is wrong with arguments that could be read: a key that comes twice. */
      readonly problem: string | undefined;
    }
  | { readonly ok: false; readonly isCut: boolean; readonly problem: string };

const SPACE = /(?:\s|#[^\n]*(?:\n|$)|\\\r?\n)*/y;
const KEYWORD = /([\p{L}_$][\p{L}\p{N}_$-]{0,100})\s{0,20}=(?!=)/uy;
const STRING = /([rRuUbBfF]{0,2})("""|'''|"|')/y;
const NUMBER = /[+-]?(?:0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)/y;
const WORD = /[A-Za-z_]\w{0,20}/y;
const WORDS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['True', true],
  ['true', true],
  ['False', false],
  ['false', false],
  ['None', null],
  ['null', null],
]);

/** Reads the arguments of a call; `start` is behind its opening bracket. */
export function readPythonCall(text: string, start: number): PythonCall {
  const reader = new Reader(text, start);
  const values: Json[] = [];
  const members: Record<string, Json> = {};
  let problem: string | undefined;
  const add = (key: string, value: Json): void => {
    if (Object.hasOwn(members, key)) problem ??= comesTwice(key);
    if (key !== '__proto__') members[key] = value;
  };
  reader.members(')', () => {
    if (reader.take('**')) {
      const spread = reader.value(0);
      if (typeof spread !== 'object' || spread === null || Array.isArray(spread)) reader.fail(NO_LITERAL);
      else for (const [key, value] of Object.entries(spread)) add(key, value);
      return;
    }
    const key = reader.match(KEYWORD)?.[1];
    const value = reader.value(0);
    if (key === undefined) values.push(value);
    else add(key, value);
  });
  const { failure, index } = reader;
  if (failure !== undefined) return { ok: false, isCut: reader.isCut, problem: failure };
  return { ok: true, end: index, values, members, problem: problem ?? reader.problem };
}

const NO_LITERAL = 'an argument is no plain value';

class Reader {
  readonly #text: string;
  index: number;
  failure: string | undefined;
  isCut = false;
  problem: string | undefined;

  constructor(text: string, start: number) {
    this.#text = text;
    this.index = start;
  }

  /** Says what stopped the reading: at the end of the text, that it was cut. */
  fail(problem: string): '' {
    if (this.failure === undefined) {
      this.failure = problem;
      this.isCut = this.index >= this.#text.length;
      this.index = this.#text.length;
    }
    return '';
  }

  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.index;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found !== undefined) this.index += found[0].length;
    return found;
  }

  take(word: string): boolean {
    this.match(SPACE);
    if (!this.#text.startsWith(word, this.index)) return false;
    this.index += word.length;
    return true;
  }

  /** Members with commas between them, up to the closing bracket. */
  members(close: string, read: () => void): void {
    while (this.failure === undefined && !this.take(close)) {
      read();
      if (!this.take(',') && !this.#text.startsWith(close, this.index)) this.fail(NO_LITERAL);
    }
  }

  value(depth: number): Json {
    if (depth > MAX_DEPTH) return this.fail('it is nested too deeply');
    if (this.take('[')) return this.#list(']', depth);
    if (this.take('(')) return this.#tuple(depth);
    if (this.take('{')) return this.#dict(depth);
    STRING.lastIndex = this.index;
    if (STRING.test(this.#text)) return this.#strings();
    const number = this.match(NUMBER)?.[0];
    if (number !== undefined) return this.#number(number);
    const word = this.match(WORD)?.[0];
    const value = word === undefined ? undefined : WORDS.get(word);
    if (value === undefined) return this.fail(NO_LITERAL);
    // The next letters of a word may have been cut.
    return this.index >= this.#text.length ? this.fail(NO_LITERAL) : value;
  }

  #list(close: string, depth: number): Json {
    const list: Json[] = [];
    this.members(close, () => list.push(this.value(depth + 1)));
    return list;
  }

  /** `(1, 2)` is a list; `("a")` is what stands in it. */
  #tuple(depth: number): Json {
    const start = this.index;
    const list = this.#list(')', depth) as readonly Json[];
    const [only] = list;
    return list.length === 1 &&
      only !== undefined &&
      !/,\s*\)$/.test(this.#text.slice(Math.max(start, this.index - 40), this.index))
      ? only
      : list;
  }

  #dict(depth: number): Json {
    const dict: Record<string, Json> = {};
    this.members('}', () => {
      const key = this.value(depth + 1);
      if (!this.take(':')) this.fail(NO_LITERAL);
      const name = typeof key === 'object' ? this.fail(NO_LITERAL) : String(key);
      const value = this.value(depth + 1);
      if (Object.hasOwn(dict, name)) this.problem ??= comesTwice(name);
      if (name !== '__proto__') dict[name] = value;
    });
    return dict;
  }

  /** Strings that stand side by side are one. */
  #strings(): string {
    let joined = '';
    for (let found = this.match(STRING); found !== undefined; found = this.match(STRING)) {
      joined += this.#string((found[1] ?? '').toLowerCase(), found[2] ?? '');
      if (this.failure !== undefined) return '';
      const end = this.index;
      this.match(SPACE);
      STRING.lastIndex = this.index;
      if (!STRING.test(this.#text)) {
        this.index = end;
        break;
      }
    }
    return joined;
  }

  #string(prefix: string, quote: string): string {
    const text = this.#text;
    const start = this.index;
    let end = start;
    for (; end < text.length && !text.startsWith(quote, end); end += 1) if (text[end] === '\\') end += 1;
    if (end >= text.length) {
      this.index = text.length;
      return this.fail('it ends inside a text');
    }
    this.index = end + quote.length;
    const raw = text.slice(start, end);
    if (prefix.includes('b') || (prefix.includes('f') && /[{}]/.test(raw))) return this.fail(NO_LITERAL);
    return prefix.includes('r') || !raw.includes('\\') ? raw : unescape(raw);
  }

  #number(written: string): Json {
    // More digits may have been to come.
    if (this.index >= this.#text.length) return this.fail('it ends in a number');
    if (/\w/.test(this.#text.charAt(this.index))) return this.fail(NO_LITERAL);
    const digits = written.replaceAll('_', '').replace(/^\+/, '');
    const value = digits.startsWith('-0') && /[xob]/i.test(digits) ? -Number(digits.slice(1)) : Number(digits);
    if (Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(digits))
      this.problem ??= 'a whole number has more digits than a number can hold: send it as a text where one is taken';
    return Number.isFinite(value) ? value : this.fail('a number is too large');
  }
}

const ESCAPE = /\\(?:\r?\n|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3})|([^]))/g;
const LETTERS: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  a: '\u0007',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
};

/** What an escaped text stands for; an escape that Python does not know stays as it is. */
function unescape(raw: string): string {
  return raw.replace(ESCAPE, (escape, x?: string, u?: string, long?: string, octal?: string, letter?: string) => {
    if (letter !== undefined) return LETTERS[letter] ?? escape;
    const code = octal === undefined ? Number.parseInt(x ?? u ?? long ?? '', 16) : Number.parseInt(octal, 8);
    if (Number.isNaN(code)) return '';
    return code > 0x10ffff ? escape : String.fromCodePoint(code);
  });
}

/** What is wrong with a call that has a key twice. */
export function comesTwice(key: string): string {
  return `the key "${key.slice(0, 80)}" comes twice`;
}
