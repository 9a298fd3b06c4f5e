import { describe, expect, test } from 'vitest';
import { checkNames, checkSignal, describeValue, didYouMean, kindOf } from '../../../src/core/option-check.ts';

describe('the name that was meant', () => {
  const known = [
    'signal',
    'output',
    'outputAttempts',
    'maxAttempts',
    'id',
    'failure',
    'description',
    'parallelToolCalls',
    'fall-back',
    'tool-start',
    'tool-end',
  ];
  test.each([
    ['SIGNAL', 'signal'],
    ['signl', 'signal'],
    ['outptu', 'output'],
    ['max_attempts', 'maxAttempts'],
    ['maxAtempt', 'maxAttempts'],
    ['toolStart', 'tool-start'],
    ['fail', 'failure'],
    ['outputAt', 'outputAttempts'],
    ['desc', 'description'],
    ['parallel', 'parallelToolCalls'],
    ['attempts', undefined],
    ['tool', undefined],
    ['x', undefined],
    ['', undefined],
    ['s'.repeat(100_000), undefined],
  ])('%.20s', (name, meant) => {
    expect(didYouMean(name, known, () => 'none')).toBe(meant === undefined ? 'none' : `Did you mean \`${meant}\`?`);
  });
});

describe('what other libraries call it', () => {
  const others = {
    maxTokens: '`maxOutputTokens` of the provider',
    retries: 'retry',
    maxRetries: 'retry',
    steps: 'turns',
  };
  test.each([
    ['maxTokens', 'Use `maxOutputTokens` of the provider.'],
    ['max_tokens', 'Use `maxOutputTokens` of the provider.'],
    ['maxTokns', 'Use `maxOutputTokens` of the provider.'],
    ['maxRetrys', 'Use `retry`.'],
    ['step', 'Use `turns`.'],
    ['max-turns', 'Did you mean `maxTurns`?'],
    ['constructor', 'none'],
  ])('%s', (name, says) => {
    expect(didYouMean(name, ['maxTurns', 'slips', 'retry', 'turns'], () => 'none', others)).toBe(says);
  });
});

test.each([
  ['maxTokens', 'maxTurns'],
  ['onFailure', 'failures'],
  ['steps', 'slips'],
  ['providerOptions', 'provider'],
  ['streamOptions', 'stream'],
  ['onText', 'context'],
  ['prompt', 'promptCaching'],
  ['desc', 'described-call'],
])('%s is not taken for %s, which means something else', (name, other) => {
  expect(didYouMean(name, [other], () => 'none')).toBe('none');
});

test('a long name is not repeated whole', () => {
  expect(() => checkNames('it', { ['k'.repeat(1000)]: 1 }, { a: true })).toThrow(
    `There is no option \`${'k'.repeat(60)}\` of it. Options are a.`,
  );
});

test.each([
  [undefined, 'undefined', 'undefined'],
  [null, 'null', 'null'],
  [[1], 'an array', 'an array'],
  [{ a: 1 }, 'an object', 'an object'],
  [() => 1, 'a function', 'a function'],
  ['hush', 'a string', '"hush"'],
  ['h'.repeat(41), 'a string', 'a string of 41 characters'],
  [NaN, 'a number', 'NaN'],
  [true, 'a boolean', 'true'],
])('%j by its kind, and as far as it may be shown', (value, kind, shown) => {
  expect(kindOf(value)).toBe(kind);
  expect(describeValue(value)).toBe(shown);
});

test('a controller in place of its signal is told apart', () => {
  expect(() => checkSignal(new AbortController())).toThrow('Pass `controller.signal`, not the controller.');
  expect(() => checkSignal(new AbortController().signal)).not.toThrow();
});
