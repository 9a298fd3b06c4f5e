import type { ErrorData } from '../core/error-data.ts';
import type { RunEvent } from '../core/event.ts';
import type { RunResult } from '../core/result.ts';
import type { ResumeOptions } from '../loop/agent/agent.ts';
import type { Asked } from './command-hint.ts';
import { commandHint } from './command-hint.ts';
import { canAskPerson, decidePending } from './decide-pending.ts';
import type { ExitCode } from './exit-code.ts';
import { exitCodeOf } from './exit-code.ts';
import { onInterrupt } from './interrupt.ts';
import { createLiveText } from './live-text.ts';
import type { Painter } from './painter.ts';
import { documentText } from './run-document.ts';
import { readableEnvironment } from './surroundings.ts';
import { lookOf, painterOn } from './terminal.ts';
import { multiLine, singleLine } from './terminal-text.ts';
import type { TraceState } from './trace.ts';
import { emptyTrace, traceEvent } from './trace.ts';
import { endingText } from './trace-end.ts';
import type { Line } from './trace-line.ts';
import { hintText } from './user-error.ts';

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
  /** What hints depend on. */
  readonly asked: Asked;
  /** Resumes a suspended run, once a person has decided. */
  readonly resume: (runId: string, options: ResumeOptions) => WatchedRun;
}

/**
 * Shows a run as it happens: trace on standard error, answer (or one JSON document) on standard output. On a terminal
 * it asks for the decisions that a suspended run waits for, and goes on.
 */
export async function watchRun(first: WatchedRun, options: WatchOptions): Promise<ExitCode> {
  const { stdout, stderr } = process;
  const asked: Asked = { ...options.asked, canAsk: canAskPerson() };
  let seen: Seen = { state: emptyTrace, durationMs: 0 };
  let run = first;
  let header = options.header;
  for (;;) {
    seen = await showRun(run, seen, { ...options, header, asked });
    const result = await run.result;
    if (result.status === 'suspended' && asked.canAsk) {
      const decided = await decidePending(result.pending);
      if (decided !== undefined) {
        run = options.resume(result.runId, decided);
        header = [];
        continue;
      }
    }
    const hint = commandHint(result, asked);
    if (options.quiet === true) stderr.write(endingLinesOf(result, hint));
    // Only now is it known that the run does not go on.
    else if (result.status === 'suspended' && asked.canAsk && hint !== undefined)
      stderr.write(`${multiLine(hintText(hint))}\n`);
    if (options.json === true) {
      const { provider, model } = options;
      const { requests } = seen.state;
      stdout.write(
        `${documentText({ ...result, provider, model, requests, durationMs: seen.durationMs, ...(hint === undefined ? {} : { hint }) })}\n`,
      );
    }
    return exitCodeOf(result);
  }
}

/** Events after which the text of a reply does not go on. */
const ENDS_TEXT: ReadonlySet<RunEvent['type']> = new Set(['text-void', 'reply', 'failure', 'attempt-start', 'run-end']);

/** What has been shown so far. */
interface Seen {
  readonly state: TraceState;
  readonly durationMs: number;
}

/** Shows one run to its end, or to where it waits for a person. */
async function showRun(run: WatchedRun, before: Seen, options: WatchOptions): Promise<Seen> {
  const { stderr, stdout } = process;
  // Text is shown as it comes where a person reads it. A program gets the answer only, and as a whole.
  const isLive = stdout.isTTY && options.quiet !== true && options.json !== true;
  const look = { ...lookOf(stderr, readableEnvironment, options.debug === true), hasLiveText: isLive };
  const painter = painterOn(stderr, readableEnvironment);
  const live = createLiveText(painter, (text) => stdout.write(text));
  const show = (lines: readonly Line[]): void => {
    if (lines.length > 0) live.end();
    if (options.quiet !== true) painter.append(lines);
  };
  const stopListening = onInterrupt(() => {
    show([[{ text: '  stopping (Ctrl+C once more ends it at once)', tone: 'warning' }]]);
    run.abort('interrupted');
  });

  let { state, durationMs } = before;
  try {
    show(options.header);
    for await (const event of run) {
      // A run that will be asked about goes on below: its end has no hint yet.
      const step = traceEvent(state, event, look, (result) =>
        result.status === 'suspended' && options.asked.canAsk ? undefined : commandHint(result, options.asked),
      );
      state = step.state;
      if (isLive && event.type === 'text-delta') live.write(event.text);
      else if (ENDS_TEXT.has(event.type)) live.end();
      if (event.type === 'run-end') {
        durationMs += event.durationMs;
        painter.status(undefined);
        if (event.result.status === 'completed' && options.json !== true && !live.hasShown(event.result.text))
          writeAnswer(event.result.text, painter, options.quiet === true);
      }
      show(step.lines);
      if (options.debug === true && event.type === 'failure') show(stackLines(event.failure.cause));
      if (options.quiet !== true && !live.isOpen) painter.status(step.status);
    }
    return { state, durationMs };
  } finally {
    live.end();
    painter.close();
    stopListening();
  }
}

/** The answer stands between the trace and its summary, on its own stream. */
function writeAnswer(text: string, painter: Painter, isQuiet: boolean): void {
  const { stdout } = process;
  if (stdout.isTTY && !isQuiet) painter.append([[]]);
  painter.around(() => stdout.write(`${stdout.isTTY ? multiLine(text) : text}\n`));
}

/** Without a trace: the last error and what to do about it, in the form of every other error of the command. */
function endingLinesOf(result: RunResult<unknown>, hint: string | undefined): string {
  const text = endingText(result);
  if (text === undefined) return '';
  return `error: ${singleLine(text)}\n${hint === undefined ? '' : `${hintText(singleLine(hint))}\n`}`;
}

function stackLines(cause: unknown): Line[] {
  if (cause === undefined) return [];
  const { stack, message } = cause as ErrorData;
  const lines = multiLine(stack ?? message).split('\n');
  return lines.map((line) => [{ text: `    ${line}`, tone: 'quiet' }]);
}
