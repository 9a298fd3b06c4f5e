import { isRecord } from '../core/json.ts';

/** Both methods are in every supported host (Node 20); the ES2023 types do not know them. */
type WellFormable = string & { isWellFormed(): boolean; toWellFormed(): string };

/** Replaces lone surrogates: strict servers refuse a body that holds one. Costs next to nothing for a text without. */
export function wellFormed(text: string): string {
  const checked = text as WellFormable;
  return checked.isWellFormed() ? text : checked.toWellFormed();
}

/** `JSON.stringify` of a JSON value, without lone surrogates. */
export function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value) ?? 'null';
  // A lone surrogate is written as an escape, so most texts are cleared by one search; a long text with escapes of every
  // other kind is searched slowly, and its own check is fast.
  const mayHaveLone = json.length > MAX_SEARCHED_CHARS ? !isClean(value) : json.includes('\\ud');
  return mayHaveLone ? JSON.stringify(replaceLone(value)) : json;
}

/** Chosen: from here on a walk through the value costs less than a search of its JSON. */
const MAX_SEARCHED_CHARS = 20_000;

function isClean(value: unknown): boolean {
  if (typeof value === 'string') return (value as WellFormable).isWellFormed();
  if (Array.isArray(value)) return value.every(isClean);
  return !isRecord(value) || Object.entries(value).every(([key, item]) => isClean(key) && isClean(item));
}

function replaceLone(value: unknown): unknown {
  if (typeof value === 'string') return wellFormed(value);
  if (Array.isArray(value)) return value.map(replaceLone);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [wellFormed(key), replaceLone(item)]));
}
