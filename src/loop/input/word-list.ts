/** Where a message begins to list words: "Must be one of A, B", "expected one of the following: 'a' | 'b'". */
const LIST = /\bone of(?: (?:the following|these))?(?: (?:values|words|options))?:?\s+([^]{1,600})$/i;

/** Chosen: longer entries are prose, not words. */
const MAX_WORD_CHARS = 60;

/** The words that a validator's message says are allowed, or undefined where it lists none. */
export function wordsListedIn(message: string): readonly string[] | undefined {
  const list = LIST.exec(message.slice(0, 1000))?.[1];
  if (list === undefined) return undefined;
  const words = list
    .replace(/(?:\.\s|[,;]? (?:but )?(?:got|received|was) |\n).*$/s, '')
    .split(/\s*(?:[,|;]|\bor\b)\s*/i)
    .map((word) => word.replace(/^[\s"'`[({]+|[\s"'`\])}.!]+$/g, ''))
    .filter((word) => word !== '');
  if (words.length < 2 || words.some((word) => word.length > MAX_WORD_CHARS)) return undefined;
  return [...new Set(words)];
}
