/** Stands between words: white space, or a letter of a script that has no capitals (Chinese, Arabic), which no key holds. */
const BETWEEN = /[\s\p{Lo}]/u;

/** A text cut between words, with a mark: half of a secret would not be recognised as one. */
export function cutWords(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  let end = maxChars - 2;
  while (end > 0 && !BETWEEN.test(text.charAt(end))) end -= 1;
  return `${text.slice(0, end).trimEnd()} …`;
}
