import type { Json, JsonObject } from '../../core/json.ts';
import { isJsonObject } from '../../core/json.ts';

/** Keywords that hold schemas by key, in a list, or one. */
const BY_KEY: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
const IN_LIST: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf']);
const ALONE: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'propertyNames',
  'contains',
  'not',
  'if',
  'then',
  'else',
]);

/** A schema with each schema directly in it replaced. */
export function mapSchemas(schema: JsonObject, map: (child: JsonObject) => Json): JsonObject {
  const mapped = (child: Json): Json => (isJsonObject(child) ? map(child) : child);
  const made: Record<string, Json> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (BY_KEY.has(keyword) && isJsonObject(value))
      made[keyword] = Object.fromEntries(Object.entries(value).map(([key, child]) => [key, mapped(child)]));
    else if (IN_LIST.has(keyword) && Array.isArray(value)) made[keyword] = (value as readonly Json[]).map(mapped);
    else made[keyword] = ALONE.has(keyword) ? mapped(value) : value;
  }
  return made;
}

/** Chosen: a chain of references that is longer leads in a circle. */
const MAX_REFERENCES = 24;

/** What unfolding may still write: references that lead back would multiply without an end. */
export interface Budget {
  nodes: number;
}

/** Chosen: ten times what the largest tool of 374 in use has. */
const MAX_NODES = 2000;

/** A whole budget. */
export function newBudget(): Budget {
  return { nodes: MAX_NODES };
}

/** What a schema's reference points to in `whole`, with the words that stand beside it; the schema itself where it has none. */
export function resolved(schema: JsonObject, whole: JsonObject): JsonObject {
  let node = schema;
  for (let round = 0; round < MAX_REFERENCES; round += 1) {
    const { $ref: reference, ...beside } = node;
    if (typeof reference !== 'string') return node;
    node = { ...targetOf(reference, whole), ...beside };
  }
  return {};
}

function targetOf(reference: string, whole: JsonObject): JsonObject | undefined {
  if (!/^#(?:\/|$)/.test(reference)) return undefined;
  let node: Json | undefined = whole;
  for (const step of reference.split('/').slice(1)) {
    // RFC 6901 in a fragment: percent-encoded, `~1` for a slash, `~0` for a tilde.
    const key = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
    node =
      isJsonObject(node) && Object.hasOwn(node, key)
        ? node[key]
        : Array.isArray(node)
          ? (node as readonly Json[])[Number(key)]
          : undefined;
  }
  return isJsonObject(node) ? node : undefined;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** The schemas of a list of them. */
export function schemasIn(list: Json | undefined): JsonObject[] {
  return Array.isArray(list) ? (list as readonly Json[]).filter(isJsonObject) : [];
}

/** The declared keys. */
export function propertiesIn(schema: JsonObject): JsonObject {
  return isJsonObject(schema['properties']) ? schema['properties'] : {};
}

/** The keys that must be there. */
export function requiredIn(schema: JsonObject): string[] {
  const { required } = schema;
  return Array.isArray(required) ? (required as readonly Json[]).filter((key) => typeof key === 'string') : [];
}

/** True for a reference that leads to a schema in `whole`. */
export function hasTarget(reference: Json, whole: JsonObject): boolean {
  return typeof reference === 'string' && targetOf(reference, whole) !== undefined;
}

/** Each value once. */
export function distinct(values: readonly Json[]): Json[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** One schema that takes what any of these takes. */
export function anyOfThese(schemas: readonly Json[]): Json {
  const variants = distinct(schemas);
  const [only = {}] = variants;
  return variants.length > 1 ? { anyOf: variants } : only;
}
