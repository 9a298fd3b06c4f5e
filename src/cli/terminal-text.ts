import { stripVTControlCharacters } from 'node:util';

/** What stands for text that was left out. */
export type Ellipsis = '…' | '...';

/**
 * Text that is safe to show: escape sequences are removed and every run of white space or control characters is one
 * space, so that a tool's output or a model's text can neither move the cursor nor break a line of the trace.
 */
export function singleLine(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
}

/** Text for a terminal, lines kept: escape sequences, control characters and what turns the direction of text are removed. */
export function multiLine(text: string): string {
  return stripVTControlCharacters(text).replace(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, '');
}

/** How many columns of a terminal `text` takes. Exact for what `singleLine` gives, without ambiguous-width tables. */
export function displayWidth(text: string): number {
  if (isPrintableAscii(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** `text`, or its start and an ellipsis where it takes more than `columns`. */
export function clip(text: string, columns: number, ellipsis: Ellipsis): string {
  if (text.length <= columns && isPrintableAscii(text)) return text;
  if (displayWidth(text) <= columns) return text;
  const room = columns - ellipsis.length;
  if (room <= 0) return ellipsis.slice(0, Math.max(0, columns));
  return start(text, room).trimEnd() + ellipsis;
}

/** The end of `text` that fits into `columns`, for a line that grows. */
export function clipStart(text: string, columns: number, ellipsis: Ellipsis): string {
  if (displayWidth(text) <= columns) return text;
  const room = columns - ellipsis.length;
  let kept = '';
  let width = 0;
  for (const character of Array.from(text.slice(-columns * 2)).toReversed()) {
    width += characterWidth(character);
    if (width > room) break;
    kept = character + kept;
  }
  return ellipsis + kept;
}

/** `text` filled up with spaces to `columns`. */
export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
}

/** `text` in at most `maxLines` lines of at most `columns`, broken at spaces where there are some; the last one is clipped. */
export function wrap(text: string, columns: number, maxLines: number, ellipsis: Ellipsis): string[] {
  const lines: string[] = [];
  let rest = text;
  while (lines.length < maxLines - 1 && displayWidth(rest) > columns) {
    const head = start(rest, columns);
    const space = rest.charAt(head.length) === ' ' ? head.length : head.lastIndexOf(' ');
    // A break that would leave most of the line empty is worse than a word cut in two.
    const end = space > head.length / 2 ? space : head.length;
    lines.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  lines.push(clip(rest, columns, ellipsis));
  return lines;
}

/** As much of the start of `text` as fits into `columns`. */
function start(text: string, columns: number): string {
  let kept = '';
  let width = 0;
  for (const character of text) {
    width += characterWidth(character);
    if (width > columns) break;
    kept += character;
  }
  return kept;
}

function isPrintableAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/** Wide: Unicode's East Asian Width W and F (UAX #11), as ranges coarse enough for a trace. */
function characterWidth(character: string): 0 | 1 | 2 {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (/^[\p{Mn}\p{Me}\p{Cf}]$/u.test(character)) return 0;
  if (code >= 0x1100 && code <= 0x115f) return 2;
  if (code >= 0x2e80 && code <= 0xa4cf) return 2;
  if (code >= 0xac00 && code <= 0xd7a3) return 2;
  if (code >= 0xf900 && code <= 0xfaff) return 2;
  if (code >= 0xfe30 && code <= 0xfe6f) return 2;
  if (code >= 0xff00 && code <= 0xff60) return 2;
  if (code >= 0x1f300 && code <= 0x1faff) return 2;
  if (code >= 0x20000 && code <= 0x3fffd) return 2;
  return 1;
}
