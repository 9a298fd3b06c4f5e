import { isJsonObject } from '../../core/json.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import {
  allowedValuesOf,
  branchesOf,
  itemNode,
  nodeOf,
  partsOf,
  propertiesOf,
  propertyNode,
  requiredOf,
  typesOf,
} from './schema-view.ts';
import type { SchemaNode } from './schema-view.ts';

/** Bounds the work of one look at a value; nested unions could ask for much. */
export interface WorkBudget {
  left: number;
  /** How deep the look is by now. */
  depth: number;
}

/** Chosen: values are 200 deep at most, with a union or two on each level. */
const MAX_LOOKS_DEEP = 1000;

/** Chosen: what is nested deeper is looked at with a budget. */
const MAX_DEPTH = 30;

/** Chosen: thousands of values, some milliseconds. */
export function workBudget(): WorkBudget {
  return { left: 10_000, depth: 0 };
}

/**
 * Whether a value matches what its JSON Schema declares, as far as a model can see it: types, allowed values, keys,
 * bounds, lengths. Patterns and formats are left to the real schema. Past the budget everything fits, so that nothing is changed.
 */
export function fits(value: Json, node: SchemaNode, budget: WorkBudget): boolean {
  // A union that refers to itself leads ever deeper.
  budget.left = budget.depth > MAX_LOOKS_DEEP ? -1 : budget.left - 1;
  if (budget.left < 0) return true;
  budget.depth += 1;
  const isFit = fitsNode(value, node, budget);
  budget.depth -= 1;
  return isFit;
}

function fitsNode(value: Json, node: SchemaNode, budget: WorkBudget): boolean {
  if (!fitsAllowed(value, node)) return false;
  const branches = branchesOf(node);
  if (branches !== undefined && !branches.some((branch) => fits(value, branch, budget))) return false;
  if (!partsOf(node).every((part) => fits(value, part, budget))) return false;
  const types = typesOf(node);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return false;
  if (outOfBounds(value, node) !== undefined) return false;
  if (Array.isArray(value)) return value.every((item: Json, index) => fits(item, itemNode(node, index), budget));
  return !isJsonObject(value) || objectFits(value, node, budget);
}

/**
 * Whether every value is of its declared type and every key is declared: nothing of it can have been misspelt or taken
 * for something else. False where it is not plain to see.
 */
export function isAsDeclared(value: Json, node: SchemaNode, budget: WorkBudget = workBudget(), depth = 0): boolean {
  budget.left -= 1;
  if (budget.left < 0 || depth > MAX_DEPTH) return false;
  const types = typesOf(node);
  const [type] = types;
  if (type === undefined || types.length > 1 || !isOfType(value, type)) {
    return branchesOf(node)?.some((branch) => isAsDeclared(value, branch, budget, depth + 1)) === true;
  }
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    const only = node.schema['prefixItems'] === undefined ? itemNode(node, 0) : undefined;
    return list.every((item, index) => isAsDeclared(item, only ?? itemNode(node, index), budget, depth + 1));
  }
  const properties = propertiesOf(node);
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(properties, key)) return false;
    if (!isAsDeclared((value as JsonObject)[key] ?? null, nodeOf(properties[key], node.root), budget, depth + 1))
      return false;
  }
  return true;
}

/** True where `value` is of the JSON Schema type; 1.0 is an integer (draft 2020-12, 4.2.3). */
export function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type;
    case 'number':
      return typeof value === 'number';
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    default:
      return true;
  }
}

function fitsAllowed(value: Json, node: SchemaNode): boolean {
  const allowed = allowedValuesOf(node);
  if (allowed === undefined) return true;
  if (typeof value !== 'object' || value === null) return allowed.includes(value);
  const text = JSON.stringify(value);
  return allowed.some((entry) => JSON.stringify(entry) === text);
}

/** How a number, or the length of a text or a list, breaks its bounds; undefined where it does not. */
export function outOfBounds(
  value: Json,
  { schema }: SchemaNode,
): 'too small' | 'too large' | 'too short' | 'too long' | undefined {
  // Nothing is below or above a bound that is not there: comparing with NaN is always false.
  const bound = (word: string): number => {
    const limit = schema[word];
    return typeof limit === 'number' ? limit : Number.NaN;
  };
  if (typeof value === 'number') {
    if (value < bound('minimum') || value <= bound('exclusiveMinimum')) return 'too small';
    return value > bound('maximum') || value >= bound('exclusiveMaximum') ? 'too large' : undefined;
  }
  const unit = typeof value === 'string' ? 'Length' : 'Items';
  if (typeof value !== 'string' && !Array.isArray(value)) return undefined;
  if (value.length < bound(`min${unit}`)) return 'too short';
  return value.length > bound(`max${unit}`) ? 'too long' : undefined;
}

function objectFits(value: { readonly [key: string]: Json }, node: SchemaNode, budget: WorkBudget): boolean {
  for (const key of requiredOf(node)) if (!Object.hasOwn(value, key)) return false;
  const isClosed = node.schema['additionalProperties'] === false;
  const properties = propertiesOf(node);
  for (const [key, member] of Object.entries(value)) {
    if (isClosed && !Object.hasOwn(properties, key)) return false;
    const property = propertyNode(node, key);
    if (property !== undefined && !fits(member, property, budget)) return false;
  }
  return true;
}
