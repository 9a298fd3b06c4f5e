import { isJsonObject } from '../../core/json.ts';
import type { Json } from '../../core/json.ts';
import type { JsonSchema } from '../../core/schema.ts';
import { describe } from './describe-schema.ts';
import { likeliest } from './locate.ts';
import { indexPath, keyPath } from './path.ts';
import {
  allowedValuesOf,
  branchesOf,
  declaredKeys,
  itemNode,
  propertyNode,
  requiredOf,
  rootNode,
  takesOtherKeys,
} from './schema-view.ts';
import type { SchemaNode } from './schema-view.ts';

/** Chosen: longer than this, a model reads the sentences better. */
const MAX_CHARS = 320;

/**
 * The call as it should be written: what was good stands, what was wrong or missing is a hole that says what belongs there,
 * keys that nothing declares are gone. Measured as a help for small models (docs/error-texts.md). Undefined where it would be long.
 */
export function callTemplate(
  value: Json,
  schema: JsonSchema,
  holes: ReadonlyMap<string, string>,
  suggestions: ReadonlyMap<string, Json>,
): string | undefined {
  const writer: Writer = { holes, suggestions, left: MAX_CHARS };
  const text = write(value, rootNode(schema), '', writer);
  return writer.left < 0 ? undefined : text;
}

interface Writer {
  readonly holes: ReadonlyMap<string, string>;
  /** Right forms of wrong values: written instead of a hole. */
  readonly suggestions: ReadonlyMap<string, Json>;
  left: number;
}

function write(value: Json, declared: SchemaNode | undefined, path: string, writer: Writer): string {
  if (writer.left < 0) return '';
  const hole = writer.holes.get(path);
  const suggestion = writer.suggestions.get(path);
  if (suggestion !== undefined) return writeJson(suggestion, writer);
  if (hole !== undefined) return writeHole(hole, declared, path, writer);
  if (!hasHoleBelow(path, writer.holes)) return writeJson(value, writer);
  if (Array.isArray(value)) {
    const items: string[] = [];
    // Items of a tuple that are missing are holes.
    for (let index = 0; index < value.length || writer.holes.has(indexPath(path, index)); index += 1) {
      const item = (value as readonly Json[])[index] ?? null;
      items.push(write(item, declared && itemNode(declared, index), indexPath(path, index), writer));
    }
    return `[${items.join(', ')}]`;
  }
  if (!isJsonObject(value)) return writeJson(value, writer);
  const node = declared && likeliest(declared, value);
  const keys = new Set(node && [...declaredKeys(node), ...requiredOf(node)]);
  if (node === undefined || takesOtherKeys(node)) for (const key of Object.keys(value)) keys.add(key);
  const members: string[] = [];
  for (const key of keys) {
    const below = keyPath(path, key);
    if (!Object.hasOwn(value, key) && !writer.holes.has(below)) continue;
    const name = writeJson(key, writer);
    members.push(`${name}: ${write(value[key] ?? null, node && propertyNode(node, key), below, writer)}`);
    if (writer.left < 0) return '';
  }
  return `{${members.join(', ')}}`;
}

/** True for a union of objects. */
export function isChoice(node: SchemaNode): boolean {
  return branchesOf(node)?.some((branch) => declaredKeys(branch).length > 0) === true;
}

/** A hole for what is missing: of an object, the keys that it needs, each with its own hole. */
function writeHole(hole: string, node: SchemaNode | undefined, path: string, writer: Writer): string {
  const [only, ...others] = (node && allowedValuesOf(node)) ?? [];
  if (only !== undefined && others.length === 0) return writeJson(only, writer);
  const keys = node === undefined || branchesOf(node) !== undefined ? [] : requiredOf(node);
  if (node === undefined || keys.length === 0 || writer.left < 0) {
    const isNamed = hole === 'a string' || (node !== undefined && isChoice(node));
    return spend(`<${isNamed ? path : hole}>`, writer);
  }
  const members = keys.map((key) => {
    const property = propertyNode(node, key);
    const words = property === undefined ? 'a value' : describe(property);
    return `${writeJson(key, writer)}: ${writeHole(words, property, key, writer)}`;
  });
  return `{${members.join(', ')}}`;
}

/** The value, or nothing where it is too long anyway: no long text is built to be thrown away. */
function writeJson(value: Json, writer: Writer): string {
  if (typeof value !== 'string' || value.length <= writer.left) return spend(JSON.stringify(value), writer);
  writer.left = -1;
  return '';
}

function spend(text: string, writer: Writer): string {
  writer.left -= text.length + 2;
  return text;
}

function hasHoleBelow(path: string, holes: ReadonlyMap<string, string>): boolean {
  if (path === '') return true;
  return [...holes.keys()].some((hole) => hole.startsWith(`${path}.`) || hole.startsWith(`${path}[`));
}
