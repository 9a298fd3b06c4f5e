import type { Painter } from './painter.ts';
import { createPainter } from './painter.ts';
import type { Look, Symbols } from './trace-line.ts';
import { asciiSymbols, unicodeSymbols } from './trace-line.ts';

/** The part of the environment that decides how output looks. */
export type TerminalEnvironment = Readonly<Record<string, string | undefined>>;

/** Columns of a line that goes to a file or another program. chosen: nothing that matters is cut off. */
const PIPE_COLUMNS = 160;
/** chosen: below this, two lines of the last column are often not enough for one sentence. */
const NARROW_COLUMNS = 100;
/** A very wide window would tear the columns of the trace apart. */
const MAX_COLUMNS = 140;

/**
 * Whether to colour output: `NO_COLOR` (no-color.org) turns it off, `FORCE_COLOR` on (`0` and `false`: off),
 * else a terminal that is not `dumb` gets colours.
 */
export function hasColor(environment: TerminalEnvironment, isTerminal: boolean): boolean {
  const { NO_COLOR: off, FORCE_COLOR: force, TERM: term } = environment;
  if (off !== undefined && off !== '') return false;
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false';
  return isTerminal && term !== 'dumb';
}

/** Signs that this terminal can show. POSIX says which encoding is in force: LC_ALL, else LC_CTYPE, else LANG. */
export function symbolsFor(environment: TerminalEnvironment): Symbols {
  const { LC_ALL: all, LC_CTYPE: ctype, LANG: lang, TERM: term } = environment;
  if (term === 'linux' || term === 'dumb') return asciiSymbols;
  const locale = [all, ctype, lang].find((value) => value !== undefined && value !== '');
  // Containers often set none at all, and show UTF-8 all the same.
  return locale === undefined || /utf-?8/i.test(locale) ? unicodeSymbols : asciiSymbols;
}

/** How the trace looks on standard error. */
export function lookOf(stream: NodeJS.WriteStream, environment: TerminalEnvironment, isVerbose: boolean): Look {
  const columns = columnsOf(stream);
  return {
    symbols: symbolsFor(environment),
    columns,
    maxLines: !stream.isTTY ? 1 : columns < NARROW_COLUMNS ? 3 : 2,
    showDurations: true,
    isVerbose,
  };
}

/** A painter on a standard stream; it falls silent when nobody reads any more. */
export function painterOn(stream: NodeJS.WriteStream, environment: TerminalEnvironment): Painter {
  let isOpen = true;
  stream.on('error', () => (isOpen = false));
  return createPainter({
    write: (text) => {
      if (isOpen) stream.write(text);
    },
    isLive: stream.isTTY && environment['TERM'] !== 'dumb',
    hasColor: hasColor(environment, stream.isTTY),
    columns: () => columnsOf(stream),
    symbols: symbolsFor(environment),
  });
}

function columnsOf(stream: NodeJS.WriteStream): number {
  // One column stays free: a full line would make some terminals wrap.
  return stream.isTTY ? Math.min(MAX_COLUMNS, stream.columns || 80) - 1 : PIPE_COLUMNS;
}
