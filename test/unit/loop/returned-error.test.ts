import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { RunResult, Tool, ToolOptions } from '../../../src/index.ts';
import { createAgent, NeedsUser, scripted, tool, ToolError, ToolUnavailableError } from '../../../src/index.ts';

function returning(value: unknown, options: Partial<ToolOptions> = {}): Tool {
  return tool({ name: 'look', description: 'Looks.', schema: z.object({}), ...options, execute: () => value });
}

async function look(tools: readonly Tool[]): Promise<RunResult<unknown>> {
  const provider = scripted([{ calls: [{ name: 'look' }] }, 'Done.']);
  return createAgent({ provider, tools }).stream('Look.').result;
}

describe('a tool that returns an error has failed as if it had thrown it', () => {
  test.each([
    { name: 'an error', value: new Error('The lock is rusted.'), kind: 'tool-failed', told: /The lock is rusted/ },
    { name: 'a promise of one', value: Promise.resolve(new Error('Rusted.')), kind: 'tool-failed', told: /Rusted/ },
    { name: 'an error for models', value: new ToolError('Oil it first.'), kind: 'tool-failed', told: /Oil it first/ },
    {
      name: 'an outage',
      value: new ToolUnavailableError('The map is down.'),
      kind: 'tool-unavailable',
      told: /unavailable/,
    },
    { name: 'a bug', value: new TypeError('x is not a function'), kind: 'tool-bug', told: /^(?!.*function)/ },
  ])('$name', async ({ value, kind, told }) => {
    const result = await look([returning(value)]);
    expect(result).toMatchObject({ status: 'completed', failures: [{ kind }] });
    const [answer] = result.messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
    expect(answer).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(told) }] });
  });

  test('a question suspends the run', async () => {
    expect(await look([returning(new NeedsUser('Window or aisle?'))])).toMatchObject({
      status: 'suspended',
      pending: [{ question: 'Window or aisle?' }],
    });
  });

  test('a fallback that returns one has no value', async () => {
    const tools = [returning(new ToolUnavailableError('Down.'), { fallback: () => new Error('No cache.') })];
    const result = await look(tools);
    expect(result.failures).toMatchObject([{ kind: 'tool-unavailable' }]);
    expect(JSON.stringify(result.messages)).not.toContain('[cached]');
  });
});
