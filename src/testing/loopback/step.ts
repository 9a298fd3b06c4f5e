import type { Json } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import type { LoopbackContext } from './context.ts';

/** A tool call that the scripted model makes. */
export interface LoopbackCall {
  readonly name: string;
  /** The arguments as a value. @defaultValue {} */
  readonly input?: Json | undefined;
  /**
   * The arguments as the model wrote them, instead of `input`; an array gives the pieces of the stream.
   * Where the wire carries a value (Ollama, Anthropic without a stream) and the text is not JSON, the text itself is sent.
   */
  readonly rawArguments?: string | readonly string[] | undefined;
  /** @defaultValue a fresh id in the vendor's form; none on Ollama */
  readonly id?: string | undefined;
}

/** How real servers and imitators differ in the way they tell of calls and ends. Where a wire has no such thing, it does nothing. */
export interface LoopbackQuirks {
  /** OpenAI: pieces of calls carry no `index`, or all of them index 0. */
  readonly callIndex?: 'missing' | 'zero' | undefined;
  /** The ids of calls: none, an empty string, or repeated in every piece. */
  readonly callIds?: 'missing' | 'empty' | 'every-piece' | undefined;
  /** OpenAI: the name stands in every piece, comes in two parts, or after the arguments. */
  readonly callNames?: 'every-piece' | 'split' | 'last' | undefined;
  /**
   * The arguments: all at once with the call (`whole`, and in the block's start on Anthropic), each piece repeating
   * what came before (`cumulative`), the whole once more after the pieces (`again-at-end`), or a value instead of text.
   */
  readonly callArguments?: 'whole' | 'cumulative' | 'again-at-end' | 'value' | undefined;
  /** OpenAI: the pieces of several calls come in turn. */
  readonly interleaved?: boolean | undefined;
  /** The end: no mark at all, or all but the last one (`[DONE]`, `message_stop`). */
  readonly terminal?: 'missing' | 'no-done' | undefined;
  /** OpenAI: the field that holds reasoning. @defaultValue 'reasoning_content' */
  readonly reasoningField?: 'reasoning_content' | 'reasoning' | undefined;
}

/** Where in a streamed reply something happens: after the `count`-th piece of a kind (from 1), or after the headers (`start`). */
export interface LoopbackPoint {
  readonly after: 'start' | 'reasoning' | 'text' | 'call' | 'arguments' | 'finish' | 'raw';
  /** @defaultValue 1 */
  readonly count?: number | undefined;
}

/** How the bytes of a 200 reach the client, and what goes wrong on the way. */
export interface LoopbackDelivery {
  /** Wait before the headers. Milliseconds. */
  readonly delayMs?: number | undefined;
  /**
   * Breaks the body off: by a TCP reset, by a clean end of the HTTP message, or by closing the socket with the
   * message unfinished. A reply that is not streamed breaks in the middle of its body.
   */
  readonly cut?: (LoopbackPoint & { readonly how: 'reset' | 'end' | 'drop' }) | undefined;
  /** Falls silent until the client leaves; with `pingMs` it goes on to show life that carries no content. */
  readonly stall?: (LoopbackPoint & { readonly pingMs?: number | undefined }) | undefined;
  /** An error inside the 200: an event, then a clean end. A reply that is not streamed becomes an error body. */
  readonly errorEvent?: (LoopbackPoint & LoopbackVendorError & { readonly event?: Json | undefined }) | undefined;
  /** Wait between two writes. Milliseconds. */
  readonly gapMs?: number | undefined;
  /** Size of one write. @defaultValue one frame */
  readonly bytesPerWrite?: number | undefined;
  /** All frames in one write. */
  readonly oneWrite?: boolean | undefined;
  /** Lines of a stream end in CR LF. */
  readonly crlf?: boolean | undefined;
  /** Server-sent events: a comment before every event. */
  readonly comments?: boolean | undefined;
  /** A byte order mark before the first byte. */
  readonly bom?: boolean | undefined;
  /** The text goes out in Latin-1, not in UTF-8; only characters up to U+00FF can be said. */
  readonly latin1?: boolean | undefined;
  /** Server-sent events: `data:` without a space after it. */
  readonly tightData?: boolean | undefined;
  /** Compress the body: only where the client says that it takes gzip, or in any case. */
  readonly gzip?: 'accepted' | 'always' | undefined;
  readonly contentType?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The model replies. */
export interface LoopbackReplyStep extends LoopbackDelivery {
  /** An array gives the pieces of the stream. */
  readonly text?: string | readonly string[] | undefined;
  readonly reasoning?: string | undefined;
  /** OpenAI: the text of a refusal. Elsewhere it is plain text, and the finish reason says that it is one. */
  readonly refusal?: string | undefined;
  readonly calls?: readonly LoopbackCall[] | undefined;
  /**
   * `stop`, `length`, `tool-calls`, `content-filter` and `pause` are said in the vendor's word; any other word is sent as it is.
   * @defaultValue 'tool-calls' where there are calls, else 'stop'
   */
  readonly finish?: string | undefined;
  /** What the server counts; `null` says nothing. @defaultValue 120 input tokens, 20 output tokens */
  readonly usage?: Usage | null | undefined;
  readonly quirks?: LoopbackQuirks | undefined;
}

/** What a vendor says in an error. Left out: what is usual for the status. */
export interface LoopbackVendorError {
  readonly message?: string | undefined;
  /** The vendor's `type` (`overloaded_error`). */
  readonly type?: string | undefined;
  /** The vendor's `code` (`insufficient_quota`). */
  readonly code?: string | number | undefined;
  /** The status that an error inside a 200 speaks of. @defaultValue 503 */
  readonly status?: number | undefined;
}

/** The server answers with an HTTP error, in the vendor's form unless `body` says otherwise. */
export interface LoopbackStatusStep extends LoopbackVendorError {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent instead of the vendor's form: text as it is, anything else as JSON. */
  readonly body?: Json | undefined;
  readonly contentType?: string | undefined;
  /** Wait before the headers. Milliseconds. */
  readonly delayMs?: number | undefined;
}

/**
 * No HTTP answer at all: a TCP reset, silence, or a closed port for `forMs`. In an array of steps a `refuse` closes the
 * port before the client can ask, so it costs the script one step and shows in no log; from a function it also resets
 * the request that it answers.
 */
export type LoopbackFaultStep =
  | { readonly fault: 'reset' | 'hang'; readonly delayMs?: number | undefined }
  | {
      readonly fault: 'refuse';
      /** @defaultValue 50 milliseconds */
      readonly forMs?: number | undefined;
    };

/** Bytes as they are; an array gives the frames, for `cut`, `stall` and `gapMs`. */
export interface LoopbackRawStep extends LoopbackDelivery {
  readonly raw: string | Uint8Array | readonly string[];
  /** @defaultValue 200 */
  readonly status?: number | undefined;
}

/** What the server does with one request. */
export type LoopbackStep = LoopbackReplyStep | LoopbackStatusStep | LoopbackFaultStep | LoopbackRawStep;

/** The steps in order, or a function that decides by what the model is told, now or later. */
export type LoopbackScript =
  | readonly LoopbackStep[]
  | ((context: LoopbackContext) => LoopbackStep | Promise<LoopbackStep>);

/** True for a step without an HTTP answer. */
export function isFaultStep(step: LoopbackStep): step is LoopbackFaultStep {
  return 'fault' in step;
}

/** True for a step of raw bytes. */
export function isRawStep(step: LoopbackStep): step is LoopbackRawStep {
  return 'raw' in step;
}

/** True for an HTTP error. */
export function isStatusStep(step: LoopbackStep): step is LoopbackStatusStep {
  return 'status' in step && !('raw' in step);
}
