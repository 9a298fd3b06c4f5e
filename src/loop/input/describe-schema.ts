import type { Json } from '../../core/json.ts';
import {
  allowedValuesOf,
  branchesOf,
  declaredKeys,
  itemNode,
  propertyNode,
  requiredOf,
  typesOf,
} from './schema-view.ts';
import type { SchemaNode } from './schema-view.ts';

/** Chosen: more alternatives than this are a list that nobody reads. */
export const MAX_ALTERNATIVES = 20;

/** Chosen: one phrase of a sentence. */
const MAX_PHRASE_CHARS = 300;
const MAX_KEYS = 8;
const MAX_PATTERN_CHARS = 60;

/** What a value has to be, as a phrase: `a whole number from 1 to 12`, `one of "eco", "boost"`. */
export function describe(node: SchemaNode, depth = 0): string {
  const phrase = phraseOf(node, depth);
  return phrase.length <= MAX_PHRASE_CHARS ? phrase : `${phrase.slice(0, MAX_PHRASE_CHARS - 2)} …`;
}

function phraseOf(node: SchemaNode, depth: number): string {
  const allowed = allowedValuesOf(node);
  if (allowed !== undefined) return describeAllowed(allowed);
  const branches = branchesOf(node);
  if (branches !== undefined) {
    if (depth > 3) return 'a value';
    return [...new Set(branches.map((branch) => describe(branch, depth + 1)))].join(' or ');
  }
  switch (typesOf(node)[0]) {
    case 'string':
      return describeString(node);
    case 'integer':
      return `a whole number${bounds(node)}`;
    case 'number':
      return `a number${bounds(node)}`;
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    case 'array':
      return describeList(node, depth);
    case 'object':
      return describeObject(node, depth);
    default:
      return 'a value';
  }
}

/** `one of "a", "b"`, at most {@link MAX_ALTERNATIVES} of them. */
export function describeAllowed(allowed: readonly Json[]): string {
  const words = allowed.slice(0, MAX_ALTERNATIVES).map((value) => JSON.stringify(value));
  const more = allowed.length - words.length;
  if (words.length === 1) return words.join('');
  return `one of ${words.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Formats of JSON Schema (draft 2020-12 validation, section 7.3) in words that a model can follow. */
const FORMATS: Readonly<Record<string, string>> = {
  email: 'an email address',
  date: 'a date written YYYY-MM-DD',
  time: 'a time written HH:MM:SS',
  'date-time': 'a date and time written 2026-01-31T12:00:00Z',
  duration: 'a duration written like PT1H30M',
  uri: 'a URL',
  url: 'a URL',
  uuid: 'a UUID',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  hostname: 'a host name',
  base64: 'a text in Base64',
};

function describeString(node: SchemaNode): string {
  const { format, pattern } = node.schema as { readonly format?: Json; readonly pattern?: Json };
  const named = typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (named !== undefined) return named;
  const shown = typeof pattern === 'string' && pattern.length <= MAX_PATTERN_CHARS ? ` that matches ${pattern}` : '';
  return `a string${lengthOf(node, 'minLength', 'maxLength', 'character')}${shown}`;
}

function describeList(node: SchemaNode, depth: number): string {
  const prefix = node.schema['prefixItems'];
  if (Array.isArray(prefix) && prefix.length > 0 && depth <= 2) {
    const items = prefix.map((_, index) => describe(itemNode(node, index), depth + 1));
    return `a list of ${items.length}: ${items.join(', then ')}`;
  }
  const length = lengthOf(node, 'minItems', 'maxItems', 'item');
  if (node.schema['items'] === undefined || depth > 2) return `a list${length}`;
  const item = itemNode(node, 0);
  const plain = PLURALS[describe(item, depth + 1)];
  if (plain !== undefined) return `a list of ${plain}${length.replace(/^ of/, ',')}`;
  return `a list${length}, each item ${describe(item, depth + 1)}`;
}

const PLURALS: Readonly<Record<string, string>> = {
  'a string': 'strings',
  'a number': 'numbers',
  'a whole number': 'whole numbers',
  'an object': 'objects',
};

function describeObject(node: SchemaNode, depth: number): string {
  if (declaredKeys(node).length === 0 || depth > 1) return 'an object';
  return `an object with ${describeKeys(node, depth + 1)}`;
}

const NOTHING_KNOWN: ReadonlyMap<string, string> = new Map();

/**
 * The keys of an object with what each has to be: `"street" (a string), "zip" (a string, optional)`.
 * `known` has better words for some of them.
 */
export function describeKeys(node: SchemaNode, depth = 0, known: ReadonlyMap<string, string> = NOTHING_KNOWN): string {
  const keys = declaredKeys(node);
  const required = new Set(requiredOf(node));
  const shown = keys.slice(0, MAX_KEYS).map((key) => {
    const property = propertyNode(node, key);
    const phrase = known.get(key) ?? (property === undefined ? 'a value' : describe(property, depth + 1));
    return `${JSON.stringify(key)} (${phrase}${required.has(key) ? '' : ', optional'})`;
  });
  return `${shown.join(', ')}${keys.length > shown.length ? ` and ${keys.length - shown.length} more keys` : ''}`;
}

function bounds({ schema }: SchemaNode): string {
  const said = (words: string, keyword: string): string => {
    const value = limit(schema[keyword]);
    return value === undefined ? '' : `${words} ${value}`;
  };
  const step = said(', a multiple of', 'multipleOf');
  const from = said(' from', 'minimum');
  const to = said(' to', 'maximum');
  if (from !== '' && to !== '') return from + to + step;
  const low = said(' above', 'exclusiveMinimum') || said(' of at least', 'minimum');
  const high = said(' below', 'exclusiveMaximum') || said(' of at most', 'maximum');
  return (low !== '' && high !== '' ? `${low} and${high}` : low + high) + step;
}

/** Zod writes the bounds of safe integers into every schema of an integer; they say nothing to a model. */
function limit(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
}

function lengthOf({ schema }: SchemaNode, minWord: string, maxWord: string, unit: string): string {
  const min = limit(schema[minWord]);
  const max = limit(schema[maxWord]);
  const units = (count: number): string => `${count} ${unit}${count === 1 ? '' : 's'}`;
  if (min !== undefined && min === max) return ` of ${units(min)}`;
  if (min !== undefined && max !== undefined) return ` of ${min} to ${units(max)}`;
  if (min !== undefined && min > 0) return ` of at least ${units(min)}`;
  return max === undefined ? '' : ` of at most ${units(max)}`;
}

/** What kind of value came, never the value itself: a model repeats what it reads (docs/error-texts.md). */
export function kindOf(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  switch (typeof value) {
    case 'string':
      return value === '' ? 'an empty string' : 'a string';
    case 'number':
      return Number.isInteger(value) ? 'a number' : 'a number with a fraction';
    case 'boolean':
      return 'a boolean';
    default:
      return 'an object';
  }
}
