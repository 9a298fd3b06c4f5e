import { editDistance } from './edit-distance.ts';
import { OilcanError } from './error.ts';
import { isRecord } from './json.ts';

/** The error of an option, a tool or an input that is not what was expected. */
export function invalidOption(message: string, options?: { readonly cause: unknown }): OilcanError {
  return new OilcanError('invalid-option', message, options);
}

/** The error of a value that is not what it has to be. `got` says what came: a kind, where it may be secret. */
export function expected(what: string, wanted: string, got: string): OilcanError {
  return invalidOption(`Expected ${what} to be ${wanted}, got ${got}.`);
}

/** Names that may stand in an object of options. Made with `satisfies`, so that the compiler keeps the list whole. */
export type KnownNames = Readonly<Record<string, unknown>>;

/** Names that other libraries use, and what they are called here. */
export type OtherNames = Readonly<Record<string, string>>;

/** Names that stand in another place, each with a hint that says where: `NAME` in it becomes the name. */
export function namesElsewhere(names: readonly string[], hint: string): OtherNames {
  return Object.fromEntries(names.map((name) => [name, hint.replace('NAME', name)]));
}

/** What other libraries call the options of a retry. */
export const OTHER_RETRY_NAMES: OtherNames = {
  attempts: 'maxAttempts',
  retries: '`maxAttempts`, which is one more: the first try counts',
  maxRetries: '`maxAttempts`, which is one more: the first try counts',
  delay: 'baseDelayMs',
  delayMs: 'baseDelayMs',
  minTimeout: 'baseDelayMs',
  initialDelayMs: 'baseDelayMs',
  maxTimeout: 'maxDelayMs',
};

/**
 * Refuses names that are no options, so that a misspelled one is not ignored in silence. `more` are known as well.
 *
 * @throws OilcanError `invalid-option`, with the name that is meant, or else all of them.
 */
export function checkNames(
  owner: string,
  given: object,
  known: KnownNames,
  others: OtherNames = {},
  more: readonly string[] = [],
): void {
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(known, name) || more.includes(name)) continue;
    const names = [...Object.keys(known), ...more];
    throw noSuch('option', name, names, (list) => `Options are ${list}.`, ` of ${owner}`, others);
  }
}

/**
 * The error of a name that is none, with the one that is meant, or else `list` of all. `place` says where it stands,
 * `others` what is meant by names that are none of ours.
 */
export function noSuch(
  what: string,
  name: string,
  known: readonly string[],
  list: (names: string) => string,
  place = '',
  others: OtherNames = {},
): OilcanError {
  return invalidOption(
    `There is no ${what} \`${name.slice(0, MAX_NAME_CHARS)}\`${place}. ${didYouMean(name, known, list, others)}`,
  );
}

/**
 * Asks for an object of options.
 *
 * @throws OilcanError `invalid-option`, with `such as` for an example.
 */
export function checkOptions(what: string, given: unknown, example: string): asserts given is object {
  if (!isRecord(given)) throw expected(what, `an object such as ${example}`, kindOf(given));
}

/** A bare name gets its quotes; a longer hint has its own. */
function inQuotes(hint: string): string {
  return hint.includes('`') ? hint : `\`${hint}\``;
}

/** "Did you mean ...?" or, of `others`, "Use ...", where what comes near leads to one answer; else `list` of all. */
export function didYouMean(
  name: string,
  known: readonly string[],
  list: (names: string) => string,
  others: OtherNames = {},
): string {
  const sentences = new Set(
    nearNames(name, [...known, ...Object.keys(others)]).map((near) => {
      const other = known.includes(near) ? undefined : others[near];
      return other === undefined ? `Did you mean \`${near}\`?` : `Use ${inQuotes(other)}.`;
    }),
  );
  const [sentence] = sentences;
  return sentence !== undefined && sentences.size === 1 ? sentence : list(known.join(', '));
}

/** Longest name that is compared with others. Chosen: no option is half as long. */
const MAX_NAME_CHARS = 60;

/** Chosen: a beginning of fewer letters says little. */
const MIN_SHARED_LETTERS = 4;

/** Chosen: of a name of several words, fewer letters have to be half of it (`prompt` is not `promptCaching`). */
const MIN_LETTERS_OF_LONG_NAME = 7;

/** Chosen: in a shorter word two other letters make another word (`steps` is not `slips`). */
const MIN_LETTERS_FOR_TWO_SLIPS = 8;

/**
 * The names that come nearest: the same but for case and separators, else one slip away, else begun with it, else two
 * slips away. No further, never with another first letter (`onText` is not `context`), and never a name that goes on in
 * another way (`providerOptions` is not `provider`): a wrong guess does more harm than none.
 */
function nearNames(name: string, candidates: readonly string[]): readonly string[] {
  if (name.length > MAX_NAME_CHARS) return [];
  const word = bare(name);
  const alike = candidates.filter((candidate) => bare(candidate)[0] === word[0]);
  const isAbbreviation = alike.some((candidate) => abbreviates(word, candidate));
  const tests: readonly ((other: string) => boolean)[] = [
    (other) => other === word,
    (other) => word.length > 2 && (editDistance(word, other, 1) <= 1 || hasSwappedLetters(word, other)),
    (other) => isAbbreviation && other.startsWith(word),
    (other) => word.length >= MIN_LETTERS_FOR_TWO_SLIPS && editDistance(word, other, 2) <= 2,
  ];
  for (const isNear of tests) {
    const near = alike.filter((candidate) => isNear(bare(candidate)));
    if (near.length > 0) return near;
  }
  return [];
}

/** True for the beginning of a name. Of one of several words it has to be more than a word with another meaning alone. */
function abbreviates(word: string, candidate: string): boolean {
  const other = bare(candidate);
  if (word.length < MIN_SHARED_LETTERS || !other.startsWith(word)) return false;
  const isOneWord = !/[A-Z_-]/.test(candidate);
  return isOneWord || word.length >= MIN_LETTERS_OF_LONG_NAME || word.length * 2 >= other.length;
}

/** A name as it sounds: `max_tokens`, `max-tokens` and `maxTokens` are the same. */
function bare(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}

/** True where two neighbours have changed places. */
function hasSwappedLetters(a: string, b: string): boolean {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}

/** The kind of a value, for an error text: what values hold may be long or secret. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** What came, for an error text: a short text or a figure as it is, of everything else the kind. Not for what may be secret. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string')
    return value.length <= 40 ? JSON.stringify(value) : `a string of ${value.length} characters`;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  // What every version of zod has: with Standard Schema it would have been taken.
  return isRecord(value) && '_def' in value ? 'a schema of zod before 3.24' : kindOf(value);
}

/** True for an object (or a function, as ArkType's are) that follows Standard Schema. */
export function isStandardSchema(value: unknown): boolean {
  return (isRecord(value) || typeof value === 'function') && hasMethod(Reflect.get(value, '~standard'), 'validate');
}

/** True for an object with this method. */
export function hasMethod(value: unknown, name: string): boolean {
  return isRecord(value) && typeof value[name] === 'function';
}

/**
 * Asks for an AbortSignal, of any host.
 *
 * @throws OilcanError `invalid-option` for anything else but `undefined`.
 */
export function checkSignal(signal: unknown): void {
  if (signal === undefined) return;
  if (isRecord(signal) && hasMethod(signal, 'addEventListener') && 'aborted' in signal) return;
  const fix = isRecord(signal) && 'signal' in signal ? ' Pass `controller.signal`, not the controller.' : '';
  throw invalidOption(`Expected \`signal\` to be an AbortSignal, got ${kindOf(signal)}.${fix}`);
}
