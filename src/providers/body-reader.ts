import type { Assembler, Assembled, ReplyProblem } from './assembler.ts';
import { LineParser } from './ndjson.ts';
import { SseParser } from './sse.ts';
import type { ParserState } from './sse.ts';
import { Utf8Chunks } from './utf8.ts';

/** Chosen: a stream carries some 180 bytes for each token, so this is a reply of over a million tokens. */
const MAX_REPLY_CHARS = 256 * 1024 * 1024;

/** Chosen: enough of a text to name it in an error. */
const MAX_EXCERPT_CHARS = 300;

/** Names of events that carry nothing, whatever their data. */
const IDLE_EVENTS: ReadonlySet<string> = new Set(['ping', 'keepalive', 'keep-alive', 'heartbeat']);

interface Parser {
  push(text: string): ParserState;
  end(): ParserState;
}

/** How a wire's streams are framed. */
export type Framing = 'sse' | 'lines';

/**
 * Reads the body of an answer of status 200, in whatever form it comes: what was asked for does not decide, and neither
 * does the content type, since servers answer a stream with JSON, JSON with a stream, and either as `text/plain`.
 */
export class BodyReader {
  readonly #assembler: Assembler;
  readonly #framing: Framing;
  readonly #utf8 = new Utf8Chunks();
  #parser: Parser | undefined;
  /** A body that is one JSON value, or no known form at all. */
  #whole = '';
  #form: 'unknown' | 'events' | 'json' | 'foreign' = 'unknown';
  #chars = 0;
  #problem: ReplyProblem | undefined;

  constructor(assembler: Assembler, framing: Framing) {
    this.#assembler = assembler;
    this.#framing = framing;
  }

  /** Takes a chunk; gives the problem that ends the reply, if there is one. */
  push(bytes: Uint8Array): ReplyProblem | undefined {
    const text = this.#utf8.push(bytes);
    this.#chars += text.length;
    if (this.#chars > MAX_REPLY_CHARS) return tooLong();
    return this.#take(text);
  }

  /** The body is over: what became of it. */
  end(): Assembled {
    const problem = this.#take(this.#utf8.end()) ?? this.#end();
    if (problem !== undefined) return problem;
    return this.#assembler.finish(this.#form === 'json');
  }

  /** Nothing more is waited for, although the body is not over. What has come of a further event is not looked at. */
  giveUp(): Assembled {
    return this.#assembler.finish(this.#form === 'json');
  }

  #take(text: string): ReplyProblem | undefined {
    if (text === '') return undefined;
    if (this.#parser !== undefined) return this.#parse(text);
    this.#whole += text;
    if (this.#form !== 'unknown') return undefined;
    this.#form = formOf(this.#whole, this.#framing);
    // White space before a reply keeps the connection alive, perhaps for long: it is not kept.
    if (this.#form === 'unknown' && this.#whole.trimStart() === '') this.#whole = '';
    if (this.#form !== 'events') return undefined;
    const begin = this.#whole;
    this.#whole = '';
    const listener = (data: string, event: string): boolean => this.#event(data, event);
    this.#parser =
      this.#framing === 'lines' && begin.trimStart().startsWith('{')
        ? new LineParser(listener)
        : new SseParser(listener);
    return this.#parse(begin);
  }

  #parse(text: string): ReplyProblem | undefined {
    const state = this.#parser?.push(text);
    if (this.#problem !== undefined) return this.#problem;
    return state === 'too-long' ? tooLong() : undefined;
  }

  #end(): ReplyProblem | undefined {
    switch (this.#form) {
      case 'events':
        this.#parser?.end();
        return this.#problem;
      case 'json':
        return this.#wholeJson();
      case 'foreign':
        return foreign(this.#whole);
      case 'unknown':
        return { type: 'malformed', message: 'The reply has an empty body.' };
    }
  }

  #wholeJson(): ReplyProblem | undefined {
    let value: unknown;
    try {
      value = JSON.parse(this.#whole);
    } catch {
      if (!/^\s*[{[]/.test(this.#whole)) return foreign(this.#whole);
      return {
        type: 'malformed',
        message: `The reply is damaged or breaks off: its ${this.#whole.length} characters are not whole JSON.`,
      };
    }
    return this.#assembler.take(value, '');
  }

  /** One event. True to stop reading. */
  #event(data: string, event: string): boolean {
    // Nothing follows the last word: what stands there all the same belongs to no reply.
    if (this.#assembler.phase === 'closed') return true;
    // "[DONE]", the end marker of OpenAI's streams.
    if (data.charCodeAt(0) === 91 && data.trimEnd() === '[DONE]') {
      this.#assembler.takeDone();
      return false;
    }
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch {
      if (data.trim() === '' || IDLE_EVENTS.has(event)) return false;
      if (data.trim().toUpperCase() === '[DONE]') {
        this.#assembler.takeDone();
        return false;
      }
      // The reply is whole; only its figures were to come.
      if (this.#assembler.phase === 'finished') return false;
      this.#problem = { type: 'malformed', message: `An event of the stream is not JSON: ${describeText(data)}` };
      return true;
    }
    this.#problem = this.#assembler.take(value, event);
    return this.#problem !== undefined;
  }
}

function foreign(text: string): ReplyProblem {
  return { type: 'malformed', message: `The reply is neither JSON nor a stream: ${describeText(text)}` };
}

function tooLong(): ReplyProblem {
  return { type: 'malformed', message: 'The reply, or one event of it, is larger than any real one.' };
}

/** Tells the form of a body by its first characters. `unknown` until there is one that is not white space. */
function formOf(text: string, framing: Framing): 'unknown' | 'events' | 'json' | 'foreign' {
  const begin = text.trimStart();
  if (begin === '') return 'unknown';
  const first = begin.charAt(0);
  if (first === '{' && framing === 'lines') return isPrettyPrinted(begin);
  if ('{["-0123456789ntf'.includes(first)) return 'json';
  // The fields of server-sent events: data, event, id, retry, and comments.
  return ':deir'.includes(first) ? 'events' : 'foreign';
}

/** A JSON value over several lines begins with a brace alone in its line; the lines of a stream are objects of their own. */
function isPrettyPrinted(begin: string): 'unknown' | 'events' | 'json' {
  const second = begin.slice(1, MAX_EXCERPT_CHARS).replace(/^[ \t\r]+/, '');
  if (second === '') return 'unknown';
  return second.startsWith('\n') ? 'json' : 'events';
}

/** Names a text that should have been something else: the title of a page, or its first words. */
export function describeText(text: string): string {
  const head = text.slice(0, 4096);
  const title =
    /<title[^>]*>([^<]{1,200})/i.exec(head)?.[1] ??
    (head.trimStart().startsWith('<') ? head.replace(/<[^>]{0,500}>/g, ' ') : head);
  const words = title.replace(/\s+/g, ' ').trim();
  return words.length > MAX_EXCERPT_CHARS ? `${words.slice(0, MAX_EXCERPT_CHARS)}...` : words;
}
