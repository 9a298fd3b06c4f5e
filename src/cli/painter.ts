import { styleText } from 'node:util';
import type { Line, Symbols, Tone } from './trace-line.ts';
import { clip } from './terminal-text.ts';

/** Where the trace goes. */
export interface PainterTarget {
  readonly write: (text: string) => void;
  /** True: the status line is repainted in place. False: finished lines only. */
  readonly isLive: boolean;
  readonly hasColor: boolean;
  readonly columns: () => number;
  readonly symbols: Symbols;
}

/** Shows a trace: finished lines are appended, one status line below them is repainted. */
export interface Painter {
  append(lines: readonly Line[]): void;
  /** What is going on now; undefined: nothing. */
  status(text: string | undefined): void;
  /** Runs `write` with the status line out of the way, for output that shares the terminal. */
  around(write: () => void): void;
  /** Removes the status line and stops. Nothing is painted afterwards. */
  close(): void;
}

/** chosen: quick enough to look alive, slow enough to cost nothing. */
const FRAME_MS = 100;
/** Below this a number of seconds would only flicker. */
const SHOW_SECONDS_AFTER_MS = 1000;

type Style = Parameters<typeof styleText>[0];

const STYLES: Readonly<Record<Tone, Style | undefined>> = {
  plain: undefined,
  quiet: 'dim',
  heading: 'bold',
  answer: 'bold',
  good: 'green',
  warning: 'yellow',
  model: 'yellow',
  code: 'cyan',
  nobody: 'red',
};

/** A line with the colours of its tones. */
export function colored(line: Line): string {
  return line.map(({ text, tone }) => paint(text, tone)).join('');
}

function paint(text: string, tone: Tone): string {
  const style = STYLES[tone];
  // The caller has decided on colour; `styleText` must not ask the environment again.
  return style === undefined ? text : styleText(style, text, { validateStream: false });
}

/** A painter for a terminal or a pipe. */
export function createPainter(target: PainterTarget): Painter {
  let status: string | undefined;
  let since = performance.now();
  let frame = 0;
  let isShown = false;
  let isClosed = false;
  const timer = target.isLive ? setInterval(repaint, FRAME_MS) : undefined;
  // The status line must never be what keeps a process alive.
  timer?.unref();

  function erase(): void {
    if (isShown) target.write('\r\u001b[2K');
    isShown = false;
  }

  function repaint(): void {
    if (!target.isLive || isClosed || status === undefined) return;
    frame += 1;
    const { spinner, ellipsis } = target.symbols;
    const elapsedMs = performance.now() - since;
    const seconds = elapsedMs < SHOW_SECONDS_AFTER_MS ? '' : ` ${Math.floor(elapsedMs / 1000)} s`;
    const text = clip(status, Math.max(1, target.columns() - 6 - seconds.length), ellipsis);
    const line: Line = [
      { text: `  ${spinner[frame % spinner.length] ?? ''} `, tone: 'code' },
      { text: text + seconds, tone: 'quiet' },
    ];
    erase();
    target.write(target.hasColor ? colored(line) : line.map((span) => span.text).join(''));
    isShown = true;
  }

  return {
    append(lines) {
      if (isClosed || lines.length === 0) return;
      erase();
      const text = lines.map((line) => (target.hasColor ? colored(line) : line.map((span) => span.text).join('')));
      target.write(`${text.join('\n')}\n`);
    },
    status(text) {
      if (text === status) return;
      if (kindOf(text) !== kindOf(status)) since = performance.now();
      status = text;
      if (text === undefined) erase();
    },
    around(write) {
      erase();
      write();
    },
    close() {
      isClosed = true;
      clearInterval(timer);
      erase();
    },
  };
}

/** Text that grows is still the same thing going on: its clock is not started again. */
function kindOf(status: string | undefined): string | undefined {
  return status?.split(':', 1)[0];
}
