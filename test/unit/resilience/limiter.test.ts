import { describe, expect, test } from 'vitest';
import { Abort } from '../../../src/core/abort.ts';
import type { Permit } from '../../../src/resilience/limiter.ts';
import { createLimiter } from '../../../src/resilience/limiter.ts';
import { createVirtualClock } from '../../../src/testing/virtual-clock.ts';

const idle = (): Abort => new Abort();

describe('a limiter', () => {
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

  test('spaces requests evenly', async () => {
    const clock = createVirtualClock();
    const limiter = createLimiter({ requestsPerMinute: 300, concurrency: 100, clock });
    const starts: number[] = [];
    for (let index = 0; index < 10; index += 1) void limiter.acquire(idle()).then(() => starts.push(clock.monotonic()));
    await clock.advance(60_000);
    expect(starts).toEqual([0, 200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800]);
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

  test('a server that says that no requests are left is heard before it has to refuse one', async () => {
    const clock = createVirtualClock();
    const limiter = createLimiter({ clock });
    const permit = await limiter.acquire(idle());
    const reply = { content: [], finishReason: 'stop', rawFinishReason: 'stop', usage: {}, rateLimit: { remainingRequests: 0, requestsResetMs: 2000 } } as const;
    permit.release(reply, undefined);
    let startedAt: number | undefined;
    void limiter.acquire(idle()).then(() => (startedAt = clock.monotonic()));
    await clock.advance(10_000);
    expect(startedAt).toBe(2000);
  });

  test('tokens that were used put off the next request', async () => {
    const clock = createVirtualClock();
    const limiter = createLimiter({ tokensPerMinute: 6000, clock });
    const permit = await limiter.acquire(idle());
    permit.release({ content: [], finishReason: 'stop', rawFinishReason: 'stop', usage: { inputTokens: 900, outputTokens: 100 } }, undefined);
    let startedAt: number | undefined;
    void limiter.acquire(idle()).then(() => (startedAt = clock.monotonic()));
    await clock.advance(60_000);
    expect(startedAt).toBe(10_000);
  });
});
