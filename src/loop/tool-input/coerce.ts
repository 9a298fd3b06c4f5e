import type { Json } from '../../core/json.ts';
import { isOfType } from './fits.ts';
import { readJson } from './lenient-json.ts';
import { cloneJson } from './clone-json.ts';
import { typesOf } from './schema-view.ts';
import type { SchemaNode } from './schema-view.ts';

/** A value in another form that means the same. */
export interface Coerced {
  readonly value: Json;
  /** For a developer: "string to number". */
  readonly what: string;
}

/** RFC 8259 section 6, without an exponent. */
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const EXPONENT_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?[eE][+-]?\d+$/;

/** A double holds 15 decimal digits of any number (IEEE 754); with more, the number may not be the one that was written. */
const MAX_DIGITS = 15;

/**
 * The value in the type that the schema asks for, where nothing is lost on the way and the type is not right already:
 * a number, true, false, an object or a list that was written as a text. Never makes or changes a text.
 */
export function coerceType(value: Json, node: SchemaNode): Coerced | undefined {
  if (typeof value !== 'string') return undefined;
  const types = typesOf(node);
  const type = types[0];
  if (type === undefined || types.length > 1 || type === 'string') return undefined;
  switch (type) {
    case 'number':
    case 'integer': {
      const number = readNumber(value, type);
      return number === undefined ? undefined : { value: number, what: `string to ${type}` };
    }
    case 'boolean': {
      const boolean = BOOLEANS.get(value);
      return boolean === undefined ? undefined : { value: boolean, what: 'string to boolean' };
    }
    case 'object':
    case 'array': {
      const read = readNested(value, type);
      return read === undefined ? undefined : { value: read, what: `JSON text to ${type}` };
    }
    default:
      return undefined;
  }
}

/** JSON's words and Python's. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
  ['True', true],
  ['False', false],
]);

function readNumber(text: string, type: 'number' | 'integer'): number | undefined {
  if (text.length > 40) return undefined;
  if (!PLAIN_NUMBER.test(text) && (type === 'integer' || !EXPONENT_NUMBER.test(text))) return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  if (type === 'integer' && !Number.isInteger(value)) return undefined;
  if (Number.isInteger(value)) return Number.isSafeInteger(value) && !Object.is(value, -0) ? value : undefined;
  const digits = text
    .replace(/[eE].*$/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '').length;
  return digits <= MAX_DIGITS ? value : undefined;
}

function readNested(text: string, type: 'object' | 'array'): Json | undefined {
  const start = text.trimStart()[0];
  if (start !== (type === 'object' ? '{' : '[')) return undefined;
  const read = readJson(text);
  if (!read.ok) return undefined;
  const cloned = cloneJson(read.value);
  return cloned.ok && isOfType(cloned.value, type) ? cloned.value : undefined;
}
