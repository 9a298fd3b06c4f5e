import type { Json, JsonObject } from '../../core/json.ts';
import { isJsonObject } from '../../core/json.ts';
import { googleSchema } from './google-schema.ts';
import { hasTarget, propertiesIn, requiredIn, resolved, schemasIn } from '../../core/schema-parts.ts';
import { anyOfThese, distinct, mapSchemas, newBudget } from './schema-parts.ts';
import type { Budget } from './schema-parts.ts';

/**
 * The form of schemas that a server takes: `common` is what OpenAI, Anthropic and those who speak their wires all take; `google` the
 * part of JSON Schema that Gemini and Kimi read; `no-patterns` is for llama.cpp, whose grammars know few regular expressions. The rules and their sources are in docs/vendors.md.
 */
export type SchemaForm = 'common' | 'google' | 'no-patterns';

/**
 * A tool's schema as a server takes it. What vendors refuse is folded into something wider that they accept. The arguments are
 * checked against the whole schema when they come back, so nothing is lost but what the model is shown.
 */
export function wireSchema(schema: JsonObject, form: SchemaForm = 'common'): JsonObject {
  const { $schema: _draft, ...folded } = foldedRoot(schema, schema, newBudget());
  const root = commonSchema({ ...folded, type: 'object' }, folded);
  const shown = form === 'google' ? googleSchema(root) : form === 'no-patterns' ? withoutPatterns(root) : root;
  // OpenAI refuses an object schema without `properties`: "object schema missing properties".
  return withSafeKeys({ ...shown, properties: propertiesIn(shown) });
}

function withoutPatterns({ pattern: _pattern, ...schema }: JsonObject): JsonObject {
  return mapSchemas(schema, withoutPatterns);
}

/** Chosen: deeper schemas are left open from there on: no vendor takes more than ten levels (OpenAI, structured outputs). */
const MAX_DEPTH = 24;

/**
 * One object in place of a reference, or of alternatives of objects: vendors refuse both at the root. It has the keys of all
 * branches; required are those that every alternative requires.
 */
function foldedRoot(schema: JsonObject, whole: JsonObject, budget: Budget, depth = 0): JsonObject {
  const {
    anyOf,
    oneOf,
    allOf,
    not: _not,
    if: _if,
    then: _then,
    else: _else,
    enum: _enum,
    const: _const,
    ...own
  } = resolved(schema, whole);
  budget.nodes -= 1;
  if (depth > MAX_DEPTH || budget.nodes < 0) return own;
  const branches = (list: Json | undefined): JsonObject[] =>
    schemasIn(list).map((branch) => foldedRoot(branch, whole, budget, depth + 1));
  const all = [own, ...branches(allOf)];
  const alternatives = [...branches(anyOf), ...branches(oneOf)];
  if (all.length + alternatives.length === 1) return own;
  const variants = new Map<string, Json[]>();
  for (const part of [...all, ...alternatives])
    for (const [key, value] of Object.entries(propertiesIn(part)))
      variants.set(key, [...(variants.get(key) ?? []), value]);
  const required = new Set(all.flatMap(requiredIn));
  const [first = [], ...others] = alternatives.map(requiredIn);
  for (const key of first) if (others.every((keys) => keys.includes(key))) required.add(key);
  // A branch that is closed says nothing about the keys of the others.
  const { required: _required, additionalProperties: _closed, ...head } = own;
  const properties = Object.fromEntries([...variants].map(([key, values]) => [key, anyOfThese(values)]));
  return { ...head, properties, ...(required.size === 0 ? {} : { required: [...required] }) };
}

/** The types of JSON Schema; others ("any", "dict") say nothing to a vendor. */
const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/**
 * Today's words for drafts 3 and 4; lists say what is in them, tuples as one kind of item. What no vendor can read (an unknown type, a
 * reference to nowhere, an empty list of words) is left open.
 */
function commonSchema(schema: JsonObject, whole: JsonObject, depth = 0): JsonObject {
  if (depth > MAX_DEPTH) return {};
  const { items, prefixItems, additionalItems: _rest, exclusiveMinimum, exclusiveMaximum, ...own } = schema;
  const made: Record<string, Json> = { ...own };
  putBound(made, 'minimum', 'exclusiveMinimum', exclusiveMinimum);
  putBound(made, 'maximum', 'exclusiveMaximum', exclusiveMaximum);
  put(made, 'type', knownTypes(schema['type']));
  put(made, 'enum', Array.isArray(schema['enum']) ? distinct(schema['enum'] as readonly Json[]) : []);
  put(made, 'required', neededKeys(schema));
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) put(made, keyword, schemasIn(schema[keyword]));
  if (schema['properties'] !== undefined)
    made['properties'] = Object.fromEntries(
      Object.entries(propertiesIn(schema)).map(([key, value]) => [key, isJsonObject(value) ? value : {}]),
    );
  if (made['$ref'] !== undefined && !hasTarget(made['$ref'], whole)) delete made['$ref'];
  const tuple = [prefixItems, items].find(Array.isArray) as readonly Json[] | undefined;
  if (tuple !== undefined)
    Object.assign(made, {
      minItems: tuple.length,
      maxItems: tuple.length,
      ...own,
      items: anyOfThese(tuple.filter(isJsonObject)),
    });
  else if (isJsonObject(items)) made['items'] = items;
  // "array schema missing items" (OpenAI), "items: missing field" (Google).
  else if ([made['type']].flat().includes('array')) made['items'] = {};
  return mapSchemas(made, (child) => commonSchema(child, whole, depth + 1));
}

/** Sets what has something in it, and takes out what has not. */
function put(made: Record<string, Json>, keyword: string, value: Json): void {
  if (Array.isArray(value) && value.length === 0) delete made[keyword];
  else made[keyword] = value;
}

function knownTypes(type: Json | undefined): Json {
  if (typeof type === 'string' && TYPES.has(type)) return type;
  return distinct([type ?? []].flat().filter((name) => TYPES.has(name)));
}

/** The keys that must be there, of those that are declared. Draft 3 says `required: true` of the property. */
function neededKeys(schema: JsonObject): string[] {
  const properties = propertiesIn(schema);
  const marked = Object.keys(properties).filter((key) => {
    const property = properties[key];
    return isJsonObject(property) && property['required'] === true;
  });
  const isOpen = schema['properties'] === undefined;
  return [...new Set([...requiredIn(schema).filter((key) => isOpen || Object.hasOwn(properties, key)), ...marked])];
}

/** Draft 4 says `exclusiveMinimum: true` beside `minimum`; today the exclusive bound is the number. */
function putBound(made: Record<string, Json>, inclusive: string, exclusive: string, given: Json | undefined): void {
  const value = given === true ? made[inclusive] : given;
  if (typeof value !== 'number') return;
  made[exclusive] = value;
  if (given === true) delete made[inclusive];
}

/** What a vendor takes as the key of an argument (Anthropic, for the keys of the root). */
const KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Keys in the letters that vendors take. A call with such a key is understood: it differs from the declared one in signs only. */
function withSafeKeys(schema: JsonObject): JsonObject {
  const properties = propertiesIn(schema);
  const keys = Object.keys(properties);
  if (keys.every((key) => KEY.test(key))) return schema;
  const taken = new Set(keys);
  const safe = new Map<string, string>();
  for (const key of keys) safe.set(key, KEY.test(key) ? key : safeKey(key, taken));
  const renamed = Object.fromEntries(
    keys.map((key): [string, Json] => [safe.get(key) ?? key, properties[key] as Json]),
  );
  return {
    ...schema,
    properties: renamed,
    ...(schema['required'] === undefined ? {} : { required: requiredIn(schema).map((key) => safe.get(key) ?? key) }),
  };
}

function safeKey(key: string, taken: Set<string>): string {
  const base = key.replace(/[^a-zA-Z0-9_.-]+/g, '_').slice(0, 60) || 'key';
  let name = base;
  for (let count = 2; taken.has(name); count += 1) name = `${base}_${count}`;
  taken.add(name);
  return name;
}
