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
    const other = Object.hasOwn(others, name) ? others[name] : undefined;
    if (other !== undefined) throw invalidOption(`There is no option \`${name}\` of ${owner}. Use ${inQuotes(other)}.`);
    throw noSuch('option', name, [...Object.keys(known), ...more], (names) => `Options are ${names}.`, ` of ${owner}`);
  }
}

/** The error of a name that is none, with the one that is meant, or else `list` of all. `place` says where it stands. */
export function noSuch(
  what: string,
  name: string,
  known: readonly string[],
  list: (names: string) => string,
  place = '',
): OilcanError {
  return invalidOption(
    `There is no ${what} \`${name.slice(0, MAX_NAME_CHARS)}\`${place}. ${didYouMean(name, known, list)}`,
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

/** "Did you mean ...?" where one name comes near, else all of them. */
export function didYouMean(name: string, known: readonly string[], list: (names: string) => string): string {
  const near = nearestName(name, known);
  return near === undefined ? list(known.join(', ')) : `Did you mean \`${near}\`?`;
}

/** Longest name that is compared with others. Chosen: no option is half as long. */
const MAX_NAME_CHARS = 60;

/** Chosen: a beginning of fewer letters says little. */
const MIN_SHARED_LETTERS = 4;

/** The name that is clearly meant: but for its case, one letter apart, one begins with the other, or they differ in a third of their letters at most. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_NAME_CHARS) return undefined;
  const word = name.toLowerCase();
  // Two letters that have changed places count as two changes.
  const limit = word.length < 5 ? 1 : Math.max(2, Math.floor(word.length / 3));
  const tests: readonly ((other: string) => boolean)[] = [
    (other) => other === word,
    (other) => word.length >= MIN_SHARED_LETTERS && editDistance(word, other, 1) <= 1,
    (other) =>
      Math.min(word.length, other.length) >= MIN_SHARED_LETTERS && (other.startsWith(word) || word.startsWith(other)),
    (other) => editDistance(word, other, limit) <= limit,
  ];
  for (const isNear of tests) {
    const near = known.filter((candidate) => isNear(candidate.toLowerCase()));
    if (near.length === 1) return near[0];
    if (near.length > 1) return undefined;
  }
  return undefined;
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
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOf(value);
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
