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
