import { describe, expect, test } from 'vitest';
import { HARMLESS } from './corpora/harmless.ts';
import { HELD_OUT_HARMLESS } from './corpora/held-out-harmless.ts';
import { HELD_OUT_LEAKS } from './corpora/held-out-leaks.ts';
import { LEAKS } from './corpora/leaks.ts';
import type { Row } from './corpora/measure.ts';
import { measureFalseAlarms, measureLeaks, totalOf } from './corpora/measure.ts';

// `npm test -- test/unit/secrets/corpora.test.ts` prints the table of docs/secrets.md.
const CORPORA: readonly { readonly name: string; readonly rows: readonly Row[]; readonly most: number }[] = [
  { name: 'leaks', rows: measureLeaks(LEAKS), most: 0.15 },
  { name: 'leaks, held out', rows: measureLeaks(HELD_OUT_LEAKS), most: 0.15 },
  { name: 'false alarms', rows: measureFalseAlarms(HARMLESS), most: 0.02 },
  { name: 'false alarms, held out', rows: measureFalseAlarms(HELD_OUT_HARMLESS), most: 0.02 },
];

describe('what masking finds and what it leaves alone', () => {
  test.each(CORPORA)('$name: no more than was promised', ({ name, rows, most }) => {
    const { count, wrong, share } = totalOf(rows);
    const lines = rows.map((row) => `  ${row.name.padEnd(50)} ${row.wrong.length} of ${row.count}`);
    // oxlint-disable-next-line no-console -- the table is what one runs this for
    console.log([`${name}: ${wrong} of ${count} (${(share * 100).toFixed(1)} %)`, ...lines].join('\n'));
    expect(share, rows.flatMap((row) => row.wrong).join('\n')).toBeLessThanOrEqual(most);
  });

  test('there are enough texts on each side', () => {
    for (const rows of [CORPORA[0]?.rows, CORPORA[2]?.rows]) expect(totalOf(rows ?? []).count).toBeGreaterThan(200);
  });
});
