import { cutWords } from '../../core/cut-words.ts';
import { isJsonObject } from '../../core/json.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { JsonSchema, StandardIssue } from '../../core/schema.ts';
import { callTemplate, isChoice } from './call-template.ts';
import { describe, describeAllowed, kindOf, MAX_ALTERNATIVES } from './describe-schema.ts';
import { fits, isOfType, outOfBounds, workBudget } from './fits.ts';
import { locate } from './locate.ts';
import type { Place } from './locate.ts';
import { nearestFirst } from './nearest-word.ts';
import { narrowed } from './narrow.ts';
import { keysOf, pathOf } from './path.ts';
import { allowedValuesOf, branchesOf, declaredKeys, nodeOf, rootNode, takesOtherKeys, typesOf } from './schema-view.ts';
import type { SchemaNode } from './schema-view.ts';
import { wordsListedIn } from './word-list.ts';

/** What is wrong with the arguments of a call, in words that repeat nothing wrong. */
export interface Explanation {
  /** One for each place. */
  readonly sentences: readonly string[];
  /** The same, to stand before the template: it shows the keys of objects already. */
  readonly brief: readonly string[];
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
  const sentences = new Set<string>();
  const brief = new Set<string>();
  const needs = new Set<string>();
  const holes = new Map<string, string>();
  const strays = new Map<string, Strays>();
  for (const issue of narrowed(issues.slice(0, 100), schema, value)) {
    const keys = keysOf(issue);
    const path = pathOf(keys);
    const place = locate(keys, schema, value);
    if (collectStrays(strays, issue, keys, place)) continue;
    const told = explainPlace(issue, path, place, suggestions.get(path));
    if (path !== '' && !holes.has(path)) holes.set(path, told.hole);
    sentences.add(told.sentence(describe));
    brief.add(told.sentence(describeBriefly));
    needs.add(told.need);
  }
  const others = Array.from(strays, ([path, { keys, node }]) => straySentence([...keys], path, node));
  // Without holes only strays are left: the call without them is the right one, unless they stand deeper than it can leave them out.
  const isOnlyRootStrays = needs.size === 0 && [...strays.keys()].every((path) => path === '');
  const template = holes.size > 0 || isOnlyRootStrays ? callTemplate(value, schema, holes, suggestions) : undefined;
  const isWhole = holes.size > 0 && [...holes.keys()].every((path) => suggestions.has(path));
  // A call without any arguments is none to show where the tool takes some.
  const shown = template === '{}' && declaredKeys(rootNode(schema)).length > 0 ? undefined : template;
  return {
    sentences: atMost(MAX_SENTENCES, [...sentences, ...others]),
    brief: atMost(MAX_SENTENCES, [...brief, ...others]),
    template: shown,
    holes,
    needs: [...needs].slice(0, MAX_SENTENCES),
    example: isWhole ? shown : undefined,
  };
}

function atMost(count: number, sentences: readonly string[]): string[] {
  const more = sentences.length - count;
  return more > 0 ? [...sentences.slice(0, count), `There are ${more} more problems.`] : [...sentences];
}

/** What is said of arguments that are no object at all. */
export function explainNoObject(schema: JsonSchema, value: Json): Explanation {
  const node = rootNode(schema);
  const wanted = declaredKeys(node).length === 0 ? '{}' : describe(node);
  const only = `The arguments must be one JSON object: ${wanted}; not ${kindOf(value)}.`;
  return { sentences: [only], brief: [only], template: undefined, holes: new Map(), needs: [] };
}

type Describe = (node: SchemaNode) => string;

/** Without the keys of objects, but for those of which one is to be chosen. */
const describeBriefly: Describe = (node) => (isChoice(node) ? describe(node) : describe(node, 2));

/** One wrong place, as a sentence, as a need that stands without what came, and as a hole to fill in. */
function explainPlace(
  issue: StandardIssue,
  path: string,
  { node, value }: Place,
  suggestion: Json | undefined,
): { readonly hole: string; readonly sentence: (describeNode: Describe) => string; readonly need: string } {
  const declared = node === undefined || isAnything(node) ? undefined : node;
  const isBroken = declared !== undefined && (value === undefined || !fits(value, declared, workBudget()));
  const own = ownWords(issue.message, path, value);
  const name = path === '' ? 'The object' : `"${path}"`;
  const plain = path === '' ? capital(own) : `${name}: ${own}`;
  const phraseBy = (describeNode: Describe): string | undefined => {
    const words = declared === undefined ? undefined : describeNear(value, declared, describeNode);
    const phrase = isBroken ? words : demandOf(issue.message, own, words, value, declared);
    // "A value" says nothing.
    return phrase === 'a value' && own !== '' ? undefined : withSuggestion(phrase, suggestion);
  };
  const phrase = phraseBy(describe);
  const hole = phrase ?? (declared === undefined ? 'a value' : describeNear(value, declared, describe));
  if (value === undefined) {
    return {
      hole,
      sentence: (describeNode) => `${name} is missing: it must be ${phraseBy(describeNode) ?? hole}${aboutOf(node)}.`,
      need: `${name} must be given.`,
    };
  }
  const demand = (words: string | undefined): string => (words === undefined ? plain : `${name} must be ${words}`);
  const came = phrase === undefined ? '' : cameOf(value, declared, isBroken);
  return {
    hole,
    sentence: (describeNode) => `${demand(phraseBy(describeNode))}${came}.`,
    need: `${path === '' ? plain : demand(phrase)}.`,
  };
}

/**
 * What the validator asks for of a value that fits the JSON Schema (a pattern, a format, a refinement), to stand after
 * "must be". Undefined where only its own words can say it.
 */
function demandOf(
  message: string,
  own: string,
  declared: string | undefined,
  value: Json | undefined,
  node: SchemaNode | undefined,
): string | undefined {
  const listed = wordsListedIn(message);
  if (listed !== undefined) return describeAllowed(nearestFirst(value, listed));
  if (node === undefined || declared === undefined) return demandIn(own);
  const hasForm = [node, ...(branchesOf(node) ?? [])].some(({ schema }) => 'pattern' in schema || 'format' in schema);
  if (own === '' || (hasForm && isDefaultMessage(message))) return declared;
  return demandIn(own) ?? (node.schema['pattern'] === undefined ? undefined : `a string (${own})`);
}

/** What is declared, the word first that was likely meant. */
function describeNear(value: Json | undefined, node: SchemaNode, describeNode: Describe): string {
  const allowed = allowedValuesOf(node);
  return allowed === undefined ? describeNode(node) : describeAllowed(nearestFirst(value, allowed));
}

/** A right form that was tried stands where the eye falls. */
function withSuggestion(phrase: string | undefined, suggestion: Json | undefined): string | undefined {
  const shown = JSON.stringify(suggestion);
  return suggestion === undefined || phrase === undefined || phrase.includes(shown)
    ? phrase
    : `${phrase}, such as ${shown}`;
}

/** A word about what came, where it has the wrong type or breaks a bound. */
function cameOf(value: Json, node: SchemaNode | undefined, isBroken: boolean): string {
  if (node === undefined) return '';
  if (isBroken && isTypeWrong(value, node)) return `, not ${kindOf(value)}`;
  const direction = Array.isArray(value) ? undefined : outOfBounds(value, node);
  return direction === undefined ? '' : `; it was ${direction}`;
}

/** The declaration's own words about a key, where they are short: they help to fill it in. */
function aboutOf(node: SchemaNode | undefined): string {
  const description = node?.schema['description'];
  if (typeof description !== 'string' || description.length > 60) return '';
  return ` (${description.trim().replace(/\.$/, '')})`;
}

function isAnything(node: SchemaNode): boolean {
  return Object.keys(node.schema).every((key) => key === 'description' || key === 'title' || key === 'default');
}

function isTypeWrong(value: Json, node: SchemaNode): boolean {
  const types = (branchesOf(node) ?? [node]).flatMap(typesOf);
  return types.length > 0 && !types.some((type) => isOfType(value, type));
}

/** Keys of one object that nothing declares. */
interface Strays {
  readonly keys: Set<string>;
  readonly node: SchemaNode | undefined;
}

/** Notes the keys that an issue says nothing declares, by the path of their object. False where it is about something else. */
function collectStrays(
  strays: Map<string, Strays>,
  issue: StandardIssue,
  keys: readonly (string | number)[],
  place: Place,
): boolean {
  // Zod names the keys beside the path of their object; Valibot and ArkType give the path of each key.
  const named: unknown = Reflect.get(issue, 'keys');
  const listed = Array.isArray(named) ? named.filter((key) => typeof key === 'string') : [];
  const last = keys.at(-1);
  const isClosed = place.parent?.schema['additionalProperties'] === false && place.node === undefined;
  // Zod says so of a record's keys.
  const isBadKey = issue.message.startsWith('Invalid key');
  const isStray = typeof last === 'string' && place.value !== undefined && (isClosed || isBadKey);
  if (listed.length === 0 && !isStray) return false;
  const path = pathOf(listed.length > 0 ? keys : keys.slice(0, -1));
  const known = strays.get(path) ?? { keys: new Set(), node: listed.length > 0 ? place.node : place.parent };
  for (const key of listed.length > 0 ? listed : [String(last)]) known.keys.add(key);
  strays.set(path, known);
  return true;
}

function straySentence(strays: readonly string[], path: string, node: SchemaNode | undefined): string {
  const names = strays.slice(0, 5).map((key) => JSON.stringify(key.slice(0, 60)));
  const verb = names.length === 1 ? 'is not a key' : 'are not keys';
  const owner = path === '' ? 'here' : `of "${path}"`;
  return `${names.join(', ')} ${verb} ${owner}: ${keysOfObject(node)}.`;
}

function keysOfObject(node: SchemaNode | undefined): string {
  if (node === undefined) return 'it takes no other keys';
  const accepted = declaredKeys(node)
    .slice(0, MAX_ALTERNATIVES)
    .map((key) => JSON.stringify(key));
  const patterns = Object.keys(
    isJsonObject(node.schema['patternProperties'] ?? null) ? (node.schema['patternProperties'] as JsonObject) : {},
  );
  if (patterns.length > 0) accepted.push(`those that match ${patterns.join(' or ')}`);
  if (accepted.length > 0) return `the keys are ${accepted.join(', ')}`;
  const names = node.schema['propertyNames'];
  if (names !== undefined) return `a key must be ${describe(nodeOf(names, node.root))}`;
  return takesOtherKeys(node) ? 'the tool does not take it' : 'it takes no keys';
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
function ownWords(message: string, path: string, value: Json | undefined): string {
  // ArkType begins with the path.
  const start = path !== '' && message.startsWith(`${path} `) ? path.length + 1 : 0;
  const plain = message
    .slice(start, start + 2000)
    .replace(/^Invalid (?:input|type|option|format|value|key): /, '')
    .replace(/,? (?:but )?(?:received|got) [^]*$/, '')
    .replace(/ \(was [^]*\)$/, '')
    .replace(/[\s.]+$/, '');
  return cutWords(withoutValue(plain, value), MAX_OWN_CHARS);
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
function demandIn(own: string): string | undefined {
  return /^(?:it |this |value )?(?:must|should|has to|needs to) be (.+)$/is.exec(own)?.[1];
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
