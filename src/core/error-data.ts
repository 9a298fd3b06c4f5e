/** What was thrown, as data: plain JSON without secrets, short enough to log, to send and to keep. */
export interface ErrorData {
  /** The error's name; the type of the value (`string`, `object`) where no error was thrown. */
  readonly name: string;
  /** At most 2,000 characters. */
  readonly message: string;
  /** At most 4,000 characters, as the engine writes it; not there where no error was thrown. */
  readonly stack?: string;
  /** A system's or a library's own code (`ECONNRESET`, 23505). */
  readonly code?: string | number;
  readonly cause?: ErrorData;
  /** The first errors of an `AggregateError`. */
  readonly errors?: readonly ErrorData[];
}

/** Chosen: what lies deeper no log prints. */
const MAX_DEPTH = 8;

/** Chosen: errors within one thrown value, causes and members of an `AggregateError` together. */
const MAX_ERRORS = 20;

const MAX_NAME_CHARS = 100;
const MAX_MESSAGE_CHARS = 2000;
const MAX_STACK_CHARS = 4000;

/** Chosen: longer than any secret that is not masked to the end of its text. */
const OVERLAP_CHARS = 20_000;

/**
 * The first `maxChars` characters of a masked text. Masked before it is cut: half a secret is not recognized. Of a huge
 * text only as much is masked as can be shown, and what stands near that edge is dropped.
 */
export function maskedHead(text: string, maxChars: number, mask: (text: string) => string): string {
  const searched = maxChars + 2 * OVERLAP_CHARS;
  const masked = text.length <= searched ? mask(text) : mask(text.slice(0, searched)).slice(0, -OVERLAP_CHARS);
  if (masked.length <= maxChars && text.length <= searched) return masked.toWellFormed();
  return `${masked.slice(0, maxChars - 1)}…`.toWellFormed();
}

/**
 * Turns a thrown value into data. It reads nothing but the fields above, so that headers, requests and other objects
 * on an error stay out; it knows errors of any realm by their fields; each text is masked, then cut. Never throws,
 * whatever getters and proxies do; ends in circles; its work and its size are bounded.
 */
export function errorData(thrown: unknown, mask: (text: string) => string): ErrorData {
  return dataOf(thrown, mask, { errors: MAX_ERRORS, holders: new Set() });
}

interface Left {
  errors: number;
  readonly holders: Set<object>;
}

function dataOf(thrown: unknown, mask: (text: string) => string, left: Left): ErrorData {
  left.errors -= 1;
  const textOf = (text: unknown, maxChars: number): string | undefined =>
    typeof text === 'string' ? maskedHead(text, maxChars, mask) : undefined;
  if (typeof thrown !== 'object' || thrown === null)
    return {
      name: thrown === null ? 'null' : typeof thrown,
      message: maskedHead(wordsOf(thrown), MAX_MESSAGE_CHARS, mask),
    };
  const code = field(thrown, 'code');
  const data: { -readonly [Name in keyof ErrorData]: ErrorData[Name] } = {
    name: textOf(field(thrown, 'name'), MAX_NAME_CHARS) ?? 'object',
    message: textOf(field(thrown, 'message'), MAX_MESSAGE_CHARS) ?? '',
  };
  const stack = textOf(field(thrown, 'stack'), MAX_STACK_CHARS);
  if (stack !== undefined) data.stack = stack;
  if (typeof code === 'number' && Number.isFinite(code)) data.code = code;
  else if (typeof code === 'string') data.code = maskedHead(code, MAX_NAME_CHARS, mask);
  left.holders.add(thrown);
  const inner = (value: unknown): ErrorData[] => {
    const isCircle = typeof value === 'object' && value !== null && left.holders.has(value);
    const isOver = left.errors <= 0 || left.holders.size > MAX_DEPTH;
    return value === undefined || isCircle || isOver ? [] : [dataOf(value, mask, left)];
  };
  const [cause] = inner(field(thrown, 'cause'));
  if (cause !== undefined) data.cause = cause;
  const errors = firstOf(field(thrown, 'errors')).flatMap(inner);
  if (errors.length > 0) data.errors = errors;
  left.holders.delete(thrown);
  return data;
}

/** A value that is no object, in words. */
function wordsOf(value: unknown): string {
  return typeof value === 'function' || typeof value === 'symbol' ? '' : String(value);
}

function firstOf(list: unknown): unknown[] {
  try {
    return Array.isArray(list) ? list.slice(0, MAX_ERRORS) : [];
  } catch {
    return [];
  }
}

/** A field of anything; a getter or a proxy that throws gives nothing. */
function field(value: object, name: keyof ErrorData): unknown {
  try {
    return Reflect.get(value, name);
  } catch {
    return undefined;
  }
}
