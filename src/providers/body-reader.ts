import { malformed } from './assembler.ts';
import type { Assembler, Assembled, AssemblyPhase, ReplyProblem } from './assembler.ts';
import { wireOf } from './errors/wire-look.ts';
import { isTooDeep, parseJson } from './json-fields.ts';
import { SseParser } from './sse.ts';
import type { EventListener, ParserState } from './sse.ts';
import { Utf8Chunks } from './utf8.ts';

/** Chosen: a stream carries some 180 bytes for each token, so this is a reply of over a million tokens. */
const MAX_STREAM_BYTES = 256 * 1024 * 1024;

/** Chosen: a plain reply of a million tokens has some 4 MB; parsed as one value, more than this would block the process for seconds. */
const MAX_PLAIN_BYTES = 32 * 1024 * 1024;

/** Names of events that carry nothing, whatever their data. */
const IDLE_EVENTS: ReadonlySet<string> = new Set(['ping', 'keepalive', 'keep-alive', 'heartbeat']);

/** Chosen: figures come in one event; to try any number of broken ones would be slow. */
const MAX_BROKEN_FIGURES = 8;

/** The end marker of OpenAI's streams, in whatever case and with white space around it. */
const DONE = '[DONE]';

/** Turns the text of a stream into events. */
export interface Parser {
  push(text: string): ParserState;
  end(): ParserState;
}

/** What a body is, as far as its first characters tell. */
export type Form = 'unknown' | 'events' | 'json' | 'foreign';

/** How a wire frames its streams where it is not by server-sent events. Asked for bodies that begin with a brace. */
export interface Framing {
  readonly formOf: (begin: string) => Form;
  readonly makeParser: (listener: EventListener) => Parser;
}

/**
 * Reads the body of an answer of status 200, in whatever form it comes: what was asked for does not decide, and neither
 * does the content type, since servers answer a stream with JSON, JSON with a stream, and either as `text/plain`.
 */
export class BodyReader {
  readonly #assembler: Assembler;
  readonly #framing: Framing | undefined;
  readonly #utf8 = new Utf8Chunks({ strict: true });
  #parser: Parser | undefined;
  /** A body that is one JSON value, or no known form at all. */
  #whole = '';
  #form: Form = 'unknown';
  #bytes = 0;
  readonly #maxPlainBytes: number;
  #problem: ReplyProblem | undefined;
  #look: string | undefined;
  #brokenFigures = 0;

  /** `maxPlainBytes`: the longest body that is no stream, decoded. */
  constructor(assembler: Assembler, framing?: Framing, maxPlainBytes: number = MAX_PLAIN_BYTES) {
    this.#assembler = assembler;
    this.#framing = framing;
    this.#maxPlainBytes = maxPlainBytes;
  }

  /** The wire that the first event, or the whole, looks like. */
  get look(): string | undefined {
    return this.#look;
  }

  get phase(): AssemblyPhase {
    return this.#assembler.phase;
  }

  /** Takes a chunk; gives the problem that ends the reply, if there is one. */
  push(bytes: Uint8Array): ReplyProblem | undefined {
    this.#bytes += bytes.length;
    return this.#takeText(this.#utf8.push(bytes)) ?? this.#tooLong();
  }

  /** The body is over: what became of it. */
  end(): Assembled {
    return this.#takeText(this.#utf8.end()) ?? this.#takeEnd() ?? this.giveUp();
  }

  /** Nothing more is waited for, although the body is not over. What has come of a further event is not looked at. */
  giveUp(): Assembled {
    return this.#assembler.finish(this.#form === 'json');
  }

  /** Nothing more is read: what has come so far, whole or not. */
  cutHere(): Assembled {
    return this.#assembler.finish(this.#form === 'json', true);
  }

  #takeText(text: string): ReplyProblem | undefined {
    // A character in place of the broken bytes would be run as if the model had said it. Behind a whole reply nothing is lost.
    return this.#take(text) ?? (this.#utf8.isBroken && this.phase === 'open' ? NO_UTF8 : undefined);
  }

  #tooLong(): ReplyProblem | undefined {
    if (this.#bytes > MAX_STREAM_BYTES) return TOO_LONG;
    if (this.#form === 'events' || this.#bytes <= this.#maxPlainBytes) return undefined;
    return malformed(
      `The reply is longer than the ${this.#maxPlainBytes} bytes that one in one piece may have: see \`maxReplyBytes\`.`,
    );
  }

  #take(text: string): ReplyProblem | undefined {
    if (text === '') return undefined;
    if (this.#parser !== undefined) return this.#parse(this.#parser, text);
    this.#whole += text;
    if (this.#form !== 'unknown') return undefined;
    const begin = this.#whole.replace(/^[\s\0]+/, '');
    const framing = begin.startsWith('{') ? this.#framing : undefined;
    this.#form = (framing?.formOf ?? formOf)(begin);
    // White space before a reply keeps the connection alive, perhaps for long: it is not kept.
    if (begin === '' || this.#form === 'events') this.#whole = '';
    if (this.#form !== 'events') return undefined;
    const listener: EventListener = (data, event) => this.#takeEvent(data, event);
    this.#parser = framing?.makeParser(listener) ?? new SseParser(listener);
    return this.#parse(this.#parser, begin);
  }

  #parse(parser: Parser, text: string): ReplyProblem | undefined {
    return parser.push(text) === 'too-long' ? TOO_LONG : this.#problem;
  }

  #takeEnd(): ReplyProblem | undefined {
    switch (this.#form) {
      case 'events':
        this.#parser?.end();
        return this.#problem;
      case 'json':
        return this.#takeWhole(this.#whole);
      case 'foreign':
        return foreign(this.#whole);
      case 'unknown':
        return malformed('The reply has an empty body.');
    }
  }

  #takeWhole(text: string): ReplyProblem | undefined {
    if (isTooDeep(text)) return TOO_DEEP;
    const value = parseJson(text);
    this.#look = wireOf(value);
    if (value !== undefined) return this.#assembler.take(value, '');
    return /^\s*[{[]/.test(text)
      ? malformed(`The reply is damaged or breaks off: its ${text.length} characters are not whole JSON.`)
      : foreign(text);
  }

  /** One event. True to stop reading. */
  #takeEvent(data: string, event: string): boolean {
    // Nothing follows the last word: what stands there all the same belongs to no reply.
    if (this.phase === 'closed') return true;
    // Nearly every event is an object.
    if (!data.startsWith('{')) {
      const word = data.trim().toUpperCase();
      if (word === DONE) this.#assembler.takeDone?.();
      if (word === DONE || word === '') return false;
    }
    if (event !== '' && IDLE_EVENTS.has(event)) return false;
    const isOver = this.phase === 'finished';
    // What is broken behind a whole reply is its figures.
    if (isOver && this.#brokenFigures >= MAX_BROKEN_FIGURES) return false;
    const value = isTooDeep(data) ? undefined : parseJson(data);
    this.#look ??= wireOf(value);
    if (value !== undefined) this.#problem = this.#assembler.take(value, event);
    else if (isOver) this.#brokenFigures += 1;
    else this.#problem = isTooDeep(data) ? TOO_DEEP : malformed('An event of the stream is not JSON', data);
    return this.#problem !== undefined;
  }
}

const TOO_LONG = malformed('The reply, or one event of it, is larger than any real one.');
const TOO_DEEP = malformed('The reply, or one event of it, is nested deeper than any real one.');
const NO_UTF8 = malformed('The reply holds bytes that are not UTF-8.');

function foreign(text: string): ReplyProblem {
  return malformed('The reply is neither JSON nor a stream', text);
}

/** Tells the form of a body by its first character that is not white space. */
function formOf(begin: string): Form {
  const first = begin.charAt(0);
  if (first === '') return 'unknown';
  if ('{["-0123456789ntf'.includes(first)) return 'json';
  // The fields of server-sent events: data, event, id, retry, and comments.
  return ':deir'.includes(first.toLowerCase()) ? 'events' : 'foreign';
}
