import { isJsonObject } from '../../core/json.ts';
import type { Json } from '../../core/json.ts';
import type { JsonSchema } from '../../core/schema.ts';
import { fits, workBudget } from './fits.ts';
import { valueAt } from './path.ts';
import { allowedValuesOf, branchesOf, itemNode, partsOf, propertiesOf, propertyNode, rootNode } from './schema-view.ts';
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
    const parent: SchemaNode | undefined = place.node;
    place = {
      parent,
      node: parent === undefined ? undefined : childNode(parent, key, place.value),
      value: valueAt(place.value, [key]),
    };
  }
  return place;
}

function childNode(node: SchemaNode, key: string | number, value: Json | undefined): SchemaNode | undefined {
  const own = ownChild(node, key);
  if (own !== undefined) return own;
  const parts = [...(branchesOf(node) ?? []), ...partsOf(node)];
  return oneOf(
    chosenBranches(parts, value)
      .map((part) => childNode(part, key, value))
      .filter((child) => child !== undefined),
  );
}

function ownChild(node: SchemaNode, key: string | number): SchemaNode | undefined {
  if (typeof key !== 'number' && node.schema['type'] !== 'array') return propertyNode(node, key);
  const { items, prefixItems } = node.schema;
  return items === undefined && prefixItems === undefined ? undefined : itemNode(node, Number(key));
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
