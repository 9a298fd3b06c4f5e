import { expect, test } from 'vitest';
import { fileAt } from './source-files.ts';

const api = fileAt('docs/api.md').text;

/** The part of a page under a heading. */
function section(heading: string): string {
  const start = api.indexOf(`\n## ${heading}\n`);
  const end = api.indexOf('\n## ', start + 1);
  return api.slice(start, end < 0 ? undefined : end);
}

/** What stands in the first column of the tables of a text. */
function firstColumn(text: string): string[] {
  return [...text.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name = '']) => name);
}

/** The members of an exported union of strings. */
function membersOf(path: string, type: string): string[] {
  const { text } = fileAt(path);
  const declared = text.slice(text.indexOf(`export type ${type} =`));
  return [...declared.slice(0, declared.indexOf(';')).matchAll(/\| '([\w-]+)'/g)].map(([, name = '']) => name);
}

test('docs/api.md lists every event, in the order of the union', () => {
  const union = [...fileAt('src/core/event.ts').text.matchAll(/readonly type: '([\w-]+)'/g)];
  expect(firstColumn(section('Events'))).toEqual(union.map(([, name]) => name));
});

test('docs/api.md lists every error code', () => {
  expect(firstColumn(section('Errors'))).toEqual(membersOf('src/core/error.ts', 'OilcanErrorCode'));
});

test('docs/api.md names every status and every stop reason', () => {
  const text = section('A run');
  const statuses = [...fileAt('src/core/result.ts').text.matchAll(/readonly status: '(\w+)'/g)];
  expect(statuses.length).toBe(5);
  expect(firstColumn(text)).toEqual(statuses.map(([, name]) => name));
  const reasons = membersOf('src/core/result.ts', 'StopReason');
  expect(reasons.length).toBeGreaterThan(5);
  expect(reasons.filter((reason) => !text.includes(`\`${reason}\``))).toEqual([]);
});
