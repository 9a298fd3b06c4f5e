import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Agent, Message, RunHandle, RunResult, SuspendedRun, Tool } from '../../../../src/index.ts';
import { createAgent, scripted, tool } from '../../../../src/index.ts';
import { createVirtualClock } from '../../../../src/testing/virtual-clock.ts';

function payTool(paid: unknown[]): Tool {
  return tool({
    name: 'pay',
    description: 'Pays.',
    schema: z.object({ to: z.object({ cents: z.number() }) }),
    approve: true,
    execute: (input) => {
      paid.push(input);
      return 'paid';
    },
  });
}

const fail = tool({
  name: 'fail',
  description: 'Fails.',
  schema: z.object({}),
  effect: 'read',
  execute: () => {
    throw new Error('It is dark.');
  },
});

function payingAgent(paid: unknown[] = []): Agent {
  const usage = { inputTokens: 10, outputTokens: 5 };
  return createAgent({
    provider: scripted([
      { calls: [{ name: 'fail', input: {}, id: 'call_1' }], usage },
      { calls: [{ name: 'pay', input: { to: { cents: 5 } }, id: 'call_2' }], usage },
      'Done.',
    ]),
    tools: [payTool(paid), fail],
  });
}

function suspended(result: RunResult<unknown>): SuspendedRun {
  if (result.status !== 'suspended') throw new Error(`Expected a suspended run, got ${result.status}.`);
  return result;
}

async function typesOf(handle: RunHandle): Promise<string[]> {
  const types: string[] = [];
  for await (const event of handle) types.push(event.type);
  return types;
}

/** Messages as they may come out of somebody's own state. */
const question: Message = { role: 'user', content: [{ type: 'text', text: 'Pay.' }] };
const called = (vendorData: object): Message[] => [
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Hm.', issuer: 'scripted', data: { sign: 'abc' } },
      {
        type: 'tool-call',
        toolCallId: 'old',
        toolName: 'fail',
        input: {},
        vendor: { issuer: 'scripted', data: vendorData as Record<string, never> },
      },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'old',
        toolName: 'fail',
        content: [{ type: 'text', text: 'x' }],
        isError: false,
      },
    ],
  },
];
const histories: { readonly name: string; readonly messages: readonly Message[] }[] = [
  { name: 'a message that is a proxy', messages: [new Proxy(question, {})] },
  {
    name: 'a part that is a proxy',
    messages: [{ role: 'user', content: question.content.map((p) => new Proxy(p, {})) as never }],
  },
  {
    name: 'a function beside a text',
    messages: [{ role: 'user', content: [Object.assign({ render() {} }, { type: 'text', text: 'Pay.' } as const)] }],
  },
  {
    name: 'a promise beside a text',
    messages: [
      { role: 'user', content: [Object.assign({ p: Promise.resolve() }, { type: 'text', text: 'Pay.' } as const)] },
    ],
  },
  { name: 'a function in vendor data', messages: [question, ...called({ f() {} }), question] },
  { name: 'plain vendor data', messages: [question, ...called({ sign: ['abc'] }), question] },
];

describe('a suspended run', () => {
  test.each(histories)('ends as it should with $name in its history', async ({ messages }) => {
    const agent = payingAgent();
    const handle = agent.stream(messages);
    const result = suspended(await handle.result);
    expect(result.messages.slice(0, messages.length)).toEqual(messages);
    expect((await typesOf(handle)).at(-1)).toBe('run-end');
    const decisions = { call_2: 'approve' } as const;
    expect((await agent.resumeStream(result.runId, { decisions }).result).status).toBe('completed');
  });

  /** Changes every figure and every text in it, and empties its lists. */
  function spoil(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (typeof member === 'object') spoil(member);
      else Object.assign(value, { [key]: typeof member === 'number' ? 999_999 : 'spoilt' });
    }
    if (Array.isArray(value)) value.length = 0;
  }

  test.each(['messages', 'pending', 'failures', 'usage'] as const)(
    'goes on as it was whatever is done to `%s` of its result',
    async (field) => {
      const decisions = { call_2: 'approve' } as const;
      const run = async (act: (result: SuspendedRun) => void): Promise<unknown> => {
        const paid: unknown[] = [];
        const agent = payingAgent(paid);
        const history = [question, ...called({ sign: ['abc'] }), question];
        const result = suspended(await agent.stream(history, { id: 'job' }).result);
        act(result);
        const ended = await agent.resumeStream('job', { decisions }).result;
        const failures = ended.failures.map(({ cause: _cause, ...failure }) => failure);
        return { ...ended, failures, paid };
      };
      const expected = await run(() => {});
      expect(expected).toMatchObject({ status: 'completed', paid: [{ to: { cents: 5 } }], failures: [{}] });
      expect(await run((result) => spoil(result[field]))).toEqual(expected);
    },
  );
});

test('a run that breaks inside ends as any other: a result, one run-end, no event after it, no id that is taken', async () => {
  const clock = createVirtualClock();
  let isBroken = false;
  const agent = createAgent({
    provider: scripted(['Hello.', 'Hello.']),
    secrets: ['key-4471-abcdef'],
    clock: {
      ...clock,
      // Broken once: what measures the end of the run must not hide how it ended.
      monotonic: () => {
        const wasBroken = isBroken;
        isBroken = false;
        if (wasBroken) throw new Error('No time: key-4471-abcdef');
        return clock.monotonic();
      },
    },
  });
  const ends: string[] = [];
  agent.on('run-end', ({ result }) => ends.push(result.status));
  agent.on('turn-start', () => (isBroken = true));
  const handle = agent.stream('Hi', { id: 'job' });
  const failure = { kind: 'bug', message: 'The run failed by a bug: Error: No time: [redacted].' };
  expect(await handle.result).toMatchObject({ status: 'failed', runId: 'job', failure, failures: [failure] });
  expect((await typesOf(handle)).at(-1)).toBe('run-end');
  expect(ends).toEqual(['failed']);
  expect(clock.pending).toBe(0);
  expect(() => agent.stream('Hi', { id: 'job' }).abort()).not.toThrow();
});
