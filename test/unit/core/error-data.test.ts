import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { errorData, maskedHead } from '../../../src/core/error-data.ts';
import { createRedactor } from '../../../src/secrets/redactor.ts';

const KEY = 'key-4471-abcdef';
const { redact } = createRedactor([KEY]);
const dataOf = (thrown: unknown): ReturnType<typeof errorData> => errorData(thrown, redact);

describe('an error as data', () => {
  test('has name, message, stack, code and causes, each masked', () => {
    const inner = Object.assign(new TypeError(`inner ${KEY}`), { code: 'ECONNRESET' });
    const data = dataOf(new Error(`no access with ${KEY}`, { cause: inner }));
    expect(data).toMatchObject({
      name: 'Error',
      message: 'no access with [redacted]',
      cause: { name: 'TypeError', message: 'inner [redacted]', code: 'ECONNRESET' },
    });
    expect(data.stack).toMatch(/^Error: no access with \[redacted\]\n[^]*error-data\.test\.ts/);
    expect(JSON.parse(JSON.stringify(data))).toEqual(data);
  });

  const headers = new Headers({ authorization: `Bearer ${KEY}` });
  const holders: readonly { readonly name: string; readonly value: unknown }[] = [
    { name: 'Headers', value: headers },
    { name: 'a Request', value: new Request(`https://x.test/?key=${KEY}`, { headers }) },
    { name: 'a URL', value: new URL(`https://me:${KEY}@x.test`) },
    { name: 'URLSearchParams', value: new URLSearchParams({ key: KEY }) },
    { name: 'a Map', value: new Map([[KEY, KEY]]) },
    { name: 'a Set', value: new Set([KEY]) },
    { name: 'a symbol key', value: { [Symbol('options')]: { key: KEY } } },
    { name: 'a name', value: { [KEY]: 1 } },
    { name: 'bytes', value: Buffer.from(KEY) },
    { name: 'a function', value: Object.assign(() => KEY, { key: KEY }) },
    { name: 'a deep object', value: Array.from({ length: 30 }).reduce<object>((inside) => ({ inside }), { key: KEY }) },
    { name: 'a wide object', value: Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`f${at}`, { KEY }])) },
    { name: 'an error of another realm', value: runInNewContext('new Error(key)', { key: KEY }) },
  ];
  test.each(holders)('shows no secret that an error holds in $name', ({ value }) => {
    const thrown = [
      Object.assign(new Error('x'), { config: value, [Symbol('s')]: value }),
      new Error('x', { cause: value }),
      new AggregateError([value], 'x'),
      value,
    ];
    for (const each of thrown) expect(inspect(dataOf(each), { depth: Infinity, showHidden: true })).not.toContain(KEY);
  });

  test('knows an error of another realm', () => {
    expect(dataOf(runInNewContext('new RangeError("far away")'))).toMatchObject({
      name: 'RangeError',
      message: 'far away',
      stack: expect.stringContaining('far away') as string,
    });
  });

  test.each([
    [`text ${KEY}`, { name: 'string', message: 'text [redacted]' }],
    [7, { name: 'number', message: '7' }],
    [undefined, { name: 'undefined', message: 'undefined' }],
    [null, { name: 'null', message: 'null' }],
    [{ status: 500 }, { name: 'object', message: '' }],
    [Symbol(KEY), { name: 'symbol', message: '' }],
  ])('names what is no error: %s', (thrown, data) => {
    expect(dataOf(thrown)).toEqual(data);
  });

  test('is bounded in a circle, in a deep chain, in a tree and before a value that throws', () => {
    const circle = new Error('round');
    circle.cause = new Error('and', { cause: circle });
    expect(dataOf(circle)).toMatchObject({ cause: { message: 'and' } });
    expect(dataOf(circle).cause?.cause).toBeUndefined();
    let chain = new Error('the last');
    for (let depth = 0; depth < 10_000; depth += 1) chain = new Error('outer', { cause: chain });
    let tree = new Error('leaf');
    for (let depth = 0; depth < 30; depth += 1) tree = new AggregateError([tree, tree, tree], 'branch');
    for (const thrown of [chain, tree]) expect(JSON.stringify(dataOf(thrown)).length).toBeLessThan(200_000);
    const trap = (): never => {
      throw new Error(KEY);
    };
    const hostile = new Proxy(new Error('x'), { get: trap, getPrototypeOf: trap, ownKeys: trap, has: trap });
    expect(dataOf(hostile)).toEqual({ name: 'object', message: '' });
    const { proxy, revoke } = Proxy.revocable<unknown[]>([], {});
    revoke();
    expect(dataOf({ message: 'x', errors: proxy })).toEqual({ name: 'object', message: 'x' });
  });

  test.each([0, 1990, 1995, 1999, 21_990, 41_990, 60_000])('cuts no secret in half: one at %i', (place) => {
    const text = `${'x'.repeat(place)} ${KEY} ${'y'.repeat(100_000)}`;
    expect(dataOf(new Error(text)).message).not.toMatch(/key-4/);
    expect(maskedHead(`${`${KEY} `.repeat(10_000)}`, 2000, redact)).not.toMatch(/key-4/);
  });
});
