import { isRecord } from '../core/json.ts';

/** The value of a text, or undefined where it is not one whole JSON value. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value where it is a string, else undefined. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value where it is a record, else undefined. */
export function recordOf(value: unknown): Record<string, unknown> | undefined {
  return isRecord(value) ? value : undefined;
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
