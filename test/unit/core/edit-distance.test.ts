import { expect, test } from 'vitest';
import { editDistance } from '../../../src/core/edit-distance.ts';

test.each([
  ['kitten', 'sitting', 3],
  ['', 'abc', 3],
  ['same', 'same', 0],
])('from %s to %s it is %i changes', (a, b, distance) => {
  expect(editDistance(a, b, 5)).toBe(distance);
  expect(editDistance(b, a, distance - 1)).toBe(distance === 0 ? 0 : distance);
});
