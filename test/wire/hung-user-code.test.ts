import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AgentOptions, Compactor, Hooks, RunEvent, RunResult, ScriptStep } from '../../src/index.ts';
import { createAgent, scripted } from '../../src/index.ts';
import type { StandardSchema } from '../../src/core/schema.ts';
import { repairHistory } from '../../src/loop/history/history.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { anyTool, eventsOf, resultsOf } from './wire-agent.ts';

/** Code of the user's that is called and does not come back: when it was called, and a way to have it fail at last. */
interface Hung {
  readonly call: () => Promise<never>;
  readonly called: Promise<void>;
  failLate(): void;
}

function hung(): Hung {
  let tellCalled = (): void => {};
  let fail = (_error: Error): void => {};
  const called = new Promise<void>((resolve) => (tellCalled = resolve));
  const never = new Promise<never>((_resolve, reject) => (fail = reject));
  return {
    call: () => {
      tellCalled();
      return never;
    },
    called,
    failLate: () => fail(new Error('far too late')),
  };
}

interface Place {
  readonly steps?: readonly ScriptStep[];
  /** What is hung, put into the options of the agent. */
  readonly agent?: (call: () => Promise<never>) => Partial<AgentOptions>;
  readonly output?: (call: () => Promise<never>) => StandardSchema;
  /** The results of the calls; none where no call was made. */
  readonly results?: readonly RegExp[];
  readonly ranTool?: boolean;
}

/** A schema that checks as long as it likes. Zod itself would drop the first promise of a check, and its error with it. */
function checkedBy<T>(schema: StandardSchema<T>, validate: () => Promise<never>): StandardSchema<T> {
  return { '~standard': { ...schema['~standard'], validate } };
}

const look: ScriptStep = { calls: [{ name: 'look', input: { n: 1 } }] };
const neverBegun = /^look was not run: .* changed nothing/;
const inHooks = (hooks: Hooks): Partial<AgentOptions> => ({ hooks: [hooks] });
const failing = (): Partial<AgentOptions> => ({
  tools: [
    anyTool('look', () => {
      throw new Error('It is dark.');
    }),
  ],
});

const places: Readonly<Record<string, Place>> = {
  beforeModel: { agent: (beforeModel) => inHooks({ beforeModel }) },
  beforeTool: { agent: (beforeTool) => inHooks({ beforeTool }), results: [neverBegun] },
  afterTool: { agent: (afterTool) => inHooks({ afterTool }), results: [/^a door$/], ranTool: true },
  afterTurn: { agent: (afterTurn) => inHooks({ afterTurn }), results: [/^a door$/], ranTool: true },
  'onFailure of a request': {
    steps: [{ failure: { kind: 'overloaded', message: 'Busy.' } }],
    agent: (onFailure) => inHooks({ onFailure }),
  },
  'onFailure of a call': {
    agent: (onFailure) => ({ ...failing(), ...inHooks({ onFailure }) }),
    results: [/It is dark\./],
  },
  'a compactor': {
    steps: [{ failure: { kind: 'context-overflow', message: 'Too long.' } }],
    agent: (compact: Compactor) => ({ compact }),
  },
  approve: { agent: (approve) => ({ tools: [anyTool('look', () => 'a door', { approve })] }), results: [neverBegun] },
  'the schema of a tool': {
    agent: (check) => ({ tools: [anyTool('look', () => 'a door', { schema: checkedBy(z.looseObject({}), check) })] }),
    results: [neverBegun],
  },
  'the output schema of a tool': {
    agent: (check) => ({ tools: [anyTool('look', () => 'a door', { output: checkedBy(z.string(), check) })] }),
    results: [/^look gave no result: .* it may have taken effect/],
  },
  'the output schema of a run': {
    steps: ['{"a": 1}'],
    output: (check) => checkedBy(z.object({ a: z.number() }), check),
  },
};

/** Runs until the code that is hung was called, then ends the run as `end` says. */
async function endWhileHung(
  { steps = [look, 'Done.'], agent, output }: Place,
  end: 'abort' | 'runMs',
): Promise<{ readonly result: RunResult<unknown>; readonly events: readonly RunEvent[]; readonly ran: number }> {
  const clock = createVirtualClock();
  const { call, called, failLate } = hung();
  let ran = 0;
  const door = anyTool('look', () => {
    ran += 1;
    return 'a door';
  });
  const events: RunEvent[] = [];
  const runner = createAgent({
    provider: scripted(steps),
    tools: [door],
    clock,
    deadlines: { runMs: 60_000 },
    ...agent?.(call),
  });
  runner.on('*', (event) => events.push(event));
  const handle = runner.stream('Look.', { output: output?.(call) });
  await called;
  if (end === 'abort') handle.abort(new Error('enough'));
  else await clock.advance(60_000);
  const result = await handle.result;
  expect(clock.pending).toBe(0);
  // Nobody waits for it any more: were its error nobody's, the test run would fail for an unhandled rejection.
  failLate();
  await clock.advance(0);
  return { result, events, ran };
}

describe('code of the user’s that never comes back', () => {
  const rows = Object.entries(places).flatMap(([place, row]) => [
    { place, row, end: 'abort' as const },
    { place, row, end: 'runMs' as const },
  ]);

  test.each(rows)('$place: $end ends the run at once, with a whole transcript', { timeout: 1000 }, async (given) => {
    const { result, events, ran } = await endWhileHung(given.row, given.end);
    if (given.end === 'abort') expect(result).toMatchObject({ status: 'aborted', reason: new Error('enough') });
    else expect(result).toMatchObject({ status: 'stopped', stopReason: 'deadline' });
    const { results = [], ranTool = false } = given.row;
    expect(resultsOf(result)).toEqual(results.map((told) => expect.stringMatching(told)));
    expect(ran).toBe(ranTool ? 1 : 0);
    expect(repairHistory(result.messages).changes).toEqual([]);
    expect(eventsOf(events, 'tool-end')).toHaveLength(results.length);
    expect(events.at(-1)).toMatchObject({ type: 'run-end' });
    if (given.row.output !== undefined) expect(result).toMatchObject({ partialText: '{"a": 1}' });
  });

  test('a hook hears its signal, and what it throws because of it is no bug', async () => {
    const seen: AbortSignal[] = [];
    const hear = ({ signal }: { readonly signal: AbortSignal }): void => void seen.push(signal);
    const stop = new AbortController();
    const hooks: Hooks = {
      beforeModel: hear,
      beforeTool: hear,
      afterTool: hear,
      onFailure: hear,
      afterTurn: (context) => {
        hear(context);
        stop.abort(new Error('enough'));
        context.signal.throwIfAborted();
      },
    };
    const agent = createAgent({ provider: scripted([look, 'Done.']), hooks: [hooks], ...failing() });
    const { result } = agent.stream('Look.', { signal: stop.signal });
    expect(await result).toMatchObject({ status: 'aborted', reason: new Error('enough') });
    expect(seen.map(({ aborted }) => aborted)).toEqual([true, true, true, true, true]);
  });

  test('an aborted run is aborted: `afterTurn` has no more say', async () => {
    const stop = new AbortController();
    const leave = (): Promise<never> => {
      stop.abort(new Error('enough'));
      return new Promise(() => {});
    };
    const agent = createAgent({
      provider: scripted([look, 'Done.']),
      tools: [anyTool('look', leave)],
      hooks: [{ afterTurn: () => ({ stop: 'Seen enough.' }) }],
    });
    expect((await agent.stream('Look.', { signal: stop.signal }).result).status).toBe('aborted');
  });
});

describe('what was there before the abort counts', () => {
  test('a tool that aborts the run and gives a value keeps its result, checked and seen by the hooks', async () => {
    const stop = new AbortController();
    const leave = (): string => {
      stop.abort(new Error('enough'));
      return 'left';
    };
    const agent = createAgent({
      provider: scripted([look, 'Done.']),
      tools: [anyTool('look', leave, { output: z.string().toUpperCase() })],
      hooks: [{ afterTool: ({ result }) => ({ output: `${result.output}!` }) }],
    });
    const result = await agent.stream('Look.', { signal: stop.signal }).result;
    expect(result.status).toBe('aborted');
    expect(resultsOf(result)).toEqual(['LEFT!']);
  });
});
