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
      says: /remedy of `tool-bug` to be one of tell-model/,
    },
  ];
  test.each(wrong)('$name is refused', ({ overrides, says }) => {
    expect(() => withOverrides(overrides as FailureTableOverrides)).toThrow(says);
  });
});
