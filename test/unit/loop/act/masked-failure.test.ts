import { expect, test } from 'vitest';
import { createRedactor } from '../../../../src/secrets/redactor.ts';
import { maskedFailure } from '../../../../src/loop/act/masked-failure.ts';

const KEY = 'key-4471-abcdef';
const redactor = createRedactor([KEY]);

test('every word of a failure that is not ours is masked', () => {
  const failure = {
    kind: 'bad-request',
    message: `no ${KEY}`,
    hint: `not ${KEY}`,
    vendorCode: `bad_${KEY}`,
    toolName: KEY,
  } as const;
  expect(maskedFailure(failure, redactor)).toEqual({
    kind: 'bad-request',
    message: 'no [redacted]',
    hint: 'not [redacted]',
    vendorCode: 'bad_[redacted]',
    toolName: '[redacted]',
  });
});

test('what was thrown becomes data, and a failure that is masked twice stays equal', () => {
  const thrown = Object.assign(new Error(`dark ${KEY}`), { headers: new Headers({ authorization: KEY }) });
  const once = maskedFailure({ kind: 'tool-failed', message: 'dark', cause: thrown } as const, redactor);
  expect(once.cause).toMatchObject({ name: 'Error', message: 'dark [redacted]' });
  expect(JSON.stringify(once)).not.toContain(KEY);
  expect(maskedFailure(once, redactor)).toEqual(once);
});

test('a failure without secrets and without a cause stays the same object', () => {
  const plain = { kind: 'tool-failed', message: 'dark' } as const;
  expect(maskedFailure(plain, redactor)).toBe(plain);
});
