import type { Json } from '../../core/json.ts';
import type { JsonSchema, StandardIssue } from '../../core/schema.ts';
import { callTemplate } from './call-template.ts';
import { describe, describeAllowed, describeKeys, kindOf, MAX_ALTERNATIVES } from './describe-schema.ts';
import { fits, isOfType, workBudget } from './fits.ts';
import { locate } from './locate.ts';
import type { Place } from './locate.ts';
import { nearestFirst } from './nearest-word.ts';
import { keysOf, pathOf } from './path.ts';
import { allowedValuesOf, branchesOf, nodeOf, propertiesOf, typesOf } from './schema-view.ts';
import type { SchemaNode } from './schema-view.ts';
import { wordsListedIn } from './word-list.ts';

/** What is wrong with the arguments of a call, in words that repeat nothing wrong. */
export interface Explanation {
  /** One for each place. */
  readonly sentences: readonly string[];
  /** The whole call with its good values, holes marked: `{"city": "Paris", "units": <one of "C", "F">}`. Undefined where it would be long. */
  readonly template: string | undefined;
  /** What each wrong or missing place has to hold, by path. */
  readonly holes: ReadonlyMap<string, string>;
  /** What has to be, without a word about what came: for a model that does not see its mistake any more. */
  readonly needs: readonly string[];
  /** The template, where it has no holes left. */
  readonly example?: string | undefined;
}

/** Chosen: a model that made more mistakes than this makes them in the next call, too. */
const MAX_SENTENCES = 8;

const NO_SUGGESTIONS: ReadonlyMap<string, Json> = new Map();

/** Explains what a validator said, led by the JSON Schema: the schema knows what is wanted, the message mostly repeats what came. */
export function explain(
  issues: readonly StandardIssue[],
  schema: JsonSchema,
  value: Json,
  suggestions: ReadonlyMap<string, Json> = NO_SUGGESTIONS,
): Explanation {
  const sentences: string[] = [];
  const needs: string[] = [];
  /** What has to be filled in, by path. */
  const holes = new Map<string, string>();
  let hasDeepStrays = false;
  for (const issue of issues.slice(0, 100)) {
    const keys = keysOf(issue);
    const path = pathOf(keys);
    const place = locate(keys, schema, value);
    const strays = strayKeys(issue, keys, place);
    if (strays !== undefined) {
      add(sentences, strays);
      hasDeepStrays ||= path.includes('.') || path.includes('[');
      continue;
    }
    const wanted = withSuggestion(wantedAt(issue, place), suggestions.get(path));
    if (path !== '' && !holes.has(path)) holes.set(path, wanted.hole);
    add(sentences, sentence(path, place, wanted));
    add(needs, needOf(path, place, wanted));
  }
  const shown = sentences.slice(0, MAX_SENTENCES);
  const more = sentences.length - shown.length;
  if (more > 0) shown.push(`There are ${more} more problems.`);
  // Without holes only strays are left: the call without them is the right one, unless they stand deeper than it can leave them out.
  const canShow = holes.size > 0 || (needs.length === 0 && !hasDeepStrays);
  const template = canShow ? callTemplate(value, schema, holes, suggestions) : undefined;
  const isWhole = holes.size > 0 && [...holes.keys()].every((path) => suggestions.has(path));
  return {
    sentences: shown,
    template,
    holes,
    needs: needs.slice(0, MAX_SENTENCES),
    example: isWhole ? template : undefined,
  };
}

/** What is said of arguments that are no object at all. */
export function explainNoObject(schema: JsonSchema, value: Json): Explanation {
  const node = nodeOf(schema, schema);
  const keys = Object.keys(propertiesOf(node)).length === 0 ? '{}' : `an object with ${describeKeys(node)}`;
  const only = `The arguments must be one JSON object: ${keys}; not ${kindOf(value)}.`;
  return { sentences: [only], template: undefined, holes: new Map(), needs: [] };
}

function add(sentences: string[], next: string): void {
  if (!sentences.includes(next)) sentences.push(next);
}

/** What a place needs, as the end of a sentence and as a hole to fill in. */
interface Wanted {
  readonly hole: string;
  /** After `"path" must be`, or undefined where the validator's own words stand alone. */
  readonly phrase: string | undefined;
  /** The validator's own words. */
  readonly own: string;
  /** True where what came has the wrong type: then its kind is worth a word. */
  readonly isTypeWrong: boolean;
  /** "too large" and the like. */
  readonly direction: string | undefined;
}

function wantedAt(issue: StandardIssue, { node, value }: Place): Wanted {
  const own = ownWords(issue.message, value);
  const direction = typeof value === 'number' || typeof value === 'string' ? directionOf(value, node) : undefined;
  if (node === undefined || isAnything(node))
    return { hole: holeOf(own) ?? 'a value', phrase: holeOf(own), own, isTypeWrong: false, direction };
  const allowed = allowedValuesOf(node);
  const declared = allowed === undefined ? describe(node) : describeAllowed(nearestFirst(value, allowed));
  const isDeclaredBroken = value === undefined || !fits(value, node, workBudget());
  if (isDeclaredBroken)
    return { hole: declared, phrase: declared, own, isTypeWrong: isTypeWrong(value, node), direction };
  // The JSON Schema is content: a pattern, a format or a refinement, which only the message can explain.
  const listed = wordsListedIn(issue.message);
  if (listed !== undefined) {
    const phrase = describeAllowed(nearestFirst(value, listed));
    return { hole: phrase, phrase, own, isTypeWrong: false, direction };
  }
  if (isDefaultMessage(issue.message)) return { hole: declared, phrase: declared, own, isTypeWrong: false, direction };
  const phrase = holeOf(own);
  if (phrase !== undefined) return { hole: phrase, phrase, own, isTypeWrong: false, direction };
  if (node.schema['pattern'] !== undefined) {
    const named = `a string (${own})`;
    return { hole: named, phrase: named, own, isTypeWrong: false, direction };
  }
  return { hole: declared, phrase: undefined, own, isTypeWrong: false, direction };
}

/** A right form that was tried stands where the eye falls: first in a list of words, else at the end. */
function withSuggestion(wanted: Wanted, suggestion: Json | undefined): Wanted {
  if (suggestion === undefined || wanted.phrase === undefined || wanted.phrase.startsWith('one of ')) return wanted;
  const phrase = `${wanted.phrase}, such as ${JSON.stringify(suggestion)}`;
  return { ...wanted, phrase, hole: phrase };
}

function needOf(path: string, { value }: Place, wanted: Wanted): string {
  if (path === '') return `${capital(wanted.own)}.`;
  if (value === undefined) return `"${path}" must be given.`;
  return wanted.phrase === undefined ? `"${path}": ${wanted.own}.` : `"${path}" must be ${wanted.phrase}.`;
}

function sentence(path: string, { node, value }: Place, wanted: Wanted): string {
  const name = path === '' ? 'The object' : `"${path}"`;
  if (value === undefined) {
    const about = aboutOf(node);
    return `${name} is missing: it must be ${wanted.phrase ?? wanted.hole}${about === undefined ? '' : ` (${about})`}.`;
  }
  if (wanted.phrase === undefined) return path === '' ? `${capital(wanted.own)}.` : `${name}: ${wanted.own}.`;
  const came = wanted.isTypeWrong
    ? `, not ${kindOf(value)}`
    : wanted.direction === undefined
      ? ''
      : `; it was ${wanted.direction}`;
  return `${name} must be ${wanted.phrase}${came}.`;
}

/** The declaration's own words about a key, where they are short: they help to fill it in. */
function aboutOf(node: SchemaNode | undefined): string | undefined {
  const description = node?.schema['description'];
  return typeof description === 'string' && description.length <= 60
    ? description.trim().replace(/\.$/, '')
    : undefined;
}

function isAnything(node: SchemaNode): boolean {
  return Object.keys(node.schema).every((key) => key === 'description' || key === 'title' || key === 'default');
}

function isTypeWrong(value: Json | undefined, node: SchemaNode): boolean {
  const nodes = branchesOf(node) ?? [node];
  const types = nodes.flatMap((branch) => [...typesOf(branch)]);
  return types.length > 0 && !types.some((type) => isOfType(value, type));
}

function directionOf(value: number | string, node: SchemaNode | undefined): string | undefined {
  if (node === undefined) return undefined;
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, minLength, maxLength } = node.schema as Readonly<
    Record<string, Json>
  >;
  if (typeof value === 'string') {
    if (typeof minLength === 'number' && value.length < minLength) return 'too short';
    return typeof maxLength === 'number' && value.length > maxLength ? 'too long' : undefined;
  }
  if (typeof minimum === 'number' && value < minimum) return 'too small';
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) return 'too small';
  if (typeof maximum === 'number' && value > maximum) return 'too large';
  return typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum ? 'too large' : undefined;
}

/** A sentence about keys that nothing declares, or undefined where the issue is another one. */
function strayKeys(issue: StandardIssue, keys: readonly (string | number)[], place: Place): string | undefined {
  // Zod names the keys beside the path of their object; Valibot and ArkType give the path of each key.
  const named: unknown = Reflect.get(issue, 'keys');
  if (Array.isArray(named) && named.length > 0) {
    const strays = named.filter((key) => typeof key === 'string');
    return straySentence(strays, pathOf(keys), place.node);
  }
  const key = keys.at(-1);
  const isClosed = place.parent?.schema['additionalProperties'] === false;
  if (typeof key !== 'string' || place.value === undefined || !isClosed || place.node !== undefined) return undefined;
  return straySentence([key], pathOf(keys.slice(0, -1)), place.parent);
}

function straySentence(strays: readonly string[], path: string, node: SchemaNode | undefined): string {
  const names = strays.slice(0, 5).map((key) => JSON.stringify(key.slice(0, 60)));
  const accepted = node === undefined ? [] : Object.keys(propertiesOf(node)).slice(0, MAX_ALTERNATIVES);
  const verb = names.length === 1 ? 'is not a key' : 'are not keys';
  const owner = path === '' ? 'here' : `of "${path}"`;
  if (accepted.length === 0) return `${names.join(', ')} ${verb} ${owner}: it takes no keys.`;
  return `${names.join(', ')} ${verb} ${owner}: the keys are ${accepted.map((key) => JSON.stringify(key)).join(', ')}.`;
}

/** True for messages that a library made itself: the schema says the same in better words. */
function isDefaultMessage(message: string): boolean {
  return /^(?:Invalid (?:input|string|type|option|format|length|value|ISO|email|URL|UUID|key)|Too (?:small|big)|Unrecognized)/.test(
    message,
  );
}

/** Chosen: a refinement's message is a sentence; more is a report. */
const MAX_OWN_CHARS = 200;

/** The validator's message without what it repeats of the value, and without the end of its sentence. */
function ownWords(message: string, value: Json | undefined): string {
  const plain = message
    .slice(0, 2000)
    .replace(/^Invalid (?:input|type|option|format|value|key): /, '')
    .replace(/,? (?:but )?(?:received|got) [^]*$/, '')
    .replace(/ \(was [^]*\)$/, '')
    .replace(/[\s.]+$/, '');
  const quiet = withoutValue(plain, value);
  return quiet.length <= MAX_OWN_CHARS ? quiet : `${quiet.slice(0, MAX_OWN_CHARS - 2)} …`;
}

/** A message that quotes the value would have the model read its mistake again. */
function withoutValue(message: string, value: Json | undefined): string {
  if (typeof value !== 'string' && typeof value !== 'number') return message;
  const text = String(value);
  if (text.length < 2 || text.length > 200 || !message.includes(text)) return message;
  const escaped = text.replace(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`);
  return message.replace(
    new RegExp(`(?<![\\p{L}\\p{N}_-])["'\`]?${escaped}["'\`]?(?![\\p{L}\\p{N}_-])`, 'gu'),
    'this value',
  );
}

/** What stands after "must be", where the message says it so. */
function holeOf(own: string): string | undefined {
  return /^(?:it |this |value )?(?:must|should|has to|needs to) be (.+)$/is.exec(own)?.[1];
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
