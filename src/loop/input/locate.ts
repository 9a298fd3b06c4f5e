import { isJsonObject } from '../../core/json.ts';
import type { Json } from '../../core/json.ts';
import type { JsonSchema } from '../../core/schema.ts';
import { fits, isOfType, workBudget } from './fits.ts';
import { valueAt } from './path.ts';
import {
  allowedValuesOf,
  MAX_NESTED_UNIONS,
  branchesOf,
  itemNode,
  partsOf,
  propertiesOf,
  propertyNode,
  requiredOf,
  rootNode,
  typesOf,
} from './schema-view.ts';
import type { SchemaNode } from './schema-view.ts';

/** A place in the arguments: what is declared there, and what stands there. */
export interface Place {
  /** Undefined where nothing is declared. */
  readonly node: SchemaNode | undefined;
  readonly parent: SchemaNode | undefined;
  /** Undefined where nothing came. */
  readonly value: Json | undefined;
}

/** Follows keys through the schema and the value at once. */
export function locate(keys: readonly (string | number)[], schema: JsonSchema, value: Json): Place {
  let place: Place = { node: rootNode(schema), parent: undefined, value };
  for (const key of keys) {
    const parent: SchemaNode | undefined = place.node && likeliest(place.node, place.value);
    place = {
      parent,
      node: parent === undefined ? undefined : childNode(parent, key, place.value),
      value: valueAt(place.value, [key]),
    };
  }
  return place;
}

function childNode(node: SchemaNode, key: string | number, value: Json | undefined, depth = 0): SchemaNode | undefined {
  const own = ownChild(node, key);
  if (own !== undefined || depth > MAX_NESTED_UNIONS) return own;
  const parts = [...(branchesOf(node) ?? []), ...partsOf(node)];
  return oneOf(
    chosenBranches(parts, value)
      .map((part) => childNode(part, key, value, depth + 1))
      .filter((child) => child !== undefined),
  );
}

function ownChild(node: SchemaNode, key: string | number): SchemaNode | undefined {
  if (typeof key !== 'number' && node.schema['type'] !== 'array') return propertyNode(node, key);
  const { items, prefixItems } = node.schema;
  return items === undefined && prefixItems === undefined ? undefined : itemNode(node, Number(key));
}

/** The branch of a union that an object or a list was meant for; the node itself where it is no union or none is clear. */
export function likeliest(node: SchemaNode, value: Json | undefined, depth = 0): SchemaNode {
  const branches = depth > MAX_NESTED_UNIONS ? undefined : branchesOf(node);
  if (branches === undefined || typeof value !== 'object' || value === null) return node;
  const chosen = chosenBranches(branches, value);
  const scores = chosen.map((branch) => likeness(value, branch, 0));
  const best = Math.max(...scores);
  const [only, ...others] = best === -Infinity ? [] : chosen.filter((_, index) => scores[index] === best);
  return only === undefined || others.length > 0 ? node : likeliest(only, value, depth + 1);
}

/** How well a value fits a branch: keys that are declared and fit speak for it, missing and other keys against it. */
function likeness(value: Json, node: SchemaNode, depth: number): number {
  const types = (branchesOf(node) ?? [node]).flatMap(typesOf);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return -Infinity;
  if (fits(value, node, workBudget())) return 10;
  if (depth > 3) return 0;
  if (Array.isArray(value)) {
    const [first] = value as readonly Json[];
    return first === undefined ? 0 : Math.max(-5, likeness(first, itemNode(node, 0), depth + 1));
  }
  if (!isJsonObject(value)) return 0;
  const declared = propertiesOf(node);
  let score = 0;
  for (const [key, member] of Object.entries(value)) {
    const property = propertyNode(node, key);
    if (property === undefined) score -= 1;
    else score += (Object.hasOwn(declared, key) ? 2 : 0) + (fits(member, property, workBudget()) ? 1 : 0);
  }
  return score - requiredOf(node).filter((key) => !Object.hasOwn(value, key)).length;
}

/** The branches that the value chose by its fixed words (`type: "circle"`), or all where it chose none. */
export function chosenBranches(branches: readonly SchemaNode[], value: Json | undefined): readonly SchemaNode[] {
  if (!isJsonObject(value)) return branches;
  const chosen = branches.filter((branch) => {
    const fixed = Object.keys(propertiesOf(branch)).flatMap((key) => {
      const property = propertyNode(branch, key);
      return property === undefined || allowedValuesOf(property) === undefined ? [] : [{ property, word: value[key] }];
    });
    return (
      fixed.length > 0 && fixed.every(({ property, word }) => word !== undefined && fits(word, property, workBudget()))
    );
  });
  return chosen.length > 0 ? chosen : branches;
}

/** Several nodes as one that allows any of them. */
function oneOf(nodes: readonly SchemaNode[]): SchemaNode | undefined {
  const [first] = nodes;
  if (first === undefined || nodes.length === 1) return first;
  const words = nodes.map((node) => allowedValuesOf(node));
  if (words.every((list) => list !== undefined)) {
    return { schema: { enum: [...new Set(words.flat())] }, root: first.root };
  }
  return { schema: { anyOf: nodes.map((node) => node.schema) }, root: first.root };
}
