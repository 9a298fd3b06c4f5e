import { expect, test } from 'vitest';
import { createAgent, scripted } from '../../../../src/index.ts';
import { createVirtualClock, seededRandom } from '../../../../src/testing/index.ts';

const HOUR = 3_600_000;

test.each([-1000 * HOUR, -HOUR, HOUR, 1000 * HOUR])(
  'a date that is set by %d ms while a run waits changes no wait and no deadline',
  async (jump) => {
    const steady = createVirtualClock();
    let set = 0;
    const clock = { ...steady, now: () => steady.now() + set };
    const failure = { kind: 'overloaded', message: 'Busy.', retryAfterMs: 5000 } as const;
    const agent = createAgent({ provider: scripted([{ failure }, 'Hi.']), clock, random: seededRandom(1) });
    agent.on('retry', () => {
      set = jump;
    });
    const run = agent.stream('Hello?');
    let isOver = false;
    void run.result.finally(() => (isOver = true));
    while (!isOver && (await steady.next()));
    expect(await run.result).toMatchObject({ status: 'completed', text: 'Hi.' });
    expect(steady.monotonic()).toBeGreaterThanOrEqual(5000);
    expect(steady.monotonic()).toBeLessThan(10_000);
  },
);
