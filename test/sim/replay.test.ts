import { expect, test } from 'vitest';
import { Abort } from '../../src/core/abort.ts';
import type { Clock } from '../../src/core/clock.ts';
import { sleep } from '../../src/core/clock.ts';
import type { Act, Entry, Journal } from '../../src/core/journal.ts';
import type { RunEvent, RunResult } from '../../src/index.ts';
import { configOf } from '../../src/loop/agent/agent-config.ts';
import { apply } from '../../src/loop/run/apply.ts';
import { begin } from '../../src/loop/run/begin.ts';
import type { EventBody } from '../../src/loop/run/event-body.ts';
import type { RunRules } from '../../src/loop/run/rules.ts';
import { fromSnapshot, toSnapshot } from '../../src/loop/run/snapshot.ts';
import type { Outcome, RunState } from '../../src/loop/run/state.ts';
import { play, scheduleOf } from './schedule.ts';

const SEEDS = [1, 20_260, 777_777, 4_000_000_007];

/** Chosen: folding is quick; playing each schedule again from every entry is not. */
const FOLDED = 1000;
const CUT = 20;

const seedOf = (seed: number, index: number): number => (seed + index * 2_654_435_761) % 4_294_967_296;

/** Told while an act goes on, and by no transition: a process that folds the entries does not see them. */
const LIVE = new Set<string>([
  'run-start',
  'run-end',
  'turn-start',
  'attempt-start',
  'text-delta',
  'reasoning-delta',
  'tool-start',
  'breaker',
  'warning',
  'history-repaired',
]);

interface Recording {
  readonly lines: readonly string[];
  readonly state: RunState | undefined;
  readonly events: readonly RunEvent[];
  readonly result: RunResult<unknown> | undefined;
  readonly rules: RunRules;
}

/** Plays a schedule. Its entries are written as JSON, but the run goes on with the very outcomes. */
async function record(seed: number): Promise<Recording> {
  const lines: string[] = [];
  let state: RunState | undefined;
  const journalOf = (clock: Clock): Journal<Outcome> => ({
    recorded: [],
    lost: new Abort(),
    applied: (next) => (state = next as RunState),
    async act({ key, perform }) {
      const outcome = await perform();
      const entry = { key, outcome, at: clock.now() };
      lines.push(JSON.stringify(entry));
      return { ...entry, isReplay: false };
    },
    sleepUntil: (_key, at, abort) => sleep(clock, at - clock.now(), abort.signal),
  });
  const { stretches } = await play(seed, (clock) => ({ open: () => journalOf(clock) }));
  return {
    lines,
    state,
    events: stretches.flatMap(({ events }) => events).filter(({ type }) => !LIVE.has(type)),
    result: stretches.at(-1)?.result,
    rules: configOf(scheduleOf(seed).options),
  };
}

const entryOf = (line: string): Entry<Outcome> => ({ ...(JSON.parse(line) as Entry<Outcome>), isReplay: true });

/** The fold of entries as they were read back. */
function fold(lines: readonly string[], rules: RunRules): { state: RunState; events: EventBody[] } {
  let state = begin();
  const events: EventBody[] = [];
  for (const line of lines) {
    const next = apply(state, entryOf(line), rules);
    state = next.state;
    events.push(...next.events.filter(({ type }) => !LIVE.has(type)));
  }
  return { state, events };
}

const bare = (events: readonly (RunEvent | EventBody)[]): unknown =>
  JSON.parse(
    JSON.stringify(events, (key, value: unknown) => (['v', 'seq', 'at', 'runId'].includes(key) ? undefined : value)),
  );

/** A state as far as entries make it: without what the first entry repeats. */
const plain = (state: RunState | undefined): unknown => state && JSON.parse(JSON.stringify(toSnapshot(state)));

test.each(SEEDS)(
  'seed %i: the fold of the entries, read back from JSON, is the live state',
  async (seed) => {
    let entries = 0;
    for (let index = 0; index < FOLDED; index += 1) {
      const { lines, state, events, rules } = await record(seedOf(seed, index));
      const folded = fold(lines, rules);
      entries += lines.length;
      expect(folded.state, `schedule ${index} of seed ${seed}`).toEqual(state);
      expect(bare(folded.events), `events of schedule ${index} of seed ${seed}`).toEqual(bare(events));
      expect(fromSnapshot(JSON.parse(JSON.stringify(toSnapshot(folded.state))) as never)).toEqual(folded.state);
      const keys = lines.map((line) => entryOf(line).key);
      expect(new Set(keys).size, `a key is used twice: ${keys.join(' ')}`).toBe(keys.length);
    }
    expect(entries).toBeGreaterThan(5 * FOLDED);
  },
  120_000,
);

/** A journal cut after some entries: the rest comes as it had come, but is performed anew as far as the run can tell. */
function cutAfter(lines: readonly string[], count: number, cutOff: () => void): Journal<Outcome> {
  const rest = lines.slice(count).map(entryOf);
  const waiting = new Map<string, { resolve: (entry: Entry<Outcome>) => void; reject: (error: unknown) => void }>();
  let isCutOff = false;
  const go = (): void => {
    const [next] = rest;
    if (next === undefined) return;
    if (next.key === 'cut-off' && !isCutOff) {
      isCutOff = true;
      cutOff();
      for (const { reject } of waiting.values()) reject(new Error('cut off'));
      waiting.clear();
    }
    const asked = waiting.get(next.key);
    if (asked === undefined) return;
    waiting.delete(next.key);
    rest.shift();
    asked.resolve({ ...next, isReplay: false });
    setImmediate(go);
  };
  return {
    recorded: lines.slice(0, count).map(entryOf),
    lost: new Abort(),
    act: ({ key }: Act<Outcome>) =>
      new Promise((resolve, reject) => {
        if (isCutOff && key !== 'cut-off') return reject(new Error('cut off'));
        waiting.set(key, { resolve, reject });
        setImmediate(go);
      }),
    sleepUntil: () => Promise.resolve(),
  };
}

const outcome = (result: RunResult<unknown> | undefined): unknown =>
  JSON.parse(JSON.stringify({ ...result, runId: '', reason: undefined, partialText: undefined }));

test.each(SEEDS)(
  'seed %i: a run that is cut after any entry goes on as if nothing had been',
  async (seed) => {
    for (let index = 0; index < CUT; index += 1) {
      const scheduleSeed = seedOf(seed, index);
      const { lines, result, rules } = await record(scheduleSeed);
      const whole = fold(lines, rules);
      for (let count = 0; count <= lines.length; count += 1) {
        const where = `schedule ${index} of seed ${seed} (${scheduleSeed}), cut after ${count} of ${lines.length}`;
        const abort = new AbortController();
        let last: RunState | undefined;
        const journal: Journal<Outcome> = {
          ...cutAfter(lines, count, () => abort.abort(new Error('the caller left'))),
          applied: (next) => (last = next as RunState),
        };
        const { agent } = scheduleOf(scheduleSeed, () => ({ open: () => journal }));
        const events: RunEvent[] = [];
        agent.on('*', (event) => {
          if (!LIVE.has(event.type)) events.push(event);
        });
        const { signal } = abort;
        let resumed: RunResult<unknown> = await agent.stream('Do it.', { id: 'job', signal }).result;
        while (resumed.status === 'suspended' && last?.pauses !== whole.state.pauses)
          resumed = await agent.resumeStream('job', { signal }).result;
        expect(plain(last), where).toEqual(plain(whole.state));
        const before = fold(lines.slice(0, count), rules).events.length;
        expect(bare(events), where).toEqual(bare(whole.events.slice(before)));
        expect(outcome(resumed), where).toEqual(outcome(result));
      }
    }
  },
  120_000,
);
