import { describe, expect, test } from 'vitest';
import { createLiveText } from '../../../src/cli/live-text.ts';
import type { Painter } from '../../../src/cli/painter.ts';

/** What a terminal shows of these pieces. */
function shownOf(...pieces: readonly string[]): string {
  let screen = '';
  const painter: Painter = {
    append: (lines) => (screen += lines.map(() => '\n').join('')),
    status: () => {},
    around: (write) => write(),
    close: () => {},
  };
  const live = createLiveText(painter, (text) => (screen += text));
  for (const piece of pieces) live.write(piece);
  live.end();
  live.end();
  return screen;
}

describe('text that is shown while it comes', () => {
  test.each([
    { name: 'pieces follow each other', pieces: ['There ', 'are', ' three.'], shown: '\nThere are three.\n' },
    { name: 'its own last line break is enough', pieces: ['One.\n'], shown: '\nOne.\n' },
    { name: 'an escape sequence in two pieces is removed', pieces: ['a\u001b', '[31mb'], shown: '\nab\n' },
    { name: 'an escape sequence in many pieces is removed', pieces: ['a\u001b[', '3', '1', 'mb'], shown: '\nab\n' },
    { name: 'a title in two pieces is removed', pieces: ['a\u001b]0;ti', 'tle\u0007b'], shown: '\nab\n' },
    { name: 'half an emoji waits for its other half', pieces: ['a\ud83d', '\ude00'], shown: '\na\ud83d\ude00\n' },
    { name: 'an escape sequence that never ends moves no cursor', pieces: ['a\u001b[31'], shown: '\na\n' },
  ])('$name', ({ pieces, shown }) => {
    expect(shownOf(...pieces)).toBe(shown);
  });

  test('what follows an escape that never ends is shown sooner or later', () => {
    expect(shownOf('\u001b]0;', ...Array.from({ length: 100 }, () => 'word '))).toContain('word word word');
  });
});
