import type { RunEvent } from '../core/event.ts';
import type { RunResult } from '../core/result.ts';
import type { ExitCode } from './exit-code.ts';
import { exitCodeOf } from './exit-code.ts';
import { onInterrupt } from './interrupt.ts';
import { documentText } from './run-document.ts';
import { lookOf, painterOn } from './terminal.ts';
import { multiLine } from './terminal-text.ts';
import { emptyTrace, traceEvent } from './trace.ts';
import type { Line } from './trace-line.ts';

/** The part of a run that the command needs. */
export interface WatchedRun extends AsyncIterable<RunEvent> {
  /** Never rejects. */
  readonly result: Promise<RunResult<unknown>>;
  abort(reason?: unknown): void;
}

/** How a run is shown. */
export interface WatchOptions {
  /** Named in the JSON document. */
  readonly provider: string;
  readonly model: string;
  /** Shown before the trace. */
  readonly header: readonly Line[];
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  readonly debug?: boolean | undefined;
}

/** Shows a run as it happens: trace on standard error, answer (or one JSON document) on standard output. */
export async function watchRun(run: WatchedRun, options: WatchOptions): Promise<ExitCode> {
  const { stdout, stderr, env } = process;
  const look = lookOf(stderr, env, options.debug === true);
  const painter = painterOn(stderr, env);
  const show = (lines: readonly Line[]): void => {
    if (options.quiet !== true) painter.append(lines);
  };
  const stopListening = onInterrupt(() => {
    show([[{ text: '  stopping (Ctrl+C once more ends it at once)', tone: 'warning' }]]);
    run.abort('interrupted');
  });

  let state = emptyTrace;
  let durationMs = 0;
  try {
    show(options.header);
    for await (const event of run) {
      const step = traceEvent(state, event, look);
      state = step.state;
      if (event.type === 'run-end') {
        durationMs = event.durationMs;
        painter.status(undefined);
        // The answer stands between the trace and its summary, on its own stream.
        if (event.result.status === 'completed' && options.json !== true) {
          if (stdout.isTTY && options.quiet !== true) painter.append([[]]);
          const { text } = event.result;
          painter.around(() => stdout.write(`${stdout.isTTY ? multiLine(text) : text}\n`));
        }
      }
      show(step.lines);
      if (options.debug === true && event.type === 'failure') show(stackLines(event.failure.cause));
      if (options.quiet !== true) painter.status(step.status);
    }
    const result = await run.result;
    if (options.json === true) {
      const { provider, model } = options;
      stdout.write(`${documentText({ ...result, provider, model, requests: state.requests, durationMs })}\n`);
    }
    return exitCodeOf(result);
  } finally {
    painter.close();
    stopListening();
  }
}

function stackLines(cause: unknown): Line[] {
  if (!(cause instanceof Error)) return [];
  const lines = multiLine(cause.stack ?? cause.message).split('\n');
  return lines.map((line) => [{ text: `    ${line}`, tone: 'quiet' }]);
}
