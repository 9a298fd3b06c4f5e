import type { Json, JsonObject } from '../../core/json.ts';

/** The same text for the same call, whatever the order of its keys. */
export function callKey(toolName: string, input: JsonObject): string {
  return `${toolName} ${canonicalJson(input)}`;
}

/** JSON with sorted keys. Numbers are written as JavaScript does, so `1`, `1.0` and `1e0` are the same. */
function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const object = value as JsonObject;
  const keys = Object.keys(object);
  if (keys.length > 1) keys.sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key] ?? null)}`).join(',')}}`;
}
