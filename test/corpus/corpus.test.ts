import { expect, test } from 'vitest';
import { validCalls } from './corpus.ts';
import { ownCorpus } from './own-calls.ts';
import { argumentTable, show } from './tables.ts';
import type { Row, Table } from './tables.ts';

const corpus = ownCorpus();
const rowsOf = (table: Table, pick: (row: Row) => boolean): string => show({ ...table, rows: table.rows.filter(pick) });

test('the corpus of our own holds 300 calls that are valid', () => {
  expect(corpus.replies.filter((calls) => calls.length === 1)).toHaveLength(300);
  expect(validCalls(corpus.replies).length).toBeGreaterThan(230);
});

test('valid calls run as they are, cut ones never, and no slip runs with values that were not meant', () => {
  const table = argumentTable(corpus);
  expect(rowsOf(table, ({ wrong }) => wrong > 0).split('\n')).toHaveLength(1);
});
