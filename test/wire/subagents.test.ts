import { describe, expect, test } from 'vitest';
import type { Agent, AgentOptions, RunEvent, RunResult, Tool, ToolContext } from '../../src/index.ts';
import { createAgent, createLimiter, scripted } from '../../src/index.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import type { LoopbackContext, LoopbackStep } from '../../src/testing/loopback-server.ts';
import { answer, anyTool, call, calls, eventsOf, onWire, resultsOf, watch } from './wire-agent.ts';
import type { Wire } from './wire-agent.ts';

const CHILD = 'You are the helper.';
const ask = (task = 'Count the doors.'): LoopbackStep => call('ask_helper', { task });

/** Tells the requests of the helper from those of the outer agent. */
function family(
  outer: (context: LoopbackContext, index: number) => LoopbackStep,
  child: (context: LoopbackContext, index: number) => LoopbackStep,
): (context: LoopbackContext) => LoopbackStep {
  let outerIndex = 0;
  let childIndex = 0;
  return (context) => (isChild(context.body) ? child(context, childIndex++) : outer(context, outerIndex++));
}

function isChild(body: Readonly<Record<string, unknown>>): boolean {
  return JSON.stringify(body['messages']).includes(CHILD);
}

function helper(wire: Wire, options: Partial<AgentOptions> = {}): { readonly child: Agent; readonly tool: Tool } {
  const child = wire.agent({ system: CHILD, ...options });
  return { child, tool: child.asTool({ name: 'ask_helper', description: 'Asks the helper.', effect: 'read' }) };
}

describe('an agent as a tool', () => {
  test('its answer is the result, and what it spent is part of the outer run', async () => {
    const script = family(
      (_context, index) => (index === 0 ? ask() : answer),
      () => ({ text: 'Two doors.' }),
    );
    await onWire(script, async (wire) => {
      const prices = { demo: { input: 20, output: 40 } };
      const { tool } = helper(wire, { prices });
      const { result, results } = await watch(wire.agent({ tools: [tool], prices }).stream('How many doors?'));
      expect(results).toEqual(['Two doors.']);
      expect(result).toMatchObject({ status: 'completed', turns: 2, usage: { inputTokens: 360, outputTokens: 60 } });
      expect(result.costUsd).toBeCloseTo(3 * 0.0032, 10);
    });
  });

  test('its failure is told as its own failure table has it', async () => {
    const script = family(
      (_context, index) => (index === 0 ? ask() : answer),
      () => ({ status: 500 }),
    );
    await onWire(script, async (wire) => {
      const { tool } = helper(wire, { failures: { 'server-error': { owner: 'nobody', remedy: 'stop' } } });
      const { results } = await watch(wire.agent({ tools: [tool] }).stream('How many doors?'));
      expect(results[0]).toContain('The helper failed for a technical reason');
    });
  });

  test('each try of it is a run of its own, with an id of its own', async () => {
    const child = createAgent({ provider: scripted([{ failure: { kind: 'quota-exhausted', message: '' } }, 'Two.']) });
    const ids: string[] = [];
    child.on('run-start', ({ runId }) => ids.push(runId));
    const once = child.asTool({ name: 'ask_helper', description: 'Asks.', effect: 'idempotent' });
    const tool: Tool = { ...once, options: { ...once.options, retry: { maxAttempts: 2, baseDelayMs: 0 } } };
    const hooks = [{ onFailure: () => 'retry' as const }];
    const provider = scripted([{ calls: [{ id: 'c', name: 'ask_helper', input: { task: 'Count.' } }] }, 'Done.']);
    await createAgent({ provider, tools: [tool], hooks }).run('Go.', { id: 'outer' });
    expect(ids).toEqual(['outer/c#1', 'outer/c#2']);
  });

  test('its events reach its own listeners, under a run id that names the outer call', async () => {
    const script = family(
      (_context, index) => (index === 0 ? ask() : answer),
      () => ({ text: 'Two doors.' }),
    );
    await onWire(script, async (wire) => {
      const { child, tool } = helper(wire);
      const seen: RunEvent[] = [];
      child.on('*', (event) => seen.push(event));
      const { result, events } = await watch(wire.agent({ tools: [tool] }).stream('How many doors?'));
      const [first] = eventsOf(events, 'tool-start');
      expect(new Set(seen.map((event) => event.runId))).toEqual(new Set([`${result.runId}/${first?.toolCallId}#1`]));
      expect(seen.at(-1)?.type).toBe('run-end');
      expect(eventsOf(events, 'run-end')).toHaveLength(1);
    });
  });

  test('an abort of the outer run ends it as well, at once', async () => {
    const abort = new AbortController();
    const script = family(
      () => ask(),
      () => ({ fault: 'hang' }),
    );
    await onWire(script, async (wire) => {
      const { child, tool } = helper(wire);
      const ends: string[] = [];
      child.on('run-end', ({ result }) => ends.push(result.status));
      const run = watch(wire.agent({ tools: [tool] }).stream('How many doors?', { signal: abort.signal }));
      await wire.server.waitForRequests(2);
      abort.abort(new Error('enough'));
      const { result } = await run;
      expect(result.status).toBe('aborted');
      expect(await wire.server.requests[1]?.ended).toBe('client-left');
      expect(ends).toEqual(['aborted']);
    });
  });

  const failures: readonly {
    readonly name: string;
    readonly child: (index: number) => LoopbackStep;
    readonly options?: Partial<AgentOptions>;
    readonly told: RegExp;
    readonly kind: string;
  }[] = [
    {
      name: 'a limit',
      child: (index) => call('look', { index }),
      options: { maxTurns: 2, tools: [anyTool('look', () => 'dark')] },
      told: /reached a limit.*smaller task/,
      kind: 'tool-failed',
    },
    {
      name: 'a server that is down: it may work later',
      child: () => ({ status: 503 }),
      told: /temporarily unavailable.*does not answer/,
      kind: 'tool-unavailable',
    },
    {
      name: 'a wrong key: the same would fail again',
      child: () => ({ status: 401 }),
      told: /technical reason that is not yours.*would fail again/,
      kind: 'tool-failed',
    },
    {
      name: 'a person that it waits for',
      child: () => call('look'),
      options: { tools: [anyTool('look', () => 'dark', { approve: true })] },
      told: /waits for a person/,
      kind: 'tool-failed',
    },
  ];
  test.each(failures)(
    'its failure is a result that says whose it is: $name',
    async ({ child, options, told, kind }) => {
      const script = family(
        (_context, index) => (index === 0 ? ask() : answer),
        (_context, index) => child(index),
      );
      await onWire(script, async (wire) => {
        const { tool } = helper(wire, options);
        const { result, results, events } = await watch(wire.agent({ tools: [tool] }).stream('How many doors?'));
        expect(result.status).toBe('completed');
        expect(results[0]).toMatch(told);
        expect(eventsOf(events, 'failure')).toMatchObject([{ owner: 'model', failure: { kind } }]);
      });
    },
  );

  test('the deadline of the outer run ends it as an abort: its own was not reached', async () => {
    const clock = createVirtualClock();
    let begin = (): void => {};
    const began = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const hanging = anyTool('wait', () => {
      begin();
      return new Promise<never>(() => {});
    });
    const deadlines = { runMs: 60_000 };
    const helper = createAgent({
      provider: scripted([{ calls: [{ name: 'wait', input: {} }] }]),
      tools: [hanging],
      clock,
      deadlines,
    });
    const ends: RunResult<unknown>[] = [];
    helper.on('run-end', ({ result }) => ends.push(result));
    const tools = [helper.asTool({ name: 'helper', description: 'Helps.', timeoutMs: 120_000 })];
    const provider = scripted([{ calls: [{ name: 'helper', input: { task: 'Wait.' } }] }]);
    const outer = createAgent({ provider, tools, clock, deadlines }).stream('Go.').result;
    await began;
    await clock.advance(60_000);
    expect(await outer).toMatchObject({ status: 'stopped', stopReason: 'deadline' });
    expect(ends).toMatchObject([{ status: 'aborted', reason: { name: 'RunDeadlinePassed' } }]);
  });

  test('the budget of the outer run holds for it, and for both together', async () => {
    const script = family(
      () => ask(),
      (_context, index) => call('look', { index }),
    );
    await onWire(script, async (wire) => {
      const { child, tool } = helper(wire, { tools: [anyTool('look', () => 'dark')] });
      const ends: unknown[] = [];
      child.on('run-end', ({ result }) =>
        ends.push(result.status === 'stopped' ? [result.stopReason, result.message] : result.status),
      );
      // 140 tokens a request: one of the outer run, four of the helper.
      const { result } = await watch(
        wire.agent({ tools: [tool], limits: { totalTokens: 700 } }).stream('How many doors?'),
      );
      expect(ends).toEqual([['max-tokens', expect.stringMatching(/run that started this one/)]]);
      expect(result).toMatchObject({ status: 'stopped', stopReason: 'max-tokens' });
      expect(wire.server.requests).toHaveLength(5);
    });
  });

  test('the budget holds however deep the helpers are nested', async () => {
    const inner = createAgent({
      provider: scripted([
        () => ({ calls: [{ name: 'look', input: {} }], usage: { inputTokens: 10, outputTokens: 5 } }),
      ]),
      tools: [anyTool('look', () => 'dark', { polls: true })],
    });
    const middle = createAgent({
      provider: scripted([
        () => ({ calls: [{ name: 'inner', input: { task: 'Look.' } }], usage: { inputTokens: 10, outputTokens: 5 } }),
      ]),
      tools: [inner.asTool({ name: 'inner', description: 'Looks.' })],
    });
    const ends: string[] = [];
    for (const agent of [inner, middle])
      agent.on('run-end', ({ result }) => ends.push(result.status === 'stopped' ? result.stopReason : result.status));
    const outer = createAgent({
      provider: scripted([
        () => ({ calls: [{ name: 'middle', input: { task: 'Look.' } }], usage: { inputTokens: 10, outputTokens: 5 } }),
      ]),
      tools: [middle.asTool({ name: 'middle', description: 'Looks.' })],
      limits: { totalTokens: 100 },
    });
    const result = await outer.stream('Look.').result;
    expect(ends).toEqual(['max-tokens', 'max-tokens']);
    expect(result).toMatchObject({
      status: 'stopped',
      stopReason: 'max-tokens',
      usage: { inputTokens: 60, outputTokens: 30 },
    });
  });

  test('the prices of the outer run hold where the helper has none, and a cost that nobody can tell is an error', async () => {
    const script = family(
      (_context, index) => (index === 0 ? ask() : answer),
      () => ({ text: 'Two doors.' }),
    );
    await onWire(script, async (wire) => {
      const { tool } = helper(wire);
      const { result } = await watch(
        wire
          .agent({ tools: [tool], prices: { demo: { input: 20, output: 40 } }, limits: { costUsd: 1 } })
          .stream('How many?'),
      );
      expect(result.costUsd).toBeCloseTo(3 * 0.0032, 10);
    });
    await onWire(
      family(
        (_context, index) => (index === 0 ? ask() : answer),
        () => answer,
      ),
      async (wire) => {
        const dear = createAgent({ provider: { ...wire.provider, model: 'dear' } }).asTool({
          name: 'ask_helper',
          description: 'Asks.',
        });
        const { result, results } = await watch(
          wire
            .agent({ tools: [dear], prices: { demo: { input: 20, output: 40 } }, limits: { costUsd: 1 } })
            .stream('How many?'),
        );
        expect(results[0]).toMatch(/technical reason/);
        expect(result.failures[0]?.cause).toHaveProperty(
          'cause.message',
          expect.stringMatching(/price of `dear` is not known/),
        );
        expect(wire.server.requests).toHaveLength(2);
      },
    );
  });

  test('helpers side by side share what is left', async () => {
    const script = family(
      (_context, index) =>
        index === 0 ? { calls: [1, 2].map((n) => ({ name: 'ask_helper', input: { task: `Door ${n}.` } })) } : answer,
      (_context, index) => call('look', { index }),
    );
    await onWire(script, async (wire) => {
      const { tool } = helper(wire, { tools: [anyTool('look', () => 'dark')] });
      const { result } = await watch(
        wire.agent({ tools: [tool], limits: { totalTokens: 1400 } }).stream('How many doors?'),
      );
      expect(result).toMatchObject({ status: 'stopped', stopReason: 'max-tokens' });
      // Ten requests fit; each helper may have one on its way when the other's is counted.
      expect(wire.server.requests.length).toBeLessThanOrEqual(11);
      expect(wire.server.requests.length).toBeGreaterThan(6);
    });
  });

  test('waiting for a helper holds no permit: a shared limiter of one can not block them', async () => {
    const script = family(
      (_context, index) => (index === 0 ? calls('ask_helper', 'ask_helper') : answer),
      () => ({ text: 'Two doors.' }),
    );
    await onWire(
      (context) => {
        const step = script(context);
        return 'calls' in step
          ? {
              calls: [
                { name: 'ask_helper', input: { task: 'a' } },
                { name: 'ask_helper', input: { task: 'b' } },
              ],
            }
          : step;
      },
      async (wire) => {
        const limiter = createLimiter({ concurrency: 1 });
        // The helper has none of its own: it takes the outer run's.
        const { tool } = helper(wire);
        const { result } = await watch(wire.agent({ tools: [tool], limiter }).stream('How many doors?'));
        expect(resultsOf(result)).toEqual(['Two doors.', 'Two doors.']);
        expect(result.status).toBe('completed');
      },
    );
  });

  test('a helper without a limiter of its own takes the outer run’s', async () => {
    let inFlight = 0;
    let most = 0;
    const counting: Parameters<typeof createAgent>[0]['provider'] = {
      ...scripted([]),
      async *stream() {
        inFlight += 1;
        most = Math.max(most, inFlight);
        for (let round = 0; round < 20; round += 1) await Promise.resolve();
        inFlight -= 1;
        yield {
          type: 'reply',
          reply: {
            content: [{ type: 'text', text: 'Two.' }],
            finishReason: 'stop',
            rawFinishReason: 'stop',
            usage: {},
          },
        };
      },
    };
    const child = createAgent({ provider: counting });
    const tool = child.asTool({ name: 'ask_helper', description: 'Asks.' });
    const ten = { calls: Array.from({ length: 10 }, () => ({ name: 'ask_helper', input: { task: 'Count.' } })) };
    const outer = (limiter: AgentOptions['limiter']): Agent =>
      createAgent({ provider: scripted([ten, 'Done.']), tools: [tool], limiter });
    await outer(createLimiter({ concurrency: 2 })).run('Go.');
    expect(most).toBe(2);
    most = 0;
    await outer(undefined).run('Go.');
    expect(most).toBe(10);
  });

  test('a tool that starts a run by hand passes everything through with `within`', async () => {
    const script = family(
      (_context, index) => (index === 0 ? call('ask') : answer),
      () => ({ text: 'Two doors.' }),
    );
    await onWire(script, async (wire) => {
      const child = wire.agent({ system: CHILD });
      const ask = anyTool('ask', async (_input, context) => (await child.run('Count.', { within: context })).text);
      const { result, results } = await watch(wire.agent({ tools: [ask] }).stream('How many doors?'));
      expect(results).toEqual(['Two doors.']);
      expect(result.usage.inputTokens).toBe(360);
    });
  });

  test('a tool that asks a model in its own way can say what it spent', async () => {
    const lefts: (number | undefined)[] = [];
    const ask = anyTool('ask', (_input, { budget }: ToolContext) => {
      lefts.push(budget?.tokensLeft);
      budget?.spend({ inputTokens: 300, outputTokens: 50 }, 0.01);
      lefts.push(budget?.tokensLeft);
      return 'ok';
    });
    await onWire(
      () => call('ask', { n: lefts.length }),
      async (wire) => {
        const agent = wire.agent({ tools: [ask], limits: { totalTokens: 1000 } });
        const { result } = await watch(agent.stream('Go.'));
        // 140 + 350, 140 + 350: another 140 would go beyond.
        expect(lefts).toEqual([860, 510, 370, 20]);
        expect(result).toMatchObject({
          status: 'stopped',
          stopReason: 'max-tokens',
          usage: { inputTokens: 840, outputTokens: 140 },
          costUsd: 0.02,
        });
      },
    );
  });
});
