import type { Painter } from './painter.ts';
import { multiLine } from './terminal-text.ts';

/** The text of a reply, shown on a terminal while it is written. */
export interface LiveText {
  readonly isOpen: boolean;
  /** Shows one more piece. */
  write(piece: string): void;
  /** Ends the text: what is shown next begins on a line of its own. */
  end(): void;
  /** True where exactly this was the last text that was shown. */
  hasShown(text: string): boolean;
}

/** An escape sequence, or half a character, that the next piece may complete. */
const UNFINISHED = /(?:\u001b(?:\[[0-?]*[ -/]*)?|[\u001b\u009b\u009d\u0090][^\u0007\u001b\u009c]*|[\ud800-\udbff])$/;

/** Chosen: longer than any real escape sequence. What is held back longer is no sequence and is shown without its control characters. */
const MAX_HELD = 200;

/** Shows text as it comes, below the trace: `write` goes to standard output, and the painter makes room. */
export function createLiveText(painter: Painter, write: (text: string) => void): LiveText {
  let isOpen = false;
  let shown = '';
  let held = '';

  function show(text: string): void {
    if (text !== '') painter.around(() => write(text));
  }

  return {
    get isOpen() {
      return isOpen;
    },
    write(piece) {
      if (!isOpen) {
        painter.status(undefined);
        painter.append([[]]);
        isOpen = true;
        shown = '';
      }
      shown += piece;
      const text = held + piece;
      const unfinished = UNFINISHED.exec(text.slice(-MAX_HELD))?.[0] ?? '';
      held = unfinished;
      show(multiLine(text.slice(0, text.length - unfinished.length)));
    },
    end() {
      if (!isOpen) return;
      isOpen = false;
      const rest = multiLine(held);
      held = '';
      show(shown.endsWith('\n') && rest === '' ? '' : `${rest}\n`);
    },
    hasShown: (text) => text === shown,
  };
}
