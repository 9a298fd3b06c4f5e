import { isJsonObject, isRecord } from './json.ts';
import type { JsonObject } from './json.ts';
import { invalidOption } from './option-check.ts';
import type { JsonSchema, StandardSchema } from './schema.ts';

/** Cleaned JSON Schemas by the schema object (or the given JSON Schema) that they were made of: converting takes longer than a run's other set-up. */
const converted = new WeakMap<object, JsonSchema>();

/** The dialect that every vendor reads; asked for as https://standardschema.dev/json-schema names it. */
const TARGET = 'draft-2020-12';

/**
 * The JSON Schema of a tool's arguments: the given one, else the schema's own. The result has `type: 'object'` at its root
 * and no `$schema`; it is made once for each schema object.
 *
 * @throws OilcanError `invalid-option` where there is none, or where it does not describe an object.
 */
export function inputSchemaOf(toolName: string, schema: StandardSchema, given: JsonSchema | undefined): JsonSchema {
  const source = given ?? schema;
  const known = converted.get(source);
  if (known !== undefined) return known;
  const made = rootObject(toolName, given ?? convert(`tool "${toolName}"`, schema, true));
  converted.set(source, made);
  return made;
}

/**
 * The JSON Schema of any Standard Schema, whatever its root is. `owner` names it in errors.
 *
 * @throws OilcanError `invalid-option` where the schema can't give one.
 */
export function jsonSchemaOf(owner: string, schema: StandardSchema): JsonSchema {
  return withoutMarks(convert(owner, schema, false));
}

/** `hasOption`: whether a JSON Schema can be passed beside the schema, as `tool()` takes it. */
function convert(owner: string, schema: StandardSchema, hasOption: boolean): JsonObject {
  const standard = schema['~standard'];
  const input = standard.jsonSchema?.input;
  if (typeof input !== 'function') {
    const { schema: change, option } = FIXES[libraryOf(schema)] ?? OTHER_FIX;
    const other = hasOption ? `, or pass ${option}` : '';
    throw invalidOption(
      `The schema of ${owner} can't give its own JSON Schema (${standard.vendor}). ${change}${other}.`,
    );
  }
  let made: unknown;
  try {
    made = input.call(standard.jsonSchema, { target: TARGET });
    // A schema can hold what JSON can't (a date as a default): better now than in the first request.
    made = JSON.parse(JSON.stringify(made));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw invalidOption(
      `The schema of ${owner} can't be shown to a model as JSON Schema: ${reason}. Use types that JSON has${hasOption ? ', or pass `jsonSchema`' : ''}.`,
      { cause },
    );
  }
  if (!isJsonObject(made)) throw invalidOption(`The JSON Schema of ${owner} is not an object.`);
  return made;
}

/** What to do where a library's schemas can't give a JSON Schema: to the schema itself, or with the option of `tool()`. */
const FIXES: Readonly<Record<string, { readonly schema: string; readonly option: string }>> = {
  'zod 3': {
    schema: 'Use zod 4.2 or later',
    option: '`jsonSchema: zodToJsonSchema(schema)` with the package zod-to-json-schema',
  },
  zod: { schema: 'Use zod 4.2 or later', option: "`jsonSchema: z.toJSONSchema(schema, { io: 'input' })`" },
  'zod/mini': {
    schema: 'Use `zod` (4.2 or later) instead of `zod/mini`',
    option: "`jsonSchema: z.toJSONSchema(schema, { io: 'input' })`",
  },
  valibot: {
    schema: 'Wrap it in `toStandardJsonSchema()` of @valibot/to-json-schema',
    option: '`jsonSchema: toJsonSchema(schema)` of the same package',
  },
};

const OTHER_FIX = {
  schema: 'Use a library that follows Standard JSON Schema (https://standardschema.dev/json-schema)',
  option: '`jsonSchema`, a JSON Schema (draft 2020-12) with `type: "object"`',
};

/** zod 3 (from 3.24 on) and zod/mini follow Standard Schema, but can't write JSON Schema; zod itself can from 4.2 on. */
function libraryOf(schema: StandardSchema): string {
  const { vendor } = schema['~standard'];
  if (vendor !== 'zod') return vendor;
  if (!('_zod' in schema)) return 'zod 3';
  return '_def' in schema ? 'zod' : 'zod/mini';
}

/** The schema without what only tools for schemas read. */
function withoutMarks(schema: JsonObject): JsonObject {
  const { $schema: _dialect, '~standard': _standard, ...rest } = schema;
  return rest;
}

/** An object at its root for certain: alternatives of objects are one, and vendors are shown a fold of them. */
function rootObject(toolName: string, schema: JsonObject): JsonSchema {
  const root = withoutRootReference(withoutMarks(schema));
  if (root['type'] === 'object') return root;
  if (root['type'] === undefined && takesObjectsOnly(root, schema, 0)) return { type: 'object', ...root };
  const found = branchesOf(root).length > 0 ? 'a union' : JSON.stringify(root['type'] ?? 'no type').slice(0, 60);
  throw invalidOption(
    `The arguments of ${toolName} must be one object (models send no other form), got ${found} at the root of its schema. Put it under a key: { value: … }.`,
  );
}

/** Chosen: alternatives in alternatives; nobody nests deeper. */
const MAX_UNION_DEPTH = 8;

function takesObjectsOnly(schema: JsonObject, whole: JsonObject, depth: number): boolean {
  if (depth > MAX_UNION_DEPTH) return false;
  const node = withoutRootReference(schema, whole);
  if (node['type'] !== undefined) return node['type'] === 'object';
  const { allOf } = node;
  if (isRecord(node['properties'])) return true;
  if (Array.isArray(allOf) && allOf.some((part) => isJsonObject(part) && takesObjectsOnly(part, whole, depth + 1)))
    return true;
  const branches = branchesOf(node);
  return (
    branches.length > 0 &&
    branches.every((branch) => isJsonObject(branch) && takesObjectsOnly(branch, whole, depth + 1))
  );
}

function branchesOf({ anyOf, oneOf }: JsonObject): readonly unknown[] {
  return [anyOf, oneOf].flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
}

/** Some converters put a named schema under `$defs` and point to it from the root, which vendors refuse. */
function withoutRootReference(schema: JsonObject, whole: JsonObject = schema): JsonObject {
  const reference = schema['$ref'];
  const name = typeof reference === 'string' ? /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) : null;
  if (name === null) return schema;
  const definitions = whole[name[1] ?? ''];
  const target = isJsonObject(definitions) ? definitions[name[2] ?? ''] : undefined;
  if (!isJsonObject(target)) return schema;
  const { $ref: _reference, ...rest } = schema;
  return { ...rest, ...target };
}
