import type { Json, JsonObject } from '../../core/json.ts';
import { isJsonObject, isRecord } from '../../core/json.ts';
import type { Tool } from '../../core/tool.ts';
import type { SchemaNode } from './schema-view.ts';
import {
  branchesOf,
  itemNode,
  partsOf,
  propertiesOf,
  propertyNode,
  rootNode,
  takesOtherKeys,
  typesOf,
} from './schema-view.ts';

/** The same text for the same call, whatever the order of its keys. */
export function callKey(toolName: string, input: JsonObject): string {
  return `${toolName} ${canonicalJson(input)}`;
}

/** What a person's decision is bound to: the tool and exactly the arguments that were shown. */
export function approvalKey(toolName: string, shown: Json): string {
  return `${toolName} ${canonicalJson(shown)}`;
}

/**
 * The key of a valid call, for the guards. Keys that the tool's schema drops say nothing to the tool, so a call with
 * another one of them is the same call. `input` is what the schema made of `written`.
 */
export function keyOfCall(tool: Tool, written: JsonObject, input: unknown): string {
  const kept = withoutDropped(written, input, rootNode(tool.inputSchema));
  return callKey(tool.name, isJsonObject(kept) ? kept : written);
}

/** `written` without the keys that are neither declared nor left in what the schema made of it. */
function withoutDropped(written: Json, input: unknown, node: SchemaNode): Json {
  if (Array.isArray(written)) {
    const items: readonly Json[] = written;
    const made: readonly unknown[] = Array.isArray(input) ? input : [];
    return items.map((item, index) => withoutDropped(item, made[index], itemNode(node, index)));
  }
  if (!isJsonObject(written)) return written;
  const left = isRecord(input) ? input : {};
  const isOpen = takesAnyKey(node);
  const kept: Record<string, Json> = {};
  for (const [key, value] of Object.entries(written)) {
    if (!isOpen && !Object.hasOwn(left, key) && !declares(node, key)) continue;
    const member = propertyNode(node, key);
    kept[key] = member === undefined ? value : withoutDropped(value, left[key], member);
  }
  return kept;
}

/** Chosen: unions of unions go no deeper; a schema that refers to itself ends here. */
const MAX_UNIONS = 6;

/** True where the schema may keep keys that it does not name; also where it can't be told. */
function takesAnyKey(node: SchemaNode, depth = 0): boolean {
  if (takesOtherKeys(node) || depth > MAX_UNIONS) return true;
  const inner = alternativesOf(node);
  return inner.length > 0 ? inner.some((part) => takesAnyKey(part, depth + 1)) : !('properties' in node.schema);
}

function declares(node: SchemaNode, key: string): boolean {
  return Object.hasOwn(propertiesOf(node), key) || alternativesOf(node).some((part) => declares(part, key));
}

/** The parts of a union or an intersection that are about objects. */
function alternativesOf(node: SchemaNode): SchemaNode[] {
  return [...(branchesOf(node) ?? []), ...partsOf(node)].filter((part) => {
    const types = typesOf(part);
    return types.length === 0 || types.includes('object');
  });
}

/** JSON with sorted keys. Numbers are written as JavaScript does, so `1`, `1.0` and `1e0` are the same. */
function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const object = value as JsonObject;
  const keys = Object.keys(object);
  if (keys.length > 1) keys.sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key] ?? null)}`).join(',')}}`;
}
