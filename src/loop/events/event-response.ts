import type { RunEvent } from '../../core/event.ts';
import type { RunResult } from '../../core/result.ts';
import { withoutCause, withoutCauses } from '../../core/without-causes.ts';
import { writeValue } from '../output/write-value.ts';

/** How a run becomes a response. */
export interface ResponseOptions {
  /** More headers, or other ones. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * What the client is sent of an event, in place of the whole: undefined for nothing. It is given the event as data: a
   * failure without its `cause`. Where it throws, or gives what is no JSON, the response breaks and the run goes on.
   */
  readonly send?: ((event: RunEvent) => unknown) | undefined;
}

/**
 * Events as a response of server-sent events: one `data:` line of JSON each, named by type. `left` is told when nobody reads
 * it any more, with a reason where it was the client who left.
 */
export function eventResponse(
  events: AsyncIterable<RunEvent>,
  left: (reason?: Error) => void,
  { headers = {}, send = (event) => event }: ResponseOptions = {},
): Response {
  const encoder = new TextEncoder();
  const iterator = events[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
          const data = JSON.stringify(await send(asData(next.value)), bigintAsText);
          // Nothing of this event: the next one answers the pull.
          if (data !== undefined)
            return controller.enqueue(encoder.encode(`event: ${next.value.type}\ndata: ${data}\n\n`));
        }
        return controller.close();
      } catch (error) {
        // Nobody reads on: the run must not wait for it.
        left();
        await iterator.return?.();
        throw error;
      }
    },
    cancel(reason: unknown) {
      left(reason instanceof Error ? reason : new Error('The client closed the connection.', { cause: reason }));
      // Not waited for: a reader that waits for an event leaves with it.
      void iterator.return?.();
    },
  });
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', ...headers },
  });
}

/** An event as data. */
function asData(event: RunEvent): RunEvent {
  switch (event.type) {
    case 'failure':
    case 'retry':
    case 'fall-back':
    case 'tool-retry':
      return { ...event, failure: withoutCause(event.failure) };
    case 'run-end':
      return { ...event, result: clientResult(event.result) };
    default:
      return event;
  }
}

/** A result as JSON can tell it: an abort's reason and an output are the caller's own and may be anything. */
function clientResult(result: RunResult<unknown>): RunResult<unknown> {
  const safe = withoutCauses(result);
  switch (safe.status) {
    case 'completed':
      return { ...safe, output: asJson(safe.output) };
    case 'aborted':
      return { ...safe, reason: asJson(safe.reason) };
    default:
      return safe;
  }
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
