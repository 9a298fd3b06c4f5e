import { isJsonObject } from '../../src/core/json.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import { toolName } from './corpus.ts';
import type { CorpusCall } from './corpus.ts';

/** A slip that models make in the arguments of a call. */
export interface Slip {
  readonly name: string;
  /** The arguments as they are written, or undefined where this call can't hold the slip. */
  readonly write: (call: CorpusCall) => string | undefined;
}

const text = (call: CorpusCall): string => JSON.stringify(call.input);
const unless = (same: string, written: string): string | undefined => (same === written ? undefined : written);

/** The arguments with every value below them written by `change`; undefined leaves a value as it is. */
function changed(value: Json, schema: JsonObject, change: (value: Json, schema: JsonObject) => Json | undefined): Json {
  const next = change(value, schema);
  if (next !== undefined) return next;
  if (Array.isArray(value)) {
    const items = isJsonObject(schema['items'] ?? null) ? (schema['items'] as JsonObject) : {};
    return (value as readonly Json[]).map((item) => changed(item, items, change));
  }
  if (!isJsonObject(value)) return value;
  const properties = isJsonObject(schema['properties'] ?? null) ? (schema['properties'] as JsonObject) : {};
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const property = properties[key];
      return [key, changed(member, property !== undefined && isJsonObject(property) ? property : {}, change)];
    }),
  );
}

const byValue =
  (change: (value: Json, schema: JsonObject) => Json | undefined) =>
  (call: CorpusCall): string | undefined =>
    unless(text(call), JSON.stringify(changed(call.input, call.declaration.parameters, change)));

const isType = (schema: JsonObject, ...types: string[]): boolean => types.some((type) => schema['type'] === type);

/** The arguments with the keys that are declared written by `spell`, at the root or below it. */
function spelled(spell: (key: string) => string, isDeep: boolean) {
  const rename = (value: Json, schema: JsonObject, depth: number): Json => {
    if (Array.isArray(value))
      return (value as readonly Json[]).map((item) => rename(item, (schema['items'] ?? {}) as JsonObject, depth + 1));
    if (!isJsonObject(value)) return value;
    const properties = (schema['properties'] ?? {}) as JsonObject;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        const isRenamed = Object.hasOwn(properties, key) && (isDeep ? depth > 0 : depth === 0);
        return [isRenamed ? spell(key) : key, rename(member, (properties[key] ?? {}) as JsonObject, depth + 1)];
      }),
    );
  };
  return (call: CorpusCall): string | undefined => {
    const { properties } = call.declaration.parameters;
    const declared = Object.keys((properties ?? {}) as JsonObject);
    // Where two keys differ in nothing but their spelling, which one is meant is not clear.
    if (new Set(declared.map((key) => key.toLowerCase().replace(/[_ -]/g, ''))).size < declared.length)
      return undefined;
    return unless(text(call), JSON.stringify(rename(call.input, call.declaration.parameters, 0)));
  };
}

const pascal = (key: string): string => key.replace(/(?:^|[_ -])([a-z])/g, (_, letter: string) => letter.toUpperCase());
const snake = (key: string): string => key.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();

/** The text with everything outside of its strings written by `change`. */
function outside(written: string, change: (piece: string) => string): string {
  return written.replace(/"(?:[^"\\]|\\.)*"|[^"]+/g, (piece) => (piece.startsWith('"') ? piece : change(piece)));
}

/** Slips with one meaning: each may run, with exactly the values that were meant. */
export const ONE_READING: readonly Slip[] = [
  { name: 'a fence', write: (call) => `\`\`\`json\n${text(call)}\n\`\`\`` },
  { name: 'a sentence before', write: (call) => `Here are the arguments: ${text(call)}` },
  { name: 'a trailing comma', write: (call) => unless(text(call), text(call).replace(/(?<!\{)\}$/, ',}')) },
  {
    name: 'single quotes',
    write: (call) => (/['\\]/.test(text(call)) || text(call) === '{}' ? undefined : text(call).replaceAll('"', "'")),
  },
  {
    name: 'curly quotes around keys and texts',
    write: (call) =>
      /\\|[“”]/.test(text(call)) ? undefined : unless(text(call), text(call).replace(/"([^"]*)"/g, '“$1”')),
  },
  {
    name: 'keys without quotes',
    write: (call) => unless(text(call), text(call).replace(/([{,])"([A-Za-z_]\w*)":/g, '$1$2:')),
  },
  {
    name: "Python's words",
    write: (call) =>
      unless(
        text(call),
        outside(text(call), (piece) => piece.replace('true', 'True').replace('false', 'False').replace('null', 'None')),
      ),
  },
  { name: 'a comment', write: (call) => `${text(call).slice(0, -1)} // done\n}` },
  { name: 'raw line breaks in texts', write: (call) => unless(text(call), text(call).replace(/(?<!\\)\\n/g, '\n')) },
  { name: 'doubled braces', write: (call) => `{${text(call)}}` },
  { name: 'encoded twice', write: (call) => JSON.stringify(text(call)) },
  { name: 'a brace too many', write: (call) => `${text(call)}}` },
  {
    name: 'under `arguments`',
    write: (call) =>
      text(call) === '{}' || Object.hasOwn(propertiesOf(call), 'arguments') ? undefined : `{"arguments":${text(call)}}`,
  },
  {
    name: 'the whole call',
    write: (call) =>
      Object.hasOwn(propertiesOf(call), 'arguments')
        ? undefined
        : JSON.stringify({ name: toolName(call.name), arguments: call.input }),
  },
  {
    name: "the whole call in OpenAI's form",
    write: (call) =>
      JSON.stringify({
        id: 'call_1',
        type: 'function',
        function: { name: toolName(call.name), arguments: text(call) },
      }),
  },
  {
    name: 'objects and lists as JSON texts',
    write: byValue((value, schema) =>
      typeof value === 'object' &&
      value !== null &&
      isType(schema, 'object', 'array') &&
      (schema['properties'] === undefined) === isType(schema, 'array')
        ? JSON.stringify(value)
        : undefined,
    ),
  },
  {
    name: 'numbers as texts',
    write: byValue((value, schema) =>
      typeof value === 'number' && isType(schema, 'number', 'integer') ? String(value) : undefined,
    ),
  },
  {
    name: 'numbers as texts with spaces',
    write: byValue((value, schema) =>
      typeof value === 'number' && isType(schema, 'number', 'integer') ? ` ${value} ` : undefined,
    ),
  },
  {
    name: 'numbers as texts with a plus',
    write: byValue((value, schema) =>
      typeof value === 'number' && value > 0 && isType(schema, 'number', 'integer') ? `+${value}` : undefined,
    ),
  },
  {
    name: 'true and false as texts',
    write: byValue((value, schema) =>
      typeof value === 'boolean' && isType(schema, 'boolean') ? String(value) : undefined,
    ),
  },
  {
    name: 'TRUE and FALSE as texts',
    write: byValue((value, schema) =>
      typeof value === 'boolean' && isType(schema, 'boolean') ? String(value).toUpperCase() : undefined,
    ),
  },
  {
    name: 'a text in a list',
    write: byValue((value, schema) => (typeof value === 'string' && isType(schema, 'string') ? [value] : undefined)),
  },
  {
    name: 'a number under `value`',
    write: byValue((value, schema) =>
      typeof value === 'number' && isType(schema, 'number', 'integer') ? { value } : undefined,
    ),
  },
  { name: 'the arguments in a list', write: (call) => (text(call) === '{}' ? undefined : `[${text(call)}]`) },
  {
    name: 'words of a list in capitals',
    write: byValue((value, schema) =>
      typeof value === 'string' && isClearEnum(schema) ? value.toUpperCase() : undefined,
    ),
  },
  {
    name: 'words of a list with other separators',
    write: byValue((value, schema) =>
      typeof value === 'string' && isClearEnum(schema) ? value.replace(/[_-]/g, ' ') : undefined,
    ),
  },
  { name: 'keys in Pascal case', write: spelled(pascal, false) },
  { name: 'keys in snake case', write: spelled(snake, false) },
  { name: 'deeper keys in Pascal case', write: spelled(pascal, true) },
  { name: 'deeper keys in snake case', write: spelled(snake, true) },
  {
    name: 'null for a key that may be left out',
    write: (call) => {
      const { properties = {}, required = [] } = call.declaration.parameters;
      const left = Object.keys(properties as JsonObject).filter(
        (key) =>
          !Object.hasOwn(call.input, key) &&
          !(required as readonly string[]).includes(key) &&
          isJsonObject((properties as JsonObject)[key] ?? null) &&
          ((properties as JsonObject)[key] as JsonObject)['type'] !== undefined,
      );
      return left.length === 0
        ? undefined
        : JSON.stringify({ ...call.input, ...Object.fromEntries(left.map((key) => [key, null])) });
    },
  },
];

function propertiesOf(call: CorpusCall): JsonObject {
  return (call.declaration.parameters['properties'] ?? {}) as JsonObject;
}

/** An enum whose words differ in more than spelling. */
function isClearEnum(schema: JsonObject): boolean {
  const list = schema['enum'];
  if (!Array.isArray(list) || !isType(schema, 'string')) return false;
  return new Set(list.map((word) => String(word).toLowerCase().replace(/[_ -]/g, ''))).size === list.length;
}

const firstText = ({ input }: CorpusCall): [string, string] | undefined =>
  Object.entries(input).find((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].length > 3);

/** Slips with more than one meaning: none may run with a value that was not meant. */
export const NO_READING: readonly Slip[] = [
  {
    name: 'a key twice',
    write: (call) => {
      const [key] = Object.keys(call.input);
      return key === undefined ? undefined : `${text(call).slice(0, -1)},${JSON.stringify(key)}:"other"}`;
    },
  },
  {
    name: 'a key twice, once with an escape',
    write: (call) => {
      const [key] = Object.keys(call.input);
      const escaped = key?.replace(/^./s, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
      return key === undefined ? undefined : `${text(call).slice(0, -1)},"${escaped}":"other"}`;
    },
  },
  {
    name: 'a quote and a brace inside a text',
    write: (call) => {
      const found = firstText(call);
      if (found === undefined) return undefined;
      const [key, value] = found;
      const rest = Object.fromEntries(Object.entries(call.input).filter(([other]) => other !== key));
      const start = JSON.stringify(rest).slice(0, -1);
      return `${start}${start === '{' ? '' : ','}${JSON.stringify(key)}: "${value.slice(0, 2).replace(/["\\]/g, 'x')}"} ${value.slice(2).replace(/["\\]/g, 'x')}"}`;
    },
  },
  {
    name: 'quotes inside a text',
    write: (call) => {
      const found = firstText(call);
      if (found === undefined) return undefined;
      const [key, value] = found;
      const plain = value.replace(/["\\]/g, 'x');
      const quoted = `${plain.slice(0, 1)}"${plain.slice(1, 3)}"${plain.slice(3)}`;
      return text({ ...call, input: { ...call.input, [key]: '@@' } }).replace('"@@"', () => `"${quoted}"`);
    },
  },
  {
    name: 'a whole number that loses digits',
    write: (call) => {
      const entry = Object.entries(call.input).find(([, value]) => Number.isInteger(value));
      return entry === undefined
        ? undefined
        : text({ ...call, input: { ...call.input, [entry[0]]: '@@' } }).replace('"@@"', '9007199254740993');
    },
  },
  {
    name: 'two objects',
    write: (call) =>
      text(call) === '{}' ? undefined : `${text(call)} ${text(call).replace(/\d/, '7').replace('"', '"x')}`,
  },
];
