import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Provider, RunEventType } from '../../../src/index.ts';
import { anthropic, createAgent, ollama, openai, openaiResponses, tool } from '../../../src/index.ts';
import type { LoopbackReplyStep, LoopbackStep, LoopbackWire } from '../../../src/testing/loopback-server.ts';
import { loopbackWires, startLoopbackServer } from '../../../src/testing/loopback-server.ts';

const makers: Record<LoopbackWire, (origin: string, stream: boolean) => Provider> = {
  openai: (origin, stream) => openai({ model: 'm', baseURL: `${origin}/v1`, stream }),
  'openai-responses': (origin, stream) => openaiResponses({ model: 'm', baseURL: `${origin}/v1`, stream }),
  anthropic: (origin, stream) => anthropic({ model: 'm', baseURL: origin, stream }),
  ollama: (origin, stream) => ollama({ model: 'm', baseURL: origin, stream }),
};

const done: LoopbackStep = { text: 'Done.' };
const called = (city: string, id?: string): NonNullable<LoopbackReplyStep['calls']>[number] => ({
  name: 'get_weather',
  input: { city },
  id,
});

interface Row {
  readonly name: string;
  /** What the server does; then it says "Done.". */
  readonly steps: readonly LoopbackStep[];
  /** The cities that the tool was run with. */
  readonly ran: readonly string[];
  readonly tells?: RunEventType;
  readonly wires?: readonly LoopbackWire[];
  readonly streamOnly?: boolean;
}

const asText = '```json\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n```';

const rows: readonly Row[] = [
  {
    name: 'calls without ids',
    steps: [{ calls: [called('Rome'), called('Oslo')], quirks: { callIds: 'missing' } }],
    ran: ['Rome', 'Oslo'],
  },
  {
    name: 'calls with empty ids',
    steps: [{ calls: [called('Rome'), called('Oslo')], quirks: { callIds: 'empty' } }],
    ran: ['Rome', 'Oslo'],
  },
  {
    name: 'one id for two calls',
    steps: [{ calls: [called('Rome', 'a'), called('Oslo', 'a')] }],
    ran: ['Rome', 'Oslo'],
  },
  {
    name: 'an id of an earlier turn',
    steps: [{ calls: [called('Rome', 'a')] }, { calls: [called('Oslo', 'a')] }],
    ran: ['Rome', 'Oslo'],
  },
  { name: 'a call with the finish reason stop', steps: [{ calls: [called('Rome')], finish: 'stop' }], ran: ['Rome'] },
  { name: 'a call with an unknown word', steps: [{ calls: [called('Rome')], finish: 'eventually' }], ran: ['Rome'] },
  {
    name: 'half a call that hit the limit',
    steps: [{ calls: [{ name: 'get_weather', rawArguments: '{"city":"Ro' }], finish: 'length' }],
    ran: [],
    wires: ['openai', 'openai-responses', 'anthropic'],
    streamOnly: true,
  },
  {
    name: 'a whole call before an error event',
    steps: [{ calls: [called('Atlantis')], errorEvent: { after: 'call' } }],
    ran: [],
    tells: 'retry',
  },
  { name: 'a reply of nothing', steps: [{ text: '' }], ran: [], tells: 'retry' },
  {
    name: 'a reply of nothing after a tool',
    steps: [{ calls: [called('Rome')] }, { text: '' }],
    ran: ['Rome'],
    tells: 'retry',
  },
  {
    name: 'a turn that the server paused',
    steps: [{ text: 'Let me see.', finish: 'pause' }],
    ran: [],
    wires: ['anthropic'],
  },
  {
    name: 'a call that the server could not read',
    steps: [{ text: '', finish: 'MALFORMED_FUNCTION_CALL' }],
    ran: [],
    tells: 'retry',
    wires: ['openai'],
  },
  { name: 'a call written as text', steps: [{ text: asText }], ran: ['Rome'], tells: 'call-mended' },
  {
    name: 'a call written as text behind thoughts',
    steps: [{ reasoning: 'hm', text: asText }],
    ran: ['Rome'],
    tells: 'call-mended',
    wires: ['openai', 'openai-responses', 'ollama'],
  },
];

const cases = rows.flatMap((row) =>
  (row.wires ?? loopbackWires).flatMap((wire) =>
    [true, false]
      .filter((stream) => stream || row.streamOnly !== true)
      .map((stream) => ({ ...row, wire, stream, mode: stream ? 'streaming' : 'plain' })),
  ),
);

describe('through a whole run', () => {
  test.each(cases)('$wire, $mode: $name', async ({ steps, ran, tells, wire, stream }) => {
    const server = await startLoopbackServer({ wire, script: [...steps, done] });
    try {
      const cities: string[] = [];
      const told = new Set<RunEventType>();
      const weather = tool({
        name: 'get_weather',
        description: 'The weather of a city.',
        schema: z.object({ city: z.string() }),
        execute: ({ city }) => {
          cities.push(city);
          return `18 degrees in ${city}`;
        },
      });
      const agent = createAgent({
        provider: makers[wire](server.origin, stream),
        tools: [weather],
        retry: { baseDelayMs: 0, maxDelayMs: 0 },
      });
      agent.on('*', ({ type }) => told.add(type));
      expect((await agent.run('What is the weather?')).text).toBe('Done.');
      expect(cities).toEqual(ran);
      expect(server.requests).toHaveLength(steps.length + 1);
      expect([...server.violations, ...server.scriptErrors]).toEqual([]);
      if (tells !== undefined) expect([...told]).toContain(tells);
    } finally {
      await server.close();
    }
  });

  test.each(loopbackWires)('%s: a text that merely talks about a call stays the answer', async (wire) => {
    const text = `I would call it like this: ${asText}`;
    const server = await startLoopbackServer({ wire, script: [{ text }] });
    try {
      const weather = tool({ name: 'get_weather', description: 'x', schema: z.object({}), execute: () => 'ran' });
      const agent = createAgent({ provider: makers[wire](server.origin, true), tools: [weather] });
      expect((await agent.run('How?')).text).toBe(text);
    } finally {
      await server.close();
    }
  });
});
