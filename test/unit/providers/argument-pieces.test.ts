import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ArgumentPieces } from '../../../src/providers/argument-pieces.ts';

const joined = (...pieces: string[]): string => {
  const collected = new ArgumentPieces();
  for (const piece of pieces) collected.add(piece);
  return collected.text();
};

const splitAt = (text: string, places: readonly number[]): string[] => {
  const ends = [...new Set(places.filter((at) => at > 0 && at < text.length))].sort((a, b) => a - b);
  return [...ends, text.length].map((end, index) => text.slice(index === 0 ? 0 : ends[index - 1], end));
};

const anyArguments = fc
  .dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 })
  .map((value) => JSON.stringify(value));
const anyPlaces = fc.array(fc.nat(200), { maxLength: 12 });

describe('pieces of arguments', () => {
  test('any arguments, in any pieces, are what was said', () => {
    fc.assert(
      fc.property(anyArguments, anyPlaces, (text, places) => {
        expect(joined(...splitAt(text, places))).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  test('any arguments that grow from piece to piece are the last piece', () => {
    fc.assert(
      fc.property(anyArguments, anyPlaces, (text, places) => {
        const pieces = splitAt(text, places);
        const growing = pieces.map((_, index) => pieces.slice(0, index + 1).join(''));
        expect(joined(...growing)).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  test('any arguments that come whole once more are told once', () => {
    fc.assert(
      fc.property(anyArguments, anyPlaces, (text, places) => {
        expect(joined(...splitAt(text, places), text)).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    { name: 'broken arguments told twice', pieces: ["{'a':1}", "{'a':1}"], is: "{'a':1}" },
    { name: 'an empty object first', pieces: ['{}', '{"a":', '1}'], is: '{"a":1}' },
    { name: 'two different objects stay both', pieces: ['{"a":1}', '{"a":2}'], is: '{"a":1}{"a":2}' },
    { name: 'half a growing text', pieces: ['{"a"', '{"a":"x', '{"a":"xy'], is: '{"a":"xy' },
    {
      name: 'JSON inside JSON that looks like growth',
      pieces: ['{"a":', '{"a":', '{"a":1}}}'],
      is: '{"a":{"a":{"a":1}}}',
    },
    { name: 'nothing', pieces: [], is: '' },
  ])('$name', ({ pieces, is }) => {
    expect(joined(...pieces)).toBe(is);
  });
});
