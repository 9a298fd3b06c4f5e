import type { RunEvent } from '../core/event.ts';
import type { RunResult } from '../core/result.ts';

/**
 * A run on its way. Iterate it for its events; `result` tells how it ended and never rejects.
 * It is not itself a promise, so that `await` can't mistake it for an answer.
 */
export interface RunHandle<Output = undefined> extends AsyncIterable<RunEvent> {
  readonly runId: string;
  /** How the run ended, whatever happened: look at its `status`. */
  readonly result: Promise<RunResult<Output>>;
  /**
   * The text as it is streamed. A reader of plain text can't take anything back: where an attempt failed after some
   * text, the text of the next one follows after an empty line. Use the events (`text-void`) to show it right.
   */
  readonly textStream: AsyncIterable<string>;
  /** Ends the run: every wait, every read and every tool hears it. */
  abort(reason?: unknown): void;
  /** The events as a server-sent event stream, for a web handler. Aborts the run when the client leaves. */
  toResponse(init?: { readonly headers?: Readonly<Record<string, string>> }): Response;
}

/** Text events alone. */
export async function* textOfEvents(events: AsyncIterable<RunEvent>): AsyncGenerator<string, void, undefined> {
  let hasText = false;
  for await (const event of events) {
    if (event.type === 'text-delta') {
      hasText = true;
      yield event.text;
    } else if (event.type === 'text-void' && hasText) yield '\n\n';
  }
}

/** Events as a response of server-sent events: one `data:` line of JSON each, named by type. */
export function eventResponse(
  events: AsyncIterable<RunEvent>,
  abort: (reason: unknown) => void,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const encoder = new TextEncoder();
  const iterator = events[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await iterator.next();
      if (next.done === true) return controller.close();
      return controller.enqueue(
        encoder.encode(`event: ${next.value.type}\ndata: ${JSON.stringify(next.value, withoutCauses)}\n\n`),
      );
    },
    cancel(reason) {
      abort(reason ?? new Error('The client closed the connection.'));
    },
  });
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', ...headers },
  });
}

/** Causes are whole errors, for developers: they don't leave the process, and they may not be JSON. */
export function withoutCauses(key: string, value: unknown): unknown {
  if (key === 'cause') return undefined;
  return typeof value === 'bigint' ? value.toString() : value;
}
