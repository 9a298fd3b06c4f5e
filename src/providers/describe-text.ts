/** Chosen: the first words of a page or a message are in it, and any pattern is fast on it. */
const MAX_READ_CHARS = 4096;

/** The beginning of a text in one line, of `maxChars` at most. */
export function excerpt(text: string, maxChars: number): string {
  const line = text.slice(0, MAX_READ_CHARS).replace(/\s+/g, ' ').trim();
  return line.length > maxChars ? `${line.slice(0, maxChars)}...` : line;
}

/** Names a text that should have been something else: the title of a page, or its first words. */
export function describeText(text: string): string {
  const head = text.slice(0, MAX_READ_CHARS);
  const title = /<title[^>]*>([^<]{1,200})/i.exec(head)?.[1];
  const isPage = head.trimStart().startsWith('<');
  return excerpt(title ?? (isPage ? head.replace(/<[^>]{0,500}>/g, ' ') : head), 300);
}
