import { isRecord } from '../../core/json.ts';

/** A request body as far as it is known: an object. */
export type Body = Readonly<Record<string, unknown>>;

/** What a vendor refuses, one text for each finding; the first one is what it says. */
export type Violations = Generator<string, void, undefined>;

/** What OpenAI, and with it most servers, accepts as the name of a tool: 1 to 64 characters. */
const NAME_64 = /^[a-zA-Z0-9_-]{1,64}$/u;

/** True for a tool's name that OpenAI accepts. */
export function isToolName(value: unknown): value is string {
  return typeof value === 'string' && NAME_64.test(value);
}

/** True for text that `JSON.parse` reads. */
export function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Half a surrogate pair: with the `u` flag a whole pair is one character, and no surrogate. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The path of the first text (or key) that holds half a surrogate pair: no strict JSON reader takes it. */
export function loneSurrogatePath(value: unknown, path = '$'): string | undefined {
  if (typeof value === 'string') return LONE_SURROGATE.test(value) ? path : undefined;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const found = loneSurrogatePath(item, `${path}[${index}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const found = LONE_SURROGATE.test(key) ? `${path}.<key>` : loneSurrogatePath(item, `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** JSON's name of a value's type, as servers say it. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** A value of any type, as an error text shows it. */
export function shown(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 64) : (JSON.stringify(value) ?? 'undefined').slice(0, 64);
}
