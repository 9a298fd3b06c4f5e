import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { classifyThrown } from '../../../../src/loop/act/thrown.ts';

const hostile = new Proxy({}, {
  get() {
    throw new Error('get');
  },
  getPrototypeOf() {
    throw new Error('getPrototypeOf');
  },
}); // prettier-ignore

test('of what can not even be looked at there are words, too', () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect([proxy, hostile, null, undefined].map((thrown) => classifyThrown(thrown).detail)).toEqual([
    'object (thrown, but no Error)',
    expect.stringContaining('thrown, but no Error'),
    expect.stringContaining('thrown, but no Error'),
    expect.stringContaining('thrown, but no Error'),
  ]);
});

describe('the words of what a tool threw', () => {
  test.each([
    { name: 'an error', thrown: new Error('The order is locked.'), words: 'The order is locked.' },
    { name: 'a text', thrown: 'closed', words: 'closed' },
    { name: 'a number', thrown: 42, words: '42' },
    { name: 'an object with a message', thrown: { code: 'E1', message: 'locked' }, words: 'locked' },
    {
      name: 'an object without one',
      thrown: { code: 'E1', detail: 'locked' },
      words: '{"code":"E1","detail":"locked"}',
    },
    {
      name: 'the answer of a service',
      thrown: { error: 'locked', status: 409 },
      words: '{"error":"locked","status":409}',
    },
    { name: 'a list', thrown: ['a', 1], words: '["a",1]' },
    { name: 'an object that holds itself', thrown: selfish(), words: '{"self":"[circular]"}' },
    {
      name: 'several errors with a message',
      thrown: new AggregateError([new Error('a')], 'all failed'),
      words: 'all failed',
    },
    { name: 'several errors without one', thrown: new AggregateError([new Error('a'), new Error('b')]), words: 'a; b' },
    {
      name: 'the issues of a validator',
      thrown: z.object({ id: z.object({ n: z.number() }) }).safeParse({ id: {} }).error,
      words: '"id.n": Invalid input: expected number, received undefined',
    },
    { name: 'a promise', thrown: Promise.resolve(1), words: '' },
    { name: 'null', thrown: null, words: '' },
    { name: 'a proxy that throws', thrown: hostile, words: '' },
  ])('$name', ({ thrown, words }) => {
    expect(classifyThrown(thrown).message).toBe(words);
  });

  test('a large value that was thrown is not written whole', () => {
    expect(classifyThrown({ list: Array.from({ length: 100_000 }, () => 'word') }).message.length).toBeLessThan(
      150_000,
    );
  });
});

function selfish(): object {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}
