import { isRecord } from '../../core/json.ts';
import { type Body, type Violations, typeName } from './strict-json.ts';

/** The types of JSON Schema. */
const TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** What OpenAI and Anthropic refuse beside the type of the root. */
const ROOT_COMBINATORS = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', '$ref'];

/** The keys of arguments that Anthropic takes. */
const KEY = /^[a-zA-Z0-9_.-]{1,64}$/u;

/** Chosen: deeper schemas are not looked at; a schema that refers to itself never ends. */
const MAX_DEPTH = 40;

/** One thing that some vendor refuses in a schema: the vendor's words, or undefined where it finds nothing. */
type Rule = (schema: Body, whole: Body) => string | undefined;

/**
 * What is publicly known to be refused anywhere in a tool's schema, whoever refuses it (sources: docs/vendors.md). One such
 * tool makes a vendor refuse every request of a run.
 */
const RULES: readonly Rule[] = [
  // OpenAI: "array schema missing items". Google: "items: missing field".
  ({ type, items, prefixItems }) =>
    [type].flat().includes('array') && items === undefined && prefixItems === undefined
      ? 'array schema missing items'
      : undefined,
  // Anthropic reads draft 2020-12 and nothing older: "JSON schema is invalid. It must match JSON Schema draft 2020-12".
  ({ items }) => (Array.isArray(items) ? "schema must match draft 2020-12: 'items' is a list" : undefined),
  ({ prefixItems }) => (prefixItems === undefined ? undefined : "unknown name 'prefixItems': cannot find field"),
  ({ exclusiveMinimum, exclusiveMaximum }) =>
    [exclusiveMinimum, exclusiveMaximum].some((bound) => typeof bound === 'boolean')
      ? 'schema must match draft 2020-12: an exclusive bound is a number'
      : undefined,
  ({ required }) =>
    required === undefined || (Array.isArray(required) && required.every((key) => typeof key === 'string'))
      ? undefined
      : "schema must match draft 2020-12: 'required' is a list of names",
  // Google: "required[0]: property is not defined".
  ({ required, properties }) =>
    Array.isArray(required) &&
    isRecord(properties) &&
    required.some((key) => typeof key === 'string' && !Object.hasOwn(properties, key))
      ? 'required: property is not defined'
      : undefined,
  ({ type }) => {
    const types = [type].flat();
    if (type === undefined || (types.length > 0 && types.every((name) => TYPES.includes(name)))) return undefined;
    return `${JSON.stringify(type)} is not valid under any of the given schemas`;
  },
  // OpenAI: "enum: [] should be non-empty"; draft 2020-12: the values are unique.
  ({ enum: words }) =>
    words === undefined ||
    (Array.isArray(words) &&
      words.length > 0 &&
      new Set(words.map((word) => JSON.stringify(word))).size === words.length)
      ? undefined
      : 'enum: should be a list of one or more different values',
  ({ properties }) =>
    properties === undefined || (isRecord(properties) && Object.values(properties).every(isRecord))
      ? undefined
      : 'properties: each of them must be a schema',
  ({ $ref: reference }, whole) =>
    reference === undefined || (typeof reference === 'string' && hasTarget(reference, whole))
      ? undefined
      : `reference can't be resolved: ${JSON.stringify(reference)}`,
  ...['anyOf', 'oneOf', 'allOf'].map((keyword): Rule => (schema) => {
    const list = schema[keyword];
    return list === undefined || (Array.isArray(list) && list.length > 0 && list.every(isRecord))
      ? undefined
      : `${keyword}: should be a list of one or more schemas`;
  }),
];

/** Yields what vendors refuse in the schema of a tool's arguments. `isStrict` asks for what OpenAI's `strict: true` does. */
export function* toolSchemaViolations(schema: Body, isStrict = false): Violations {
  if (schema['type'] !== 'object')
    yield `schema must be a JSON Schema of 'type: "object"', got 'type: ${JSON.stringify(schema['type']) ?? 'None'}'.`;
  const combinator = ROOT_COMBINATORS.find((keyword) => schema[keyword] !== undefined);
  if (combinator !== undefined)
    yield `schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level ('${combinator}').`;
  if (!isRecord(schema['properties'])) return yield 'In context=(), object schema missing properties.';
  const key = Object.keys(schema['properties']).find((name) => !KEY.test(name));
  if (key !== undefined) yield `Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$' ('${key.slice(0, 80)}').`;
  yield* schemaViolations(schema, schema, [], isStrict);
}

function* schemaViolations(schema: unknown, whole: Body, context: readonly string[], isStrict: boolean): Violations {
  if (!isRecord(schema) || context.length > MAX_DEPTH) return;
  const at = `In context=(${context.map((step) => `'${step}'`).join(', ')})`;
  for (const rule of RULES) {
    const words = rule(schema, whole);
    if (words !== undefined) yield `${at}, ${words}.`;
  }
  if (isStrict) yield* strictViolations(schema, at);
  for (const [step, child] of childrenOf(schema))
    yield* schemaViolations(child, whole, [...context, ...step], isStrict);
}

/** What `strict: true` asks for: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas. */
function* strictViolations(schema: Body, at: string): Violations {
  if (schema['type'] !== 'object') return;
  if (schema['additionalProperties'] !== false)
    yield `${at}, 'additionalProperties' is required to be supplied and to be false.`;
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  for (const key of Object.keys(isRecord(schema['properties']) ? schema['properties'] : {}))
    if (!required.includes(key)) yield `${at}, 'required' is required to be supplied and to include '${key}'.`;
}

/** The schemas in a schema, with the way to each. */
function* childrenOf(schema: Body): Generator<readonly [readonly string[], unknown], void, undefined> {
  for (const keyword of ['properties', 'patternProperties', '$defs', 'definitions']) {
    const children = schema[keyword];
    if (isRecord(children)) for (const [key, child] of Object.entries(children)) yield [[keyword, key], child];
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const list = schema[keyword];
    if (Array.isArray(list)) for (const [index, child] of list.entries()) yield [[keyword, String(index)], child];
  }
  for (const keyword of ['items', 'additionalProperties', 'not']) yield [[keyword], schema[keyword]];
}

function hasTarget(reference: string, whole: Body): boolean {
  if (!reference.startsWith('#')) return false;
  let node: unknown = whole;
  for (const step of reference.split('/').slice(1)) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    node = isRecord(node) && Object.hasOwn(node, key) ? node[key] : undefined;
  }
  return isRecord(node);
}

/** What is said of a schema that is none. */
export function noSchema(value: unknown): string {
  return `expected an object, got ${typeName(value)}.`;
}
