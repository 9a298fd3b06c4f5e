import { cutWords } from '../core/cut-words.ts';

/** Chosen: the first words of a page or a message are in it, and any pattern is fast on it. */
const MAX_READ_CHARS = 4096;

/** Takes out of a text what nobody may read. */
export type Mask = (text: string) => string;

/** The beginning of a text in one line, of `maxChars` at most. It is masked before it is cut. */
export function excerpt(text: string, maxChars: number, mask: Mask): string {
  const line = headOf(text, mask).replace(/\s+/g, ' ').trim();
  if (line.length <= maxChars) return line;
  const words = cutWords(line, maxChars);
  // A text without spaces would lose all of itself.
  return words.length > maxChars / 2 ? words : `${line.slice(0, maxChars - 2)} …`;
}

/** Names a text that should have been something else: the title of a page, or its first words. */
export function describeText(text: string, mask: Mask): string {
  const head = headOf(text, mask);
  const title = /<title[^>]*>([^<]+)/i.exec(head)?.[1];
  const isPage = head.trimStart().startsWith('<');
  // The masks stay: they hold nothing that could be masked again.
  return excerpt(title ?? (isPage ? head.replace(/<[^>]{0,500}>/g, ' ') : head), 300, (masked) => masked);
}

function headOf(text: string, mask: Mask): string {
  return mask(text.slice(0, MAX_READ_CHARS));
}
