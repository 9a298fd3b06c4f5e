import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AgentOptions, RunResult, ScriptStep, ToolOptions } from '../../src/index.ts';
import { createAgent, scripted, tool, ToolError } from '../../src/index.ts';
import { memoryJournal } from '../../src/journals/memory.ts';
import type { MemoryJournal } from '../../src/journals/memory.ts';
import type { Outcome } from '../../src/loop/run/state.ts';

const look: ScriptStep = { calls: [{ id: 'c', name: 'look', input: {} }] };

interface Stretch {
  readonly result: RunResult;
  readonly journal: MemoryJournal<Outcome>;
}

/** Runs one process: it knows what was recorded before, and has a tool and hooks of its own. */
async function live(
  execute: ToolOptions['execute'],
  {
    more = {},
    tools = {},
    journal = memoryJournal<Outcome>(),
    signal,
  }: {
    readonly more?: Partial<AgentOptions>;
    readonly tools?: Partial<ToolOptions>;
    readonly journal?: MemoryJournal<Outcome>;
    readonly signal?: AbortSignal;
  } = {},
): Promise<Stretch> {
  const options = { name: 'look', description: 'Looks.', schema: z.object({}), ...tools, execute } as ToolOptions;
  const quiet = (): undefined => undefined;
  const agent = createAgent({
    provider: scripted([look, 'Done.']),
    tools: [tool(options)],
    // The same kinds of hooks in every process: which there are is a rule of the run.
    hooks: [{ beforeTool: quiet, afterTool: quiet, beforeModel: quiet, afterTurn: quiet }],
    ...more,
    journals: { open: () => journal },
  });
  return {
    result: await agent.stream('Look.', { id: 'job', ...(signal === undefined ? {} : { signal }) }).result,
    journal,
  };
}

const asJson = (result: RunResult): unknown => JSON.parse(JSON.stringify({ ...result, reason: undefined }));

/** A process that takes the run over, and must not do anything again. */
function again({ journal }: Stretch, more: Partial<AgentOptions> = {}): Promise<Stretch> {
  const never = (): never => {
    throw new Error('It is done a second time.');
  };
  return live(never, {
    journal: memoryJournal({ lines: journal.lines }),
    more: {
      provider: scripted([never]),
      hooks: [{ beforeTool: () => ({ deny: 'Not now.' }), afterTool: never, beforeModel: never, afterTurn: never }],
      ...more,
    },
  });
}

describe('a run that is recorded is the same when it is read back', () => {
  const rows: readonly { name: string; execute: ToolOptions['execute']; more?: Partial<AgentOptions> }[] = [
    { name: 'a text', execute: () => 'a door' },
    { name: 'nothing', execute: () => undefined },
    { name: 'a date', execute: () => new Date(0) },
    { name: 'a map', execute: () => new Map([['a', 1]]) },
    { name: 'no number', execute: () => ({ a: Number.NaN }) },
    {
      name: 'an error',
      execute: () => {
        throw new Error('The lock is rusted.');
      },
    },
    {
      name: 'an error with a hint',
      execute: () => {
        throw new ToolError('Locked.', { hint: 'Use the key.', retryable: false });
      },
    },
    {
      name: 'a bug',
      execute: () => {
        throw new TypeError('x is not a function');
      },
    },
    {
      name: 'a breaker that was open',
      execute: () => 'a door',
      more: {
        provider: scripted([{ failure: { kind: 'overloaded', message: 'Busy.' } }]),
        breaker: { failures: 1 },
        retry: { maxAttempts: 2, baseDelayMs: 0, budgetMs: 10 },
      },
    },
  ];
  test.each(rows)('$name', async ({ execute, more }) => {
    const first = await live(execute, more === undefined ? {} : { more });
    const { retry } = more ?? {};
    const second = await again(first, retry === undefined ? {} : { retry });
    expect(asJson(second.result)).toEqual(asJson(first.result));
    expect(second.journal.lines).toEqual(first.journal.lines);
  });

  test.each(['a tool runs', 'the model answers'])('an abort while %s', async (what) => {
    const stop = new AbortController();
    const hang = (): Promise<never> => {
      stop.abort(new Error('enough'));
      return new Promise(() => {});
    };
    const provider = what === 'a tool runs' ? scripted([look]) : scripted([hang]);
    const first = await live(hang, { signal: stop.signal, more: { provider } });
    const second = await again(first);
    expect(first.result.status).toBe('aborted');
    expect(asJson(second.result)).toEqual(asJson(first.result));
  });
});

describe('a tool that was running when its process ended', () => {
  /** What a process had recorded that died while the tool ran. */
  const dead = async (): Promise<readonly string[]> => {
    const { journal } = await live(() => 'a door');
    const end = journal.lines.findIndex((line) => line.includes('"t1/c#1"'));
    return journal.lines.slice(0, end);
  };
  const resumed = async (effect: 'read' | 'write', more: Partial<ToolOptions> = {}) => {
    let ran = 0;
    const journal = memoryJournal<Outcome>({ lines: await dead(), begun: ['t1/c#1'] });
    const provider = scripted(['Done.']);
    const { result } = await live(() => (ran += 1), { journal, tools: { effect, ...more }, more: { provider } });
    const told = result.messages.find(({ role }) => role === 'tool');
    return { ran, told: JSON.stringify(told), kinds: result.failures.map(({ kind }) => kind), result };
  };

  test('is not run again where it may have taken effect, and the model is told that nobody knows', async () => {
    const { ran, told, kinds, result } = await resumed('write');
    expect({ ran, kinds, status: result.status }).toEqual({ ran: 0, kinds: ['outcome-unknown'], status: 'completed' });
    expect(told).toContain('Its outcome is unknown');
  });

  test('is asked whether it was done, where it can say so', async () => {
    const verify: ToolOptions['verify'] = () => ({ status: 'done', output: 'a red door' });
    const { ran, told, kinds } = await resumed('write', { verify });
    expect({ ran, kinds }).toEqual({ ran: 0, kinds: [] });
    expect(told).toContain('a red door');
  });

  test('is run again where it changes nothing', async () => {
    const { ran, told } = await resumed('read', { retry: { maxAttempts: 2 } });
    expect(ran).toBe(1);
    expect(told).toContain('"1"');
  });
});
