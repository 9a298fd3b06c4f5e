import { expect, test } from 'vitest';
import { broken } from './invariants.ts';
import { play } from './schedule.ts';

/** Chosen: different enough, and the same for everybody, so that a failure anywhere is a failure everywhere. */
const SEEDS = [1, 20_260, 777_777, 4_000_000_007];

const SCHEDULES = 1000;

test.each(SEEDS)(
  'seed %i: a thousand random schedules break no promise',
  async (seed) => {
    const outcomes = new Map<string, number>();
    for (let index = 0; index < SCHEDULES; index += 1) {
      const scheduleSeed = (seed + index * 2_654_435_761) % 4_294_967_296;
      const played = await play(scheduleSeed).catch((error: unknown) => {
        throw new Error(`play(${scheduleSeed}), schedule ${index} of seed ${seed}, threw`, { cause: error });
      });
      const problems = broken(played);
      expect(problems, `play(${scheduleSeed}), schedule ${index} of seed ${seed}`).toEqual([]);
      const result = played.stretches.at(-1)?.result;
      const outcome = result?.status === 'stopped' ? result.stopReason : (result?.status ?? 'none');
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (played.stretches.length > 1) outcomes.set('resumed', (outcomes.get('resumed') ?? 0) + 1);
    }
    // Schedules that all end in one way would prove little.
    for (const outcome of [
      'completed',
      'failed',
      'aborted',
      'resumed',
      'max-turns',
      'max-tool-calls',
      'max-tokens',
      'errors-in-a-row',
      'deadline',
      'hook',
      'output-limit',
    ]) {
      expect(outcomes.get(outcome) ?? 0, `schedules that ended as ${outcome}`).toBeGreaterThan(2);
    }
  },
  120_000,
);
