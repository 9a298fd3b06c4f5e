import { expect, test } from 'vitest';
import { z } from 'zod';
import type { RunHandle } from '../../src/index.ts';
import { createAgent, scripted, tool } from '../../src/index.ts';
import { textOf } from '../../src/core/message.ts';

/** An agent whose tool says something to the run that it belongs to. */
function talking(steps: Parameters<typeof scripted>[0], text: string) {
  let handle: RunHandle | undefined;
  const provider = scripted(steps);
  const look = tool({
    name: 'look',
    description: 'Looks.',
    schema: z.object({}),
    effect: 'read',
    execute: () => {
      handle?.say(text);
      return 'a door';
    },
  });
  const agent = createAgent({ provider, tools: [look] });
  return { provider, run: () => (handle = agent.stream('Look.')) };
}

test('what is said while a tool runs is heard with the next request, behind the result', async () => {
  const { provider, run } = talking([{ calls: [{ name: 'look', input: {} }] }, 'A red door.'], 'Is it red?');
  const result = await run().result;
  expect(provider.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  expect(textOf(provider.requests[1]?.messages.at(-1)?.content ?? [])).toBe('Is it red?');
  expect(result).toMatchObject({ status: 'completed', text: 'A red door.', turns: 2 });
});

test('an answer that was given meanwhile is not the last word', async () => {
  const holder: { handle?: RunHandle } = {};
  const provider = scripted([() => (holder.handle?.say('And the lock?'), 'A door.'), 'The lock is rusted.']);
  holder.handle = createAgent({ provider }).stream('Look.');
  const result = await holder.handle.result;
  expect(result).toMatchObject({ status: 'completed', text: 'The lock is rusted.', turns: 2 });
  expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
});

test('nobody hears what is said to a run that is over, and nothing is no text', async () => {
  const handle = createAgent({ provider: scripted(['A door.']) }).stream('Look.');
  expect(() => handle.say(' ')).toThrow(/what is said to a run/);
  await handle.result;
  expect(handle.say('And now?')).toBe(false);
});

test('nobody hears what is said when the end of the run is told', async () => {
  const heard: (boolean | undefined)[] = [];
  const holder: { handle?: RunHandle } = {};
  const agent = createAgent({ provider: scripted(['A door.']) });
  agent.on('run-end', () => heard.push(holder.handle?.say('And now?')));
  holder.handle = agent.stream('Look.');
  await holder.handle.result;
  expect(heard).toEqual([false]);
});
