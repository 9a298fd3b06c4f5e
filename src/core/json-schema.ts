import { isJsonObject, isRecord } from './json.ts';
import type { JsonObject } from './json.ts';
import type { OilcanError } from './error.ts';
import { invalidOption } from './option-check.ts';
import { resolved } from './schema-parts.ts';
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
  const owner = `tool "${toolName}"`;
  const made = rootObject(
    toolName,
    given === undefined ? convert(owner, schema, true) : plainJson(owner, given, '', []),
  );
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
    const reason = cause instanceof Error ? cause.message.replace(/[\s.]+$/, '') : String(cause);
    throw unfit(owner, standard.vendor, hasOption, unfitPlace(schema), reason, cause);
  }
  if (!isJsonObject(made)) throw invalidOption(`The JSON Schema of ${owner} is not an object.`);
  // A file and ArkType's unknown types are no error to the libraries, but no model can send them.
  const place = standard.vendor === 'arktype' ? unfitPlace(schema) : markedPlace(made, '');
  if (place !== undefined) throw unfit(owner, standard.vendor, hasOption, place, `JSON has no ${place.type}`);
  return made;
}

interface UnfitPlace {
  /** `at.list[].when` */
  readonly path: string;
  readonly type: string;
}

/** What to take in place of a type that JSON does not have. */
const SUBSTITUTES: readonly (readonly [RegExp, string])[] = [
  [/date/i, 'a date written as a string (`z.iso.datetime()`)'],
  [/bigint/i, 'a string, or a number'],
  [/file|blob/i, 'a string: a path, a URL or Base64'],
  [/\bmap\b/i, 'an object with any keys (`z.record()`)'],
  [/\bset\b/i, 'a list'],
  [/undefined|void/i, 'a key that may be left out (`.optional()`)'],
];

function unfit(
  owner: string,
  vendor: string,
  hasOption: boolean,
  place: UnfitPlace | undefined,
  reason: string,
  cause?: unknown,
): OilcanError {
  const where = place === undefined || place.path === '' ? '' : ` (at \`${place.path}\`)`;
  const found = SUBSTITUTES.find(([pattern]) => pattern.test(place?.type ?? reason))?.[1];
  // Only Zod has its functions.
  const instead = vendor === 'zod' ? found : found?.replace(/ \(`.*`\)/, '');
  const advice =
    instead === undefined
      ? 'Use types that JSON has'
      : `Take ${instead} there${hasOption ? ', and convert it in `execute`' : ''}`;
  return invalidOption(
    `The schema of ${owner} can't be shown to a model as JSON Schema: ${reason}${where}. ${advice}${hasOption ? ', or pass `jsonSchema`' : ''}.`,
    cause === undefined ? undefined : { cause },
  );
}

/** Stands in a schema for what JSON does not have; its value names the type. */
const UNFIT = 'x-not-json';

interface ArkTypeContext {
  readonly base: object;
  readonly proto?: { readonly name: string };
  readonly domain?: string;
}

/** Has Zod, Valibot and ArkType mark what they can't write, each with its own options. */
const MARKING = {
  unrepresentable: 'any',
  override: (zod: {
    readonly zodSchema: { readonly _zod: { readonly def: { readonly type: string } } };
    readonly jsonSchema: object;
  }) => {
    const { type } = zod.zodSchema._zod.def;
    if (NOT_JSON.test(type)) Object.assign(zod.jsonSchema, { [UNFIT]: type });
  },
  errorMode: 'ignore',
  overrideSchema: (valibot: { readonly valibotSchema: { readonly type: string }; readonly errors?: unknown }) =>
    valibot.errors === undefined ? undefined : { [UNFIT]: valibot.valibotSchema.type },
  fallback: {
    default: ({ base }: ArkTypeContext): object => base,
    date: ({ base }: ArkTypeContext): object => ({ ...base, [UNFIT]: 'Date' }),
    proto: ({ base, proto }: ArkTypeContext): object => ({ ...base, [UNFIT]: proto?.name ?? 'class' }),
    domain: ({ base, domain }: ArkTypeContext): object => ({ ...base, [UNFIT]: domain ?? 'type' }),
  },
};

/** Zod's names. */
const NOT_JSON = /^(?:bigint|custom|date|function|map|nan|promise|set|symbol|transform|undefined|void)$/;

function unfitPlace(schema: StandardSchema): UnfitPlace | undefined {
  try {
    const options: { target: string } = Object.assign({ target: TARGET }, { libraryOptions: MARKING });
    return markedPlace(schema['~standard'].jsonSchema?.input(options), '');
  } catch {
    return undefined;
  }
}

function markedPlace(node: unknown, path: string): UnfitPlace | undefined {
  if (!isRecord(node)) return undefined;
  const mark =
    node[UNFIT] ?? (node['contentEncoding'] === 'binary' && node['format'] === 'binary' ? 'file' : undefined);
  if (typeof mark === 'string') return { path, type: mark };
  const branches = branchesOf(node as JsonObject).map((branch) => markedPlace(branch, path));
  // Another branch can be sent.
  if (branches.length > 0) return branches.every((place) => place !== undefined) ? branches[0] : undefined;
  const { properties, items, prefixItems, additionalProperties, $defs } = node;
  const below: [string, unknown][] = [
    ...Object.entries(isRecord(properties) ? properties : {}).map(([key, child]): [string, unknown] => [
      path === '' ? key : `${path}.${key}`,
      child,
    ]),
    ...(Array.isArray(prefixItems) ? prefixItems : [items]).map((child): [string, unknown] => [`${path}[]`, child]),
    [`${path}.*`, additionalProperties],
    ...Object.values(isRecord($defs) ? $defs : {}).map((child): [string, unknown] => [path, child]),
  ];
  for (const [childPath, child] of below) {
    const place = markedPlace(child, childPath);
    if (place !== undefined) return place;
  }
  return undefined;
}

/** A schema as the user wrote it, copied; refused where it holds what JSON does not have. */
function plainJson<T>(owner: string, value: T, path: string, parents: readonly unknown[]): T {
  const refuse = (what: string): never => {
    throw invalidOption(
      `\`jsonSchema\` of ${owner} holds ${what} at \`${path || 'its root'}\`: it must be plain JSON.`,
    );
  };
  if (typeof value === 'number' && !Number.isFinite(value)) refuse(String(value));
  if (['bigint', 'function', 'symbol'].includes(typeof value)) refuse(`a ${typeof value}`);
  if (typeof value !== 'object' || value === null) return value;
  if (parents.includes(value)) refuse('itself (write a `$ref` instead)');
  if (parents.length > MAX_DEPTH) refuse(`more than ${MAX_DEPTH} levels`);
  const inside = [...parents, value];
  const below = (key: string, member: unknown): unknown =>
    plainJson(owner, member, path === '' ? key : `${path}.${key}`, inside);
  if (Array.isArray(value)) return value.map((item, index) => below(String(index), item)) as T;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) refuse(`a ${value.constructor.name}`);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, below(key, member)])) as T;
}

/** Chosen: no schema is nested deeper. */
const MAX_DEPTH = 200;

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

/**
 * Some converters put a named schema under `$defs` and point to it from the root, which vendors refuse.
 * An object at its root for certain: alternatives of objects are one, and vendors are shown a fold of them.
 */
function rootObject(toolName: string, schema: JsonObject): JsonSchema {
  const root = resolved(withoutMarks(schema), schema);
  if (root['type'] === 'object') return root;
  if (root['type'] === undefined && takesObjectsOnly(root, schema, 0)) return { type: 'object', ...root };
  const type = root['type'];
  const isUnion = branchesOf(root).length > 0;
  const found = isUnion
    ? 'a union'
    : type === undefined
      ? 'a schema without a type'
      : JSON.stringify(type).slice(0, 60);
  const advice =
    isUnion || type !== undefined
      ? "Put it under a key: `z.object({ value: … })`, or as JSON Schema `{ type: 'object', properties: { value: … } }`"
      : "Declare its keys, or none: `z.object({})`, or as JSON Schema `{ type: 'object', properties: {} }`";
  throw invalidOption(
    `The arguments of ${toolName} must be one object (models send no other form), got ${found} at the root of its schema. ${advice}.`,
  );
}

/** Chosen: alternatives in alternatives; nobody nests deeper. */
const MAX_UNION_DEPTH = 8;

function takesObjectsOnly(schema: JsonObject, whole: JsonObject, depth: number): boolean {
  if (depth > MAX_UNION_DEPTH) return false;
  const node = resolved(schema, whole);
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
