import { checkNames, checkOptions, describeValue, expected } from './option-check.ts';
import type { OtherNames } from './option-check.ts';

/** What one option must be. */
export interface OptionRule {
  /** As it stands behind "to be": `a string`. */
  readonly wanted: string;
  readonly fits: (value: unknown) => boolean;
  /** True where the option can't be left out. */
  readonly isNeeded?: boolean;
}

/**
 * What each option of an object must be; `true` where somebody else looks at it. Made with `satisfies`, so that the
 * compiler keeps the list whole.
 */
export type OptionRules = Readonly<Record<string, OptionRule | true>>;

/** A group of options, such as `limits`, as data. */
export interface OptionGroup {
  /** As it stands behind "an object such as". */
  readonly example: string;
  readonly rules: OptionRules;
  readonly otherNames?: OtherNames;
}

/** How an error names an option. */
export type OptionPlace = (option: string) => string;

const inQuotes: OptionPlace = (option) => `\`${option}\``;

/**
 * Asks for options that are what their rules want.
 * @throws OilcanError `invalid-option`
 */
export function checkRules(given: object, rules: OptionRules, place: OptionPlace = inQuotes): void {
  const values = given as Readonly<Record<string, unknown>>;
  for (const option in rules) {
    const rule = rules[option];
    const value = values[option];
    if (rule === true || rule === undefined || (value === undefined && rule.isNeeded !== true)) continue;
    if (!rule.fits(value)) throw expected(place(option), rule.wanted, describeValue(value));
  }
}

/**
 * Asks for a group of options, or none: an object, no names but those of its rules, and what these want.
 * @throws OilcanError `invalid-option`
 */
export function checkGroup(
  name: string,
  given: unknown,
  { example, rules, otherNames }: OptionGroup,
  place: OptionPlace = inQuotes,
): void {
  if (given === undefined) return;
  checkOptions(place(name), given, example);
  checkNames(place(name), given, rules, otherNames);
  checkRules(given, rules, (option) => place(`${name}.${option}`));
}

/** The defaults, with what is given in place of them. */
export function withDefaults<T extends object>(
  defaults: T,
  given: { readonly [K in keyof T]?: T[K] | undefined } = {},
): T {
  const filled = { ...defaults };
  for (const name of Object.keys(defaults) as (keyof T)[]) {
    const value = given[name];
    if (value !== undefined) filled[name] = value;
  }
  return filled;
}

/** Any text. */
export const aString: OptionRule = { wanted: 'a string', fits: (value) => typeof value === 'string' };

/** Whatever it takes and gives. */
export const aFunction: OptionRule = { wanted: 'a function', fits: (value) => typeof value === 'function' };

/** A yes or a no. */
export const trueOrFalse: OptionRule = { wanted: 'true or false', fits: (value) => typeof value === 'boolean' };

/** A finite number above zero. */
export const positive: OptionRule = {
  wanted: 'a number > 0',
  fits: (value) => Number.isFinite(value) && Number(value) > 0,
};

/** A finite number that is not negative. */
export const notNegative: OptionRule = {
  wanted: 'a number >= 0',
  fits: (value) => Number.isFinite(value) && Number(value) >= 0,
};

/** A whole number of at least `min`. */
export function integerFrom(min: number): OptionRule {
  return { wanted: `an integer >= ${min}`, fits: (value) => Number.isInteger(value) && Number(value) >= min };
}

/** One of two or more words. */
export function oneOf(...words: readonly string[]): OptionRule {
  const quoted = words.map((word) => `'${word}'`);
  return {
    wanted: `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`,
    fits: (value) => words.some((word) => word === value),
  };
}

/** The same, of an option that can't be left out. */
export function needed(rule: OptionRule): OptionRule {
  return { ...rule, isNeeded: true };
}
