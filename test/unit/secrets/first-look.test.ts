import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstLook } from '../../../src/secrets/first-look.ts';

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
