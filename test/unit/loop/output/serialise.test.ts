import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { serialise } from '../../../../src/loop/output/serialise.ts';

const circular = (): unknown => {
  const loop: Record<string, unknown> = { name: 'loop' };
  loop['self'] = loop;
  return loop;
};
class Invoice {
  total = 42;
  get tax(): number {
    return 1;
  }
}
const nested = (depth: number): unknown => {
  let value: unknown = 'end';
  for (let index = 0; index < depth; index += 1) value = [value];
  return value;
};
const throwing = (): unknown =>
  new Proxy({}, { get: () => { throw new Error('no'); }, ownKeys: () => { throw new Error('no'); }, getPrototypeOf: () => { throw new Error('no'); }, has: () => { throw new Error('no'); } }); // prettier-ignore

describe('what a tool may return', () => {
  test.each([
    { name: 'a text', value: 'hello', text: 'hello' },
    { name: 'an empty text', value: '', text: '(empty text)' },
    { name: 'nothing', value: undefined, text: '(no output)' },
    { name: 'null', value: null, text: '(no output)' },
    { name: 'a number', value: 4.5, text: '4.5' },
    { name: 'not a number', value: Number.NaN, text: 'NaN' },
    { name: 'false', value: false, text: 'false' },
    { name: 'an empty list', value: [], text: '[]' },
    { name: 'an empty object', value: {}, text: '{}' },
    { name: 'plain data', value: { a: [1, 'x', null], b: undefined }, text: '{"a":[1,"x",null]}' },
    { name: 'a BigInt', value: 9007199254740993n, text: '9007199254740993' },
    { name: 'a BigInt inside', value: { id: 9007199254740993n }, text: '{"id":9007199254740993}' },
    { name: 'a cycle', value: circular(), text: '{"name":"loop","self":"[circular]"}' },
    { name: 'a date', value: new Date('2025-01-02T03:04:05Z'), text: '2025-01-02T03:04:05.000Z' },
    { name: 'a date inside', value: { at: new Date(0) }, text: '{"at":"1970-01-01T00:00:00.000Z"}' },
    { name: 'no date', value: new Date('x'), text: 'Invalid Date' },
    { name: 'a map', value: new Map([['total', 4242]]), text: '{"total":4242}' },
    { name: 'a map with objects as keys', value: new Map([[{ a: 1 }, 2]]), text: '[[{"a":1},2]]' },
    { name: 'a set', value: new Set([1, 'a']), text: '[1,"a"]' },
    { name: 'an instance of a class', value: new Invoice(), text: '{"total":42}' },
    { name: 'no prototype', value: Object.assign(Object.create(null) as object, { a: 1 }), text: '{"a":1}' },
    { name: 'an error', value: new RangeError('too far'), text: 'RangeError: too far' },
    { name: 'an error inside', value: [new Error('x')], text: '["Error: x"]' },
    { name: 'a function', value: function wave() {}, text: '[function wave]' },
    { name: 'a symbol', value: Symbol('x'), text: 'Symbol(x)' },
    { name: 'functions inside', value: { f: () => 1, s: Symbol('x') }, text: '{"f":"[function f]","s":"Symbol(x)"}' },
    { name: 'a URL', value: { at: new URL('https://x.test/a') }, text: '{"at":"https://x.test/a"}' },
    { name: 'a pattern', value: /a+/g, text: '/a+/g' },
    { name: 'a few bytes', value: new Uint8Array([1, 2, 3]), text: '[Uint8Array of 3 bytes]' },
    { name: 'many bytes', value: Buffer.alloc(5000), text: '[Uint8Array of 5000 bytes]' },
    { name: 'a few numbers', value: new Float64Array([1.5, 2]), text: '[Float64Array of 2 items]' },
    { name: 'big ones', value: new BigInt64Array([1n]), text: '[BigInt64Array of 1 items]' },
    { name: 'a view', value: new DataView(new ArrayBuffer(4)), text: '[DataView of 4 bytes]' },
    { name: 'bytes in data', value: { file: Buffer.from('ab') }, text: '{"file":"[Uint8Array of 2 bytes]"}' },
    { name: 'a buffer', value: new ArrayBuffer(8), text: '[ArrayBuffer of 8 bytes]' },
    { name: 'NaN inside', value: [Number.NaN, Infinity], text: '[NaN,Infinity]' },
    { name: 'holes', value: Array(3), text: '[null,null,null]' },
    { name: 'its own JSON', value: { toJSON: () => ({ a: 1n }) }, text: '{"a":1}' },
    { name: 'its own JSON that throws', value: { a: 1, toJSON() { throw new Error('no'); } }, text: '{"a":1,"toJSON":"[function toJSON]"}' },
    { name: 'a getter that throws', value: { a: 1, get b() { throw new Error('no'); } }, text: '{"a":1,"b":"[unreadable]"}' },
    { name: 'an unread response', value: new Response('x'), text: '[object Response: it was returned unread]' },
    { name: 'a stream', value: Readable.from(['x']), text: '[object Stream: it was returned unread]' },
    { name: 'a promise', value: { p: Promise.resolve(1) }, text: '{"p":"[object Promise: it was returned unread]"}' },
    { name: 'a generator', value: (function* () { yield 1; })(), text: '[object Generator: it was returned unread]' },
    { name: 'a lone surrogate', value: 'cut: \ud83d', text: 'cut: \ufffd' },
    { name: 'a boxed number', value: Object(5) as unknown, text: '5' },
  ])('$name', ({ value, text }) => {
    expect(serialise(value)).toBe(text);
  }); // prettier-ignore

  test('what is deep ends', () => {
    expect(serialise(nested(40))).toBe(JSON.stringify(nested(40)));
    expect(serialise(nested(100_000))).toContain('[nested too deeply]');
  });

  test('the same object twice is no cycle', () => {
    const shared = { a: 1n };
    expect(serialise([shared, shared])).toBe('[{"a":1},{"a":1}]');
  });

  test('an object that fights back is told of', () => {
    expect(serialise(throwing())).toMatch(/can not be shown|unreadable/);
    expect(serialise({ a: throwing() })).toMatch(/can not be shown|unreadable/);
  });

  test('what would be huge is not built', () => {
    let wide: unknown = 'x'.repeat(1000);
    for (let index = 0; index < 30; index += 1) wide = [wide, wide];
    const start = performance.now();
    expect(serialise(wide, 50_000).length).toBeLessThan(60_000);
    expect(serialise(Array(2 ** 31), 50_000).length).toBeLessThan(300_000);
    expect(serialise({ text: 'x'.repeat(5_000_000) }, 50_000).length).toBeLessThan(60_000);
    expect(
      serialise(new Map(Array.from({ length: 100_000 }, (_, index) => [index, index])), 50_000).length,
    ).toBeLessThan(60_000);
    expect(performance.now() - start).toBeLessThan(2000);
  });

  test('nothing throws, and the text is well formed', () => {
    const anything = fc.anything({
      withBigInt: true, withBoxedValues: true, withDate: true, withMap: true, withNullPrototype: true, withObjectString: true, withSet: true, withTypedArray: true, withSparseArray: true,
      stringUnit: fc.constantFrom('a', '\ud83d', '"', '\u0000', 'é', '__proto__'),
    }); // prettier-ignore
    fc.assert(
      fc.property(anything, (value) => {
        const text = serialise(value);
        expect(text.length).toBeGreaterThan(0);
        expect(encodeURIComponent(text)).toBeTypeOf('string');
      }),
      { numRuns: 1000 },
    );
  });

  test('JSON values come out as JSON.stringify writes them', () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())), (value) => {
        expect(serialise(value)).toBe(JSON.stringify(value));
      }),
    );
  });
});
