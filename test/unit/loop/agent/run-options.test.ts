import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Agent, AsToolOptions, ResumeOptions, RunEventType, RunOptions } from '../../../../src/index.ts';
import { createAgent, scripted, tool } from '../../../../src/index.ts';

const agent = createAgent({ provider: scripted([() => 'Hello.']) });

describe('options of a run', () => {
  const wrong: readonly { readonly name: string; readonly options: unknown; readonly says: string }[] = [
    {
      name: 'another library’s signal',
      options: { abortSignal: AbortSignal.abort() },
      says: 'There is no option `abortSignal` of a run. Use `signal`.',
    },
    {
      name: 'another library’s schema',
      options: { schema: z.string() },
      says: 'There is no option `schema` of a run. Use `output`.',
    },
    { name: 'an option of the agent', options: { maxTurns: 3 }, says: 'Use `maxTurns` of createAgent.' },
    { name: 'tools', options: { tools: [] }, says: 'Use `tools` of createAgent.' },
    { name: 'a system text', options: { system: 'Be kind.' }, says: 'Use `system` of createAgent.' },
    {
      name: 'another library’s system text',
      options: { instructions: 'Be kind.' },
      says: 'Use `system` of createAgent.',
    },
    { name: 'a hook', options: { onFailure() {} }, says: 'Use `hooks: [{ onFailure }]` of createAgent.' },
    { name: 'an option of the provider', options: { temperature: 0 }, says: 'Use `temperature` of the provider.' },
    { name: 'a time', options: { timeout: 5 }, says: 'Use `deadlines.runMs` of createAgent.' },
    { name: 'a misspelled option', options: { outputAttempt: 3 }, says: 'Did you mean `outputAttempts`?' },
    {
      name: 'a controller for its signal',
      options: { signal: new AbortController() },
      says: 'Expected `signal` to be an AbortSignal, got an object. Pass `controller.signal`, not the controller.',
    },
    {
      name: 'a signal that is a figure',
      options: { signal: 5000 },
      says: 'Expected `signal` to be an AbortSignal, got a number.',
    },
    {
      name: 'an output that is a JSON Schema',
      options: { output: { type: 'object' } },
      says: 'Expected `output` of the run to be a Standard Schema (Zod 4, Valibot, ArkType …), got an object.',
    },
    {
      name: 'an output that is null',
      options: { output: null },
      says: 'Expected `output` of the run to be a Standard Schema',
    },
    {
      name: 'no attempts',
      options: { output: z.string(), outputAttempts: 0 },
      says: 'Expected `outputAttempts` to be an integer >= 1, got 0.',
    },
    {
      name: 'an id that is a figure',
      options: { id: 7 },
      says: 'Expected `id` of a run to be a text that is not empty, got 7.',
    },
    {
      name: 'a context that is a text',
      options: { within: 'run_1' },
      says: 'Expected `within` of a run to be the context',
    },
    {
      name: 'an index, as map gives it',
      options: 0,
      says: 'Expected the options of a run to be an object such as { signal }, got a number.',
    },
    { name: 'null', options: null, says: 'Expected the options of a run to be an object' },
  ];
  test.each(wrong)('$name is refused', async ({ options, says }) => {
    const given = options as RunOptions;
    await expect(agent.run('Hi', given)).rejects.toMatchObject({
      code: 'invalid-option',
      message: expect.stringContaining(says),
    });
    expect(() => agent.stream('Hi', given)).toThrow(says);
  });

  test('those that are right are taken', async () => {
    const options = { id: 'mine', signal: new AbortController().signal, within: undefined, outputAttempts: 2 };
    expect(await agent.run('Hi', options)).toMatchObject({ text: 'Hello.' });
  });
});

const guarded = tool({
  name: 'pay',
  description: 'Pays.',
  schema: z.object({}),
  approve: true,
  execute: () => 'paid',
});

function suspending(): Agent {
  return createAgent({
    provider: scripted([
      ({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Done.' : { calls: [{ name: 'pay', id: 'call_a' }] }),
    ]),
    tools: [guarded],
  });
}

describe('what is said to a suspended run', () => {
  const wrong: readonly { readonly name: string; readonly options: unknown; readonly says: string }[] = [
    {
      name: 'nothing',
      options: undefined,
      says: 'Expected the options of `resume` to be an object such as { decisions',
    },
    {
      name: 'another word',
      options: { approvals: {} },
      says: 'There is no option `approvals` of resume. Use `decisions`.',
    },
    { name: 'a misspelled word', options: { decision: {} }, says: 'Did you mean `decisions`?' },
    {
      name: 'decisions in a list',
      options: { decisions: ['call_a'] },
      says: 'Expected `decisions` to be an object such as',
    },
    { name: 'one answer', options: { answers: 'yes' }, says: 'Expected `answers` to be an object such as' },
    {
      name: 'a signal that is none',
      options: { decisions: {}, signal: true },
      says: 'Expected `signal` to be an AbortSignal',
    },
  ];
  test.each(wrong)('$name is refused, and the run can still be resumed', async ({ options, says }) => {
    const shop = suspending();
    const { runId } = await shop.stream('Pay.').result;
    await expect(shop.resume(runId, options as ResumeOptions)).rejects.toThrow(says);
    expect(() => shop.resumeStream(runId, options as ResumeOptions)).toThrow(says);
    expect(await shop.resume(runId, { decisions: { call_a: 'approve' } })).toMatchObject({ text: 'Done.' });
  });

  test('a run that is not known is told apart, with where suspended runs live', async () => {
    await expect(suspending().resume('run_x', { decisions: {} })).rejects.toThrow(
      /No run `run_x`.*live in the agent object of this process/,
    );
  });

  test('of more than a thousand suspended runs the oldest is dropped, with a warning', async () => {
    const shop = suspending();
    const warnings: string[] = [];
    shop.on('warning', ({ message }) => warnings.push(message));
    for (let index = 0; index <= 1000; index += 1) await shop.stream('Pay.', { id: `run_${index}` }).result;
    expect(warnings).toEqual([
      "More than 1000 runs of this agent are suspended: `run_0`, the oldest, was dropped and can't be resumed.",
    ]);
    const approve: ResumeOptions = { decisions: { call_a: 'approve' } };
    await expect(shop.resume('run_0', approve)).rejects.toMatchObject({ code: 'unknown-run' });
    expect(await shop.resume('run_1', approve)).toMatchObject({ text: 'Done.' });
  });
});

describe('events that are none', () => {
  test.each<[unknown, string]>([
    ['fail', 'There is no event `fail`. Did you mean `failure`?'],
    ['toolEnd', 'Did you mean `tool-end`?'],
    ['done', 'There is no event `done`. Events are run-start, turn-start'],
    ['toString', 'There is no event `toString`. Events are'],
    [5, "Expected the name of an event or '*', got 5."],
  ])('%j is refused', (type, says) => {
    expect(() => agent.on(type as RunEventType, () => {})).toThrow(says);
  });

  test('a listener that is no function is refused', () => {
    expect(() => agent.on('reply', 'log' as never)).toThrow('Expected the listener of `reply` to be a function');
  });
});

describe('options of an agent as a tool', () => {
  test.each<[unknown, string]>([
    [undefined, 'Expected the options of `asTool` to be an object such as'],
    ['research', 'Expected the options of `asTool` to be an object such as'],
    [{ name: 'research', description: 'x', timeout: 5 }, 'There is no option `timeout` of asTool. Use `timeoutMs`.'],
    [{ name: 'research', descripton: 'x' }, 'Did you mean `description`?'],
    [{ name: 'research', description: 'x', schema: z.object({}) }, 'There is no option `schema` of asTool.'],
  ])('%j is refused', (options, says) => {
    expect(() => agent.asTool(options as AsToolOptions)).toThrow(says);
  });
});
