import { expect, test } from 'vitest';
import { cutWords } from '../../../src/core/cut-words.ts';

test.each([
  { text: 'short', is: 'short' },
  { text: 'exactly ten', is: 'exactly …' },
  { text: 'the key is sk-1234567890', is: 'the key …' },
  { text: 'onewordthatislong', is: ' …' },
  { text: '请求参数无效请检查后再试', is: '请求参数无效请检 …' },
  { text: '密钥是sk-1234567890', is: '密钥 …' },
])('"$text" is cut between words: "$is"', ({ text, is }) => {
  expect(cutWords(text, 10)).toBe(is);
});
