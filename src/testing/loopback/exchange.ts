import type { IncomingMessage, ServerResponse } from 'node:http';

/** One request with its answer, while it lasts. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborts when the client leaves or the server closes: whatever waits then stops. */
  readonly signal: AbortSignal;
  /** Marks the answer as broken by script, so that the log can tell it from a client that left. */
  readonly markBroken: () => void;
  /** A fault of the script itself, for the log. */
  readonly reportScriptError: (problem: string) => void;
}

/** Breaks the connection: `reset` as a crashed process does (TCP RST), `drop` as a proxy does (FIN, message unfinished). */
export function breakConnection(exchange: Exchange, how: 'reset' | 'drop'): void {
  exchange.markBroken();
  const { socket } = exchange.request;
  if (how === 'reset') socket.resetAndDestroy();
  else socket.destroy();
}
