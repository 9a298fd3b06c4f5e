import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ModelFailureKind } from '../../src/core/failure.ts';
import type { AgentOptions, FailureKind, Hooks, Message, Tool, ToolEffect } from '../../src/index.ts';
import { createAgent, failureTable, scripted, tool, ToolUnavailableError } from '../../src/index.ts';
import type { LoopbackStep } from '../../src/testing/loopback-server.ts';
import { answer, anyTool, call, calls, eventsOf, onWire, resultsOf, watch } from './wire-agent.ts';

const look = call('look');
const seeing = (): Tool => anyTool('look', () => 'a door');

describe('a hook', () => {
  class Counting implements Hooks {
    readonly #seen: string[] = [];
    beforeTool({ call: { toolName } }: { readonly call: { readonly toolName: string } }): void {
      this.#seen.push(toolName);
    }
    get seen(): readonly string[] {
      return this.#seen;
    }
  }

  test('may be a method of an object of yours', async () => {
    const counting = new Counting();
    const provider = scripted([{ calls: [{ name: 'look', input: {} }] }, 'Done.']);
    await createAgent({ provider, tools: [seeing()], hooks: [counting] }).run('Look.');
    expect(counting.seen).toEqual(['look']);
  });

  test('may leave its reason to stop open', async () => {
    const provider = scripted([{ calls: [{ name: 'look', input: {} }] }, 'Done.']);
    // As JavaScript does it: `{ messages, stop: reason }` where there was no reason.
    const open = {
      beforeModel: ({ messages }: { readonly messages: readonly Message[] }) => ({ messages, stop: undefined }),
      afterTool: () => ({ output: 'a window', stop: undefined }),
    };
    const agent = createAgent({ provider, tools: [seeing()], hooks: [open] });
    expect((await agent.run('Look.')).text).toBe('Done.');
    expect(JSON.stringify(provider.requests[1]?.messages)).toContain('a window');
  });

  test('that sets the system text loses neither the notes after a slip nor the schema of the answer', async () => {
    const provider = scripted([{ calls: [{ name: 'look', input: { at: 7 } }] }, '{"v":1}']);
    const at = tool({
      name: 'look',
      description: 'Looks.',
      schema: z.object({ at: z.boolean() }),
      execute: () => 'ok',
    });
    const hooks: Hooks[] = [{ beforeModel: () => ({ system: 'Be brief.' }) }];
    const agent = createAgent({ provider, tools: [at], system: 'Be long.', slips: 'rewind', hooks });
    await agent.run('Look.', { output: z.object({ v: z.number() }) });
    const system = provider.requests[1]?.system ?? '';
    expect(system.startsWith('Be brief.')).toBe(true);
    expect(system).toContain('When you call look');
    expect(system).toContain('JSON Schema');
  });
});

describe('hooks', () => {
  test('are awaited, in the order in which they are given, at their places', async () => {
    const log: string[] = [];
    const logging = (name: string): Hooks => {
      const note = async (what: string): Promise<void> => {
        await Promise.resolve();
        log.push(`${name}.${what}`);
      };
      return {
        beforeModel: ({ turn, attempt }) => note(`beforeModel ${turn}.${attempt}`),
        beforeTool: () => note('beforeTool'),
        afterTool: () => note('afterTool'),
        onFailure: ({ failure }) => note(`onFailure ${failure.kind}`),
        afterTurn: ({ turn }) => note(`afterTurn ${turn}`),
      };
    };
    await onWire([{ status: 503 }, look, answer], (wire) =>
      watch(wire.agent({ tools: [seeing()], hooks: [logging('a'), logging('b')] }).stream('Look.')),
    );
    const both = (what: string): string[] => [`a.${what}`, `b.${what}`];
    const expected = [
      'beforeModel 1.1',
      'onFailure overloaded',
      'beforeModel 1.2',
      'beforeTool',
      'afterTool',
      'afterTurn 1',
      'beforeModel 2.1',
    ];
    expect(log).toEqual(expected.flatMap(both));
  });

  test('beforeModel changes one request and not the history', async () => {
    await onWire([look, answer], async (wire) => {
      const hook: Hooks = {
        beforeModel: ({ turn, messages }) =>
          turn === 1
            ? {
                system: 'Be brief.',
                messages: [...messages, { role: 'user', content: [{ type: 'text', text: 'Hurry.' }] }],
                toolChoice: 'required',
              }
            : undefined,
      };
      const { result } = await watch(
        wire.agent({ tools: [seeing()], hooks: [hook], system: 'Be kind.' }).stream('Look.'),
      );
      const [first, second] = wire.server.requests.map((request) => JSON.stringify(request.body));
      expect(first).toMatch(/Be brief.*Hurry/);
      expect(first).toContain('"tool_choice":"required"');
      expect(second).toMatch(/Be kind/);
      expect(second).not.toMatch(/Hurry|"required"/);
      expect(result.messages).toHaveLength(4);
    });
  });

  test('what a hook does to the array of messages reaches nobody, and what it gives back is repaired', async () => {
    const spoil: Hooks = {
      beforeModel: ({ messages }) => {
        (messages as unknown[]).length = 0;
      },
    };
    const broken: Hooks = {
      beforeModel: ({ messages, turn }) =>
        turn === 2 ? { messages: messages.filter((message) => message.role !== 'tool') } : undefined,
    };
    await onWire([look, answer], async (wire) => {
      const { result, events } = await watch(wire.agent({ tools: [seeing()], hooks: [spoil, broken] }).stream('Look.'));
      expect(result.status).toBe('completed');
      expect(eventsOf(events, 'history-repaired')[0]?.changes).toEqual(['added the missing result of a call']);
      expect(resultsOf(result)).toEqual(['a door']);
    });
  });

  test('beforeTool denies with a reason, or stops the run; the call has its result either way', async () => {
    await onWire([look, answer], async (wire) => {
      const { results } = await watch(
        wire.agent({ tools: [seeing()], hooks: [{ beforeTool: () => ({ deny: 'Not at night.' }) }] }).stream('Look.'),
      );
      expect(results[0]).toMatch(/denied\. Not at night\./);
    });
    await onWire([look], async (wire) => {
      const { result, results, events } = await watch(
        wire.agent({ tools: [seeing()], hooks: [{ beforeTool: () => ({ stop: 'Enough.' }) }] }).stream('Look.'),
      );
      expect(result).toMatchObject({ status: 'stopped', stopReason: 'hook', message: 'Enough.' });
      expect(results[0]).toMatch(/before it started/);
      expect(eventsOf(events, 'tool-start')).toEqual([]);
    });
  });

  test('afterTool sees what the hook before it made, and may turn an error into a result and back', async () => {
    const fails = anyTool('look', () => {
      throw new Error('dark');
    });
    const first: Hooks = { afterTool: ({ result }) => ({ output: `${result.output.toUpperCase()}!`, isError: false }) };
    const second: Hooks = { afterTool: ({ result }) => ({ output: `<${result.output}>`, isError: !result.isError }) };
    await onWire([look, answer], async (wire) => {
      const { results, events } = await watch(wire.agent({ tools: [fails], hooks: [first, second] }).stream('Look.'));
      expect(results).toEqual(['<LOOK FAILED: DARK.!>']);
      expect(eventsOf(events, 'tool-end')[0]).toMatchObject({ isError: true, failureKind: 'tool-failed' });
    });
  });

  test('afterTurn may stop the run, with the turn kept', async () => {
    await onWire([look], async (wire) => {
      const { result, results } = await watch(
        wire.agent({ tools: [seeing()], hooks: [{ afterTurn: () => ({ stop: 'Seen enough.' }) }] }).stream('Look.'),
      );
      expect(result).toMatchObject({ status: 'stopped', stopReason: 'hook', message: 'Seen enough.' });
      expect(results).toEqual(['a door']);
    });
  });

  const boom = new Error('my own mistake');
  const throwing = (): never => {
    throw boom;
  };
  const places: readonly {
    readonly hook: keyof Hooks;
    readonly script: readonly LoopbackStep[];
    readonly results: readonly unknown[];
    readonly asked: number;
  }[] = [
    { hook: 'beforeModel', script: [], results: [], asked: 0 },
    {
      hook: 'beforeTool',
      script: [calls('look', 'smell')],
      results: [expect.stringMatching(/before it started/), expect.stringMatching(/before it started/)],
      asked: 1,
    },
    { hook: 'afterTool', script: [calls('look', 'smell')], results: ['a door', 'smoke'], asked: 1 },
    {
      hook: 'onFailure',
      script: [calls('cry', 'look')],
      results: [expect.stringMatching(/cry failed: lost voice/), 'a door'],
      asked: 1,
    },
    { hook: 'afterTurn', script: [look], results: ['a door'], asked: 1 },
  ];
  test.each(places)(
    '$hook that throws ends the run as a bug, with its own error, and what was done is kept',
    async ({ hook, script, results, asked }) => {
      const cry = anyTool('cry', () => {
        throw new Error('lost voice');
      });
      await onWire(script, async (wire) => {
        const agent = wire.agent({
          tools: [seeing(), anyTool('smell', async () => 'smoke'), cry],
          hooks: [{ [hook]: throwing }],
        });
        const watched = await watch(agent.stream('Look.'));
        const { result, events } = watched;
        expect(result).toMatchObject({ status: 'failed', failure: { kind: 'bug' } });
        expect(result.status === 'failed' && result.failure.cause).toMatchObject({
          name: boom.name,
          message: boom.message,
        });
        expect(result.status === 'failed' && result.failure.message).toContain(`hook \`${hook}\``);
        expect(watched.results).toEqual(results);
        expect(wire.server.requests).toHaveLength(asked);
        expect(result.failures.at(-1)?.kind).toBe('bug');
        expect(eventsOf(events, 'failure').at(-1)).toMatchObject({
          owner: 'nobody',
          action: 'stop',
          failure: { kind: 'bug' },
        });
        expect(eventsOf(events, 'run-end')).toHaveLength(1);
        expect(events.at(-1)?.type).toBe('run-end');
      });
    },
  );

  test('a stop lets what runs finish and begins nothing more', async () => {
    const log: string[] = [];
    const slow = (name: string): Tool =>
      anyTool(name, async () => {
        for (let round = 0; round < 10; round += 1) await Promise.resolve();
        log.push(name);
        return name;
      });
    const stopAtB: Hooks = {
      beforeTool: ({ call: { toolName } }) => (toolName === 'b' ? { stop: 'Enough.' } : undefined),
    };
    await onWire([calls('a', 'b', 'c')], async (wire) => {
      const { results } = await watch(
        wire.agent({ tools: [slow('a'), slow('b'), slow('c')], hooks: [stopAtB], toolConcurrency: 2 }).stream('Go.'),
      );
      expect(log).toEqual(['a']);
      expect(results).toEqual([
        'a',
        expect.stringMatching(/before it started/),
        expect.stringMatching(/before it started/),
      ]);
    });
  });

  test('a listener that throws or rejects changes nothing', async () => {
    await onWire([look, answer], async (wire) => {
      const agent = wire.agent({ tools: [seeing()] });
      const warnings: string[] = [];
      agent.on('tool-end', throwing);
      agent.on('*', () => Promise.reject(boom));
      agent.on('warning', ({ message }) => warnings.push(message));
      expect((await agent.run('Look.')).status).toBe('completed');
      expect(warnings.join()).toMatch(/listener of `tool-end` threw Error: my own mistake/);
    });
  });

  test('what a listener throws is told without secrets', async () => {
    await onWire([answer], async (wire) => {
      const agent = wire.agent();
      const warnings: string[] = [];
      agent.on('reply', () => Promise.reject(new Error('no access with sk-wire-test-key')));
      agent.on('warning', ({ message }) => warnings.push(message));
      await agent.run('Look.');
      expect(warnings.join()).toMatch(/no access with \[redacted\]/);
    });
  });

  test('a misspelled hook is refused when the agent is made', () => {
    expect(() => createAgent({ provider: scripted([]), hooks: [{ beforeModle: throwing } as Hooks] })).toThrow(
      /no hook `beforeModle`/,
    );
  });
});

describe('onFailure gives a failure to another owner', () => {
  const ofServer = (Object.keys(failureTable) as FailureKind[]).filter(
    (kind) => failureTable[kind].owner !== 'model' && kind !== 'aborted',
  );
  const reowning = (say: 'model' | 'retry' | 'stop'): Partial<AgentOptions> => ({
    hooks: [{ onFailure: () => say }],
    retry: { baseDelayMs: 0 },
  });

  test.each(ofServer)('%s: to the model, to be retried, to nobody', async (kind) => {
    const provider = (): ReturnType<typeof scripted> =>
      scripted([{ failure: { kind, message: 'It failed.' } }, 'Done.']);
    const stopped = provider();
    const stop = await createAgent({ provider: stopped, ...reowning('stop') }).stream('Go.').result;
    expect(stop).toMatchObject({ status: 'failed', failure: { kind } });
    expect(stopped.requests).toHaveLength(1);

    const retried = provider();
    const retry = await createAgent({ provider: retried, ...reowning('retry') }).stream('Go.').result;
    expect(retry).toMatchObject({ status: 'completed', turns: 1 });
    expect(retried.requests).toHaveLength(2);
    expect(retry.messages).toHaveLength(2);

    const told = provider();
    const model = await createAgent({ provider: told, ...reowning('model') }).stream('Go.').result;
    expect(model).toMatchObject({ status: 'completed', turns: 2 });
    expect(JSON.stringify(told.requests[1]?.messages)).toMatch(/could not be carried out/);
  });

  test('a failure that is given to the model again and again ends at the limit of turns', async () => {
    const provider = scripted([() => ({ failure: { kind: 'unauthorized', message: 'No.' } })]);
    const result = await createAgent({ provider, maxTurns: 5, ...reowning('model') }).stream('Go.').result;
    expect(result).toMatchObject({ status: 'stopped', stopReason: 'max-turns' });
    expect(provider.requests).toHaveLength(5);
  });

  test('a failure that is retried again and again ends at the limit of attempts', async () => {
    const provider = scripted([() => ({ failure: { kind: 'unauthorized', message: 'No.' } })]);
    const result = await createAgent({ provider, ...reowning('retry') }).stream('Go.').result;
    expect(result).toMatchObject({ status: 'failed', failure: { kind: 'unauthorized' } });
    expect(provider.requests).toHaveLength(4);
  });

  /** How each failure of a call is brought about, and whether trying again can help it. */
  const ofCalls: Record<
    Exclude<ModelFailureKind, 'not-run' | 'described-call'>,
    {
      readonly steps: readonly LoopbackStep[];
      readonly tool?: () => Tool;
      readonly agent?: Partial<AgentOptions>;
      readonly isRetried?: boolean;
    }
  > = {
    'unknown-tool': { steps: [call('lok')] },
    'unreadable-arguments': { steps: [{ calls: [{ name: 'look', rawArguments: 'at the door' }] }] },
    'cut-arguments': { steps: [{ calls: [{ name: 'look', rawArguments: '{"at": "th' }], finish: 'length' }] },
    'invalid-arguments': {
      steps: [look],
      tool: () =>
        tool({ name: 'look', description: 'Looks.', schema: z.object({ at: z.string() }), execute: () => 'a door' }),
    },
    'tool-failed': { steps: [look], tool: () => failingOnce(() => new Error('dark')), isRetried: true },
    'tool-unavailable': {
      steps: [look],
      tool: () => failingOnce(() => new ToolUnavailableError('dark')),
      isRetried: true,
    },
    'tool-timeout': { steps: [look], tool: () => failingOnce(() => undefined, 'read'), isRetried: true },
    'outcome-unknown': { steps: [look], tool: () => failingOnce(() => undefined), isRetried: true },
    'tool-bug': { steps: [look], tool: () => failingOnce(() => new TypeError('dark')), isRetried: true },
    'bad-output': { steps: [look], tool: () => anyTool('look', () => 7, { output: z.string() }) },
    'repeated-call': {
      steps: [look, look],
      tool: () => anyTool('look', broken),
      agent: { limits: { sameCallFailures: 1 } },
    },
    denied: { steps: [look], agent: { hooks: [{ beforeTool: () => ({ deny: 'No.' }) }] } },
  };
  function broken(): never {
    throw new Error('dark');
  }
  function failingOnce(make: () => Error | undefined, effect: ToolEffect = 'write'): Tool {
    let ran = 0;
    return anyTool(
      'look',
      () => {
        ran += 1;
        if (ran > 1) return 'a door';
        const error = make();
        if (error === undefined) return new Promise<never>(() => {});
        throw error;
      },
      { timeoutMs: 15, effect },
    );
  }

  test.each(Object.entries(ofCalls))('%s of a call: to nobody, to be retried, to the model', async (kind, row) => {
    const run = (
      say: 'model' | 'retry' | 'stop',
      agent: Partial<AgentOptions> = {},
    ): Promise<Awaited<ReturnType<typeof watch>>> =>
      onWire([...row.steps, answer], (wire) =>
        watch(
          wire
            .agent({
              tools: [row.tool?.() ?? seeing()],
              ...row.agent,
              ...agent,
              hooks: [
                ...(row.agent?.hooks ?? []),
                { onFailure: ({ failure }) => (failure.kind === kind ? say : undefined) },
              ],
            })
            .stream('Look.'),
        ),
      );
    const stop = await run('stop');
    expect(stop.result).toMatchObject({ status: 'failed', failure: { kind } });
    expect(stop.results).toHaveLength(row.steps.length);
    expect(eventsOf(stop.events, 'failure').at(-1)).toMatchObject({ owner: 'nobody', action: 'stop' });

    const retry = await run('retry');
    expect(retry.result.status).toBe('completed');
    expect(retry.results.at(-1) === 'a door').toBe(row.isRetried === true);

    const model = await run('model', { failures: { [kind]: { remedy: 'stop', owner: 'nobody' } } });
    expect(model.result.status).toBe('completed');
    expect(eventsOf(model.events, 'failure').at(-1)).toMatchObject({ owner: 'model', action: 'tell-model' });
  });

  test('the last hook that says something counts, and each failure is asked about once for each try', async () => {
    const asked: number[] = [];
    const hooks: Hooks[] = [
      { onFailure: () => 'stop' },
      { onFailure: ({ attempt }) => (asked.push(attempt) < 3 ? 'retry' : 'model') },
      { onFailure: () => undefined },
    ];
    await onWire([look, answer], async (wire) => {
      const { result, events } = await watch(
        wire.agent({ tools: [anyTool('look', broken, { retry: undefined })], hooks }).stream('Look.'),
      );
      expect(result.status).toBe('completed');
      expect(asked).toEqual([1, 2, 3]);
      expect(eventsOf(events, 'tool-retry')).toHaveLength(2);
      expect(eventsOf(events, 'failure').map(({ action }) => action)).toEqual(['retry', 'retry', 'tell-model']);
      expect(result.failures.map(({ kind }) => kind)).toEqual(['tool-failed', 'tool-failed', 'tool-failed']);
    });
  });

  test('a row of the table may say for every run what a hook says for one', async () => {
    const provider = scripted([{ failure: { kind: 'refused', message: 'No.' } }, 'Done.']);
    const agent = createAgent({ provider, failures: { refused: { remedy: 'tell-model', owner: 'model' } } });
    expect(await agent.stream('Go.').result).toMatchObject({ status: 'completed', turns: 2 });
  });
});

describe('secrets of failures', () => {
  const KEY = 'sk-wire-test-key';
  class BankError extends Error {
    override readonly name = 'BankError';
    readonly config = { headers: { authorization: `Bearer ${KEY}` }, url: '/pay' };
  }
  const places: readonly {
    readonly name: string;
    readonly tools?: () => readonly Tool[];
    readonly agent?: Partial<AgentOptions>;
  }[] = [
    {
      name: 'a tool throws them',
      tools: () => [
        anyTool('look', () => {
          throw new BankError(`401 for ${KEY}`, { cause: new Error(`inner ${KEY}`) });
        }),
      ],
    },
    {
      name: 'a schema throws them',
      tools: () => [
        tool({
          name: 'look',
          description: 'Looks.',
          schema: {
            '~standard': {
              version: 1,
              vendor: 'test',
              validate: () => {
                throw new BankError(KEY);
              },
              jsonSchema: { input: () => ({ type: 'object' }) },
            },
          },
          execute: () => 'x',
        }),
      ],
    },
    {
      name: 'an output schema throws them',
      tools: () => [
        anyTool('look', () => 'x', {
          output: z.string().refine(() => {
            throw new BankError(KEY);
          }),
        }),
      ],
    },
    {
      name: 'a hook throws them',
      agent: {
        hooks: [
          {
            afterTool: () => {
              throw new BankError(`in a hook: ${KEY}`);
            },
          },
        ],
      },
    },
  ];
  test.each(places)('$name: neither events nor the result nor a cause hold them', async ({ tools, agent }) => {
    await onWire([look, answer], async (wire) => {
      const { result, events } = await watch(wire.agent({ tools: tools?.() ?? [seeing()], ...agent }).stream('Look.'));
      const causes = [...result.failures, ...eventsOf(events, 'failure').map((event) => event.failure)].map(
        (failure) => failure.cause,
      );
      expect(causes.length).toBeGreaterThan(0);
      for (const cause of causes) {
        expect(cause).toMatchObject({ name: 'BankError', stack: expect.stringMatching(/hooks\.test\.ts/) as string });
        expect(cause).not.toHaveProperty('config');
      }
      expect(JSON.stringify([events, result])).not.toContain(KEY);
    });
  });
});
