import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { RunEvent, RunResult, ToolOptions } from '../../../../src/index.ts';
import { createAgent, scripted, tool, ToolError } from '../../../../src/index.ts';

// Both halves of it would be told by a look for the first or the last eight characters.
const KEY = 'Zq8WkT2mVb7RxL4cJd9Hn3PfSy6Gu1Ea';
const HALVES = /Zq8WkT2m|Sy6Gu1Ea/;

async function told(
  execute: ToolOptions['execute'],
  more: Partial<ToolOptions> = {},
): Promise<{ readonly result: RunResult<unknown>; readonly events: readonly RunEvent[] }> {
  const use = tool({ name: 'use', description: 'x', schema: z.object({}), effect: 'read', execute, ...more });
  const agent = createAgent({
    provider: scripted([{ calls: [{ name: 'use', input: {} }] }, 'Done.']),
    tools: [use],
    secrets: [KEY],
  });
  const events: RunEvent[] = [];
  agent.on('*', (event) => events.push(event));
  return { result: await agent.stream('Go.').result, events };
}

const fill = (chars: number): string => 'word '.repeat(chars).slice(0, chars);

describe('a secret at the edge of what is cut is masked before the cut', () => {
  const rows: readonly { readonly name: string; readonly execute: ToolOptions['execute'] }[] = [
    ...[990, 995, 19_990, 59_990].map((at) => ({
      name: `an error of 100,000 characters, at ${at}`,
      execute: () => {
        throw new Error(`${fill(at)}${KEY}${fill(100_000)}`);
      },
    })),
    ...[980, 1990].map((at) => ({
      name: `thrown data, at ${at}`,
      execute: () => {
        // oxlint-disable-next-line only-throw-error -- tools do
        throw { text: `${fill(at)}${KEY}${fill(5000)}` };
      },
    })),
    {
      name: 'a text of a megabyte in an object',
      execute: () => ({ a: fill(500_001), b: fill(499_970) + KEY + fill(900_000) }),
    },
    {
      name: 'the name of a function',
      execute: () => ({ f: Object.defineProperty(() => 1, 'name', { value: `${'f'.repeat(190)} ${KEY}` }) }),
    },
    {
      name: 'two texts',
      execute: () => ({
        type: 'content',
        content: [
          { type: 'text', text: `a ${KEY.slice(0, 16)}` },
          { type: 'text', text: `${KEY.slice(16)} b` },
        ],
      }),
    },
    { name: 'a long result', execute: () => `${fill(34_990)}${KEY}${fill(90_000)}` },
  ];
  test.each(rows)('$name', async ({ execute }) => {
    const { result, events } = await told(execute);
    expect(result.status).toBe('completed');
    expect(JSON.stringify([result, events])).not.toMatch(HALVES);
  });

  test('the partial text of a child', async () => {
    const child = createAgent({
      provider: scripted([{ text: `${fill(280)}${KEY} more`, calls: [{ name: 'none', input: {} }] }]),
      maxTurns: 1,
      secrets: [KEY],
    });
    const agent = createAgent({
      provider: scripted([{ calls: [{ name: 'ask', input: { task: 'Go.' } }] }, 'Done.']),
      tools: [child.asTool({ name: 'ask', description: 'x', effect: 'read' })],
    });
    const result = await agent.stream('Go.').result;
    const results = result.messages.filter(({ role }) => role === 'tool');
    expect(JSON.stringify(results)).toMatch(/It had come to/);
    expect(JSON.stringify(results)).not.toMatch(HALVES);
  });
});

describe('what a model or a hook writes is masked where it is told', () => {
  test('a secret as the name of a tool, and in arguments that can not be read', async () => {
    const agent = createAgent({
      provider: scripted([
        { calls: [{ name: `${'n'.repeat(90)}_${KEY}`, input: {} }] },
        { calls: [{ name: KEY, input: {} }] },
        'Done.',
      ]),
      tools: [tool({ name: 'use', description: 'x', schema: z.object({}), execute: () => 1 })],
      secrets: [KEY],
    });
    const events: RunEvent[] = [];
    agent.on('*', (event) => {
      if (event.type !== 'run-end') events.push(event);
    });
    await agent.stream('Go.').result;
    expect(events.some(({ type }) => type === 'failure')).toBe(true);
    expect(JSON.stringify(events)).not.toMatch(HALVES);
  });

  test('the reason with which a hook stops a run', async () => {
    const agent = createAgent({
      provider: scripted([{ calls: [{ name: 'use', input: {} }] }, 'Done.']),
      tools: [tool({ name: 'use', description: 'x', schema: z.object({}), execute: () => 1 })],
      hooks: [{ beforeTool: () => ({ stop: `bad key ${KEY}` }) }],
      secrets: [KEY],
    });
    const result = await agent.stream('Go.').result;
    expect(result).toMatchObject({ status: 'stopped', message: expect.stringContaining('[redacted]') as string });
    expect(JSON.stringify(result)).not.toMatch(HALVES);
  });
});

describe('masking of good results', () => {
  const text = 'password = "s3cret-Pass!9"';
  test('is on by default, and `redact: "errors"` of a tool turns it off for that tool only', async () => {
    const outputOf = async (more: Partial<ToolOptions>): Promise<unknown> => {
      const { events } = await told(() => text, more);
      return events.find((event) => event.type === 'tool-end')?.output;
    };
    expect(await outputOf({})).toBe('password = "[redacted]"');
    expect(await outputOf({ redact: 'errors' })).toBe(text);
    const { result } = await told(
      () => {
        throw new ToolError(text);
      },
      { redact: 'errors' },
    );
    expect(JSON.stringify(result)).not.toContain('s3cret');
  });
});
