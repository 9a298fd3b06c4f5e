import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Agent, RunResult, ScriptStep, SuspendedRun, Tool } from '../../../src/index.ts';
import { createAgent, scripted, tool } from '../../../src/index.ts';

/** A tool that pays what it is told, after a person has agreed. */
function payTool(paid: string[]): Tool {
  return tool({
    name: 'pay',
    description: 'Pays.',
    schema: z.object({ cents: z.number() }),
    approve: true,
    execute: ({ cents }, { idempotencyKey }) => {
      paid.push(`${cents} as ${idempotencyKey}`);
      return 'paid';
    },
  });
}

const pay = (cents: number, id?: string): ScriptStep => ({ calls: [{ name: 'pay', input: { cents }, id }] });

function suspended(result: RunResult<unknown>): SuspendedRun {
  if (result.status !== 'suspended') throw new Error(`Expected a suspended run, got ${result.status}.`);
  return result;
}

/** Approves all that a run waits for. */
async function approve(agent: Agent, run: SuspendedRun): Promise<RunResult<unknown>> {
  const decisions = Object.fromEntries(run.pending.map(({ toolCallId }) => [toolCallId, 'approve' as const]));
  return agent.resumeStream(run.runId, { decisions }).result;
}

describe('the id of a run', () => {
  test('that is suspended is refused, so that an approval pays what was asked about', async () => {
    const paid: string[] = [];
    const agent = createAgent({
      provider: scripted([pay(1), 'End.', pay(2), 'End.']),
      tools: [payTool(paid)],
    });
    const first = suspended(await agent.stream('Pay one cent.', { id: 'job' }).result);
    const refused = {
      code: 'invalid-option',
      message: expect.stringMatching(/^A run with the `id` `job` .*suspended/),
    };
    expect(() => agent.stream('Pay much.', { id: 'job' })).toThrow(expect.objectContaining(refused));
    await expect(agent.run('Pay much.', { id: 'job' })).rejects.toMatchObject(refused);
    expect((await approve(agent, first)).status).toBe('completed');
    expect(paid).toEqual([expect.stringMatching(/^1 as job/)]);
    // It is over, so the id is free again.
    expect((await agent.stream('Pay two.', { id: 'job' }).result).status).toBe('suspended');
  });

  test('that is running is refused, also after it was resumed, until the run ends', async () => {
    const agent = createAgent({ provider: scripted([pay(1), 'End.', 'End.']), tools: [payTool([])] });
    const started = agent.stream('Pay.', { id: 'job' });
    expect(() => agent.stream('Pay.', { id: 'job' })).toThrow(/`job` is running in this agent/);
    const resumed = approve(agent, suspended(await started.result));
    expect(() => agent.stream('Pay.', { id: 'job' })).toThrow(/`job` is running in this agent/);
    await resumed;
    expect(await agent.run('Hello?', { id: 'job' })).toMatchObject({ text: 'End.', runId: 'job' });
  });

  test('is free again for a listener of `run-end`, and after an abort', async () => {
    const agent = createAgent({ provider: scripted([() => 'End.']) });
    const next: Promise<RunResult>[] = [];
    const unsubscribe = agent.on('run-end', () => {
      unsubscribe();
      next.push(agent.stream('Again.', { id: 'job' }).result);
    });
    await agent.run('Hello?', { id: 'job' });
    expect(await Promise.all(next)).toMatchObject([{ status: 'completed', runId: 'job' }]);
    await agent.stream('Hello?', { id: 'job', signal: AbortSignal.abort() }).result;
    expect((await agent.run('Hello?', { id: 'job' })).status).toBe('completed');
  });

  test('of a helper that waits for a person is free again: nobody can go on with it', async () => {
    const paid: string[] = [];
    const inner = createAgent({ provider: scripted([pay(100), 'Paid.']), tools: [payTool(paid)] });
    const call: ScriptStep = { calls: [{ name: 'helper', input: { task: 'Pay.' }, id: 'call_1' }] };
    const outer = createAgent({
      provider: scripted([call, 'Not now.', call, 'Done.']),
      tools: [inner.asTool({ name: 'helper', description: 'Helps.' })],
    });
    const outputs: string[] = [];
    outer.on('tool-end', ({ output }) => outputs.push(output));
    for (let night = 0; night < 2; night += 1) await outer.run('Pay.', { id: 'nightly' });
    expect(outputs).toEqual([expect.stringContaining('waits for a person'), 'Paid.']);
    expect(paid).toEqual([]);
  });

  test('is free after an input that is refused', async () => {
    const agent = createAgent({ provider: scripted(['End.']) });
    await expect(agent.run('', { id: 'job' })).rejects.toMatchObject({ code: 'invalid-option' });
    expect((await agent.run('Hello?', { id: 'job' })).status).toBe('completed');
  });

  test('is another one for each run where a random source gives the same numbers again', async () => {
    const agent = createAgent({ provider: scripted([() => 'End.']), random: () => 0.5 });
    const runs = await Promise.all([agent.run('One?'), agent.run('Two?'), agent.run('Three?')]);
    expect(new Set(runs.map(({ runId }) => runId)).size).toBe(3);
  });
});

describe('the id of a call', () => {
  test.each(['constructor', 'toString', '__proto__'])('may be `%s`: nothing was said about it', async (id) => {
    const paid: string[] = [];
    const both: ScriptStep = {
      calls: [
        { name: 'pay', id, input: { cents: 1 } },
        { name: 'pay', id: 'b', input: { cents: 2 } },
      ],
    };
    const agent = createAgent({ provider: scripted([both, 'End.']), tools: [payTool(paid)] });
    const { runId } = await agent.stream('Pay.').result;
    const waiting = await agent.resumeStream(runId, { decisions: { b: 'approve' } }).result;
    expect(suspended(waiting).pending).toMatchObject([{ toolCallId: id, input: { cents: 1 } }]);
    const end = await agent.resumeStream(runId, { decisions: { [id]: 'approve' } }).result;
    expect(end.status).toBe('completed');
    expect(paid.map((entry) => entry.split(' ')[0])).toEqual(['2', '1']);
  });
});

test('an input of which everything was rewound is refused, since nothing of it is sent', () => {
  const provider = scripted(['End.']);
  const agent = createAgent({ provider });
  const rewound = { role: 'assistant', content: [{ type: 'text', text: 'Hm.' }], rewound: true } as const;
  expect(() => agent.stream([rewound])).toThrow(/nothing in them to send \(what is `rewound` is not sent\)/);
  expect(() => agent.stream([rewound, { role: 'user', content: 'So?' }])).not.toThrow();
});
