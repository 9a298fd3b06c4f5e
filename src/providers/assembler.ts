import type { ModelReply } from '../core/provider.ts';

/** Where an assembler tells what can be shown at once. */
export interface DeltaSink {
  text(delta: string): void;
  reasoning(delta: string): void;
  /** The name or arguments of a call: not shown, and watched for circles. */
  call(delta: string): void;
}

/** Why a reply can't be used. */
export type ReplyProblem =
  /** The server reports an error inside a reply of status 200: its own words, to be classified. */
  | { readonly type: 'error-payload'; readonly payload: unknown }
  | {
      readonly type: 'malformed';
      readonly message: string;
      /** What came instead, as it came: to be masked and cut by whoever shows it. */
      readonly got?: string;
    }
  | { readonly type: 'cut'; readonly message: string }
  | { readonly type: 'circle'; readonly message: string };

/** A reply that can't be read, and the text that came instead where it says more. */
export function malformed(message: string, got?: string): ReplyProblem {
  return got === undefined ? { type: 'malformed', message } : { type: 'malformed', message, got };
}

/** A reply that ended too soon. */
export function cut(message: string): ReplyProblem {
  return { type: 'cut', message };
}

/** An error of the server in place of a reply, or inside it. */
export function reported(payload: unknown): ReplyProblem {
  return { type: 'error-payload', payload };
}

/** The problem of a reply, or a piece of one, that is no object. */
export function notAnObject(value: unknown): ReplyProblem {
  return malformed(`The reply is ${value === null ? 'null' : typeof value} instead of an object.`);
}

/** True for a field that says that there is an error: some servers send it empty in every reply. */
export function isError(field: unknown): boolean {
  return field !== undefined && field !== null && field !== false && field !== '';
}

/** What an assembler ends with. */
export type Assembled = { readonly type: 'reply'; readonly reply: ModelReply } | ReplyProblem;

/**
 * How far the reply is: `finished` when it is whole but figures (usage) may follow, `closed` when the server has said
 * that nothing follows.
 */
export type AssemblyPhase = 'open' | 'finished' | 'closed';

/** Builds one reply from the values of a wire. The same one serves the events of a stream and the one value of a plain body. */
export interface Assembler {
  readonly phase: AssemblyPhase;
  /** Takes one event of a stream, or the whole of a plain body. A problem ends the reply. */
  take(value: unknown, event: string): ReplyProblem | undefined;
  /** The stream said `[DONE]`. Left out where this is not of the wire: some gateways add it to every stream, cut ones included. */
  takeDone?(): void;
  /** Called once, when nothing more comes. `isPlain` for a body that was one JSON value: its end is its own marker. `isCutHere`: nothing more is read, and what has come is asked for. */
  finish(isPlain: boolean, isCutHere?: boolean): Assembled;
}

/** Makes one for each request. */
export type MakeAssembler = (sink: DeltaSink) => Assembler;
