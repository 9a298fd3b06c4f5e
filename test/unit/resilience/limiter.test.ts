import { describe, expect, test } from 'vitest';
import { Abort } from '../../../src/core/abort.ts';
import type { Failure } from '../../../src/core/failure.ts';
import type { LimiterOptions, Permit } from '../../../src/resilience/limiter.ts';
import { createLimiter } from '../../../src/resilience/limiter.ts';
import { createVirtualClock } from '../../../src/testing/virtual-clock.ts';

const idle = (): Abort => new Abort();

describe('a limiter', () => {
  test.each<[unknown, string]>([
    [5, 'Expected the options of `createLimiter` to be an object such as { concurrency: 8 }, got a number.'],
    [{ rpm: 5 }, 'There is no option `rpm` of createLimiter. Use `requestsPerMinute`.'],
    [{ concurency: 5 }, 'There is no option `concurency` of createLimiter. Did you mean `concurrency`?'],
    [{ concurrency: '5' }, 'Expected `concurrency` of the limiter to be a number > 0, got "5".'],
    [{ tokensPerMinute: 0 }, 'Expected `tokensPerMinute` of the limiter to be a number > 0, got 0.'],
  ])('made with %j is refused', (options, message) => {
    expect(() => createLimiter(options as LimiterOptions)).toThrow(message);
  });

  test('lets no more than `concurrency` on their way, and serves in order of asking', async () => {
    const clock = createVirtualClock();
    const limiter = createLimiter({ concurrency: 2, clock });
    const order: number[] = [];
    const permits: Permit[] = [];
    const asked = [1, 2, 3, 4].map(async (number) => {
      permits.push(await limiter.acquire(idle()));
      order.push(number);
    });
    await clock.advance(0);
    expect(order).toEqual([1, 2]);
    permits[0]?.release(undefined, undefined);
    permits[0]?.release(undefined, undefined);
    await clock.advance(0);
    expect(order).toEqual([1, 2, 3]);
    permits[1]?.release(undefined, undefined);
    await clock.advance(0);
    await Promise.all(asked);
    expect(order).toEqual([1, 2, 3, 4]);
  });

  test('spaces requests evenly, a little below the limit, so that jitter does not break it', async () => {
    const clock = createVirtualClock();
    const limiter = createLimiter({ requestsPerMinute: 300, concurrency: 100, clock });
    const starts: number[] = [];
    for (let index = 0; index < 10; index += 1) void limiter.acquire(idle()).then(() => starts.push(clock.monotonic()));
    await clock.advance(60_000);
    expect(starts).toEqual([0, 210, 420, 630, 840, 1050, 1260, 1470, 1680, 1890]);
  });

  test('a run that is aborted leaves the queue at once and takes nobody’s turn', async () => {
    const clock = createVirtualClock();
    const limiter = createLimiter({ concurrency: 1, clock });
    const permit = await limiter.acquire(idle());
    const abort = new Abort();
    const gone = limiter.acquire(abort);
    const next = limiter.acquire(idle());
    abort.abort('gone');
    await expect(gone).rejects.toBe('gone');
    permit.release(undefined, undefined);
    await expect(next).resolves.toBeDefined();
  });

  test('a 429 pauses everybody for as long as the server says', async () => {
    const clock = createVirtualClock();
    const limiter = createLimiter({ concurrency: 10, clock });
    const permit = await limiter.acquire(idle());
    permit.release(undefined, { kind: 'rate-limited', message: '', retryAfterMs: 5000 });
    let startedAt: number | undefined;
    void limiter.acquire(idle()).then(() => (startedAt = clock.monotonic()));
    await clock.advance(4999);
    expect(startedAt).toBeUndefined();
    await clock.advance(2);
    expect(startedAt).toBe(5000);
  });

  test.each([
    { name: 'a wait that is NaN', told: { retryAfterMs: NaN } },
    { name: 'a wait without an end', told: { retryAfterMs: Infinity } },
    { name: 'a wait of a thousand years', told: { retryAfterMs: 1e15 } },
    { name: 'a wait as a text', told: { retryAfterMs: '5' as never } },
    { name: 'a reset that is NaN', told: { rateLimit: { remainingRequests: 0, requestsResetMs: NaN } } },
    { name: 'a reset of tokens without an end', told: { rateLimit: { remainingTokens: 0, tokensResetMs: Infinity } } },
    { name: 'null for a limit', told: { rateLimit: null as never } },
    { name: 'next to no requests in a minute', told: { rateLimit: { requestsPerMinute: 1e-9 } } },
  ])('$name counts as not told, and the pace is kept', async ({ told }) => {
    const clock = createVirtualClock();
    const limiter = createLimiter({ requestsPerMinute: 60, clock });
    (await limiter.acquire(idle())).release(undefined, { kind: 'rate-limited', message: '', ...told });
    const startedAt: number[] = [];
    for (let count = 0; count < 3; count += 1)
      void limiter.acquire(idle()).then(() => startedAt.push(clock.monotonic()));
    await clock.advance(10_000);
    expect(startedAt).toEqual([1050, 2100, 3150]);
  });

  test('a server that says that no requests are left is heard before it has to refuse one', async () => {
    const clock = createVirtualClock();
    const limiter = createLimiter({ clock });
    const permit = await limiter.acquire(idle());
    const reply = {
      content: [],
      finishReason: 'stop',
      rawFinishReason: 'stop',
      usage: {},
      rateLimit: { remainingRequests: 0, requestsResetMs: 2000 },
    } as const;
    permit.release(reply, undefined);
    let startedAt: number | undefined;
    void limiter.acquire(idle()).then(() => (startedAt = clock.monotonic()));
    await clock.advance(10_000);
    expect(startedAt).toBe(2000);
  });

  test('the pace falls to what the server let through before it refused, and a server that bears it hears no more', async () => {
    const clock = createVirtualClock();
    const limiter = createLimiter({ concurrency: 8, clock });
    const starts: number[] = [];
    const refusals: number[] = [];
    const request = async (): Promise<void> => {
      for (let attempt = 1; ; attempt += 1) {
        const permit = await limiter.acquire(idle());
        const now = clock.monotonic();
        // The server: five in any second, and "in a second" beyond.
        const isRefused = starts.filter((start) => now - start < 1000).length >= 5;
        (isRefused ? refusals : starts).push(now);
        permit.release(undefined, isRefused ? { kind: 'rate-limited', message: '', retryAfterMs: 1000 } : undefined);
        if (!isRefused) return;
        await new Promise<void>((resolve) => clock.after(1000, resolve));
      }
    };
    const all = Promise.all(Array.from({ length: 60 }, request));
    await clock.advance(60_000);
    await all;
    expect(starts).toHaveLength(60);
    expect(refusals.filter((at) => at >= 1000)).toEqual([]);
    expect(Math.max(...starts)).toBeLessThan(15_000);
  });

  /** `accepted` requests that a server takes and one that it refuses, at the same moment; then when the next six start. */
  async function startsAfter(accepted: number, failure: Partial<Failure>, refusals = 1): Promise<number[]> {
    const clock = createVirtualClock();
    const limiter = createLimiter({ concurrency: 100, clock });
    const permits = await Promise.all(Array.from({ length: accepted + refusals }, () => limiter.acquire(idle())));
    for (const [index, permit] of permits.entries())
      permit.release(undefined, index < accepted ? undefined : { kind: 'rate-limited', message: '', ...failure });
    const starts: number[] = [];
    const next = async (count: number): Promise<void> => {
      if (count === 0) return;
      const permit = await limiter.acquire(idle());
      starts.push(clock.monotonic());
      permit.release(undefined, undefined);
      await next(count - 1);
    };
    void next(6);
    await clock.advance(600_000);
    return starts;
  }

  const minute = { retryAfterMs: 60_000 };
  test.each<{ name: string; accepted: number; refusals?: number; failure: Partial<Failure>; starts: number[] }>([
    {
      name: 'one refusal on a fresh limiter only pauses',
      accepted: 0,
      failure: minute,
      starts: [60_000, 60_000, 60_000, 60_000, 60_000, 60_000],
    },
    {
      name: 'eight refusals at once on a fresh limiter only pause',
      accepted: 0,
      refusals: 8,
      failure: minute,
      starts: [60_000, 60_000, 60_000, 60_000, 60_000, 60_000],
    },
    {
      name: 'two accepted requests are no sample',
      accepted: 2,
      failure: minute,
      starts: Array.from({ length: 6 }, () => 60_000),
    },
    {
      name: 'a wait that is longer than a minute says nothing about a pace',
      accepted: 20,
      failure: { retryAfterMs: 120_000 },
      starts: Array.from({ length: 6 }, () => 120_000),
    },
    {
      name: 'a wait of hours pauses for three minutes, and then the server is asked',
      accepted: 20,
      failure: { retryAfterMs: 7_200_000 },
      starts: Array.from({ length: 6 }, () => 180_000),
    },
    {
      name: 'a reset in hours pauses for three minutes, too',
      accepted: 0,
      failure: { retryAfterMs: 1, rateLimit: { remainingRequests: 0, requestsResetMs: 7_200_000 } },
      starts: Array.from({ length: 6 }, () => 180_000),
    },
    {
      name: 'a refusal with requests left says nothing about their pace',
      accepted: 20,
      failure: { ...minute, rateLimit: { remainingRequests: 480 } },
      starts: Array.from({ length: 6 }, () => 60_000),
    },
    {
      name: 'a refusal for tokens says nothing about the pace of requests',
      accepted: 20,
      failure: { ...minute, rateLimit: { remainingTokens: 0 } },
      starts: Array.from({ length: 6 }, () => 60_000),
    },
    {
      name: 'a limit of 0 requests in a minute counts as not told',
      accepted: 0,
      failure: { ...minute, rateLimit: { requestsPerMinute: 0 } },
      starts: Array.from({ length: 6 }, () => 60_000),
    },
    {
      name: 'a negative limit counts as not told',
      accepted: 0,
      failure: { ...minute, rateLimit: { requestsPerMinute: -5 } },
      starts: Array.from({ length: 6 }, () => 60_000),
    },
    {
      name: 'six accepted requests are a pace, however many are refused with them, and each quiet minute doubles it',
      accepted: 6,
      refusals: 5,
      failure: minute,
      starts: [60_000, 65_556, 71_112, 76_668, 82_224, 87_780],
    },
  ])('$name', async ({ accepted, refusals, failure, starts }) => {
    const began = await startsAfter(accepted, failure, refusals);
    for (const [index, start] of starts.entries()) expect(Math.abs((began[index] ?? NaN) - start)).toBeLessThan(10);
  });

  test('a learned pace that nothing confirms is gone after some minutes', async () => {
    const clock = createVirtualClock();
    const limiter = createLimiter({ concurrency: 100, clock });
    const permits = await Promise.all([1, 2, 3, 4].map(() => limiter.acquire(idle())));
    for (const permit of permits.slice(1)) permit.release(undefined, undefined);
    permits[0]?.release(undefined, { kind: 'rate-limited', message: '', ...minute });
    await clock.advance(15 * 60_000);
    const starts: number[] = [];
    for (let index = 0; index < 5; index += 1)
      void limiter.acquire(idle()).then((permit) => {
        starts.push(clock.monotonic());
        permit.release(undefined, undefined);
      });
    await clock.advance(1);
    expect(starts).toHaveLength(5);
  });

  test('a refusal that arrives late is counted with the requests that it was sent with', async () => {
    const clock = createVirtualClock();
    const limiter = createLimiter({ concurrency: 100, clock });
    const permits = await Promise.all(Array.from({ length: 8 }, () => limiter.acquire(idle())));
    const refuse = (permit?: Permit): void =>
      permit?.release(undefined, { kind: 'rate-limited', message: '', retryAfterMs: 1000 });
    refuse(permits[0]);
    for (const permit of permits.slice(2)) permit.release(undefined, undefined);
    await clock.advance(5000);
    refuse(permits[1]);
    const starts: number[] = [];
    for (let index = 0; index < 3; index += 1)
      void limiter.acquire(idle()).then(() => starts.push(clock.monotonic() - 6000));
    await clock.advance(10_000);
    expect(starts.map(Math.round)).toEqual([0, 185, 370]);
  });

  test.each([
    { name: 'a raised limit of the server holds from then on', told: [60, 600], wait: 105 },
    { name: 'a lowered limit of the server holds from then on', told: [600, 60], wait: 1050 },
  ])('$name', async ({ told, wait }) => {
    const clock = createVirtualClock();
    const limiter = createLimiter({ concurrency: 100, clock });
    for (const requestsPerMinute of told) {
      const permit = await limiter.acquire(idle());
      permit.release(undefined, { kind: 'server-error', message: '', rateLimit: { requestsPerMinute } });
      await clock.advance(10_000);
    }
    const starts: number[] = [];
    for (let index = 0; index < 2; index += 1) void limiter.acquire(idle()).then(() => starts.push(clock.monotonic()));
    await clock.advance(10_000);
    expect((starts[1] ?? NaN) - (starts[0] ?? NaN)).toBe(wait);
  });

  test('tokens that were used put off the next request', async () => {
    const clock = createVirtualClock();
    const limiter = createLimiter({ tokensPerMinute: 6000, clock });
    const permit = await limiter.acquire(idle());
    permit.release(
      { content: [], finishReason: 'stop', rawFinishReason: 'stop', usage: { inputTokens: 900, outputTokens: 100 } },
      undefined,
    );
    let startedAt: number | undefined;
    void limiter.acquire(idle()).then(() => (startedAt = clock.monotonic()));
    await clock.advance(60_000);
    expect(startedAt).toBe(10_000);
  });
});
