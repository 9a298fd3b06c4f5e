import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AgentOptions, StandardSchema } from '../../src/index.ts';
import type { LoopbackScript } from '../../src/testing/loopback-server.ts';
import { anyTool, call, eventsOf, onWire, watch } from './wire-agent.ts';

const order = z.object({ id: z.string(), qty: z.number().int(), state: z.enum(['open', 'shipped']) });
const list = z.array(z.object({ name: z.string() }));
const good = '{"id":"A1","qty":2,"state":"open"}';
const value = { id: 'A1', qty: 2, state: 'open' };

interface Case {
  readonly name: string;
  readonly schema?: StandardSchema;
  readonly script: LoopbackScript;
  readonly agent?: Partial<AgentOptions>;
  readonly outputAttempts?: number;
  readonly output?: unknown;
  readonly attempts?: number;
  readonly asked: number;
  readonly stops?: string;
}

const cases: readonly Case[] = [
  { name: 'an object', script: [{ text: good }], output: value, attempts: 1, asked: 1 },
  {
    name: 'an array',
    schema: list,
    script: [{ text: '[{"name":"Ana"},{"name":"Bo"}]' }],
    output: [{ name: 'Ana' }, { name: 'Bo' }],
    attempts: 1,
    asked: 1,
  },
  { name: 'a number alone', schema: z.number(), script: [{ text: '42' }], output: 42, attempts: 1, asked: 1 },
  {
    name: 'in a fence',
    script: [{ text: `Here it is:\n\`\`\`json\n${good}\n\`\`\`` }],
    output: value,
    attempts: 1,
    asked: 1,
  },
  {
    name: 'mended without another request',
    script: [{ text: '{"ID":"A1","qty":"2","state":"Open",}' }],
    output: value,
    attempts: 1,
    asked: 1,
  },
  {
    name: 'an array in a fence, mended',
    schema: list,
    script: [{ text: '```\n[{"Name":"Ana"}]\n```' }],
    output: [{ name: 'Ana' }],
    attempts: 1,
    asked: 1,
  },
  {
    name: 'an array after some words',
    schema: list,
    script: [{ text: 'The people: [{"name":"Ana"}]. That is all.' }],
    output: [{ name: 'Ana' }],
    attempts: 1,
    asked: 1,
  },
  {
    name: 'an array that stands alone in an object',
    schema: list,
    script: [{ text: '{"people":[{"name":"Ana"}]}' }],
    output: [{ name: 'Ana' }],
    attempts: 1,
    asked: 1,
  },
  {
    name: 'an array beside something else is asked for again',
    schema: list,
    script: [{ text: '{"people":[{"name":"Ana"}],"total":1}' }, { text: '[]' }],
    output: [],
    attempts: 2,
    asked: 2,
  },
  {
    name: 'asked again with what is wrong',
    script: [{ text: '{"id":"A1","qty":2.5}' }, { text: good }],
    output: value,
    attempts: 2,
    asked: 2,
  },
  {
    name: 'asked again where it is prose',
    script: [{ text: 'It is order A1.' }, { text: 'Sorry, A1.' }, { text: good }],
    output: value,
    attempts: 3,
    asked: 3,
  },
  {
    name: 'no more often than three times by default',
    script: () => ({ text: 'It is order A1.' }),
    asked: 3,
    stops: 'invalid-output',
  },
  {
    name: 'as often as the run says',
    script: () => ({ text: 'It is order A1.' }),
    outputAttempts: 1,
    asked: 1,
    stops: 'invalid-output',
  },
  {
    name: 'turns bound it as well',
    script: () => ({ text: 'It is order A1.' }),
    agent: { maxTurns: 2 },
    asked: 2,
    stops: 'max-turns',
  },
  {
    name: 'the last turn after a limit has no second try',
    script: [call('look'), { text: 'A1.' }],
    agent: { maxTurns: 1, onLimit: 'finish' },
    asked: 2,
    stops: 'invalid-output',
  },
  {
    name: 'the last turn after a limit may hold it',
    script: [call('look'), { text: good }],
    agent: { maxTurns: 1, onLimit: 'finish' },
    output: value,
    attempts: 1,
    asked: 2,
  },
  {
    name: 'tools are not run again while it is asked for',
    script: [call('look'), { text: 'A1.' }, call('look'), { text: good }],
    output: value,
    attempts: 3,
    asked: 4,
  },
  {
    name: 'calls instead of an answer are tries too',
    script: ({ requestIndex }) => (requestIndex === 0 ? { text: 'A1.' } : call('look', { n: requestIndex })),
    asked: 3,
    stops: 'invalid-output',
  },
];

describe('a structured answer', () => {
  test.each(cases)(
    '$name',
    async ({ schema = order, script, agent, outputAttempts, output, attempts, asked, stops }) => {
      let ran = 0;
      await onWire(script, async (wire) => {
        const tools = [anyTool('look', () => `seen ${(ran += 1)}`)];
        const { result, events } = await watch(
          wire.agent({ tools, ...agent }).stream('Which order?', { output: schema, outputAttempts }),
        );
        const { requests } = wire.server;
        expect(requests).toHaveLength(asked);
        if (stops === undefined)
          expect(result).toMatchObject({ status: 'completed', output, outputAttempts: attempts });
        else expect(result).toMatchObject({ status: 'stopped', stopReason: stops });
        expect(ran).toBe(eventsOf(events, 'tool-start').length);
        expect(ran).toBeLessThanOrEqual(1);
        expect(JSON.stringify(requests[0]?.body['messages'])).toMatch(/JSON Schema/);
        const again = requests
          .slice(1)
          .filter((request) => JSON.stringify(request.body['messages']).includes('does not have the required form'));
        for (const request of again) expect(request.body['tools']).toBeUndefined();
      });
    },
  );

  test('what is wrong is said, and the wrong value is not repeated in the question', async () => {
    await onWire([{ text: '{"id":"A1","qty":2,"state":"vanished"}' }, { text: good }], async (wire) => {
      await watch(wire.agent().stream('Which order?', { output: order }));
      const question = wire.server.requests[1]?.view.messages.at(-1)?.text;
      expect(question).toMatch(/"state" must be one of "open", "shipped"/);
      expect(question).not.toMatch(/vanished/);
    });
  });

  test('a schema that throws ends the run as a bug', async () => {
    const boom = new Error('my schema');
    const throwing = z.object({}).refine(() => {
      throw boom;
    });
    await onWire([{ text: '{}' }], async (wire) => {
      const { result } = await watch(wire.agent().stream('Which order?', { output: throwing }));
      expect(result).toMatchObject({
        status: 'failed',
        failure: { kind: 'bug', cause: { name: 'Error', message: boom.message } },
      });
    });
  });

  test('a number of tries that is none is refused', async () => {
    await onWire([], async (wire) => {
      expect(() => wire.agent().stream('Which order?', { output: order, outputAttempts: 0 })).toThrow(
        /`outputAttempts`/,
      );
      await Promise.resolve();
    });
  });
});
