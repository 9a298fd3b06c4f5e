/** Hears the events of a stream. Return true to stop: the rest of the chunk is not looked at. */
export type EventListener = (data: string, event: string) => boolean;

/** Where a parser stands after a chunk. */
export type ParserState = 'open' | 'stopped' | 'too-long';

/** Chosen: the largest event seen from a vendor is a whole reply of some megabytes; more is a server gone wrong. */
export const MAX_EVENT_CHARS: number = 16 * 1024 * 1024;

const LINE_FEED = 10;
const COLON = 58;
const SPACE = 32;
const OPENING_BRACE = 123;

/** What may stand before a field by mistake: anything that is neither a word nor the begin of a comment or a value. */
const NO_FIELD = /^[^\w:{[]+/;

const FIELD = /^(data|event)[ \t]*:(.*)$/is;

/** Comments and fields that are not looked at. */
const MAY_HOLD_ANYTHING = /^(?:id|retry)?:/;

/**
 * Parses server-sent events (WHATWG HTML 9.2.6) from text chunks split anywhere. A few things are read more kindly than the
 * standard does: a line that begins with `{` counts as data, since servers drop error objects into a stream that way,
 * and an event that the end of the stream leaves without its empty line is still told. What stands before `data:`, in
 * whatever case it is written, is passed over, and a line that holds an object is never dropped: as data it can't be read.
 */
export class SseParser {
  readonly #listener: EventListener;
  /** The begin of a line whose end has not come. */
  #rest = '';
  #data: string | undefined;
  #event = '';
  /** The last chunk ended in CR: a line feed at the begin of the next one belongs to it. */
  #skipsLineFeed = false;

  constructor(listener: EventListener) {
    this.#listener = listener;
  }

  push(chunk: string): ParserState {
    const text = chunk.includes('\r') || this.#skipsLineFeed ? this.#withLineFeeds(chunk) : chunk;
    let end = text.indexOf('\n');
    if (end < 0) {
      this.#rest += text;
      return this.#isTooLong() ? 'too-long' : 'open';
    }
    let start = 0;
    if (this.#rest !== '') {
      const line = this.#rest + text.slice(0, end);
      this.#rest = '';
      if (this.#line(line, 0, line.length)) return 'stopped';
      start = end + 1;
      end = text.indexOf('\n', start);
    }
    while (end >= 0) {
      if (this.#line(text, start, end)) return 'stopped';
      start = end + 1;
      end = text.indexOf('\n', start);
    }
    if (start < text.length) this.#rest = text.slice(start);
    return this.#isTooLong() ? 'too-long' : 'open';
  }

  end(): ParserState {
    return this.push('\n\n');
  }

  #isTooLong(): boolean {
    return this.#rest.length > MAX_EVENT_CHARS || (this.#data?.length ?? 0) > MAX_EVENT_CHARS;
  }

  /** CR and CRLF become line feeds. Rare, so it may cost a copy of the chunk. */
  #withLineFeeds(chunk: string): string {
    const text = this.#skipsLineFeed && chunk.charCodeAt(0) === LINE_FEED ? chunk.slice(1) : chunk;
    if (chunk !== '') this.#skipsLineFeed = chunk.endsWith('\r');
    return text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  }

  /** Takes one line of `text`, without its end. True to stop. */
  #line(text: string, start: number, end: number): boolean {
    if (start === end) return this.#dispatch();
    // Nearly every line begins with "data:".
    if (text.charCodeAt(start + 4) === COLON && text.startsWith('data', start)) {
      this.#addData(text, start + 5, end);
      return false;
    }
    if (text.charCodeAt(start) === OPENING_BRACE) {
      this.#addData(text, start, end);
      return false;
    }
    if (text.startsWith('event:', start)) this.#event = text.slice(start + 6, end).trim();
    else if (text.charCodeAt(start) !== COLON) this.#oddLine(text.slice(start, end));
    return false;
  }

  /** A proxy that joins streams leaves byte order marks in the middle, others white space, NULs or another case of the letters. */
  #oddLine(line: string): void {
    const text = line.replace(NO_FIELD, '');
    const [, field = '', value = ''] = FIELD.exec(text) ?? [];
    if (field.toLowerCase() === 'data') this.#addData(value, 0, value.length);
    else if (field !== '') this.#event = value.trim();
    else if (text.includes('{') && !MAY_HOLD_ANYTHING.test(text)) this.#addData(text, 0, text.length);
  }

  #addData(text: string, from: number, end: number): void {
    const value = text.slice(text.charCodeAt(from) === SPACE ? from + 1 : from, end);
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
  }

  #dispatch(): boolean {
    const data = this.#data;
    const event = this.#event;
    this.#data = undefined;
    this.#event = '';
    return data !== undefined && this.#listener(data, event);
  }
}
