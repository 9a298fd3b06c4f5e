import type { LoopbackScript, LoopbackStep } from './step.ts';
import type { ConversationView } from './view.ts';
import type { LoopbackWire } from './wire.ts';

/** How a server is started. */
export interface LoopbackServerOptions {
  /** What the model does, request by request. */
  readonly script: LoopbackScript;
  /** The only wire that is spoken; the paths of the others are then unknown. @defaultValue 'auto': told by the path */
  readonly wire?: LoopbackWire | 'auto' | undefined;
  /** @defaultValue 0: any free port */
  readonly port?: number | undefined;
  /** The only key that is let in, as a bearer token or as `x-api-key`; others get a 401. Without it nobody is asked. */
  readonly apiKey?: string | undefined;
  /** The models that exist; a request for another gets a 404. Without it every name will do, and `demo` is listed. */
  readonly models?: readonly string[] | undefined;
  /** Whether requests that a strict vendor refuses get its 400. @defaultValue true */
  readonly strict?: boolean | undefined;
}

/** How an exchange ended: answered in full, broken by script, or left by the client (or by the server's own close) before its end. */
export type LoopbackOutcome = 'answered' | 'broken' | 'client-left';

/** One request for a reply, as it came and how it ended. */
export interface LoopbackRequest {
  readonly wire: LoopbackWire;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As parsed; an empty object where it could not be. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Size of the body. */
  readonly bytes: number;
  readonly view: ConversationView;
  readonly isStream: boolean;
  /** When it had come whole, on the clock of `performance.now()`. Milliseconds. */
  readonly receivedAt: number;
  /** Why a strict vendor refuses it. Such a request takes no step of the script. */
  readonly violation: string | undefined;
  /** The step that answered it. */
  readonly step: LoopbackStep | undefined;
  /** The HTTP status that was answered; undefined as long as none was. */
  readonly status: number | undefined;
  /** Undefined while it lasts. */
  readonly outcome: LoopbackOutcome | undefined;
  /** Resolves with the outcome; never rejects. */
  readonly ended: Promise<LoopbackOutcome>;
}

/**
 * What `await using` needs, in projects whose TypeScript library has it (`ESNext.Disposable`). Others compile without.
 */
type AwaitUsing = SymbolConstructor extends { readonly asyncDispose: infer S extends symbol }
  ? { readonly [K in S]: () => Promise<void> }
  : object;

/** A running server. */
export interface LoopbackServer extends AwaitUsing {
  /** `http://127.0.0.1:PORT`. OpenAI's and Anthropic's SDK-like base URLs add `/v1`. */
  readonly origin: string;
  readonly port: number;
  /** Every request for a reply, in order. */
  readonly requests: readonly LoopbackRequest[];
  /** Why strict vendors refuse what was asked; empty in a healthy run. */
  readonly violations: readonly string[];
  /** Requests to paths that do not exist, as `GET /nowhere`. */
  readonly strays: readonly string[];
  /** What is wrong with the script itself: it ran out, it threw, or a fault never struck. Empty in a healthy test. */
  readonly scriptErrors: readonly string[];
  /** TCP connections taken so far. */
  readonly connections: number;
  /** Resolves once this many requests have come. */
  waitForRequests(count: number): Promise<void>;
  /** Stops at once: every connection is broken, every timer gone. */
  close(): Promise<void>;
}
