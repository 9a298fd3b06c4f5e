import { describe, expect, test } from 'vitest';
import type { OptionGroup, OptionRule } from '../../../src/core/option-rules.ts';
import {
  aString,
  checkGroup,
  checkRules,
  integerFrom,
  needed,
  notNegative,
  oneOf,
  positive,
  withDefaults,
} from '../../../src/core/option-rules.ts';

test.each<[string, OptionRule, readonly unknown[], readonly unknown[]]>([
  ['a number > 0', positive, [1, 0.5], [0, -1, NaN, Infinity, '1', null]],
  ['a number >= 0', notNegative, [0, 0.5], [-1, NaN, Infinity, '1', null]],
  ['an integer >= 2', integerFrom(2), [2, 3], [1, 2.5, Infinity, '2', null]],
  ["'a' or 'b'", oneOf('a', 'b'), ['a', 'b'], ['c', 'A', null, ['a']]],
  ["'a', 'b' or 'c'", oneOf('a', 'b', 'c'), ['c'], ['toString']],
])('%s', (wanted, rule, right, wrong) => {
  expect(rule.wanted).toBe(wanted);
  expect(right.filter((value) => !rule.fits(value))).toEqual([]);
  expect(wrong.filter((value) => rule.fits(value))).toEqual([]);
});

describe('the rules of an object', () => {
  const rules = { name: aString, count: needed(integerFrom(1)), other: true } as const;

  test('what is right, left out or looked at elsewhere is taken', () => {
    expect(() => checkRules({ count: 1, other: 5 }, rules)).not.toThrow();
    expect(() => checkRules({ name: undefined, count: 1 }, rules)).not.toThrow();
  });

  test.each<[object, string]>([
    [{ name: 5, count: 1 }, 'Expected `name` to be a string, got 5.'],
    [{ name: null, count: 1 }, 'Expected `name` to be a string, got null.'],
    [{}, 'Expected `count` to be an integer >= 1, got undefined.'],
  ])('%j is refused', (given, says) => {
    expect(() => checkRules(given, rules)).toThrow(says);
  });

  test('an error names the option as its owner does', () => {
    expect(() => checkRules({}, rules, (option) => `\`${option}\` of it`)).toThrow('Expected `count` of it to be');
  });
});

describe('a group of options', () => {
  const group: OptionGroup = { example: '{ size: 1 }', rules: { size: positive }, otherNames: { length: 'size' } };

  test.each<[unknown, string]>([
    [5, 'Expected `box` to be an object such as { size: 1 }, got a number.'],
    [{ length: 1 }, 'There is no option `length` of `box`. Use `size`.'],
    [{ color: 1 }, 'There is no option `color` of `box`. Options are size.'],
    [{ size: 0 }, 'Expected `box.size` to be a number > 0, got 0.'],
  ])('%j is refused', (given, says) => {
    expect(() => checkGroup('box', given, group)).toThrow(says);
  });

  test('none at all is taken', () => {
    expect(() => checkGroup('box', undefined, group)).not.toThrow();
  });
});

test('a default stands where nothing is given, undefined included, and 0 is something', () => {
  expect(withDefaults({ a: 1, b: 2, c: 3 }, { a: undefined, b: 0 })).toEqual({ a: 1, b: 0, c: 3 });
  expect(withDefaults({ a: 1 })).toEqual({ a: 1 });
});
