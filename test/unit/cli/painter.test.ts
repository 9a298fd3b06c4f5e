import { expect, test } from 'vitest';
import { createPainter } from '../../../src/cli/painter.ts';
import { hasColor, symbolsFor } from '../../../src/cli/terminal.ts';
import { asciiSymbols, unicodeSymbols } from '../../../src/cli/trace-line.ts';

function recorded(isLive: boolean, color = false): { written: string[]; painter: ReturnType<typeof createPainter> } {
  const written: string[] = [];
  const painter = createPainter({
    write: (text) => void written.push(text),
    isLive,
    hasColor: color,
    columns: () => 40,
    symbols: unicodeSymbols,
  });
  return { written, painter };
}

test('in a pipe there are finished lines and no status line', () => {
  const { written, painter } = recorded(false);
  painter.status('asking');
  painter.append([[{ text: 'one', tone: 'good' }], []]);
  painter.close();
  expect(written.join('')).toBe('one\n\n');
});

test('colours stand for tones, and only where they are wanted', () => {
  const { written, painter } = recorded(false, true);
  painter.append([
    [
      { text: 'ok', tone: 'good' },
      { text: ' plain', tone: 'plain' },
    ],
  ]);
  expect(written.join('')).toBe('\u001b[32mok\u001b[39m plain\n');
});

test('nothing is painted after the end', () => {
  const { written, painter } = recorded(true);
  painter.close();
  painter.append([[{ text: 'late', tone: 'plain' }]]);
  expect(written).toEqual([]);
});

test.each([
  { name: 'a terminal', environment: {}, isTerminal: true, expected: true },
  { name: 'a pipe', environment: {}, isTerminal: false, expected: false },
  { name: 'NO_COLOR on a terminal', environment: { NO_COLOR: '1' }, isTerminal: true, expected: false },
  { name: 'an empty NO_COLOR counts for nothing', environment: { NO_COLOR: '' }, isTerminal: true, expected: true },
  { name: 'FORCE_COLOR in a pipe', environment: { FORCE_COLOR: '1' }, isTerminal: false, expected: true },
  { name: 'FORCE_COLOR=0 on a terminal', environment: { FORCE_COLOR: '0' }, isTerminal: true, expected: false },
  { name: 'a dumb terminal', environment: { TERM: 'dumb' }, isTerminal: true, expected: false },
])('colour: $name', ({ environment, isTerminal, expected }) => {
  expect(hasColor(environment, isTerminal)).toBe(expected);
});

test.each([
  { name: 'no locale at all', environment: {}, expected: unicodeSymbols },
  { name: 'UTF-8', environment: { LANG: 'en_US.UTF-8' }, expected: unicodeSymbols },
  { name: 'LC_ALL outranks LANG', environment: { LANG: 'en_US.UTF-8', LC_ALL: 'C' }, expected: asciiSymbols },
  { name: 'the Linux console', environment: { TERM: 'linux', LANG: 'C.UTF-8' }, expected: asciiSymbols },
])('signs: $name', ({ environment, expected }) => {
  expect(symbolsFor(environment)).toBe(expected);
});
