import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AgentOptions, Hooks, StopReason, Tool } from '../../src/index.ts';
import { createAgent, isOilcanError, scripted, tool } from '../../src/index.ts';
import type { LoopbackScript, LoopbackStep } from '../../src/testing/loopback-server.ts';
import { answer, anyTool, call, calls, eventsOf, onWire, watch } from './wire-agent.ts';

/** A guard at work, or its honest twin that must be let alone. */
interface GuardCase {
  readonly name: string;
  readonly script: LoopbackScript;
  readonly tools: () => readonly Tool[];
  readonly agent?: Partial<AgentOptions>;
  readonly ends: 'completed' | StopReason;
  readonly asked: number;
  /** How often tools ran, in all. */
  readonly ran?: number;
  /** What the model is told by the last result that speaks of it. */
  readonly told?: RegExp;
}

const same = (): Tool[] => [
  anyTool('look', () => 'a locked door'),
  anyTool('listen', () => 'silence'),
  anyTool('smell', () => 'rust'),
];
const counting = (): Tool[] => {
  let count = 0;
  return [anyTool('look', () => `state ${(count += 1)}`)];
};
const broken = (): Tool[] => [
  anyTool('look', () => {
    throw new Error('It is dark.');
  }),
];
const repeat = (steps: readonly LoopbackStep[], times: number): LoopbackStep[] =>
  Array.from({ length: times }, () => steps).flat();
const look = call('look');
const listen = call('listen');
const smell = call('smell');

const cases: readonly GuardCase[] = [
  {
    name: 'turns: a run that never answers stops at `maxTurns`',
    script: () => look,
    tools: counting,
    agent: { maxTurns: 6 },
    ends: 'max-turns',
    asked: 6,
  },
  {
    name: 'turns: an answer in the very last turn is an answer',
    script: [...repeat([look], 5), answer],
    tools: counting,
    agent: { maxTurns: 6 },
    ends: 'completed',
    asked: 6,
  },
  {
    name: 'errors in a row: five turns of failures stop the run',
    script: ({ requestIndex }) => call('look', { n: requestIndex }),
    tools: broken,
    ends: 'errors-in-a-row',
    asked: 5,
  },
  {
    name: 'errors in a row: one good result in between starts the count anew',
    script: ({ requestIndex }) => (requestIndex === 9 ? answer : call('look', { n: requestIndex })),
    tools: () => [
      anyTool('look', (input) => {
        if ((input as { n: number }).n === 4) return 'a lamp';
        throw new Error('It is dark.');
      }),
    ],
    agent: { limits: { errorsInARow: 5 } },
    ends: 'completed',
    asked: 10,
  },
  {
    name: 'same failing call: not run a third time, and the model is told',
    script: [...repeat([look], 3), answer],
    tools: broken,
    ends: 'completed',
    asked: 4,
    ran: 2,
    told: /was not run: the same call .* failed 2 times/,
  },
  {
    name: 'same failing call: other arguments are another call',
    script: [call('look', { at: 'a' }), call('look', { at: 'b' }), call('look', { at: 'c' }), answer],
    tools: broken,
    ends: 'completed',
    asked: 4,
    ran: 3,
    told: /It is dark/,
  },
  {
    name: 'same failing call: it may be tried again when something has changed since',
    script: [look, look, listen, look, answer],
    tools: () => [...broken(), anyTool('listen', () => 'steps')],
    ends: 'completed',
    asked: 5,
    ran: 4,
    told: /It is dark/,
  },
  {
    name: 'same failing call: the order of keys and the form of numbers make no other call',
    script: [
      { calls: [{ name: 'look', rawArguments: '{"a":1,"b":{"x":2,"y":3}}' }] },
      { calls: [{ name: 'look', rawArguments: '{"b":{"y":3.0,"x":2e0},"a":1.0}' }] },
      { calls: [{ name: 'look', rawArguments: '{"b":{"x":2,"y":3},"a":1}' }] },
      answer,
    ],
    tools: broken,
    ends: 'completed',
    asked: 4,
    ran: 2,
    told: /was not run/,
  },
  {
    name: 'no progress: told once, then the run stops',
    script: () => look,
    tools: same,
    ends: 'no-progress',
    asked: 6,
    ran: 4,
    told: /has already given the same result/,
  },
  {
    name: 'no progress: a model that heeds it goes on',
    script: [...repeat([look], 5), listen, answer],
    tools: same,
    ends: 'completed',
    asked: 7,
    ran: 5,
  },
  {
    name: 'no progress: in a circle of two',
    script: ({ requestIndex }) => [look, listen][requestIndex % 2] ?? look,
    tools: same,
    ends: 'no-progress',
    asked: 10,
    ran: 8,
  },
  {
    name: 'no progress: in a circle of three',
    script: ({ requestIndex }) => [look, listen, smell][requestIndex % 3] ?? look,
    tools: same,
    ends: 'no-progress',
    asked: 14,
    ran: 12,
  },
  {
    name: 'no progress: calls side by side count as well',
    script: () => calls('look', 'listen'),
    tools: same,
    agent: { limits: { repeats: 2 } },
    ends: 'no-progress',
    asked: 4,
    ran: 4,
  },
  {
    name: 'no progress: something new beside it may have changed what it gives',
    script: ({ requestIndex }) =>
      requestIndex < 4
        ? calls('look', 'listen')
        : requestIndex === 4
          ? {
              calls: [
                { name: 'smell', input: {} },
                { name: 'listen', input: {} },
              ],
            }
          : answer,
    tools: same,
    ends: 'completed',
    asked: 6,
    ran: 10,
  },
  {
    name: 'honest polling: results that change are progress',
    script: [...repeat([look], 12), answer],
    tools: counting,
    ends: 'completed',
    asked: 13,
    ran: 12,
  },
  {
    name: 'honest polling: a tool that says so is let alone',
    script: [...repeat([look], 12), answer],
    tools: () => [anyTool('look', () => 'pending', { polls: true })],
    ends: 'completed',
    asked: 13,
    ran: 12,
  },
  {
    name: 'looking again now and then, between other things, is no circle',
    script: [look, listen, look, smell, look, call('listen', { n: 1 }), look, call('smell', { n: 1 }), look, answer],
    tools: same,
    ends: 'completed',
    asked: 10,
    ran: 9,
  },
  {
    name: 'tool calls: the call beyond the limit is not run and the run stops',
    script: () => calls('look', 'look', 'look'),
    tools: counting,
    agent: { limits: { toolCalls: 5 } },
    ends: 'max-tool-calls',
    asked: 2,
    ran: 5,
    told: /limit of tool calls/,
  },
  {
    name: 'tool calls: as many as allowed are allowed',
    script: [calls('look', 'look'), calls('look', 'look', 'look'), answer],
    tools: counting,
    agent: { limits: { toolCalls: 5 } },
    ends: 'completed',
    asked: 3,
    ran: 5,
  },
  {
    name: 'tool calls: a call that could not be run does not count',
    script: [{ calls: [{ name: 'no_such_tool' }, { name: 'look' }] }, look, answer],
    tools: counting,
    agent: { limits: { toolCalls: 2 } },
    ends: 'completed',
    asked: 3,
    ran: 2,
  },
  {
    name: 'tokens: the request that would go beyond is not made',
    script: () => look,
    tools: counting,
    agent: { limits: { totalTokens: 500 } },
    ends: 'max-tokens',
    asked: 3,
  },
  {
    name: 'tokens: a budget that is just enough is enough',
    script: [look, look, answer],
    tools: counting,
    agent: { limits: { totalTokens: 500 } },
    ends: 'completed',
    asked: 3,
  },
  {
    name: 'tokens: a server that does not count is counted for',
    script: ({ requestIndex }) => ({ ...call('look', { n: requestIndex }), usage: null }),
    tools: () => [anyTool('look', ({ n }: { n?: number }) => `${n} ${'long '.repeat(300)}`)],
    agent: { limits: { totalTokens: 3000 } },
    ends: 'max-tokens',
    asked: 3,
  },
  {
    name: 'cost: the request that would go beyond is not made',
    script: () => look,
    tools: counting,
    // 120 tokens in, 20 out: 0.0032 USD a request.
    agent: { limits: { costUsd: 0.01 }, prices: { demo: { input: 20, output: 40 } } },
    ends: 'max-cost',
    asked: 3,
  },
  {
    name: 'cost: a budget that is just enough is enough',
    script: [look, look, answer],
    tools: counting,
    agent: { limits: { costUsd: 0.01 }, prices: () => ({ input: 20, output: 40 }) },
    ends: 'completed',
    asked: 3,
  },
];

describe('which call a limit of tool calls refuses', () => {
  const called = ['p1', 'q', 'p3'];
  const slow = (name: string): Hooks => ({
    async beforeTool({ call: { toolCallId } }) {
      if (toolCallId === name) for (let round = 0; round < 50; round += 1) await Promise.resolve();
      return undefined;
    },
  });
  const rows: readonly (readonly [string, Hooks, readonly string[]])[] = [
    ['no hook', {}, ['p1', 'q']],
    ...called.map((name) => [`a slow hook for ${name}`, slow(name), ['p1', 'q']] as const),
    [
      'a hook that denies p1',
      { beforeTool: ({ call: { toolCallId } }) => (toolCallId === 'p1' ? { deny: 'No.' } : undefined) },
      ['p3', 'q'],
    ],
  ];
  test.each(rows)('is a matter of call order, with %s', async (_what, hooks, ran) => {
    const runs: string[] = [];
    const use = tool({
      name: 'use',
      description: 'Uses.',
      schema: z.object({ n: z.number() }),
      execute: (_input, { toolCallId }) => void runs.push(toolCallId),
    });
    const calls = called.map((id, n) => ({ id, name: 'use', input: { n } }));
    const agent = createAgent({
      provider: scripted([{ calls }]),
      tools: [use],
      hooks: [hooks],
      limits: { toolCalls: 2 },
    });
    await agent.stream('Go.').result;
    expect(runs.sort()).toEqual(ran);
  });
});

describe('guards on the wire', () => {
  test.each(cases)('$name', async ({ script, tools, agent, ends, asked, ran, told }) => {
    await onWire(script, async (wire) => {
      const { result, events, results } = await watch(
        wire.agent({ tools: tools(), ...agent }).stream('Find the way out.'),
      );
      const { requests } = wire.server;
      expect(result.status === 'stopped' ? result.stopReason : result.status).toBe(ends);
      expect(requests).toHaveLength(asked);
      if (ran !== undefined) expect(eventsOf(events, 'tool-start')).toHaveLength(ran);
      if (told !== undefined)
        expect(results.findLast((text) => /was not run|dark|same result/.test(text))).toMatch(told);
      const asks = result.messages.flatMap((message) =>
        message.role === 'assistant' ? message.content.filter((part) => part.type === 'tool-call') : [],
      );
      expect(results).toHaveLength(asks.length);
      const stops = eventsOf(events, 'guard').filter((event) => event.action === 'stop');
      expect(stops.map((event) => event.guard)).toEqual(ends === 'completed' ? [] : [ends]);
      if (result.status === 'stopped') expect(result.message).toMatch(/`(limits\.|maxTurns)/);
    });
  });

  test('the deadline of the run ends it in the middle of whatever it does, and the work so far is kept', async () => {
    await onWire([look, look], async (wire) => {
      let count = 0;
      const slow = anyTool('look', () => ((count += 1) === 1 ? 'a door' : new Promise<string>(() => {})));
      const { result, results, events } = await watch(
        wire.agent({ tools: [slow], deadlines: { runMs: 300 } }).stream('Look.'),
      );
      expect(eventsOf(events, 'guard')).toMatchObject([{ guard: 'deadline', action: 'stop' }]);
      expect(result).toMatchObject({ status: 'stopped', stopReason: 'deadline' });
      expect(results).toEqual(['a door', expect.stringMatching(/outcome is unknown/)]);
    });
  });

  test('failed attempts count: what a cut reply has cost is taken off the budget', async () => {
    const cut: LoopbackStep = {
      text: ['Once ', 'upon a time '.repeat(200)],
      cut: { after: 'text', count: 2, how: 'reset' },
    };
    await onWire([cut, answer], async (wire) => {
      const { result } = await watch(wire.agent({ limits: { totalTokens: 700 } }).stream('Tell a story.'));
      expect(wire.server.requests).toHaveLength(1);
      expect(result).toMatchObject({ status: 'stopped', stopReason: 'max-tokens' });
    });
    // The honest twin: an attempt that was refused before a reply began has cost nothing.
    await onWire([{ status: 503 }, answer], async (wire) => {
      const { result } = await watch(wire.agent({ limits: { totalTokens: 200 } }).stream('Tell a story.'));
      expect(result).toMatchObject({ status: 'completed', usage: { inputTokens: 120 } });
    });
  });

  test('failed attempts count: an empty reply is paid for and is part of the usage', async () => {
    await onWire([{ text: '' }, answer], async (wire) => {
      const { result } = await watch(wire.agent().stream('Say something.'));
      expect(result).toMatchObject({ status: 'completed', usage: { inputTokens: 240, outputTokens: 40 } });
    });
  });

  test('a cost limit on a model without a price is an error when the agent is made', async () => {
    await onWire([], async ({ provider }) => {
      const make =
        (prices: AgentOptions['prices']): (() => unknown) =>
        () =>
          createAgent({ provider, limits: { costUsd: 1 }, prices });
      expect(make(undefined)).toThrow(/price of `demo` is not known/);
      expect(make({ other: { input: 1, output: 1 } })).toThrow(/price of `demo` is not known/);
      expect(make({ demo: { input: 1, output: 1 } })).not.toThrow();
      await Promise.resolve();
    });
  });

  test('a hook can not lead a run past its cost limit with a provider that has no price', async () => {
    await onWire([answer], async (wire) => {
      const other = { ...wire.provider, model: 'dear' };
      const agent = wire.agent({
        limits: { costUsd: 1 },
        prices: { demo: { input: 1, output: 1 } },
        hooks: [{ beforeModel: () => ({ provider: other }) }],
      });
      const error: unknown = await agent.run('Hello.').catch((thrown: unknown) => thrown);
      expect(isOilcanError(error) && error.message).toMatch(/beforeModel/);
      expect(wire.server.requests).toHaveLength(0);
    });
  });
});

describe('onLimit: finish', () => {
  const finishing: readonly (GuardCase & { readonly finishedBy?: StopReason })[] = [
    {
      name: 'turns',
      script: ({ requestIndex }) => (requestIndex < 3 ? look : answer),
      tools: counting,
      agent: { maxTurns: 3 },
      ends: 'completed',
      finishedBy: 'max-turns',
      asked: 4,
    },
    {
      name: 'tool calls',
      script: [calls('look', 'look'), answer],
      tools: counting,
      agent: { limits: { toolCalls: 1 } },
      ends: 'completed',
      finishedBy: 'max-tool-calls',
      asked: 2,
      ran: 1,
    },
    {
      name: 'errors in a row',
      script: ({ requestIndex }) => (requestIndex < 5 ? call('look', { n: requestIndex }) : answer),
      tools: broken,
      ends: 'completed',
      finishedBy: 'errors-in-a-row',
      asked: 6,
    },
    {
      name: 'no progress',
      script: ({ requestIndex }) => (requestIndex < 6 ? look : answer),
      tools: same,
      ends: 'completed',
      finishedBy: 'no-progress',
      asked: 7,
    },
    {
      name: 'tokens: the last turn still fits into them',
      script: ({ requestIndex }) => (requestIndex < 2 ? look : answer),
      tools: counting,
      agent: { limits: { totalTokens: 500 } },
      ends: 'completed',
      finishedBy: 'max-tokens',
      asked: 3,
    },
    {
      name: 'cost: the last turn still fits into it',
      script: ({ requestIndex }) => (requestIndex < 2 ? look : answer),
      tools: counting,
      agent: { limits: { costUsd: 0.01 }, prices: { demo: { input: 20, output: 40 } } },
      ends: 'completed',
      finishedBy: 'max-cost',
      asked: 3,
    },
    {
      name: 'tokens: where not even the last turn fits, the run stops',
      script: () => look,
      tools: counting,
      agent: { limits: { totalTokens: 200 } },
      ends: 'max-tokens',
      asked: 1,
    },
    {
      name: 'calls in the last turn are not run, and the run stops',
      script: () => look,
      tools: counting,
      agent: { maxTurns: 3 },
      ends: 'max-turns',
      asked: 4,
      ran: 3,
      told: /tools can't be called any more/,
    },
    {
      name: 'a run that answers in time is not finished by anything',
      script: [look, answer],
      tools: counting,
      agent: { maxTurns: 3 },
      ends: 'completed',
      asked: 2,
    },
  ];

  test.each(finishing)('$name', async ({ script, tools, agent, ends, finishedBy, asked, ran, told }) => {
    await onWire(script, async (wire) => {
      const { result, events, results } = await watch(
        wire.agent({ tools: tools(), ...agent, onLimit: 'finish' }).stream('Find the way out.'),
      );
      const { requests } = wire.server;
      expect(result.status === 'stopped' ? result.stopReason : result.status).toBe(ends);
      expect(requests).toHaveLength(asked);
      expect(result.status === 'completed' ? result.finishedBy : undefined).toBe(finishedBy);
      if (ran !== undefined) expect(eventsOf(events, 'tool-start')).toHaveLength(ran);
      if (told !== undefined) expect(results.at(-1)).toMatch(told);
      const last = requests.at(-1);
      if (finishedBy !== undefined) {
        // A model that may call nothing is shown nothing to call.
        expect(last?.body['tools']).toBeUndefined();
        expect(JSON.stringify(last?.body['messages'])).toMatch(/No more tools can be called/);
        expect(eventsOf(events, 'guard').filter((event) => event.action === 'finish')).toHaveLength(1);
      }
    });
  });

  test('the deadline has no last turn', async () => {
    await onWire([{ fault: 'hang' }], async (wire) => {
      const { result } = await watch(wire.agent({ deadlines: { runMs: 60 }, onLimit: 'finish' }).stream('Look.'));
      expect(result).toMatchObject({ status: 'stopped', stopReason: 'deadline' });
      expect(wire.server.requests).toHaveLength(1);
    });
  });
});
