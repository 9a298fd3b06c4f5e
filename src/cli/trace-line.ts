import type { Owner } from '../core/failure.ts';
import type { Ellipsis } from './terminal-text.ts';
import { displayWidth, padEnd, singleLine, wrap } from './terminal-text.ts';

/** What a piece of a line means; how that looks is the painter's business. */
export type Tone = 'plain' | 'quiet' | 'heading' | 'answer' | 'good' | 'warning' | Owner;

/** A piece of a line in one tone. */
export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

/** One line of the trace. */
export type Line = readonly Span[];

/** The signs that the trace uses, each one column wide. */
export interface Symbols {
  readonly good: string;
  readonly bad: string;
  readonly mended: string;
  readonly warning: string;
  readonly stopped: string;
  readonly says: string;
  readonly ellipsis: Ellipsis;
  /** Shown in turn before the status line. */
  readonly spinner: readonly string[];
}

/** For terminals that show Unicode. */
export const unicodeSymbols: Symbols = {
  good: '✓',
  bad: '✗',
  mended: '~',
  warning: '!',
  stopped: '■',
  says: '›',
  ellipsis: '…',
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
};

/** For those that don't. */
export const asciiSymbols: Symbols = {
  good: '+',
  bad: 'x',
  mended: '~',
  warning: '!',
  stopped: '#',
  says: '>',
  ellipsis: '...',
  spinner: ['|', '/', '-', '\\'],
};

/** How the trace is laid out. */
export interface Look {
  readonly symbols: Symbols;
  /** Columns that a line may take. */
  readonly columns: number;
  /** Lines that the last column may take: 1 where lines are read by a program. */
  readonly maxLines: number;
  /** False where the trace has to be the same for every run. */
  readonly showDurations: boolean;
  /** True: each failure is followed by its message for developers. */
  readonly isVerbose: boolean;
  /** True where streamed text is on the screen already, and the trace does not repeat it. */
  readonly hasLiveText?: boolean | undefined;
}

/** A row of the trace: what it is about, who owns it, what is done. */
export interface Row {
  readonly symbol: 'good' | 'bad' | 'mended' | 'warning' | 'stopped';
  readonly what: string;
  readonly owner?: Owner | undefined;
  /** Reads as a sentence whose subject is the owner. */
  readonly done: string;
  readonly isQuiet?: boolean | undefined;
}

/** Columns of the longest owner, `nobody`. */
const OWNER_COLUMNS = 6;
/** Two spaces, the symbol, a space. */
const LEAD_COLUMNS = 4;

/** Below this there is no room for three columns. */
const MIN_TABLE_COLUMNS = 60;

/** Lays out a row: `  ✗ what            owner   done`. The columns go on below themselves where they are too long. */
export function row(look: Look, cells: Row): Line[] {
  if (look.columns < MIN_TABLE_COLUMNS) return stackedRow(look, cells);
  const { symbol, what, owner, done, isQuiet = false } = cells;
  // chosen: room for a call with two arguments; the last column, which tells most, gets more than half of the line.
  const whatColumns = Math.min(44, 12 + Math.floor(look.columns * 0.2));
  const doneColumns = look.columns - LEAD_COLUMNS - whatColumns - 2 - OWNER_COLUMNS - 2;
  const left = wrapped(look, what, whatColumns);
  const right = wrapped(look, done, doneColumns);
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
    const isFirst = index === 0;
    return trimEnd([
      { text: isFirst ? lead(look, symbol) : ' '.repeat(LEAD_COLUMNS), tone: symbolTone(symbol, owner) },
      { text: padEnd(left[index] ?? '', whatColumns + 2), tone: 'plain' },
      { text: padEnd((isFirst ? owner : undefined) ?? '', OWNER_COLUMNS + 2), tone: owner ?? 'plain' },
      { text: right[index] ?? '', tone: isQuiet ? 'quiet' : 'plain' },
    ]);
  });
}

/** A row for a narrow terminal: what it is about, and below it `owner: done`. */
function stackedRow(look: Look, { symbol, what, owner, done, isQuiet = false }: Row): Line[] {
  const columns = columnsAfterLead(look);
  const [first = '', ...others] = wrapped(look, what, columns);
  const said = owner === undefined ? done : `${owner}: ${done}`;
  return [
    [
      { text: lead(look, symbol), tone: symbolTone(symbol, owner) },
      { text: first, tone: 'plain' },
    ],
    ...others.map((line): Line => [{ text: `    ${line}`, tone: 'plain' }]),
    ...(said === '' ? [] : wrapped(look, said, columns)).map((line): Line => [
      { text: `    ${line}`, tone: isQuiet ? 'quiet' : (owner ?? 'plain') },
    ]),
  ];
}

function lead(look: Look, symbol: Row['symbol']): string {
  return `  ${look.symbols[symbol]} `;
}

function wrapped(look: Look, text: string, columns: number): string[] {
  return wrap(singleLine(text), columns, look.maxLines, look.symbols.ellipsis);
}

/** Columns that are left behind the indent of a row. */
function columnsAfterLead(look: Look): number {
  return Math.max(4, look.columns - LEAD_COLUMNS);
}

/** A remark below a row, over the whole width. */
export function note(look: Look, text: string, tone: Tone): Line[] {
  const columns = columnsAfterLead(look);
  const lines = wrap(singleLine(text), columns, Math.max(2, look.maxLines), look.symbols.ellipsis);
  return lines.map((line) => [{ text: `    ${line}`, tone }]);
}

/** The text of a line, its tones forgotten. */
export function lineText(line: Line): string {
  return line.map((span) => span.text).join('');
}

function symbolTone(symbol: Row['symbol'], owner: Owner | undefined): Tone {
  switch (symbol) {
    case 'good':
      return 'good';
    case 'mended':
      return owner ?? 'code';
    case 'bad':
      return owner ?? 'nobody';
    case 'warning':
      return 'warning';
    case 'stopped':
      return 'nobody';
  }
}

function trimEnd(line: Line): Line {
  const last = line.findLastIndex((span) => span.text.trimEnd() !== '');
  return line.slice(0, last + 1).map((span, index) => (index === last ? { ...span, text: span.text.trimEnd() } : span));
}

/** Columns that a line takes. */
export function lineWidth(line: Line): number {
  return line.reduce((width, span) => width + displayWidth(span.text), 0);
}
