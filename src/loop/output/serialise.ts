import { isPlainData } from './plain-data.ts';
import { writeValue } from './write-value.ts';

/** Vendors refuse a text without a character. */
const EMPTY = '(empty text)';

/** Chosen: far above any cap of a tool's output, far below what hurts a process. */
const MAX_CHARS = 1_000_000;

/**
 * Whatever a tool returned, as text for a model: a text as it is, everything else as JSON, with an honest word for what
 * JSON does not have. Never throws, never builds much more than `maxChars` (texts that are there already are not shortened). `mask` takes secrets out of a text before that is cut.
 */
export function serialise(value: unknown, maxChars: number = MAX_CHARS, mask?: (text: string) => string): string {
  if (typeof value === 'string') return value.toWellFormed() || EMPTY;
  if (value === undefined || value === null) return '(no output)';
  try {
    if (isPlainData(value)) return JSON.stringify(value).toWellFormed();
    return writeValue(value, maxChars, mask).toWellFormed() || EMPTY;
  } catch {
    // Only a value that fights back gets here: a proxy whose every trap throws.
    return '(a value that can not be shown)';
  }
}
