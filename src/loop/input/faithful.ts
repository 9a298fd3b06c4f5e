import type { Json } from '../../core/json.ts';
import { isOfType } from './fits.ts';
import { branchesOf, itemNode, propertyNode, typesOf } from './schema-view.ts';
import type { SchemaNode } from './schema-view.ts';

/** Words that mean yes or no to whoever writes them. */
const MEANINGS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'y', 'on', '1'].map((word): [string, boolean] => [word, true]),
  ...['false', 'no', 'n', 'off', '0'].map((word): [string, boolean] => [word, false]),
]);

/**
 * Where a validator has made something else of a value by the rules of JavaScript: `z.coerce.boolean()` takes "false" for
 * true, `z.coerce.number()` takes "" for 0. The paths of such places; what it made of the rest means the same.
 */
export function distortedPlaces(value: Json, output: unknown, node: SchemaNode): (string | number)[][] {
  const branches = branchesOf(node) ?? [node];
  const types = branches.flatMap(typesOf);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    return types.some((type) => isOfType(output, type)) && isDistorted(value, output) ? [[]] : [];
  }
  if (typeof value !== 'object' || value === null || typeof output !== 'object' || output === null) return [];
  const found: (string | number)[][] = [];
  for (const [key, member] of Object.entries(value)) {
    const index = Array.isArray(value) ? Number(key) : key;
    const made: unknown = Object.hasOwn(output, key) ? Reflect.get(output, key) : undefined;
    const [below] = branches
      .map((branch) => (typeof index === 'number' ? itemNode(branch, index) : propertyNode(branch, index)))
      .filter((child) => child !== undefined);
    if (made === undefined || below === undefined) continue;
    for (const keys of distortedPlaces(member, made, below)) found.push([index, ...keys]);
  }
  return found;
}

function isDistorted(value: Json, output: unknown): boolean {
  const isPlain = typeof value !== 'object';
  switch (typeof output) {
    case 'boolean':
      return output === Boolean(value) && !(isPlain && MEANINGS.get(String(value).trim().toLowerCase()) === output);
    case 'number':
      return output === Number(value) && (typeof value !== 'string' || value.trim() === '');
    case 'string':
      return !isPlain && output === textOf(value);
    default:
      return false;
  }
}

/** A list or an object as JavaScript makes a text of it. */
function textOf(value: Json): string {
  if (Array.isArray(value)) return (value as readonly Json[]).map(textOf).join();
  return typeof value === 'object' && value !== null ? '[object Object]' : String(value);
}
