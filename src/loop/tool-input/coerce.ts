import type { Json } from '../../core/json.ts';
import { readJson } from './lenient-json.ts';
import { cloneJson } from './clone-json.ts';
import { MAX_DIGITS } from './lenient-reader.ts';
import { typesOf } from './schema-view.ts';
import type { SchemaNode } from './schema-view.ts';

/** A value in another form that means the same. */
export interface Coerced {
  readonly value: Json;
  /** For a developer: "string to number". */
  readonly what: string;
}

/** RFC 8259 section 6; the group is the exponent. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?([eE][+-]?\d+)?$/;

/**
 * The value in the type that the schema asks for, where nothing is lost on the way and the type is not right already:
 * a number, true, false, an object or a list that was written as a text. Never makes or changes a text.
 */
export function coerceType(value: Json, node: SchemaNode): Coerced | undefined {
  const [type, ...others] = typesOf(node);
  if (typeof value !== 'string' || others.length > 0) return undefined;
  switch (type) {
    case 'number':
    case 'integer':
      return coerced(readNumber(value, type), `string to ${type}`);
    case 'boolean':
      return coerced(BOOLEANS.get(value), 'string to boolean');
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

/** JSON's words and Python's. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
  ['True', true],
  ['False', false],
]);

function readNumber(text: string, type: 'number' | 'integer'): number | undefined {
  const written = text.length > 40 ? null : NUMBER.exec(text);
  if (written === null) return undefined;
  const value = Number(text);
  if (type === 'integer' && (written[1] !== undefined || !Number.isInteger(value))) return undefined;
  if (Number.isInteger(value)) return Number.isSafeInteger(value) && !Object.is(value, -0) ? value : undefined;
  const digits = text.replace(/^[-0.]+|\.|[eE].*/g, '').length;
  return digits <= MAX_DIGITS && Number.isFinite(value) ? value : undefined;
}

function readNested(text: string, type: 'object' | 'array'): Json | undefined {
  if (!text.trimStart().startsWith(type === 'object' ? '{' : '[')) return undefined;
  const read = readJson(text);
  if (!read.ok) return undefined;
  const cloned = cloneJson(read.value);
  return cloned.ok ? cloned.value : undefined;
}
