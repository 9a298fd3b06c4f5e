import type { RunEvent } from '../../core/event.ts';
import type { RunResult } from '../../core/result.ts';
import type { ResponseOptions } from './event-response.ts';

/**
 * A run on its way. Iterate it for its events; `result` tells how it ended and never rejects.
 * It is not itself a promise, so that `await` can't mistake it for an answer.
 *
 * Leaving the loop (`break`, `return`, an error in its body) ends the reading and not the run: its tools may be in the
 * middle of something, and `result` still resolves. Call `abort()` to stop the run.
 *
 * Events, `textStream` and `toResponse()` may be read side by side, and more than once: each reader sees the run from its
 * beginning (of a very long one the last 1,024 events, pieces of a text joined). One that falls as many events behind
 * holds the run back until it reads on or leaves; no deadline of the model's server runs meanwhile. One that then reads
 * nothing for `deadlines.idleMs` is no longer waited for: a `warning` says so, and until it has caught up it loses the
 * oldest of the events that wait for it.
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
  /**
   * Says something to the run while it goes on, as its user. The model reads it with its next request; an answer that was
   * given meanwhile is then not the last word. False where the run is over: nobody hears it.
   * @throws OilcanError `invalid-option` for an empty text.
   */
  say(text: string): boolean;
  /** Ends the run: every wait, every read and every tool hears it. */
  abort(reason?: unknown): void;
  /**
   * The events as a server-sent event stream, for a web handler. Aborts the run when the client leaves; of
   * several responses of one run, when the last client does.
   *
   * Everything is sent, arguments, outputs and the whole conversation at the end too, unless `send` picks.
   */
  toResponse(init?: ResponseOptions): Response;
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
