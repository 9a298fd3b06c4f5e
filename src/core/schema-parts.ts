import type { Json, JsonObject } from './json.ts';
import { isJsonObject } from './json.ts';

/** Chosen: a chain of references that is longer leads in a circle. */
const MAX_REFERENCES = 24;

/** What a schema's reference points to in `whole`, with the words that stand beside it; the schema itself where it has none. */
export function resolved(schema: JsonObject, whole: JsonObject): JsonObject {
  let node = schema;
  for (let round = 0; round < MAX_REFERENCES; round += 1) {
    const { $ref: reference, ...beside } = node;
    if (typeof reference !== 'string') return node;
    const target = targetOf(reference, whole);
    // Caches go by the object: what needs no copy stays the same one.
    node = target === undefined ? beside : Object.keys(beside).length === 0 ? target : { ...target, ...beside };
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
