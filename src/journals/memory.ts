import { Abort } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import { sleep, systemClock } from '../core/clock.ts';
import type { Act, Entry, Interrupted, Journal } from '../core/journal.ts';

/** A journal in the memory of this process. */
export interface MemoryJournal<Outcome> extends Journal<Outcome> {
  /** Everything that was recorded, in order, each entry as one line of JSON. */
  readonly lines: readonly string[];
}

/** How a journal in memory begins. */
export interface MemoryJournalOptions {
  /** What an earlier process had recorded: its `lines`. */
  readonly lines?: readonly string[] | undefined;
  /** Keys of acts with effects that an earlier process had begun and not recorded. */
  readonly begun?: readonly string[] | undefined;
  /** Time, for tests. */
  readonly clock?: Clock | undefined;
}

/**
 * A journal that keeps its entries as JSON, in memory: for tests, and as the model of one on a disk. What is read back
 * from it went through JSON, so whatever a run can't do without must be JSON.
 */
export function memoryJournal<Outcome>(options: MemoryJournalOptions = {}): MemoryJournal<Outcome> {
  const { clock = systemClock } = options;
  const lines = [...(options.lines ?? [])];
  const begun = new Set(options.begun);
  const read = (line: string): Entry<Outcome> => ({ ...(JSON.parse(line) as Entry<Outcome>), isReplay: true });
  const recorded = lines.map(read);
  const keys = new Set(recorded.map(({ key }) => key));
  return {
    lines,
    recorded,
    lost: new Abort(),
    async act({ key, hasEffect = false, perform }: Act<Outcome>): Promise<Entry<Outcome | Interrupted>> {
      if (keys.has(key))
        throw new Error(`The journal has an entry \`${key}\` already: a key names one place in a run.`);
      const isInterrupted = hasEffect && begun.has(key);
      const outcome: Outcome | Interrupted = isInterrupted ? { type: 'interrupted' } : await perform();
      const entry = { key, outcome, at: clock.now() };
      const line = JSON.stringify(entry);
      lines.push(line);
      keys.add(key);
      return { ...(JSON.parse(line) as typeof entry), isReplay: false };
    },
    sleepUntil: (_key, at, abort) => sleep(clock, at - clock.now(), abort.signal),
  };
}
