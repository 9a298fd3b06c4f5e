import { describe, expect, test } from 'vitest';
import { Abort } from '../../../src/core/abort.ts';
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
    expect(startedAt).toEqual([1050, 3050, 5050]);
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
