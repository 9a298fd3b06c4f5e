import type { Mend } from '../../core/event.ts';
import { isJsonObject } from '../../core/json.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { JsonSchema } from '../../core/schema.ts';
import { coerceType } from './coerce.ts';
import { chosenBranches } from './locate.ts';
import { fits, isOfType, workBudget } from './fits.ts';
import type { WorkBudget } from './fits.ts';
import { MAX_DEPTH } from './clone-json.ts';
import { mendWord, misspelledKeys } from './mend.ts';
import { keyPath, indexPath } from './path.ts';
import {
  allowedValuesOf,
  branchesOf,
  declaredKeys,
  itemNode,
  nodeOf,
  partsOf,
  propertiesOf,
  propertyNode,
  requiredOf,
  rootNode,
  typesOf,
} from './schema-view.ts';
import type { SchemaNode } from './schema-view.ts';

/** Arguments after mending, and what was done. `value` is the same object where nothing was. */
export interface MendedInput {
  readonly value: Json;
  readonly mends: readonly Mend[];
}

/**
 * Mends what is certain, led by the JSON Schema: types written as text, keys and allowed words in another spelling,
 * null for a key that may be left out. Nothing that fits the schema is changed, and nothing is chosen between two.
 */
export function mendInput(value: Json, schema: JsonSchema, what: 'all' | 'keys' = 'all'): MendedInput {
  const mends: Mend[] = [];
  const walk: Walk = { mends, budget: workBudget(), keysOnly: what === 'keys' };
  const mended = mendAt(value, rootNode(schema), '', 0, walk);
  // Past the budget nothing is known for certain any more.
  return walk.budget.left < 0 ? { value, mends: [] } : { value: mended, mends };
}

interface Walk {
  readonly mends: Mend[];
  readonly budget: WorkBudget;
  /** True where only keys are renamed: everything else is right. */
  readonly keysOnly: boolean;
}

function mendAt(value: Json, node: SchemaNode, path: string, depth: number, walk: Walk): Json {
  walk.budget.left -= 1;
  if (walk.budget.left < 0 || depth > MAX_DEPTH) return value;
  let merged = value;
  for (const part of partsOf(node)) merged = mendAt(merged, part, path, depth + 1, walk);
  const branches = branchesOf(node);
  // What a union declares beside its branches holds for each of them.
  const isPlain = branches === undefined || node.schema['properties'] !== undefined;
  if (isPlain) merged = mendPlain(merged, node, path, depth, walk);
  return branches === undefined ? merged : mendUnion(merged, node, branches, path, depth, walk);
}

function mendPlain(value: Json, node: SchemaNode, path: string, depth: number, walk: Walk): Json {
  const coerced = walk.keysOnly ? undefined : coerceType(value, node);
  if (coerced !== undefined) walk.mends.push({ kind: 'type', path, what: coerced.what });
  const typed = coerced?.value ?? value;
  const word = typeof typed === 'string' && !walk.keysOnly ? mendWord(typed, allowedValuesOf(node) ?? []) : undefined;
  if (word !== undefined) {
    walk.mends.push({ kind: 'enum', path, what: 'spelling of an allowed value' });
    return word;
  }
  if (Array.isArray(typed)) return mendList(typed, node, path, depth, walk);
  return isJsonObject(typed) ? mendObject(typed, node, path, depth, walk) : typed;
}

function mendList(list: readonly Json[], node: SchemaNode, path: string, depth: number, walk: Walk): Json {
  const mended = list.map((item, index) =>
    mendAt(item, itemNode(node, index), indexPath(path, index), depth + 1, walk),
  );
  return mended.some((item, index) => item !== list[index]) ? mended : list;
}

function mendObject(value: JsonObject, node: SchemaNode, path: string, depth: number, walk: Walk): Json {
  const spelled = mendKeys(value, node, path, walk);
  const nulls = walk.keysOnly ? [] : needlessNulls(spelled, node, walk);
  for (const key of nulls) walk.mends.push({ kind: 'type', path: keyPath(path, key), what: 'null left out' });
  let isChanged = spelled !== value || nulls.length > 0;
  const mended: Record<string, Json> = {};
  for (const [key, member] of Object.entries(spelled)) {
    if (nulls.includes(key)) continue;
    const property = propertyNode(node, key);
    const next = property === undefined ? member : mendAt(member, property, keyPath(path, key), depth + 1, walk);
    if (next !== member) isChanged = true;
    mended[key] = next;
  }
  return isChanged ? mended : value;
}

/** The object with its misspelled keys renamed, the order of its keys kept. */
function mendKeys(value: JsonObject, node: SchemaNode, path: string, walk: Walk): JsonObject {
  const renamed = misspelledKeys(value, node);
  if (renamed.size === 0) return value;
  const mended: Record<string, Json> = {};
  for (const [key, member] of Object.entries(value)) {
    const to = renamed.get(key);
    if (to !== undefined) walk.mends.push({ kind: 'key', path: keyPath(path, to), what: 'spelling of a key' });
    mended[to ?? key] = member;
  }
  return mended;
}

/** The optional keys that are null although null is not allowed: leaving a key out means the same. */
function needlessNulls(value: JsonObject, node: SchemaNode, walk: Walk): string[] {
  const properties = propertiesOf(node);
  const required = requiredOf(node);
  return Object.keys(value).filter((key) => {
    if (value[key] !== null || required.includes(key) || !Object.hasOwn(properties, key)) return false;
    return !fits(null, nodeOf(properties[key], node.root), walk.budget);
  });
}

function mendUnion(
  value: Json,
  node: SchemaNode,
  branches: readonly SchemaNode[],
  path: string,
  depth: number,
  walk: Walk,
): Json {
  const isFit = fits(value, node, walk.budget);
  if (walk.budget.left < 0) return value;
  // Where a branch takes it and declares all its keys, nothing is left to mend.
  if (isFit && branches.some((branch) => declaresAll(value, branch) && fits(value, branch, walk.budget))) return value;
  const found = new Map<string, MendedInput>();
  for (const branch of branches) {
    const trial: Walk = { ...walk, mends: [], keysOnly: walk.keysOnly || isFit };
    const mended = mendAt(value, branch, path, depth + 1, trial);
    if (mended !== value && fits(mended, branch, walk.budget)) {
      found.set(JSON.stringify(mended), { value: mended, mends: trial.mends });
    }
  }
  const [only] = found.values();
  if (only !== undefined && found.size === 1) {
    walk.mends.push(...only.mends);
    return only.value;
  }
  if (only !== undefined || walk.budget.left < 0) return value;
  // No branch would do, or one that leaves keys out. What is inside can be mended all the same where it is clear which branch is meant.
  const chosen = chosenBranches(branches, value);
  const [single, ...others] = chosen.filter((branch) => typesOf(branch).some((type) => isOfType(value, type)));
  return single !== undefined && others.length === 0 ? mendAt(value, single, path, depth + 1, walk) : value;
}

function declaresAll(value: Json, branch: SchemaNode): boolean {
  if (!isJsonObject(value)) return true;
  const keys = declaredKeys(branch);
  return Object.keys(value).every((key) => keys.includes(key));
}
