import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ModelRequest } from '../../../../src/index.ts';
import { createAgent, scripted, tool } from '../../../../src/index.ts';

/** Runs with one reply of so many calls of a tool and of one that does not exist. */
async function runWith(count: number, name: (index: number) => string) {
  const ran: number[] = [];
  const look = tool({
    name: 'look',
    description: 'Looks.',
    schema: z.object({ at: z.number() }),
    effect: 'read',
    execute: ({ at }) => {
      ran.push(at);
      return `Seen ${at}.`;
    },
  });
  const calls = Array.from({ length: count }, (_, at) => ({ name: name(at), input: { at } }));
  let second: ModelRequest | undefined;
  const agent = createAgent({
    provider: scripted([
      { calls },
      (request) => {
        second = request;
        return 'Done.';
      },
    ]),
    tools: [look],
  });
  const warnings: string[] = [];
  const handle = agent.stream('Look.');
  for await (const event of handle) if (event.type === 'warning') warnings.push(event.message);
  const result = await handle.result;
  const parts = (second?.messages ?? []).flatMap((message): readonly { readonly type: string }[] => message.content);
  return {
    status: result.status,
    ran,
    warnings,
    calls: parts.filter((part) => part.type === 'tool-call').length,
    results: parts.filter((part) => part.type === 'tool-result').length,
    last: JSON.stringify(second?.messages.at(-1)),
  };
}

test('of a reply with too many calls the first run, and the model is told that the others did not', async () => {
  const { status, ran, warnings, calls, results, last } = await runWith(1000, () => 'look');
  expect(status).toBe('completed');
  expect(ran).toEqual(Array.from({ length: 128 }, (_, at) => at));
  expect([calls, results]).toEqual([128, 128]);
  expect(last).toMatch(/made 1000 calls.*first 128.*not run/);
  expect(warnings).toEqual([expect.stringMatching(/made 1000 calls/)]);
});

test('too many calls of tools that do not exist are told, too', async () => {
  const { status, ran, last } = await runWith(1000, (at) => `open_${at}`);
  expect({ status, ran }).toEqual({ status: 'completed', ran: [] });
  expect(last).toMatch(/made 1000 calls/);
});

test('as many calls as a reply may hold all run, and nothing is said', async () => {
  const { ran, calls, last, warnings } = await runWith(128, () => 'look');
  expect([ran.length, calls, warnings.length]).toEqual([128, 128, 0]);
  expect(last).toContain('tool-result');
});
