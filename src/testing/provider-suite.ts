import type { Clock } from '../core/clock.ts';
import { systemClock } from '../core/clock.ts';
import { checkNames, checkOptions, hasMethod } from '../core/option-check.ts';
import type { OptionRule } from '../core/option-rules.ts';
import { aFunction, checkRules, needed, oneOf, positive } from '../core/option-rules.ts';
import type { Provider } from '../core/provider.ts';
import { loopbackWires } from './loopback/wire.ts';
import type { LoopbackWire } from './loopback/wire.ts';
import { behaviours } from './provider-suite/behaviours.ts';
import { expectFailure, expectReply } from './provider-suite/expect.ts';
import type { CaseContext, ProviderTarget } from './provider-suite/suite-case.ts';
import { check, withServer } from './provider-suite/suite-case.ts';
import { suiteRows } from './provider-suite/suite-rows.ts';
import type { SuiteRow } from './provider-suite/suite-rows.ts';

export type { ProviderTarget } from './provider-suite/suite-case.ts';

/** What the suite is run on. */
export interface ProviderSuiteOptions {
  readonly wire: LoopbackWire;
  readonly makeProvider: (target: ProviderTarget) => Provider;
  /** @defaultValue both */
  readonly modes?: readonly ('stream' | 'plain')[] | undefined;
  /** Longest wait for one event, and for the end after an abort. @defaultValue 4000 milliseconds */
  readonly timeoutMs?: number | undefined;
  /** What the waits are measured with. @defaultValue the host's clock */
  readonly clock?: Clock | undefined;
}

/** One test. Give it to the runner of your choice. */
export interface ProviderCase {
  readonly name: string;
  /** Rejects with an error that says what was expected, what came, and what the server had answered. Never hangs. */
  readonly run: () => Promise<void>;
}

/**
 * What every provider must hold, as a list of tests: replies in every form that servers give them, faults in the middle of them,
 * errors, aborts, and requests that the strictest server accepts. Each starts a server of its own on 127.0.0.1.
 * @throws OilcanError `invalid-option`
 * @example
 * for (const { name, run } of providerSuite({ wire: 'anthropic', makeProvider })) test(name, run);
 */
export function providerSuite(options: ProviderSuiteOptions): readonly ProviderCase[] {
  checkOptions('the options of `providerSuite`', options, "{ wire: 'openai', makeProvider: () => provider }");
  checkNames('providerSuite', options, RULES);
  checkRules(options, RULES);
  const { wire, makeProvider, modes = MODES, timeoutMs = TIMEOUT_MS, clock = systemClock } = options;
  const cases: ProviderCase[] = [];
  for (const mode of modes) {
    const context: CaseContext = { wire, mode, makeProvider, patience: { clock, timeoutMs } };
    const label = mode === 'stream' ? 'streaming' : 'plain';
    for (const row of suiteRows) {
      if (row.mode !== undefined && row.mode !== mode) continue;
      if (row.wires !== undefined && !row.wires.includes(wire)) continue;
      cases.push({ name: `${label}: ${row.name}`, run: () => runRow(context, row) });
    }
    for (const [name, run] of Object.entries(behaviours))
      cases.push({ name: `${label}: ${name}`, run: () => run(context) });
  }
  return cases;
}

const MODES = ['stream', 'plain'] as const;

/** Chosen: test runners give up after 5 s, and say nothing of what was waited for. */
const TIMEOUT_MS = 4_000;

const RULES = {
  wire: needed(oneOf(...loopbackWires)),
  makeProvider: needed(aFunction),
  modes: {
    wanted: "an array of 'stream', 'plain' or both",
    fits: (value) => Array.isArray(value) && value.length > 0 && value.every((mode) => MODES.includes(mode as 'plain')),
  },
  timeoutMs: positive,
  clock: { wanted: 'a clock', fits: (value) => hasMethod(value, 'after') && hasMethod(value, 'monotonic') },
} satisfies Record<keyof ProviderSuiteOptions, OptionRule>;

async function runRow(context: CaseContext, row: SuiteRow): Promise<void> {
  await withServer(context, [row.step], async ({ server, ask }) => {
    const heard = await ask();
    // Retries belong to the loop: one question is one request.
    check(server.requests.length === 1, `${server.requests.length} requests were made instead of 1`);
    if (row.failure !== undefined) expectFailure(heard, row.failure, row.waitMs);
    else expectReply(heard, row.reply ?? {});
  });
}
