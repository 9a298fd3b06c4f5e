/** Of what is kept, this part is the head: the beginning says most, the end has totals and the last error. Chosen. */
const HEAD_SHARE = 0.7;

/**
 * A text of at most `maxChars` characters: head and tail are kept, and between them stands how much was left out.
 * No character of two code units is cut in half.
 */
export function capText(text: string, maxChars: number): string {
  const { length } = text;
  if (length <= maxChars) return text;
  // The note is as long as its numbers: with the longest one the result can't be too long.
  const room = maxChars - note(length, length).length;
  if (room <= 0) return text.slice(0, safeCut(text, Math.max(0, maxChars)));
  const headEnd = safeCut(text, Math.ceil(room * HEAD_SHARE));
  const tailStart = safeCut(text, length - (room - headEnd), 'later');
  return text.slice(0, headEnd) + note(tailStart - headEnd, length) + text.slice(tailStart);
}

function note(leftOut: number, length: number): string {
  return `\n[… ${leftOut} of ${length} characters left out …]\n`;
}

/** The index itself, or one beside it where the cut would fall into a surrogate pair. */
function safeCut(text: string, index: number, direction: 'earlier' | 'later' = 'earlier'): number {
  const isWhole = (text.codePointAt(index - 1) ?? 0) <= 0xffff;
  if (isWhole) return index;
  return direction === 'earlier' ? index - 1 : index + 1;
}
