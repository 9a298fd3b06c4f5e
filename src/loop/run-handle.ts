import type { RunEvent } from '../core/event.ts';
import type { Failure } from '../core/failure.ts';
import type { RunResult } from '../core/result.ts';
import { writeValue } from './tool-output/write-value.ts';

/**
 * A run on its way. Iterate it for its events; `result` tells how it ended and never rejects.
 * It is not itself a promise, so that `await` can't mistake it for an answer.
 *
 * Events, `textStream` and `toResponse()` may be read side by side, and more than once: each reader sees the run from its
 * beginning (of a very long one the last 1,024 events, pieces of a text joined). One that falls as many events behind
 * holds the run back until it reads on or leaves; no deadline of the model's server runs meanwhile.
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
      return controller.enqueue(encoder.encode(`event: ${next.value.type}\ndata: ${jsonOf(next.value)}\n\n`));
    },
    cancel(reason) {
      abort(reason ?? new Error('The client closed the connection.'));
    },
  });
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', ...headers },
  });
}

function jsonOf(event: RunEvent): string {
  switch (event.type) {
    case 'failure':
    case 'retry':
    case 'fall-back':
    case 'tool-retry':
      return JSON.stringify({ ...event, failure: withoutCause(event.failure) });
    case 'run-end':
      return JSON.stringify({ ...event, result: clientResult(event.result) }, bigintAsText);
    default:
      return JSON.stringify(event);
  }
}

/** A result as JSON can tell it: an abort's reason and an output are the caller's own and may be anything. */
function clientResult(result: RunResult<unknown>): object {
  const safe = { ...result, failures: result.failures.map(withoutCause) };
  switch (safe.status) {
    case 'completed':
      return { ...safe, output: asJson(safe.output) };
    case 'aborted':
      return { ...safe, reason: asJson(safe.reason) };
    case 'failed':
      return { ...safe, failure: withoutCause(safe.failure) };
    default:
      return safe;
  }
}

/** Causes are whole errors, for developers: they don't leave the process. */
function withoutCause({ cause: _cause, ...failure }: Failure): Failure {
  return failure;
}

/** Chosen: enough to see what it was. */
const MAX_ODD_CHARS = 10_000;

/** The value, where it is JSON; else (a cycle, a `toJSON` that throws) its text as far as there is one. */
function asJson(value: unknown): unknown {
  try {
    JSON.stringify(value, bigintAsText);
    return value;
  } catch {
    return writeValue(value, MAX_ODD_CHARS);
  }
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
