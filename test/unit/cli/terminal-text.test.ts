import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clip, clipStart, displayWidth, multiLine, padEnd, singleLine, wrap } from '../../../src/cli/terminal-text.ts';

const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));

test('a width counts columns, not code units', () => {
  expect(displayWidth('abc')).toBe(3);
  expect(displayWidth('日本')).toBe(4);
  expect(displayWidth('e\u0301')).toBe(1);
  expect(displayWidth('🗝')).toBe(2);
});

test('a line on a terminal has no control character, whatever came', () => {
  fc.assert(fc.property(anyText, (text) => !/[\p{Cc}\p{Cf}\n]/u.test(singleLine(text))));
});

test('several lines keep their line breaks and lose everything else that could harm', () => {
  expect(multiLine('a\n\tb\u001b[2J\u0007\r\nc')).toBe('a\n\tb\nc');
});

test('a clipped text never takes more than its room, and an untouched one is the same', () => {
  fc.assert(
    fc.property(anyText.map(singleLine), fc.integer({ min: 1, max: 30 }), (text, columns) => {
      const clipped = clip(text, columns, '…');
      expect(displayWidth(clipped)).toBeLessThanOrEqual(columns);
      if (displayWidth(text) <= columns) expect(clipped).toBe(text);
      expect(displayWidth(clipStart(text, columns, '…'))).toBeLessThanOrEqual(columns);
    }),
  );
});

test('padding fills up to the column', () => {
  expect(padEnd('日', 4)).toBe('日  ');
  expect(padEnd('longer', 3)).toBe('longer');
});

describe('wrapping', () => {
  test('breaks at spaces', () => expect(wrap('one two three four', 9, 3, '…')).toEqual(['one two', 'three', 'four']));
  test('clips what does not fit into the last line', () => {
    expect(wrap('one two three four', 9, 2, '…')).toEqual(['one two', 'three fo…']);
  });
  test('breaks a word that is longer than a line', () =>
    expect(wrap('abcdefghij', 4, 3, '…')).toEqual(['abcd', 'efgh', 'ij']));
  test('loses no word where there are lines enough', () => {
    const words = fc.array(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 8 }).map(singleLine), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(words, fc.integer({ min: 8, max: 20 }), (parts, columns) => {
        const text = singleLine(parts.join(' '));
        const lines = wrap(text, columns, 100, '…');
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }),
    );
  });
});
