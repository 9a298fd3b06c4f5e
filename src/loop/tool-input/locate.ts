import type { Json } from '../../core/json.ts';
import type { JsonSchema } from '../../core/schema.ts';
import { fits, workBudget } from './fits.ts';
import {
  allowedValuesOf,
  branchesOf,
  isJsonObject,
  itemNode,
  nodeOf,
  propertiesOf,
  propertyNode,
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
  let place: Place = { node: nodeOf(schema, schema), parent: undefined, value };
  for (const key of keys) {
    const parent: SchemaNode | undefined = place.node;
    place = {
      parent,
      node: parent === undefined ? undefined : childNode(parent, key, place.value),
      value: childValue(place.value, key),
    };
  }
  return place;
}

function childValue(value: Json | undefined, key: string | number): Json | undefined {
  if (Array.isArray(value)) return (value as readonly Json[])[Number(key)];
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function childNode(node: SchemaNode, key: string | number, value: Json | undefined): SchemaNode | undefined {
  const parts = [...(branchesOf(node) ?? []), ...allOf(node)];
  if (parts.length > 0) {
    const own = ownChild(node, key);
    const found = matching(parts, value)
      .map((part) => childNode(part, key, value))
      .filter((child) => child !== undefined);
    return own ?? oneOf(found);
  }
  return ownChild(node, key);
}

function ownChild(node: SchemaNode, key: string | number): SchemaNode | undefined {
  if (typeof key === 'number' || node.schema['type'] === 'array') {
    return node.schema['items'] === undefined && node.schema['prefixItems'] === undefined
      ? undefined
      : itemNode(node, Number(key));
  }
  return propertyNode(node, key);
}

function allOf(node: SchemaNode): SchemaNode[] {
  const parts = node.schema['allOf'];
  return Array.isArray(parts) ? parts.map((part) => nodeOf(part, node.root)) : [];
}

/** The branches that the value chose by its fixed words (`type: "circle"`), or all where it chose none. */
function matching(branches: readonly SchemaNode[], value: Json | undefined): readonly SchemaNode[] {
  if (!isJsonObject(value)) return branches;
  const chosen = branches.filter((branch) => {
    const fixed = Object.keys(propertiesOf(branch)).filter((key) => {
      const property = propertyNode(branch, key);
      return property !== undefined && allowedValuesOf(property) !== undefined;
    });
    return (
      fixed.length > 0 &&
      fixed.every((key) => {
        const property = propertyNode(branch, key);
        const member = value[key];
        return property !== undefined && member !== undefined && fits(member, property, workBudget());
      })
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
