import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AgentOptions, Hooks, RunResult } from '../../../../src/index.ts';
import { createAgent, scripted, tool } from '../../../../src/index.ts';

interface Played {
  readonly result: RunResult<unknown>;
  readonly runs: number;
  readonly requests: number;
}

/** One call of a write, then an answer. */
async function play(agent: Partial<AgentOptions>, approve?: () => boolean): Promise<Played> {
  let runs = 0;
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    schema: z.object({}),
    approve,
    execute: () => {
      runs += 1;
      return 'paid';
    },
  });
  const provider = scripted([{ calls: [{ name: 'pay' }] }, 'Done.']);
  const result = await createAgent({ provider, tools: [pay], ...agent }).stream('Pay.').result;
  return { result, runs, requests: provider.requests.length };
}

const hook = (name: keyof Hooks, gives: unknown): Hooks => ({ [name]: () => gives });

describe('a hook that gives what is not understood ends the run as a bug', () => {
  const mayDeny = 'It may give nothing, { deny: reason } or { stop: reason }.';
  const rows: readonly { readonly name: keyof Hooks; readonly gives: unknown; readonly says: string }[] = [
    { name: 'beforeTool', gives: false, says: `The hook \`beforeTool\` gave false. ${mayDeny}` },
    { name: 'beforeTool', gives: true, says: `gave true. ${mayDeny}` },
    { name: 'beforeTool', gives: 'no', says: `gave "no". ${mayDeny}` },
    { name: 'beforeTool', gives: { denied: 'hush-hush' }, says: `gave an object with denied. ${mayDeny}` },
    { name: 'beforeTool', gives: { deny: true }, says: `gave an object with deny. ${mayDeny}` },
    { name: 'beforeTool', gives: { deny: undefined }, says: `gave an object with deny. ${mayDeny}` },
    { name: 'beforeTool', gives: { deny: 'No.', stop: 'No.' }, says: `gave an object with deny, stop. ${mayDeny}` },
    { name: 'beforeTool', gives: {}, says: `gave an empty object. ${mayDeny}` },
    { name: 'beforeModel', gives: { message: [] }, says: 'The hook `beforeModel` gave an object with message. It may' },
    { name: 'beforeModel', gives: { system: 5 }, says: 'The hook `beforeModel` gave an object with system.' },
    { name: 'beforeModel', gives: { provider: 'gpt-5' }, says: 'The hook `beforeModel` gave an object with provider.' },
    {
      name: 'beforeModel',
      gives: { toolChoice: 'any' },
      says: 'The hook `beforeModel` gave an object with toolChoice',
    },
    {
      name: 'beforeModel',
      gives: { toolChoice: { toolName: 'gone' } },
      says: 'names `gone`, which is not one of the tools (pay)',
    },
    {
      name: 'beforeModel',
      gives: { messages: [{ role: 'system', content: 'x' }] },
      says: "`messages[0]` has the role 'system'",
    },
    {
      name: 'beforeModel',
      gives: { messages: [] },
      says: '`beforeModel` left no message with anything in it to send.',
    },
    { name: 'beforeModel', gives: [], says: 'The hook `beforeModel` gave an array.' },
  ];
  test.each(rows)('$name gives $gives', async ({ name, gives, says }) => {
    const { result, runs } = await play({ hooks: [hook(name, gives)] });
    expect(result).toMatchObject({
      status: 'failed',
      failure: { kind: 'bug', message: expect.stringContaining(says) },
    });
    expect(result.status === 'failed' && result.failure.message).not.toContain('hush');
    // Never run on a result that is not understood; the call has its result all the same.
    expect(runs).toBe(0);
    if (name === 'beforeTool')
      expect(result.messages.at(-1)).toMatchObject({ role: 'tool', content: [{ isError: true }] });
  });

  const later: readonly { readonly name: keyof Hooks; readonly gives: unknown; readonly says: string }[] = [
    {
      name: 'afterTool',
      gives: { output: 5 },
      says: 'The hook `afterTool` gave an object with output. It may give nothing, { output?: text',
    },
    { name: 'afterTool', gives: { isError: 'no' }, says: 'The hook `afterTool` gave an object with isError.' },
    { name: 'afterTool', gives: { result: 'x' }, says: 'The hook `afterTool` gave an object with result.' },
    { name: 'afterTool', gives: 'better', says: 'The hook `afterTool` gave "better".' },
    {
      name: 'afterTurn',
      gives: 'stop',
      says: 'The hook `afterTurn` gave "stop". It may give nothing, { stop: reason }.',
    },
    { name: 'afterTurn', gives: false, says: 'The hook `afterTurn` gave false.' },
  ];
  test.each(later)('$name gives $gives, and what has run keeps its result', async ({ name, gives, says }) => {
    const { result, runs, requests } = await play({ hooks: [hook(name, gives)] });
    expect(result).toMatchObject({
      status: 'failed',
      failure: { kind: 'bug', message: expect.stringContaining(says) },
    });
    expect({ runs, requests }).toEqual({ runs: 1, requests: 1 });
    expect(result.messages.at(-1)).toMatchObject({ role: 'tool', content: [{ content: [{ text: 'paid' }] }] });
  });

  test.each([false, 'ignore', { retry: true }])(
    'onFailure gives %j for a failure of the model’s server',
    async (gives) => {
      const provider = scripted([{ failure: { kind: 'overloaded', message: 'Busy.' } }, 'Done.']);
      const { result } = await play({ provider, hooks: [hook('onFailure', gives)] });
      expect(result).toMatchObject({
        status: 'failed',
        failure: {
          kind: 'bug',
          message: expect.stringMatching(
            /^The hook `onFailure` gave .* It may give nothing, 'model', 'retry' or 'stop'\.$/,
          ),
        },
      });
      expect(provider.requests).toHaveLength(1);
    },
  );

  test('onFailure gives junk for a failure of a call', async () => {
    const provider = scripted([{ calls: [{ name: 'gone' }] }, 'Done.']);
    const { result } = await play({ provider, hooks: [hook('onFailure', 'tell')] });
    expect(result).toMatchObject({ status: 'failed', failure: { message: expect.stringContaining('gave "tell"') } });
  });

  test('approve that gives no yes and no no does not let the call through', async () => {
    const { result, runs } = await play({}, () => undefined as unknown as boolean);
    expect(result).toMatchObject({
      status: 'failed',
      failure: { message: '`approve` of pay gave undefined. It may give true (ask a person) or false.' },
    });
    expect(runs).toBe(0);
  });

  test.each([[[]], ['short'], [[{ role: 'system', content: 'x' }]]])('a compactor that gives %j', async (gives) => {
    const provider = scripted([{ failure: { kind: 'context-overflow', message: 'Too long.' } }, 'Done.']);
    const { result } = await play({ provider, compact: () => gives as [] });
    expect(result).toMatchObject({
      status: 'failed',
      failure: { kind: 'bug', message: expect.stringContaining('`compact`') },
    });
    expect(provider.requests).toHaveLength(1);
  });
});

test.each([undefined, null])('%j changes nothing, whichever hook gives it', async (gives) => {
  const names = ['beforeModel', 'beforeTool', 'afterTool', 'onFailure', 'afterTurn'] as const;
  const { result, runs } = await play({ hooks: names.map((name) => hook(name, gives)) });
  expect(result).toMatchObject({ status: 'completed', text: 'Done.' });
  expect(runs).toBe(1);
});
