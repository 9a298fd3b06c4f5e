import { isRecord } from '../core/json.ts';

/** The value of a text, or undefined where it is not one whole JSON value. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Chosen: ten times as deep as any real reply; what is much deeper can't be written as JSON again. */
const MAX_DEPTH = 500;

/** True for JSON that is nested deeper than any real one. */
export function isTooDeep(json: string): boolean {
  // Most texts are too short for it.
  if (json.length <= 2 * MAX_DEPTH) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === 0x22) at = endOfString(json, at);
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return false;
}

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json.charCodeAt(at) !== 0x22) at += json.charCodeAt(at) === 0x5c ? 2 : 1;
  return at;
}

/** The value where it is a string, else undefined. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value where it is a record, else undefined. */
export function recordOf(value: unknown): Record<string, unknown> | undefined {
  return isRecord(value) ? value : undefined;
}

/** True where a value of a wrong type holds something, so that leaving it out would lose a piece of the reply. */
export function holdsSomething(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

/** The value where it is an array, else an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A place in a list, as servers name it: a whole number from 0 on, as a number or as text. */
export function placeOf(index: unknown): number | undefined {
  const place = typeof index === 'string' && index.trim() !== '' ? Number(index) : index;
  return Number.isInteger(place) && (place as number) >= 0 ? (place as number) : undefined;
}
