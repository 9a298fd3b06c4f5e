import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message, Provider } from '../../src/index.ts';
import { anthropic, createAgent, ollama, openai, openaiResponses } from '../../src/index.ts';
import { repairHistory } from '../../src/loop/history/history.ts';
import { startLoopbackServer } from '../../src/testing/loopback-server.ts';
import { weather } from './run-on-wire.ts';

/** Ids from a small pool, so that they are doubled, reused and crossed; some that a strict vendor refuses. */
const id = fc.constantFrom('call_1', 'call_2', 'call_3', '', 'a b|c', 'toolu_x', 'x'.repeat(80));
const text = fc.oneof(
  fc.constantFrom('', ' ', 'Hello.', 'half \ud83d', '\u0000', 'Ümläut 👩‍👧'),
  fc.string({ maxLength: 20, unit: 'binary' }),
);
const textPart = fc.record({ type: fc.constant('text' as const), text });
const callPart = fc.record({
  type: fc.constant('tool-call' as const),
  toolCallId: id,
  toolName: fc.constantFrom('get_weather', 'functions.get_weather', 'gone', '', 'näme with spaces'),
  input: fc.oneof(
    fc.constant({ city: 'Paris' }),
    fc.constant({}),
    fc.constant(null),
    fc.constant('text'),
    fc.constant([1]),
    fc.constant({ city: 'half \ud83d' }),
  ),
});
const reasoningPart = fc.record({
  type: fc.constant('reasoning' as const),
  text,
  issuer: fc.constantFrom('anthropic', 'openai-chat', 'elsewhere'),
});
const resultPart = fc.record({
  type: fc.constant('tool-result' as const),
  toolCallId: id,
  toolName: fc.constantFrom('get_weather', 'gone'),
  content: fc.array(textPart, { maxLength: 2 }),
  isError: fc.boolean(),
});
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant('user' as const), content: fc.array(textPart, { maxLength: 2 }) }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: fc.array(fc.oneof(textPart, callPart, reasoningPart), { maxLength: 4 }),
  }),
  fc.record({ role: fc.constant('tool' as const), content: fc.array(resultPart, { maxLength: 3 }) }),
);
const history = fc.array(message, { minLength: 1, maxLength: 8 });

const wires: Record<string, (origin: string) => Provider> = {
  'OpenAI Chat': (origin) => openai({ model: 'demo', baseURL: `${origin}/v1`, stream: false }),
  'OpenAI Responses': (origin) =>
    openaiResponses({ model: 'demo', baseURL: `${origin}/v1`, apiKey: 'k', stream: false }),
  Anthropic: (origin) => anthropic({ model: 'demo', baseURL: origin, apiKey: 'k', stream: false }),
  Ollama: (origin) => ollama({ model: 'demo', baseURL: origin, stream: false }),
};

describe.each(Object.entries(wires))('random histories on the %s wire', (_name, provider) => {
  test('none is refused by the strict server after repair, and the caller’s own is not changed', async () => {
    const server = await startLoopbackServer({ script: () => ({ text: 'Good.' }) });
    const agent = createAgent({ provider: provider(server.origin), tools: [weather] });
    try {
      await fc.assert(
        fc.asyncProperty(history, async (messages) => {
          const before = JSON.stringify(messages);
          const refused = server.violations.length;
          // A question at the end: an agent is asked something.
          const input: Message[] = [...messages, { role: 'user', content: [{ type: 'text', text: 'And now?' }] }];
          const result = await agent.stream(input).result;
          expect(server.violations.slice(refused)).toEqual([]);
          expect(result.status).toBe('completed');
          expect(JSON.stringify(messages)).toBe(before);
        }),
        { numRuns: 150 },
      );
    } finally {
      await server.close();
    }
  });
});

test('repairing what was repaired changes nothing', () => {
  fc.assert(
    fc.property(history, (messages) => {
      const once = repairHistory(messages).messages;
      const twice = repairHistory(once);
      expect(twice.changes).toEqual([]);
      expect(twice.messages.every((entry, index) => entry === once[index])).toBe(true);
    }),
  );
});

test('each repair is told', () => {
  const call = { type: 'tool-call', toolCallId: 'a', toolName: 'get_weather', input: { city: 'Rome' } } as const;
  const result = {
    type: 'tool-result',
    toolCallId: 'b',
    toolName: 'get_weather',
    content: [{ type: 'text', text: '14' }],
    isError: false,
  } as const;
  const { changes, messages } = repairHistory([
    { role: 'user', content: [] },
    { role: 'assistant', content: [call] },
    { role: 'tool', content: [result] },
  ]);
  expect(changes).toEqual([
    'dropped an empty user message',
    'added the missing result of a call',
    'dropped a tool result without its call',
  ]);
  expect(messages).toHaveLength(2);
});
