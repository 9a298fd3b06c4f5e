import type { Form, Framing } from './body-reader.ts';
import { MAX_EVENT_CHARS } from './sse.ts';
import type { EventListener, ParserState } from './sse.ts';

/** Splits text chunks into lines, each one JSON value (Ollama's streams). Empty lines are skipped. */
export class LineParser {
  readonly #listener: EventListener;
  #rest = '';

  constructor(listener: EventListener) {
    this.#listener = listener;
  }

  push(text: string): ParserState {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const line = this.#rest === '' ? text.slice(start, end) : this.#rest + text.slice(start, end);
      this.#rest = '';
      start = end + 1;
      if (this.#line(line)) return 'stopped';
    }
    this.#rest += start === 0 ? text : text.slice(start);
    return this.#rest.length > MAX_EVENT_CHARS ? 'too-long' : 'open';
  }

  end(): ParserState {
    return this.push('\n');
  }

  #line(line: string): boolean {
    // JSON.parse takes the CR of a CRLF as white space.
    return (line.startsWith('{') || line.trim() !== '') && this.#listener(line, '');
  }
}

/** Streams whose lines are values of their own. */
export const lineFraming: Framing = { formOf, makeParser: (listener) => new LineParser(listener) };

/** Chosen: white space behind a brace is short. */
const MAX_SPACE = 300;

/** A JSON value over several lines begins with a brace alone in its line; the lines of a stream are objects of their own. */
function formOf(begin: string): Form {
  const second = begin.slice(1, MAX_SPACE).replace(/^[ \t\r]+/, '');
  if (second === '') return begin.length < MAX_SPACE ? 'unknown' : 'json';
  return second.startsWith('\n') ? 'json' : 'events';
}
