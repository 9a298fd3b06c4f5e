import { describe, expect, test } from 'vitest';
import { fileAt } from './source-files.ts';

/** A table of docs/vendors.md: its rows, and the test files that are named above it. */
interface Section {
  readonly title: string;
  readonly files: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const page = fileAt('docs/vendors.md').text;

const sections: readonly Section[] = page.split(/^## /m).map((text) => ({
  title: text.slice(0, text.indexOf('\n')),
  files: [...(/^Held by (.*)\.$/m.exec(text)?.[1]?.matchAll(/`([^`]+)`/g) ?? [])].map(([, file = '']) => file),
  rows: text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    ),
}));
const held = sections.filter(({ files }) => files.length > 0);
const overview = sections[0]?.rows ?? [];

const names = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

describe('the page about vendors', () => {
  test.each(held)('$title: every line has a source, and a test that is there', ({ files, rows }) => {
    const texts = files.map((file) => fileAt(file).text);
    const wrong = rows
      .filter(([first]) => !['vendor', 'rule', 'report'].includes(first ?? ''))
      .filter((row) => {
        const tests = names(row.at(-1) ?? '');
        const isHeld = tests.every((name) =>
          texts.some((text) => [`'${name}'`, `"${name}"`].some((quoted) => text.includes(quoted))),
        );
        return tests.length === 0 || !isHeld || !row.some((cell) => cell.includes('](https://'));
      });
    expect(wrong).toEqual([]);
  });

  test('the overview shows what the tables hold', () => {
    const [, ...topics] = (overview[0] ?? []).map((cell) => /\[(\w+)\]/.exec(cell)?.[1] ?? cell);
    const tables = held.slice(0, topics.length);
    const shown = overview.slice(1).map(([vendor = '', ...dots]) => [vendor, dots.map((dot) => dot === '●')] as const);
    const known = shown.map(
      ([vendor]) =>
        [
          vendor,
          tables.map(({ rows }) => rows.some(([first, , , last]) => first === vendor && last !== undefined)),
        ] as const,
    );
    expect(shown).toEqual(known);
    expect(shown.length).toBeGreaterThanOrEqual(24);
    expect(shown.flatMap(([, dots]) => dots).filter(Boolean).length).toBeGreaterThanOrEqual(150);
  });
});
