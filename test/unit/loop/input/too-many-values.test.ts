import { describe, expect, test } from 'vitest';
import { readJson } from '../../../../src/loop/input/lenient-json.ts';

const rows = (count: number, row: string): string => `{"list":[${Array.from({ length: count }, () => row).join(',')}]}`;

describe('arguments of too many values are refused before anything looks at each of them', () => {
  test.each([
    { name: 'objects', text: rows(30_000, '{"a":1}') },
    { name: 'numbers', text: rows(100_000, '1') },
    { name: 'keys', text: `{${Array.from({ length: 30_000 }, (_, key) => `"k${key}":1`).join(',')}}` },
    { name: 'keys without quotes', text: `{${Array.from({ length: 30_000 }, (_, key) => `k${key}:1`).join(',')}}` },
    { name: 'single quotes', text: rows(30_000, "{'a':'b',}") },
    { name: 'brackets', text: '['.repeat(100_000) + ']'.repeat(100_000) },
  ])('$name', ({ text }) => {
    expect(readJson(text)).toMatchObject({
      ok: false,
      isCut: false,
      problem: expect.stringContaining('too many values'),
    });
  });
});

describe('a long text is one value, whatever stands in it', () => {
  const prose = 'one, two: {three} [four], '.repeat(10_000);
  test.each([
    { name: 'in JSON', text: JSON.stringify({ text: prose }) },
    { name: 'with escaped quotes', text: JSON.stringify({ text: `"${prose}"` }) },
    { name: 'with an apostrophe', text: JSON.stringify({ text: `it's ${prose}` }) },
    { name: 'in single quotes', text: `{'text': '${prose}'}` },
    { name: 'a thousand rows', text: rows(1000, '{"a":"b","c":[1,2,3]}') },
  ])('$name', ({ text }) => {
    expect(readJson(text)).toMatchObject({ ok: true });
  });
});
