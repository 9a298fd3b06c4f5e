import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Agent, PendingRequest, ResumeOptions, RunResult, SuspendedRun, Tool } from '../../src/index.ts';
import { createAgent, isOilcanError, NeedsUser, scripted, tool } from '../../src/index.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { answer, anyTool, call, calls, eventsOf, onWire, resultsOf, watch } from './wire-agent.ts';

/** A tool that pays what it is told, after a person has agreed. */
function payTool(paid: number[], approve: boolean | ((input: { cents: number }) => boolean) = true): Tool {
  return tool({
    name: 'pay',
    description: 'Pays.',
    schema: z.object({ cents: z.number() }),
    approve,
    execute: ({ cents }) => {
      paid.push(cents);
      return `paid ${cents}`;
    },
  });
}

const pay = (...cents: readonly number[]): object => ({
  calls: cents.map((amount) => ({ name: 'pay', input: { cents: amount } })),
});

function suspended(result: RunResult<unknown>): SuspendedRun {
  if (result.status !== 'suspended') throw new Error(`Expected a suspended run, got ${result.status}.`);
  return result;
}

const idsOf = (run: SuspendedRun): string[] => run.pending.map((request) => request.toolCallId);
const resume = async (agent: Agent, run: SuspendedRun, options: ResumeOptions): Promise<RunResult<unknown>> =>
  agent.resumeStream(run.runId, options).result;

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return isOilcanError(error) ? `${error.code}: ${error.message}` : String(error);
}

describe('approval', () => {
  test('suspends the run before the tool runs, and goes on from there', async () => {
    const paid: number[] = [];
    await onWire([pay(500), answer], async (wire) => {
      const agent = wire.agent({ tools: [payTool(paid)] });
      const { result, events } = await watch(agent.stream('Pay 5.'));
      const run = suspended(result);
      expect(run.pending).toEqual([
        { type: 'approval', toolCallId: expect.any(String), toolName: 'pay', input: { cents: 500 } },
      ]);
      expect(eventsOf(events, 'pending')).toHaveLength(1);
      expect(events.at(-1)).toMatchObject({ type: 'run-end', result: { status: 'suspended' } });
      expect(paid).toEqual([]);
      expect(wire.server.requests).toHaveLength(1);
      const after = await resume(agent, run, { decisions: { [idsOf(run)[0] ?? '']: 'approve' } });
      expect(after).toMatchObject({ status: 'completed', runId: run.runId, turns: 2 });
      expect(paid).toEqual([500]);
      expect(resultsOf(after)).toEqual(['paid 500']);
      expect(await codeOf(agent.resume(run.runId, { decisions: { [idsOf(run)[0] ?? '']: 'approve' } }))).toMatch(
        /No run .* is suspended/,
      );
      expect(paid).toEqual([500]);
    });
  });

  test('`agent.run` rejects with what it waits for, and `agent.resume` resolves with the answer', async () => {
    await onWire([pay(500), answer], async (wire) => {
      const agent = wire.agent({ tools: [payTool([])] });
      const error: unknown = await agent.run('Pay 5.').catch((thrown: unknown) => thrown);
      if (!isOilcanError(error) || error.run?.status !== 'suspended') throw error;
      expect(error.code).toBe('run-suspended');
      const { text } = await agent.resume(error.run.runId, { decisions: { [idsOf(error.run)[0] ?? '']: 'approve' } });
      expect(text).toBe('Done.');
    });
  });

  const denials: readonly { readonly name: string; readonly say: 'deny' | { deny: string }; readonly told: RegExp }[] =
    [
      { name: 'a denial is told to the model', say: 'deny', told: /was not run: it was denied\. The user said no/ },
      { name: 'a denial with its reason is told with it', say: { deny: 'Too dear.' }, told: /was denied\. Too dear\./ },
    ];
  test.each(denials)('$name', async ({ say, told }) => {
    const paid: number[] = [];
    await onWire([pay(500), answer], async (wire) => {
      const agent = wire.agent({ tools: [payTool(paid)] });
      const run = suspended(await agent.stream('Pay 5.').result);
      const after = await resume(agent, run, { decisions: { [idsOf(run)[0] ?? '']: say } });
      expect(after.status).toBe('completed');
      expect(resultsOf(after)[0]).toMatch(told);
      expect(after.failures.map((failure) => failure.kind)).toEqual(['denied']);
      expect(paid).toEqual([]);
    });
  });

  test('is asked for where the arguments ask for it, and only there', async () => {
    const paid: number[] = [];
    await onWire([pay(50, 5000), answer], async (wire) => {
      const agent = wire.agent({ tools: [payTool(paid, ({ cents }) => cents > 100)] });
      const run = suspended(await agent.stream('Pay.').result);
      expect(run.pending.map((request: PendingRequest) => request.type === 'approval' && request.input)).toEqual([
        { cents: 5000 },
      ]);
      expect(paid).toEqual([50]);
      const after = await resume(agent, run, { decisions: { [idsOf(run)[0] ?? '']: 'approve' } });
      expect(paid).toEqual([50, 5000]);
      expect(resultsOf(after)).toEqual(['paid 50', 'paid 5000']);
    });
  });

  test('several calls may wait, be decided one by one, and no one runs twice', async () => {
    const paid: number[] = [];
    await onWire([pay(1, 2, 3), answer], async (wire) => {
      const agent = wire.agent({ tools: [payTool(paid)] });
      const run = suspended(await agent.stream('Pay.').result);
      const [first, second, third] = idsOf(run);
      const still = suspended(await resume(agent, run, { decisions: { [second ?? '']: 'approve' } }));
      expect(idsOf(still)).toEqual([first, third]);
      expect(paid).toEqual([2]);
      const after = await resume(agent, still, { decisions: { [first ?? '']: 'deny', [third ?? '']: 'approve' } });
      expect(paid).toEqual([2, 3]);
      expect(resultsOf(after)).toEqual([expect.stringMatching(/denied/), 'paid 2', 'paid 3']);
      expect(wire.server.requests).toHaveLength(2);
    });
  });

  test('a decision is used once: the same call later is asked about again', async () => {
    const paid: number[] = [];
    await onWire([pay(7), pay(7), answer], async (wire) => {
      const agent = wire.agent({ tools: [payTool(paid)] });
      const run = suspended(await agent.stream('Pay.').result);
      const decisions = { [idsOf(run)[0] ?? '']: 'approve' } as const;
      const again = suspended(await resume(agent, run, { decisions }));
      expect(idsOf(again)).not.toEqual(idsOf(run));
      expect(await codeOf(agent.resume(run.runId, { decisions }))).toMatch(/unknown-call: No call .* waits/);
      expect(paid).toEqual([7]);
      await resume(agent, again, { decisions: { [idsOf(again)[0] ?? '']: 'deny' } });
      expect(paid).toEqual([7]);
    });
  });

  test('of two that resume at once, one goes on', async () => {
    const paid: number[] = [];
    await onWire([pay(7), answer], async (wire) => {
      const agent = wire.agent({ tools: [payTool(paid)] });
      const run = suspended(await agent.stream('Pay.').result);
      const decisions = { [idsOf(run)[0] ?? '']: 'approve' } as const;
      const both = await Promise.allSettled([
        agent.resume(run.runId, { decisions }),
        agent.resume(run.runId, { decisions }),
      ]);
      expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
      expect(paid).toEqual([7]);
    });
  });

  const wrong: readonly {
    readonly name: string;
    readonly options: (id: string) => ResumeOptions;
    readonly says: RegExp;
  }[] = [
    {
      name: 'a decision on a call that does not wait',
      options: () => ({ decisions: { other: 'approve' } }),
      says: /unknown-call: No call `other` waits for a person/,
    },
    {
      name: 'a word that is no decision',
      options: (id) => ({ decisions: { [id]: 'yes' as never } }),
      says: /invalid-decision: .*expected `decisions` to say 'approve'/,
    },
    {
      name: 'an answer where a decision is asked for',
      options: (id) => ({ answers: { [id]: 'sure' } }),
      says: /invalid-decision: .*waits for a decision/,
    },
  ];
  test.each(wrong)('$name is an error and leaves the run as it was', async ({ options, says }) => {
    const paid: number[] = [];
    await onWire([pay(5), answer], async (wire) => {
      const agent = wire.agent({ tools: [payTool(paid)] });
      const run = suspended(await agent.stream('Pay.').result);
      const [id = ''] = idsOf(run);
      expect(await codeOf(agent.resume(run.runId, options(id)))).toMatch(says);
      expect(paid).toEqual([]);
      expect((await resume(agent, run, { decisions: { [id]: 'approve' } })).status).toBe('completed');
    });
  });

  test('a run that nobody knows, or that has ended, can not be resumed', async () => {
    await onWire([answer], async (wire) => {
      const agent = wire.agent();
      expect(await codeOf(agent.resume('run_unknown', {}))).toMatch(/unknown-run: No run `run_unknown`/);
      const { runId } = await agent.run('Hello.');
      expect(await codeOf(agent.resume(runId, {}))).toMatch(/unknown-run/);
    });
  });

  test('a resume that is aborted ends with a result for every call, and what had run is kept', async () => {
    const paid: number[] = [];
    await onWire([pay(50, 5000)], async (wire) => {
      const agent = wire.agent({ tools: [payTool(paid, ({ cents }) => cents > 100)] });
      const run = suspended(await agent.stream('Pay.').result);
      const after = await resume(agent, run, { signal: AbortSignal.abort(new Error('closed')) });
      expect(after).toMatchObject({ status: 'aborted', reason: new Error('closed') });
      expect(resultsOf(after)).toEqual(['paid 50', expect.stringMatching(/before it started/)]);
      expect(paid).toEqual([50]);
    });
  });

  test('does not reset what a run has used: turns, calls and tokens count on', async () => {
    const paid: number[] = [];
    await onWire(
      () => pay(paid.length + 1),
      async (wire) => {
        const agent = wire.agent({ tools: [payTool(paid)], maxTurns: 3 });
        let result: RunResult<unknown> = await agent.stream('Pay.').result;
        while (result.status === 'suspended')
          result = await resume(agent, result, { decisions: { [idsOf(result)[0] ?? '']: 'approve' } });
        expect(result).toMatchObject({
          status: 'stopped',
          stopReason: 'max-turns',
          turns: 3,
          usage: { inputTokens: 360 },
        });
        expect(paid).toEqual([1, 2, 3]);
      },
    );
  });

  test('the time that a run waits for a person does not count against its deadline', async () => {
    const clock = createVirtualClock();
    const provider = scripted([pay(1), 'Done.']);
    const agent = createAgent({ provider, tools: [payTool([])], clock, deadlines: { runMs: 60_000 } });
    const run = suspended(await agent.stream('Pay.').result);
    await clock.advance(3_600_000);
    expect((await resume(agent, run, { decisions: { [idsOf(run)[0] ?? '']: 'approve' } })).status).toBe('completed');
  });

  test('a tool call limit holds over the wait: what waits has not run, what ran has', async () => {
    const paid: number[] = [];
    await onWire([pay(1, 2, 3), answer], async (wire) => {
      const agent = wire.agent({ tools: [payTool(paid)], limits: { toolCalls: 2 } });
      const run = suspended(await agent.stream('Pay.').result);
      const after = await resume(agent, run, {
        decisions: Object.fromEntries(idsOf(run).map((id) => [id, 'approve' as const])),
      });
      expect(paid).toEqual([1, 2]);
      expect(after).toMatchObject({ status: 'stopped', stopReason: 'max-tool-calls' });
      expect(resultsOf(after)[2]).toMatch(/limit of tool calls/);
    });
  });

  test('`approve` that throws ends the run as a bug of the caller, and the tool does not run', async () => {
    const paid: number[] = [];
    await onWire([pay(1)], async (wire) => {
      const boom = new Error('no policy');
      const approve = (): boolean => {
        throw boom;
      };
      const result = await wire.agent({ tools: [payTool(paid, approve)] }).stream('Pay.').result;
      expect(result).toMatchObject({
        status: 'failed',
        failure: { kind: 'bug', cause: { name: 'Error', message: boom.message } },
      });
      expect(resultsOf(result)[0]).toMatch(/before it started/);
      expect(paid).toEqual([]);
    });
  });
});

describe('a question of a tool', () => {
  const asking = (log: string[]): Tool =>
    anyTool('book', () => {
      log.push('asked');
      throw new NeedsUser('Window or aisle?');
    });

  test('suspends the run; the answer becomes the result of the call and the tool is not run again', async () => {
    const log: string[] = [];
    await onWire([call('book'), answer], async (wire) => {
      const agent = wire.agent({ tools: [asking(log)] });
      const run = suspended(await agent.stream('Book.').result);
      expect(run.pending).toEqual([
        { type: 'question', toolCallId: expect.any(String), toolName: 'book', question: 'Window or aisle?' },
      ]);
      const after = await resume(agent, run, { answers: { [idsOf(run)[0] ?? '']: 'Window.' } });
      expect(after.status).toBe('completed');
      expect(resultsOf(after)).toEqual(['Window.']);
      expect(log).toEqual(['asked']);
    });
  });

  test('can be denied, and an approval is no answer', async () => {
    await onWire([call('book'), answer], async (wire) => {
      const agent = wire.agent({ tools: [asking([])] });
      const run = suspended(await agent.stream('Book.').result);
      const [id = ''] = idsOf(run);
      expect(await codeOf(agent.resume(run.runId, { decisions: { [id]: 'approve' } }))).toMatch(/has asked a question/);
      const after = await resume(agent, run, { decisions: { [id]: { deny: 'Not now.' } } });
      expect(resultsOf(after)[0]).toMatch(/book failed: Not now\. Do not make the same call again/);
    });
  });

  test('others of the same reply keep their results, in order', async () => {
    await onWire([calls('look', 'book', 'look'), answer], async (wire) => {
      const agent = wire.agent({ tools: [asking([]), anyTool('look', () => 'seen')] });
      const run = suspended(await agent.stream('Book.').result);
      const after = await resume(agent, run, { answers: { [idsOf(run)[0] ?? '']: 'Aisle.' } });
      expect(resultsOf(after)).toEqual(['seen', 'Aisle.', 'seen']);
    });
  });

  test('no secret of the answer reaches the model', async () => {
    await onWire([call('book'), answer], async (wire) => {
      const agent = wire.agent({ tools: [asking([])] });
      const run = suspended(await agent.stream('Book.').result);
      const after = await resume(agent, run, { answers: { [idsOf(run)[0] ?? '']: 'My key is sk-wire-test-key.' } });
      expect(JSON.stringify(after.messages)).not.toContain('sk-wire-test-key');
    });
  });
});
