import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Agent, Message, RunResult, SuspendedRun, Tool } from '../../src/index.ts';
import { createAgent, isOilcanError, NeedsUser, scripted, tool, toolCallsOf, userMessage } from '../../src/index.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { answer, anyTool, onWire, resultsOf } from './wire-agent.ts';

function suspended<Output>(result: RunResult<Output>): SuspendedRun<Output> {
  if (result.status !== 'suspended') throw new Error(`Expected a suspended run, got ${result.status}.`);
  return result;
}

const log = (): { readonly done: string[]; readonly tools: readonly Tool[] } => {
  const done: string[] = [];
  const order = anyTool('order', () => (done.push('order'), 'Ordered: 17.'));
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    schema: z.object({ cents: z.number().default(100) }),
    approve: true,
    execute: () => (done.push('pay'), 'Paid.'),
  });
  const ask = anyTool('ask', () => {
    done.push('ask');
    throw new NeedsUser('Window or aisle?');
  });
  return { done, tools: [order, pay, ask] };
};

const threeCalls = {
  text: 'I order, pay and ask.',
  calls: ['order', 'pay', 'ask'].map((name) => ({ name, input: {} })),
};

/** The parts of the last tool message. */
const lastResults = (
  messages: readonly Message[],
): readonly { toolName: string; isWaiting?: boolean | undefined }[] => {
  const last = messages.at(-1);
  return last?.role === 'tool' ? last.content : [];
};

describe('the messages of a suspended run', () => {
  test('hold the calls that ran with their results, and those that wait with a placeholder that is marked', async () => {
    const { done, tools } = log();
    await onWire([threeCalls, answer], async (wire) => {
      const run = suspended(await wire.agent({ tools }).stream('Book.').result);
      expect(done).toEqual(['order', 'ask']);
      const [user, reply, ...rest] = run.messages;
      expect(user?.role).toBe('user');
      expect(rest).toHaveLength(1);
      expect(reply?.role === 'assistant' && toolCallsOf(reply).map((call) => call.toolName)).toEqual([
        'order',
        'pay',
        'ask',
      ]);
      expect(resultsOf(run)).toEqual([
        'Ordered: 17.',
        expect.stringMatching(/pay was not run yet: it waits for a person to allow it/),
        expect.stringMatching(/waits for a person to answer its question\. Window or aisle\?/),
      ]);
      expect(lastResults(run.messages).map((part) => part.isWaiting ?? false)).toEqual([false, true, true]);
    });
  });

  test('are a history that a strict server takes: who goes on from there does not order twice', async () => {
    const { done, tools } = log();
    await onWire([threeCalls, answer], async (wire) => {
      const agent = wire.agent({ tools });
      const run = suspended(await agent.stream('Book.').result);
      const copy = JSON.parse(JSON.stringify(run.messages)) as Message[];
      const next = await agent.run([...copy, userMessage('Never mind the payment.')]);
      expect(next.status).toBe('completed');
      const sent = JSON.stringify(wire.server.requests.at(-1)?.body);
      expect(sent).toContain('Ordered: 17.');
      expect(sent).toContain('waits for a person');
      expect(sent).not.toContain('isWaiting');
      expect(done).toEqual(['order', 'ask']);
    });
  });

  test('are not what the run goes on with: after the decision each call has its one result', async () => {
    const { done, tools } = log();
    await onWire([threeCalls, answer], async (wire) => {
      const agent = wire.agent({ tools });
      const run = suspended(await agent.stream('Book.').result);
      const [pay, ask] = run.pending.map((request) => request.toolCallId);
      const after = await agent.resume(run, {
        decisions: { [pay ?? '']: 'approve' },
        answers: { [ask ?? '']: 'Aisle.' },
      });
      expect(resultsOf(after)).toEqual(['Ordered: 17.', 'Paid.', 'Aisle.']);
      expect(JSON.stringify(after.messages)).not.toContain('isWaiting');
      expect(done).toEqual(['order', 'ask', 'pay']);
    });
  });

  test('of a run that is suspended twice say what was decided in between', async () => {
    const { tools } = log();
    const agent = createAgent({ provider: scripted([threeCalls, 'Done.']), tools });
    const run = suspended(await agent.stream('Book.').result);
    const again = suspended(
      await agent.resumeStream(run, { decisions: { [run.pending[0]?.toolCallId ?? '']: 'approve' } }).result,
    );
    expect(resultsOf(again).slice(0, 2)).toEqual(['Ordered: 17.', 'Paid.']);
    expect(lastResults(again.messages).map((part) => part.isWaiting ?? false)).toEqual([false, false, true]);
    expect(lastResults(run.messages).map((part) => part.isWaiting ?? false)).toEqual([false, true, true]);
  });
});

describe('a suspended run', () => {
  const waiting = (clock = createVirtualClock(), suspendedMs = 1000): { agent: Agent; done: string[] } => {
    const { done, tools } = log();
    const provider = scripted([() => ({ calls: [{ name: 'pay', input: {} }] })]);
    return { agent: createAgent({ provider, tools, clock, deadlines: { suspendedMs } }), done };
  };
  const codeOf = async (promise: Promise<unknown>): Promise<string> =>
    promise.then(
      () => 'none',
      (error: unknown) => (isOilcanError(error) ? error.code : String(error)),
    );

  test('is listed with what it waits for, since when and until when, and not once it is resumed', async () => {
    const clock = createVirtualClock();
    const { agent } = waiting(clock);
    expect(agent.suspended()).toEqual([]);
    const first = suspended(await agent.stream('Pay.', { id: 'first' }).result);
    await clock.advance(10);
    await agent.stream('Pay.', { id: 'second' }).result;
    const now = clock.now();
    expect(agent.suspended()).toEqual([
      { runId: 'first', pending: first.pending, since: now - 10, expiresAt: now + 990 },
      { runId: 'second', pending: [expect.objectContaining({ toolName: 'pay' })], since: now, expiresAt: now + 1000 },
    ]);
    for (const { pending } of agent.suspended()) (pending as unknown[]).length = 0;
    expect(agent.suspended()[0]?.pending).toEqual(first.pending);
    await agent.resumeStream(first, { decisions: { [first.pending[0]?.toolCallId ?? '']: 'deny' } }).result;
    expect(agent.suspended().map(({ runId }) => runId)).toEqual(['second', 'first']);
  });

  test('is given up: it ends as aborted with every result there, and can be neither resumed nor given up again', async () => {
    const { agent, done } = waiting();
    const ends: string[] = [];
    agent.on('run-end', ({ result }) => void ends.push(result.status));
    const run = suspended(await agent.stream('Pay.').result);
    const result = await agent.giveUp(run.runId, new Error('Nobody came.'));
    expect(result).toMatchObject({ status: 'aborted', reason: { message: 'Nobody came.' }, runId: run.runId });
    expect(resultsOf(result)).toEqual([expect.stringMatching(/^pay was not run/)]);
    expect(ends).toEqual(['suspended', 'aborted']);
    expect(done).toEqual([]);
    expect(agent.suspended()).toEqual([]);
    expect(await codeOf(agent.giveUp(run))).toBe('unknown-run');
    expect(await codeOf(agent.resume(run, {}))).toBe('unknown-run');
  });

  test('expires, and its id is free again', async () => {
    const clock = createVirtualClock();
    const { agent } = waiting(clock);
    const run = suspended(await agent.stream('Pay.', { id: 'job' }).result);
    await clock.advance(999);
    expect(agent.suspended()).toHaveLength(1);
    await clock.advance(1);
    expect(agent.suspended()).toEqual([]);
    expect(await codeOf(agent.resume(run, { decisions: {} }))).toBe('unknown-run');
    expect((await agent.stream('Pay.', { id: 'job' }).result).status).toBe('suspended');
  });

  test('named by its result keeps the type of its answer', async () => {
    const { tools } = log();
    const provider = scripted([{ calls: [{ name: 'pay', input: {} }] }, '{"ok":true}']);
    const agent = createAgent({ provider, tools });
    const run = suspended(await agent.stream('Pay.', { output: z.object({ ok: z.boolean() }) }).result);
    const { output } = await agent.resume(run, { decisions: { [run.pending[0]?.toolCallId ?? '']: 'approve' } });
    const ok: boolean = output.ok;
    expect(ok).toBe(true);
  });

  test('goes on in a variable of the type of its first result', async () => {
    const { agent } = waiting();
    let run: RunResult = await agent.stream('Pay.').result;
    for (let round = 0; round < 2 && run.status === 'suspended'; round += 1)
      run = await agent.resumeStream(run, { decisions: { [run.pending[0]?.toolCallId ?? '']: 'approve' } }).result;
    expect(run.status).toBe('suspended');
  });
});
