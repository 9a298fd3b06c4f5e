import { isJsonObject } from '../../core/json.ts';
import type { Json } from '../../core/json.ts';
import { readJson } from './lenient-json.ts';
import { cloneJson } from './clone-json.ts';
import { MAX_DIGITS } from './lenient-reader.ts';
import { isOfType } from './fits.ts';
import { allowedValuesOf, typesOf } from './schema-view.ts';
import type { SchemaNode } from './schema-view.ts';

/** A value in another form that means the same. */
export interface Coerced {
  readonly value: Json;
  /** For a developer: "string to number". */
  readonly what: string;
}

/** RFC 8259 section 6, and a plus before it; the group is the exponent. */
const NUMBER = /^[+-]?(?:0|[1-9]\d*)(?:\.\d+)?([eE][+-]?\d+)?$/;

/**
 * The value in the type that the schema asks for, where nothing is lost on the way and the type is not right already:
 * a number, true, false, an object or a list that was written as a text; what stands alone in a list or under `value`.
 * Never makes or changes a text.
 */
export function coerceType(value: Json, node: SchemaNode): Coerced | undefined {
  const [type = typeof allowedValuesOf(node)?.[0], ...others] = typesOf(node);
  if (others.length > 0 || isOfType(value, type)) return undefined;
  if (typeof value === 'string') return readAs(value, type);
  const inner = onlyMember(value, type);
  if (inner === undefined) return undefined;
  if (isOfType(inner, type))
    return { value: inner, what: `${Array.isArray(value) ? 'list of one' : 'object'} to ${type}` };
  return typeof inner === 'string' ? readAs(inner, type) : undefined;
}

/** `90` in `[90]` and in `{ value: 90 }`, where neither a list nor an object is asked for. */
function onlyMember(value: Json, type: string): Json | undefined {
  if (Array.isArray(value)) return type === 'array' || value.length !== 1 ? undefined : (value as readonly Json[])[0];
  if (!isJsonObject(value) || type === 'object') return undefined;
  return Object.keys(value).join() === 'value' ? value['value'] : undefined;
}

/** A text read as what the schema asks for. */
function readAs(value: string, type: string): Coerced | undefined {
  switch (type) {
    case 'number':
    case 'integer':
      return coerced(readNumber(value, type), `string to ${type}`);
    case 'boolean':
      return coerced(BOOLEANS.get(value.trim().toLowerCase()), 'string to boolean');
    case 'object':
    case 'array':
      return coerced(readNested(value, type), `JSON text to ${type}`);
    default:
      return undefined;
  }
}

function coerced(value: Json | undefined, what: string): Coerced | undefined {
  return value === undefined ? undefined : { value, what };
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

function readNumber(given: string, type: 'number' | 'integer'): number | undefined {
  const text = given.length > 60 ? given : given.trim();
  const written = text.length > 40 ? null : NUMBER.exec(text);
  if (written === null) return undefined;
  const value = Number(text);
  if (type === 'integer' && (written[1] !== undefined || !Number.isInteger(value))) return undefined;
  if (Number.isInteger(value)) return Number.isSafeInteger(value) && !Object.is(value, -0) ? value : undefined;
  const digits = text.replace(/^[+\-0.]+|\.|[eE].*/g, '').length;
  return digits <= MAX_DIGITS && Number.isFinite(value) ? value : undefined;
}

function readNested(text: string, type: 'object' | 'array'): Json | undefined {
  if (!text.trimStart().startsWith(type === 'object' ? '{' : '[')) return undefined;
  const read = readJson(text);
  if (!read.ok) return undefined;
  const cloned = cloneJson(read.value);
  return cloned.ok ? cloned.value : undefined;
}
