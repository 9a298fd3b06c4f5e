import { cutWords } from '../../core/cut-words.ts';
import type { Json } from '../../core/json.ts';
import type { JsonSchema, StandardIssue } from '../../core/schema.ts';
import { callTemplate } from './call-template.ts';
import { describe, describeAllowed, describeKeys, kindOf, MAX_ALTERNATIVES } from './describe-schema.ts';
import { fits, isOfType, outOfBounds, workBudget } from './fits.ts';
import { locate } from './locate.ts';
import type { Place } from './locate.ts';
import { nearestFirst } from './nearest-word.ts';
import { keysOf, pathOf } from './path.ts';
import { allowedValuesOf, branchesOf, propertiesOf, rootNode, typesOf } from './schema-view.ts';
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
  const sentences = new Set<string>();
  const needs = new Set<string>();
  const holes = new Map<string, string>();
  let hasDeepStrays = false;
  for (const issue of issues.slice(0, 100)) {
    const keys = keysOf(issue);
    const path = pathOf(keys);
    const place = locate(keys, schema, value);
    const strays = strayKeys(issue, keys, place);
    if (strays !== undefined) {
      sentences.add(strays);
      hasDeepStrays ||= /[.[]/.test(path);
      continue;
    }
    const { hole, sentence, need } = explainPlace(issue, path, place, suggestions.get(path));
    if (path !== '' && !holes.has(path)) holes.set(path, hole);
    sentences.add(sentence);
    needs.add(need);
  }
  const shown = [...sentences].slice(0, MAX_SENTENCES);
  const more = sentences.size - shown.length;
  if (more > 0) shown.push(`There are ${more} more problems.`);
  // Without holes only strays are left: the call without them is the right one, unless they stand deeper than it can leave them out.
  const canShow = holes.size > 0 || (needs.size === 0 && !hasDeepStrays);
  const template = canShow ? callTemplate(value, schema, holes, suggestions) : undefined;
  const isWhole = holes.size > 0 && [...holes.keys()].every((path) => suggestions.has(path));
  return {
    sentences: shown,
    template,
    holes,
    needs: [...needs].slice(0, MAX_SENTENCES),
    example: isWhole ? template : undefined,
  };
}

/** What is said of arguments that are no object at all. */
export function explainNoObject(schema: JsonSchema, value: Json): Explanation {
  const node = rootNode(schema);
  const keys = Object.keys(propertiesOf(node)).length === 0 ? '{}' : `an object with ${describeKeys(node)}`;
  const only = `The arguments must be one JSON object: ${keys}; not ${kindOf(value)}.`;
  return { sentences: [only], template: undefined, holes: new Map(), needs: [] };
}

/** One wrong place, as a sentence, as a need that stands without what came, and as a hole to fill in. */
function explainPlace(
  issue: StandardIssue,
  path: string,
  { node, value }: Place,
  suggestion: Json | undefined,
): { readonly hole: string; readonly sentence: string; readonly need: string } {
  const declared = node === undefined || isAnything(node) ? undefined : node;
  const isBroken = declared !== undefined && (value === undefined || !fits(value, declared, workBudget()));
  const words = declared === undefined ? 'a value' : describeNear(value, declared);
  const own = ownWords(issue.message, value);
  const phrase = withSuggestion(isBroken ? words : phraseOf(issue.message, own, words, value, declared), suggestion);
  const hole = phrase ?? words;
  const name = path === '' ? 'The object' : `"${path}"`;
  if (value === undefined) {
    return {
      hole,
      sentence: `${name} is missing: it must be ${hole}${aboutOf(node)}.`,
      need: `${name} must be given.`,
    };
  }
  const plain = path === '' ? capital(own) : `${name}: ${own}`;
  const demand = phrase === undefined ? undefined : `${name} must be ${phrase}`;
  return {
    hole,
    sentence: `${demand === undefined ? plain : demand + cameOf(value, declared, isBroken)}.`,
    need: `${path === '' ? plain : (demand ?? plain)}.`,
  };
}

/**
 * What the validator asks for beyond the JSON Schema (a pattern, a format, a refinement), to stand after "must be".
 * Undefined where only its own words can say it.
 */
function phraseOf(
  message: string,
  own: string,
  declared: string,
  value: Json | undefined,
  node: SchemaNode | undefined,
): string | undefined {
  if (node === undefined) return demandIn(own);
  const listed = wordsListedIn(message);
  if (listed !== undefined) return describeAllowed(nearestFirst(value, listed));
  if (isDefaultMessage(message)) return declared;
  return demandIn(own) ?? (node.schema['pattern'] === undefined ? undefined : `a string (${own})`);
}

/** What is declared, the word first that was clearly meant. */
function describeNear(value: Json | undefined, node: SchemaNode): string {
  const allowed = allowedValuesOf(node);
  return allowed === undefined ? describe(node) : describeAllowed(nearestFirst(value, allowed));
}

/** A right form that was tried stands where the eye falls: first in a list of words, else at the end. */
function withSuggestion(phrase: string | undefined, suggestion: Json | undefined): string | undefined {
  if (suggestion === undefined || phrase === undefined || phrase.startsWith('one of ')) return phrase;
  return `${phrase}, such as ${JSON.stringify(suggestion)}`;
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
