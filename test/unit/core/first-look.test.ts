import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstLook } from '../../../src/core/first-look.ts';
import { createRedactor } from '../../../src/core/redact.ts';
import { SECRET_PATTERNS } from '../../../src/core/secret-patterns.ts';

const WORDS = ['sk-', 'token', '://', 'pässword'];
const look = firstLook(WORDS);

/** Where the words really begin. */
function begins(text: string): number[] {
  const places: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    if (WORDS.some((word) => text.startsWith(word, index))) places.push(index);
  }
  return places;
}

describe('the first look', () => {
  test('names every place where a word begins, in order, in texts of any length and alphabet', () => {
    const piece = fc.oneof(
      fc.constantFrom(...WORDS),
      fc.constantFrom('s', 'k', '-', 'to', 'ken', ':', '//', ' '),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.nat(200), (pieces, padding) => {
        const text = '.'.repeat(padding) + pieces.join('');
        const places = look(text);
        expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b));
        expect(places).toEqual(expect.arrayContaining(begins(text)));
      }),
      { numRuns: 1000 },
    );
  });

  test.each([-3, -2, -1, 0, 1, 2])(
    'a word that begins %i characters from the edge of a piece is found once',
    (offset) => {
      for (const begin of ['.', 'ä']) {
        const text = `${begin.repeat(8192 + offset)}token${begin.repeat(9000)}`;
        expect(look(text)).toEqual([8192 + offset]);
      }
    },
  );

  test.each(['', 's', 'sk', 'plain'])('in "%s" there is nothing to find', (text) => {
    expect(look(text)).toEqual([]);
  });
});

describe('the patterns of secrets', () => {
  test.each(SECRET_PATTERNS)('$at begins as its starts say', ({ at, starts }) => {
    // What stands before and behind a match is no part of it.
    const alone = at.source.replaceAll(/\(\?<?[!=][^)]*\)|\\b/g, '');
    const find = firstLook(starts);
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(`^(?:${alone})$`)), (text) => {
        expect(find(text)[0]).toBe(0);
        expect(starts).toContain(text.slice(0, 3).toLowerCase());
      }),
      { numRuns: 100 },
    );
  });

  test('a secret is masked wherever it stands in a long text', () => {
    const { redact } = createRedactor(['hunter2hunter2']);
    for (const padding of [0, 60, 8180, 8190, 8192, 16_384]) {
      for (const filler of ['x ', 'ä ']) {
        const before = filler.repeat(padding / 2);
        expect(redact(`${before}hunter2hunter2 password=abcdef1 end`)).toBe(
          `${before}[redacted] password=[redacted] end`,
        );
      }
    }
  });
});
