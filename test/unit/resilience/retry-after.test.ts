import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseHttpDate } from '../../../src/resilience/http-date.ts';
import { rateLimitOf } from '../../../src/resilience/rate-limit.ts';
import { durationMs, rateLimitResetMs, retryAfterMs } from '../../../src/resilience/retry-after.ts';

/** 30 Nov 2026, 12:00:00 UTC. */
const NOW = 1_796_040_000_000;
const lookup =
  (headers: Readonly<Record<string, string>>) =>
  (name: string): string | undefined =>
    headers[name];

describe('how long the server asks to be left alone', () => {
  test.each([
    { name: 'seconds', headers: { 'retry-after': '1' }, is: 1000 },
    { name: 'seconds with white space', headers: { 'retry-after': ' 2 ' }, is: 2000 },
    { name: 'parts of seconds', headers: { 'retry-after': '1.5' }, is: 1500 },
    { name: 'zero', headers: { 'retry-after': '0' }, is: 0 },
    { name: 'an hour', headers: { 'retry-after': '3600' }, is: 3_600_000 },
    { name: 'a day', headers: { 'retry-after': '86400' }, is: 86_400_000 },
    { name: 'eleven days, which no run waits for', headers: { 'retry-after': '999999' }, is: 999_999_000 },
    { name: 'a year', headers: { 'retry-after': '31536000' }, is: 31_536_000_000 },
    { name: 'more than a year', headers: { 'retry-after': '31622401' }, is: undefined },
    { name: 'an absurd number', headers: { 'retry-after': '99999999999999' }, is: undefined },
    { name: 'digits without end', headers: { 'retry-after': '9'.repeat(400) }, is: undefined },
    { name: 'a negative number', headers: { 'retry-after': '-5' }, is: undefined },
    { name: 'an exponent', headers: { 'retry-after': '1e3' }, is: undefined },
    { name: 'infinity', headers: { 'retry-after': 'Infinity' }, is: undefined },
    { name: 'words', headers: { 'retry-after': 'soon' }, is: undefined },
    { name: 'nothing', headers: { 'retry-after': '' }, is: undefined },
    { name: 'a date', headers: { 'retry-after': 'Mon, 30 Nov 2026 12:00:07 GMT' }, is: 7000 },
    { name: 'a date in the past', headers: { 'retry-after': 'Mon, 30 Nov 2026 11:00:00 GMT' }, is: undefined },
    { name: 'a date in a hundred years', headers: { 'retry-after': 'Mon, 30 Nov 2126 12:00:00 GMT' }, is: undefined },
    { name: 'milliseconds', headers: { 'retry-after-ms': '1500' }, is: 1500 },
    { name: 'milliseconds before seconds', headers: { 'retry-after-ms': '1500', 'retry-after': '2' }, is: 1500 },
    { name: 'unreadable milliseconds', headers: { 'retry-after-ms': 'x', 'retry-after': '2' }, is: 2000 },
    { name: 'seconds with their unit', headers: { 'retry-after': '2s' }, is: 2000 },
    { name: 'no header', headers: {}, is: undefined },
  ])('$name', ({ headers, is }) => {
    expect(retryAfterMs(lookup(headers), NOW)).toBe(is);
  });
});

describe('how long a rate limit lasts', () => {
  test.each([
    { name: 'requests', headers: { 'x-ratelimit-reset-requests': '1s' }, is: 1000 },
    { name: 'minutes and seconds', headers: { 'x-ratelimit-reset-tokens': '6m0s' }, is: 360_000 },
    { name: 'milliseconds', headers: { 'x-ratelimit-reset-tokens': '20ms' }, is: 20 },
    {
      name: 'the limit that is used up',
      headers: {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '2s',
        'x-ratelimit-remaining-tokens': '90',
        'x-ratelimit-reset-tokens': '6m',
      },
      is: 2000,
    },
    {
      name: 'both used up',
      headers: {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '2s',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '5s',
      },
      is: 5000,
    },
    {
      name: 'none used up',
      headers: { 'x-ratelimit-remaining-requests': '5', 'x-ratelimit-reset-requests': '2s' },
      is: 2000,
    },
    { name: 'a date', headers: { 'anthropic-ratelimit-requests-reset': '2026-11-30T12:00:30Z' }, is: 30_000 },
    { name: 'a moment in seconds', headers: { 'x-ratelimit-reset': '1796040010' }, is: 10_000 },
    { name: 'a moment in milliseconds', headers: { 'x-ratelimit-reset': '1796040010000' }, is: 10_000 },
    { name: 'seconds from now', headers: { 'x-ratelimit-reset': '10' }, is: 10_000 },
    { name: 'words', headers: { 'x-ratelimit-reset-requests': 'later' }, is: undefined },
    { name: 'no header', headers: {}, is: undefined },
  ])('$name', ({ headers, is }) => {
    expect(rateLimitResetMs(lookup(headers), NOW)).toBe(is);
  });

  test.each([
    ['1h2m3.5s', 3_723_500],
    ['20ms', 20],
    ['1', undefined],
    ['s', undefined],
    ['1s 2m', undefined],
    ['-1s', undefined],
    ['', undefined],
  ])('the duration %j is %j ms', (text, is) => {
    expect(durationMs(text)).toBe(is);
  });
});

describe('what a server says of its limits beside a reply', () => {
  test.each([
    { name: 'nothing', headers: {}, is: undefined },
    {
      name: 'OpenAI, by the minute',
      headers: {
        'x-ratelimit-limit-requests': '500',
        'x-ratelimit-remaining-requests': '499',
        'x-ratelimit-reset-requests': '120ms',
        'x-ratelimit-remaining-tokens': '1000',
        'x-ratelimit-reset-tokens': '1s',
      },
      is: {
        requestsPerMinute: 500,
        remainingRequests: 499,
        requestsResetMs: 120,
        remainingTokens: 1000,
        tokensResetMs: 1000,
      },
    },
    {
      name: 'Groq, by the day',
      headers: {
        'x-ratelimit-limit-requests': '14400',
        'x-ratelimit-remaining-requests': '14370',
        'x-ratelimit-reset-requests': '2m59.56s',
      },
      is: { remainingRequests: 14370, requestsResetMs: 179_560 },
    },
    {
      name: 'Anthropic',
      headers: {
        'anthropic-ratelimit-requests-limit': '50',
        'anthropic-ratelimit-requests-remaining': '49',
        'anthropic-ratelimit-requests-reset': '2026-11-30T12:00:01Z',
      },
      is: { requestsPerMinute: 50, remainingRequests: 49, requestsResetMs: 1000 },
    },
  ])('$name', ({ headers, is }) => {
    expect(rateLimitOf(lookup(headers), NOW)).toEqual(is);
  });
});

describe('dates', () => {
  test.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', 784_111_777_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 784_111_777_000],
    ['Sun Nov  6 08:49:37 1994', 784_111_777_000],
    ['1994-11-06T08:49:37Z', 784_111_777_000],
    ['1994-11-06T10:49:37.25+02:00', 784_111_777_250],
    ['Thu, 29 Feb 2024 00:00:00 GMT', 1_709_164_800_000],
    ['Thu, 29 Feb 2023 00:00:00 GMT', undefined],
    ['Thu, 31 Apr 2024 00:00:00 GMT', undefined],
    ['Thu, 01 Foo 2024 00:00:00 GMT', undefined],
    ['Thu, 01 Jan 2024 24:00:00 GMT', undefined],
    ['tomorrow', undefined],
    ['', undefined],
  ])('%j', (text, is) => {
    expect(parseHttpDate(text)).toBe(is);
  });

  test('any date is read as the host reads it', () => {
    const anyDate = fc.date({ min: new Date(0), max: new Date('2199-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(anyDate, (date) => {
        expect(parseHttpDate(date.toUTCString())).toBe(Math.floor(date.getTime() / 1000) * 1000);
        expect(parseHttpDate(date.toISOString())).toBe(date.getTime());
      }),
      { numRuns: 500 },
    );
  });
});
