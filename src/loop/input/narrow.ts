import { isJsonObject } from '../../core/json.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { JsonSchema, StandardIssue } from '../../core/schema.ts';
import { fits, isOfType, outOfBounds, workBudget } from './fits.ts';
import { likeliest, locate } from './locate.ts';
import { keysOf, pathOf, valueAt } from './path.ts';
import { branchesOf, itemNode, partsOf, propertyNode, requiredOf, rootNode, typesOf } from './schema-view.ts';
import type { SchemaNode } from './schema-view.ts';

type Keys = readonly (string | number)[];

/** Chosen: what is wrong deeper inside is told as a whole. */
const MAX_DEPTH = 20;

/** Chosen: more places of one value than this are another value. */
const MAX_PLACES = 8;

/**
 * Issues about unions, said of the branch that fits best: validators name the union as a whole, or every branch's problem,
 * which contradict each other.
 */
export function narrowed(issues: readonly StandardIssue[], schema: JsonSchema, value: Json): StandardIssue[] {
  const found: StandardIssue[] = [];
  const seen = new Set<string>();
  for (const issue of issues) {
    const keys = keysOf(issue);
    const union = firstUnion(keys, rootNode(schema), value);
    if (union === undefined) {
      found.push(...placesInside(issue, keys, schema, value));
      continue;
    }
    const { at, branch, inside } = union;
    const next = keys[at.length];
    // A place in that branch stays as the validator says it.
    if (next !== undefined && (isDeclared(branch, next) || inside === undefined)) {
      found.push(issue);
      continue;
    }
    const path = pathOf(at);
    if (seen.has(path)) continue;
    seen.add(path);
    const places = inside === undefined ? [] : problemsIn(inside, branch);
    for (const place of places.slice(0, MAX_PLACES)) found.push({ path: [...at, ...place], message: '' });
    if (places.length === 0)
      found.push(
        ...nestedIssues(issue, at),
        ...(next === undefined && nestedIssues(issue, at).length === 0 ? [issue] : []),
      );
  }
  return found.length === 0 ? [...issues] : found;
}

/** An issue about a whole object or list, said of what is wrong in it, where the JSON Schema shows that. */
function placesInside(issue: StandardIssue, keys: Keys, schema: JsonSchema, value: Json): StandardIssue[] {
  const { node, value: inside } = locate(keys, schema, value);
  if (node === undefined || typeof inside !== 'object' || inside === null || 'keys' in issue) return [issue];
  const places = problemsIn(inside, node).filter((place) => place.length > 0);
  return places.length === 0
    ? [issue]
    : places.slice(0, MAX_PLACES).map((place) => ({ path: [...keys, ...place], message: '' }));
}

/** The first union on the way to a place whose likeliest branch is clear. */
function firstUnion(
  keys: Keys,
  root: SchemaNode,
  value: Json,
): { readonly at: Keys; readonly branch: SchemaNode; readonly inside: Json | undefined } | undefined {
  let node: SchemaNode | undefined = root;
  for (let depth = 0; depth <= keys.length && node !== undefined; depth += 1) {
    const at = keys.slice(0, depth);
    const inside = valueAt(value, at);
    const branch: SchemaNode = likeliest(node, inside);
    if (branch !== node) return { at, branch, inside };
    const key = keys[depth];
    if (key === undefined) return undefined;
    node = typeof key === 'number' ? itemNode(node, key) : propertyNode(node, key);
  }
  return undefined;
}

function isDeclared(node: SchemaNode, key: string | number): boolean {
  return typeof key === 'number' || propertyNode(node, key) !== undefined;
}

/** What Zod found in the branches of a union, where the JSON Schema shows nothing: of the branch with the fewest problems. */
function nestedIssues(issue: StandardIssue, at: Keys): StandardIssue[] {
  const errors: unknown = Reflect.get(issue, 'errors');
  if (!Array.isArray(errors)) return [];
  const [fewest = []] = errors
    .filter((list): list is StandardIssue[] => Array.isArray(list))
    .sort((a, b) => a.length - b.length);
  return fewest.map((inner) => ({ ...inner, path: [...at, ...keysOf(inner)] }));
}

/** The places at which a value does not fit its declaration, by the keys that lead there. */
function problemsIn(value: Json, declared: SchemaNode, depth = 0): Keys[] {
  const node = likeliest(declared, value);
  if (fits(value, node, workBudget())) return [];
  if (depth > MAX_DEPTH) return [[]];
  const types = typesOf(node);
  const isWhole =
    branchesOf(node) !== undefined ||
    (types.length > 0 && !types.some((type) => isOfType(value, type))) ||
    outOfBounds(value, node) !== undefined;
  if (isWhole || typeof value !== 'object' || value === null) return [[]];
  const places: Keys[] = partsOf(node).flatMap((part) => problemsIn(value, part, depth + 1));
  if (isJsonObject(value)) places.push(...problemsOfObject(value, node, depth));
  else for (const [index, item] of value.entries()) places.push(...below(index, item, itemNode(node, index), depth));
  return places.length === 0 ? [[]] : places;
}

function problemsOfObject(value: JsonObject, node: SchemaNode, depth: number): Keys[] {
  const missing = requiredOf(node).filter((key) => !Object.hasOwn(value, key));
  const places: Keys[] = missing.map((key) => [key]);
  for (const [key, member] of Object.entries(value)) {
    const property = propertyNode(node, key);
    if (property !== undefined) places.push(...below(key, member, property, depth));
    else if (node.schema['additionalProperties'] === false) places.push([key]);
  }
  return places;
}

function below(key: string | number, value: Json, node: SchemaNode, depth: number): Keys[] {
  return problemsIn(value, node, depth + 1).map((keys) => [key, ...keys]);
}
