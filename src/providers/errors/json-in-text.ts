import { parseJson } from '../json-fields.ts';

/** An object that a sentence quotes. */
export interface QuotedJson {
  readonly before: string;
  /** Undefined where only single words of it could be read. */
  readonly value: unknown;
  readonly words: readonly string[];
}

/**
 * The object in a sentence of a gateway or a client library: `Error from provider(x: 429): {"error": …}`, bytes of Python
 * (`b'{"error": …}'`), an object of Python (`{'error': …}`), JSON that was escaped once more. Of one that breaks off, its codes.
 */
export function jsonInText(text: string): QuotedJson | undefined {
  const start = text.indexOf('{');
  if (start < 0) return undefined;
  const quoted = text.slice(start, text.lastIndexOf('}') + 1);
  const value = parseJson(quoted) ?? parseJson(unescaped(quoted)) ?? parseJson(fromPython(quoted));
  if (typeof value === 'object' && value !== null)
    return { before: text.slice(0, start).replace(/[: -]*\b[br]?["']?\s*$/, ''), value, words: [] };
  const codes = unescaped(text).matchAll(/["'](?:code|type|status|reason)["']: ?["']?([\w.-]{1,80})/g);
  const words = [...codes].map(([, word = '']) => word);
  return words.length === 0 ? undefined : { before: text, value: undefined, words };
}

function unescaped(text: string): string {
  return text.replace(/\\(n|r|t|["'\\])/g, (_, char: string) => ('nrt'.includes(char) ? ' ' : char));
}

const PYTHON_WORDS: Readonly<Record<string, string>> = { None: 'null', True: 'true', False: 'false' };

/** The strings of Python in double quotes, its words as those of JSON. */
function fromPython(text: string): string {
  return text.replace(
    /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|\b(?:None|True|False)\b/g,
    (word, double?: string, single?: string) => {
      const inner = double ?? single;
      return inner === undefined ? (PYTHON_WORDS[word] ?? word) : JSON.stringify(unescaped(inner));
    },
  );
}
