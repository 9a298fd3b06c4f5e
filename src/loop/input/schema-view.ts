import { isJsonObject } from '../../core/json.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { propertiesIn, requiredIn, resolved } from '../../core/schema-parts.ts';
import type { JsonSchema } from '../../core/schema.ts';

/** A JSON Schema node with the root that its references point into. */
export interface SchemaNode {
  readonly schema: JsonObject;
  readonly root: JsonSchema;
}

/** Chosen: unions of unions of unions are read by nobody. */
export const MAX_NESTED_UNIONS = 3;

/** The node of a schema, its references followed. What can't be followed allows anything. */
export function nodeOf(schema: unknown, root: JsonSchema): SchemaNode {
  return { schema: isJsonObject(schema) ? resolved(schema, root) : {}, root };
}

/** The node of a whole schema. */
export function rootNode(schema: JsonSchema): SchemaNode {
  return nodeOf(schema, schema);
}

/** The types that a node allows by its `type`, empty where it does not say. */
export function typesOf({ schema }: SchemaNode): readonly string[] {
  const type = schema['type'];
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((entry) => typeof entry === 'string') : [];
}

/** The values that `const` or `enum` allow, or undefined where neither is there. */
export function allowedValuesOf({ schema }: SchemaNode): readonly Json[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema['const'] ?? null];
  const list = schema['enum'];
  return isList(list) ? list : undefined;
}

/** The alternatives of a union (`anyOf`, `oneOf`, several types), or undefined where the node is none. */
export function branchesOf(node: SchemaNode): readonly SchemaNode[] | undefined {
  const { schema, root } = node;
  const list = schema['anyOf'] ?? schema['oneOf'];
  if (isList(list) && list.length > 0) return list.map((branch) => within(nodeOf(branch, root), schema));
  const types = typesOf(node);
  return types.length > 1 ? types.map((type) => ({ schema: { ...schema, type }, root })) : undefined;
}

/** A branch with what its union declares beside it: `{ properties, anyOf: [{ required: ['a'] }, { required: ['b'] }] }`. */
function within(branch: SchemaNode, union: JsonObject): SchemaNode {
  const { type, properties, required, additionalProperties } = union;
  if (type === undefined && properties === undefined && required === undefined) return branch;
  const outer: Record<string, Json | undefined> = { type, additionalProperties, ...branch.schema };
  const keys = { ...propertiesOf({ ...branch, schema: union }), ...propertiesOf(branch) };
  const schema: Record<string, Json> = { properties: keys };
  for (const [key, value] of Object.entries(outer))
    if (value !== undefined && key !== 'properties') schema[key] = value;
  schema['required'] = [...new Set([...requiredOf({ ...branch, schema: union }), ...requiredOf(branch)])];
  return { ...branch, schema };
}

/** The parts that a value has to fit all of (`allOf`). */
export function partsOf({ schema, root }: SchemaNode): readonly SchemaNode[] {
  const list = schema['allOf'];
  return isList(list) ? list.map((part) => nodeOf(part, root)) : [];
}

/** The declared properties of an object. */
export function propertiesOf({ schema }: SchemaNode): JsonObject {
  return propertiesIn(schema);
}

/** The keys that must be there. */
export function requiredOf({ schema }: SchemaNode): readonly string[] {
  return requiredIn(schema);
}

/** The keys that an object declares, whichever of its branches and parts they stand in; those of a record that lists them, too. */
export function declaredKeys(node: SchemaNode, depth = 0): string[] {
  const keys = new Set(ownKeys(node));
  // A union may refer to itself.
  const parts = depth > MAX_NESTED_UNIONS ? [] : [...(branchesOf(node) ?? []), ...partsOf(node)];
  for (const part of parts) for (const key of declaredKeys(part, depth + 1)) keys.add(key);
  return [...keys];
}

/** The keys that an object itself declares, its branches and parts left out. */
export function ownKeys(node: SchemaNode): string[] {
  const keys = Object.keys(propertiesOf(node));
  const listed = listedKeys(node);
  return listed.length === 0 ? keys : [...new Set([...keys, ...listed])];
}

/** The keys that a record lists (`propertyNames`). */
function listedKeys({ schema, root }: SchemaNode): string[] {
  const names = schema['propertyNames'];
  const listed = names === undefined ? [] : (allowedValuesOf(nodeOf(names, root)) ?? []);
  return listed.filter((key) => typeof key === 'string');
}

/** The node of one property: declared, else what undeclared keys are held to; undefined where they are just ignored. */
export function propertyNode(node: SchemaNode, key: string): SchemaNode | undefined {
  const properties = propertiesOf(node);
  if (Object.hasOwn(properties, key)) return nodeOf(properties[key], node.root);
  const patterns = node.schema['patternProperties'];
  if (isJsonObject(patterns)) {
    for (const [pattern, schema] of Object.entries(patterns))
      if (isMatch(pattern, key)) return nodeOf(schema, node.root);
  }
  const additional = node.schema['additionalProperties'];
  return isJsonObject(additional) ? nodeOf(additional, node.root) : undefined;
}

function isMatch(pattern: string, key: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(key.slice(0, 200));
  } catch {
    return false;
  }
}

/** The node of one item of a list. */
export function itemNode(node: SchemaNode, index: number): SchemaNode {
  const prefix = node.schema['prefixItems'];
  if (isList(prefix) && index < prefix.length) return nodeOf(prefix[index], node.root);
  return nodeOf(node.schema['items'], node.root);
}

/** True where keys that are not declared mean something: a record, a loose object. */
export function takesOtherKeys(node: SchemaNode): boolean {
  const { schema } = node;
  const additional = schema['additionalProperties'];
  if (listedKeys(node).length > 0) return false;
  return additional === true || isJsonObject(additional) || isJsonObject(schema['patternProperties']);
}

/** True for the schema of a tool that takes no arguments at all. */
export function takesNothing(schema: JsonSchema): boolean {
  const node = rootNode(schema);
  if (Object.keys(propertiesOf(node)).length > 0 || requiredOf(node).length > 0) return false;
  // A record (`propertyNames`) has no declared keys and yet takes some.
  return !['propertyNames', 'patternProperties', 'anyOf', 'oneOf', 'allOf', '$ref'].some((word) => word in node.schema);
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
