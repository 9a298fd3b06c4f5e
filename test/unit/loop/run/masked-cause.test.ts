import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../../../src/core/redact.ts';
import { maskedCause, maskedFailure } from '../../../../src/loop/run/masked-cause.ts';

const KEY = 'key-4471-abcdef';
const redactor = createRedactor([KEY]);
const mask = (value: unknown): unknown => maskedCause(value, redactor);

class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status = 401;
  readonly headers: object;
  constructor(message: string, options: { cause?: unknown; headers?: object } = {}) {
    super(message, options);
    this.headers = options.headers ?? {};
  }
}

describe('a masked cause', () => {
  const unchanged: readonly { readonly name: string; readonly value: unknown }[] = [
    {
      name: 'an error without a secret',
      value: new HttpError('not found', { cause: new TypeError('inner'), headers: { accept: '*/*' } }),
    },
    { name: 'a number', value: 7 },
    { name: 'undefined', value: undefined },
    { name: 'a function', value: () => KEY },
    { name: 'bytes', value: new Uint8Array(8) },
    { name: 'a plain text', value: 'not found' },
  ];
  test.each(unchanged)('is the very same value where there is no secret: $name', ({ value }) => {
    expect(mask(value)).toBe(value);
  });

  test('is a copy of its class, with message, stack, fields and causes masked, where there is one', () => {
    const error = new HttpError(`no access with ${KEY}`, {
      cause: new RangeError(`inner ${KEY}`),
      headers: { 'x-thing': KEY, authorization: 'Bearer abc.def' },
    });
    const copy = mask(error) as HttpError;
    expect(copy).not.toBe(error);
    expect(copy).toBeInstanceOf(HttpError);
    expect(copy).toMatchObject({ name: 'HttpError', status: 401, message: 'no access with [redacted]' });
    expect(copy.stack).toMatch(/^(HttpError|Error): no access with \[redacted\]\n[^]*masked-cause\.test\.ts/);
    expect(copy.headers).toEqual({ 'x-thing': '[redacted]', authorization: '[redacted]' });
    expect(copy.cause).toBeInstanceOf(RangeError);
    expect(String(copy.cause)).toBe('RangeError: inner [redacted]');
    expect(Object.keys(copy)).toEqual(Object.keys(error));
    // The caller's own error is not touched.
    expect(error.message).toContain(KEY);
  });

  test('masks texts, lists, errors of many errors, and what is called a secret', () => {
    expect(mask(`it was ${KEY}`)).toBe('it was [redacted]');
    expect(mask([1, { deep: [KEY] }])).toEqual([1, { deep: ['[redacted]'] }]);
    expect(mask({ password: 'hunter2' })).toEqual({ password: '[redacted]' });
    expect((mask(new AggregateError([new Error(KEY)], 'all failed')) as AggregateError).errors.map(String)).toEqual([
      'Error: [redacted]',
    ]);
  });

  test('ends in a circle, in a deep chain and before a value that can not be looked at', () => {
    const circle: { self?: unknown; key: string } = { key: KEY };
    circle.self = circle;
    expect((mask(circle) as typeof circle).key).toBe('[redacted]');
    let chain = new Error(KEY);
    for (let depth = 0; depth < 10_000; depth += 1) chain = new Error('outer', { cause: chain });
    expect(mask(chain)).toBeInstanceOf(Error);
    const hostile = new Proxy(new Error('x'), {
      get() {
        throw new Error(KEY);
      },
    });
    expect(String(mask(hostile))).not.toContain(KEY);
  });

  test('leads back to no original through a circle, and is the same value where a circle holds no secret', () => {
    const error = new HttpError(`no access with ${KEY}`, { headers: { back: undefined, list: [] } });
    const { headers } = error as unknown as { headers: { back: unknown; list: unknown[]; plain: object } };
    const plain = { accept: '*/*' };
    headers.back = error;
    headers.list = [error, headers];
    headers.plain = plain;
    const copy = mask(error) as { headers: typeof headers };
    expect(copy.headers).not.toBe(headers);
    expect(copy.headers.back).toBe(copy);
    expect(copy.headers.list).toEqual([copy, copy.headers]);
    expect(copy.headers.list[0]).toBe(copy);
    expect(copy.headers.plain).toBe(plain);
    expect(inspect(copy, { depth: 8 })).not.toContain(KEY);
    const circle: { self?: unknown } = {};
    circle.self = { circle };
    expect(mask(circle)).toBe(circle);
  });

  test('is masked behind what hundreds of others hold', () => {
    const shared = { key: KEY };
    const copy = mask({ all: Array.from({ length: 300_000 }, () => shared) }) as { all: object[] };
    expect(copy.all[299_999]).toEqual({ key: '[redacted]' });
    expect(copy.all[0]).toBe(copy.all[299_999]);
  });

  test('goes with a hint and a vendor code that are masked too', () => {
    const failure = { kind: 'bad-request', message: 'no', hint: `not ${KEY}`, vendorCode: `bad_${KEY}` } as const;
    expect(maskedFailure(failure, redactor)).toEqual({
      kind: 'bad-request',
      message: 'no',
      hint: 'not [redacted]',
      vendorCode: 'bad_[redacted]',
    });
  });

  test('a failure without secrets stays the same object, one with secrets is masked whole', () => {
    const plain = { kind: 'tool-failed', message: 'dark', cause: new Error('dark') } as const;
    expect(maskedFailure(plain, redactor)).toBe(plain);
    const { message, cause } = maskedFailure({ kind: 'tool-failed', message: KEY, cause: new Error(KEY) }, redactor);
    expect([message, String(cause)]).toEqual(['[redacted]', 'Error: [redacted]']);
  });
});
