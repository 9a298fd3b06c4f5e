import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Agent, Provider, RunEvent } from '../../src/index.ts';
import { createAgent, isOilcanError, scripted, tool } from '../../src/index.ts';

/** A model that asks for the tool `deeper`, as often as it is asked. */
const digger = (): Provider => scripted([() => ({ calls: [{ name: 'deeper', input: { task: 'Dig.' } }] })]);

test('an abort of 1,600 runs inside each other ends all of them and the process lives', async () => {
  const depth = 1600;
  let begun = 0;
  const controller = new AbortController();
  const ends: string[] = [];
  const deeper = tool({
    name: 'deeper',
    description: 'Starts a run.',
    schema: z.looseObject({}),
    execute: (_input, { signal }): Promise<void> => {
      begun += 1;
      if (begun < depth) return dig(signal);
      queueMicrotask(() => controller.abort(new Error('enough')));
      return new Promise<void>(() => {});
    },
  });
  const agent = createAgent({ provider: digger(), tools: [deeper] });
  const dig = async (signal: AbortSignal): Promise<void> => {
    const { status } = await agent.stream('Dig.', { signal }).result;
    ends.push(status);
  };
  await dig(controller.signal);
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toBe(depth);
  expect(ends).toEqual(Array.from({ length: depth }, () => 'aborted'));
});

test('agents that call each other in a circle end at 16 runs inside each other, and the innermost model is told', async () => {
  const told: string[] = [];
  let runs = 0;
  // A tool's agent is looked up when it is called, so an agent can be its own helper.
  const self: { agent?: Agent } = {};
  const helper = tool({
    name: 'deeper',
    description: 'Asks the agent itself.',
    schema: z.object({ task: z.string() }),
    execute: async ({ task }, context) => {
      const agent = self.agent;
      if (agent === undefined) throw new Error('There is no agent.');
      const shown = agent.asTool({ name: 'deeper', description: 'Digs.' });
      return shown.options.execute({ task }, context);
    },
  });
  self.agent = createAgent({ provider: digger(), tools: [helper], maxTurns: 1 });
  self.agent.on('run-start', () => (runs += 1));
  self.agent.on('tool-end', (event: Extract<RunEvent, { type: 'tool-end' }>) => told.push(event.output));
  await self.agent.stream('Dig.').result;
  expect(runs).toBe(16);
  expect(told[0]).toMatch(/too many helpers have called each other.*Do not make the same call again/s);
});

test('a run that is started by hand inside 16 others is refused by a code of its own', async () => {
  const codes: string[] = [];
  let runs = 0;
  const dig = tool({
    name: 'deeper',
    description: 'Starts a run.',
    schema: z.looseObject({}),
    execute: async (_input, context): Promise<string> => {
      runs += 1;
      const inner = createAgent({ provider: digger(), tools: [dig], maxTurns: 1 });
      try {
        await inner.stream('Dig.', { within: context }).result;
      } catch (error) {
        codes.push(isOilcanError(error) ? error.code : String(error));
      }
      return 'dug';
    },
  });
  await createAgent({ provider: digger(), tools: [dig], maxTurns: 1 }).stream('Dig.').result;
  expect(codes).toEqual(['nested-too-deep']);
  expect(runs).toBe(16);
});
