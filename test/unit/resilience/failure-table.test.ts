import { describe, expect, test } from 'vitest';
import { failureTable, withOverrides } from '../../../src/resilience/failure-table.ts';
import type { FailureTableOverrides } from '../../../src/resilience/failure-table.ts';

describe('changes to the failure table', () => {
  test('change the row that they name, and no other', () => {
    const table = withOverrides({ 'tool-bug': { remedy: 'stop' } });
    expect(table['tool-bug']).toEqual({ ...failureTable['tool-bug'], remedy: 'stop' });
    expect({ ...table, 'tool-bug': failureTable['tool-bug'] }).toEqual(failureTable);
  });

  test('no changes leave the very same table', () => {
    expect(withOverrides(undefined)).toBe(failureTable);
  });

  const wrong: readonly { readonly name: string; readonly overrides: object; readonly says: RegExp }[] = [
    { name: 'a kind that is none', overrides: { 'tool-bugs': { remedy: 'stop' } }, says: /no failure `tool-bugs`/ },
    {
      name: 'a name that every object has',
      overrides: { constructor: { remedy: 'stop' } },
      says: /no failure `constructor`/,
    },
    {
      name: 'a remedy that is none',
      overrides: { 'tool-bug': { remedy: 'ignore' } },
      says: /`failures\['tool-bug'\]\.remedy` to be 'tell-model' or 'stop', got "ignore"/,
    },
  ];
  const impossible: readonly { readonly kind: string; readonly change: unknown; readonly says: string }[] = [
    {
      kind: 'invalid-arguments',
      change: { remedy: 'retry' },
      says: "Expected `failures['invalid-arguments'].remedy` to be 'tell-model' or 'stop', got \"retry\".",
    },
    { kind: 'tool-failed', change: { remedy: 'ask-again' }, says: "to be 'tell-model' or 'stop', got" },
    { kind: 'denied', change: { remedy: 'compact' }, says: "to be 'tell-model' or 'stop', got" },
    { kind: 'network', change: { remedy: 'compact' }, says: "to be 'retry', 'tell-model' or 'stop', got" },
    { kind: 'cut-reply', change: { remedy: 'ask-again' }, says: "to be 'retry', 'tell-model' or 'stop', got" },
    { kind: 'aborted', change: { remedy: 'retry' }, says: 'The row `aborted` of the failure table stands as it is' },
    { kind: 'bug', change: { remedy: 'tell-model' }, says: 'The row `bug` of the failure table stands as it is' },
    { kind: 'not-run', change: { remedy: 'stop' }, says: 'The row `not-run` of the failure table stands as it is' },
    {
      kind: 'tool-bug',
      change: 'stop',
      says: "Expected `failures['tool-bug']` to be an object such as { remedy: 'tell-model' }, got a string.",
    },
    {
      kind: 'tool-bug',
      change: { action: 'stop' },
      says: "no option `action` of `failures['tool-bug']`. Use `remedy`.",
    },
    { kind: 'tool-bug', change: { owner: 'user' }, says: "owner` to be 'model', 'code' or 'nobody', got" },
    { kind: 'network', change: { mayFallBack: 'no' }, says: "`failures['network'].mayFallBack` to be true or false" },
    { kind: 'netwrok', change: { remedy: 'stop' }, says: 'Did you mean `network`?' },
  ];
  test.each(impossible)('$kind with $change is refused, with what is possible', ({ kind, change, says }) => {
    expect(() => withOverrides({ [kind]: change })).toThrow(says);
  });

  test('every row with the remedies that it can have is taken', () => {
    const taken: FailureTableOverrides = {
      'tool-failed': { remedy: 'stop', owner: 'nobody' },
      'context-overflow': { remedy: 'stop' },
      'too-large': { remedy: 'compact', owner: 'code' },
      'empty-reply': { remedy: 'ask-again' },
      unauthorized: { remedy: 'retry', mayFallBack: false },
      refused: { remedy: 'tell-model', owner: 'model' },
    };
    expect(withOverrides(taken)['too-large']).toMatchObject({ remedy: 'compact', owner: 'code' });
  });

  test.each([5, 'stop', [], null])('%j in place of the changes is refused', (overrides) => {
    expect(() => withOverrides(overrides as FailureTableOverrides)).toThrow(/^Expected `failures` to be an object/);
  });

  test.each(wrong)('$name is refused', ({ overrides, says }) => {
    expect(() => withOverrides(overrides as FailureTableOverrides)).toThrow(says);
  });
});
