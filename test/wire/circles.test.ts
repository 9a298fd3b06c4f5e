import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createAgent, ollama, openai, tool } from '../../src/index.ts';
import type { RunResult } from '../../src/index.ts';
import { bodyOf, modes } from './providers/bodies.ts';
import type { SaidReply } from './providers/bodies.ts';
import { wireIds } from './providers/decode.ts';
import type { WireId } from './providers/decode.ts';
import { providersOn } from './providers-on.ts';
import { startRawServer } from './providers/raw-server.ts';
import { quick } from './run-on-wire.ts';

const paragraph =
  'The weather in Paris is mild in spring, and the gardens are full of people who read, talk, or sleep in the sun. '.repeat(
    20,
  );
const block = `${paragraph}But then it rains, and everybody goes home.\n\n`;

/** Blocks of all lengths, from one character to a paragraph of 2,300. */
const blocks: readonly { readonly name: string; readonly text: string }[] = [
  { name: 'one character', text: 'a' },
  { name: 'two characters', text: 'ha' },
  { name: 'a word', text: 'indeed ' },
  { name: 'a line', text: 'I should look at the weather in Paris again.\n' },
  { name: 'a line with a rule in it', text: `${'-'.repeat(200)}\nAgain.\n` },
  { name: 'a paragraph', text: block },
];

/** How each wire says that a reply reached its limit. */
const LIMIT: Readonly<Record<WireId, string>> = {
  'openai-chat': 'length',
  'openai-responses': 'max_output_tokens',
  anthropic: 'max_tokens',
  ollama: 'length',
};

interface Ran {
  readonly result: RunResult;
  readonly asked: number;
  readonly cities: readonly string[];
}

async function run(
  wire: WireId,
  isStream: boolean,
  answer: (response: ServerResponse, index: number) => void,
): Promise<Ran> {
  await using server = await startRawServer((response, index) => {
    if (index === 0) answer(response, index);
    else response.end(bodyOf(wire, isStream ? 'stream' : 'plain', { text: 'Fine.' }));
  });
  const cities: string[] = [];
  const weather = tool({
    name: 'get_weather',
    description: 'The weather of a city.',
    schema: z.object({ city: z.string() }),
    effect: 'read',
    execute: ({ city }) => {
      cities.push(city);
      return 'Mild.';
    },
  });
  const agent = createAgent({ provider: providersOn[wire](server.origin, isStream), tools: [weather], retry: quick });
  const result = await agent.run('What is the weather in Paris?');
  return { result, asked: server.bodies.length, cities };
}

const everywhere = wireIds.flatMap((wire) => modes.map((mode) => ({ wire, mode })));

describe.each(everywhere)('$wire, $mode', ({ wire, mode }) => {
  const says = (said: SaidReply): Promise<Ran> =>
    run(wire, mode === 'stream', (response) => response.end(bodyOf(wire, mode, said)));

  test.each(blocks)('a text that repeats $name until its limit is no answer', async ({ text }) => {
    const said = `Let me see. ${text.repeat(Math.max(8, Math.ceil(6000 / text.length)))}`;
    const { result, asked } = await says({ text: said, end: LIMIT[wire] });
    expect(result).toMatchObject({ text: 'Fine.', failures: [{ kind: 'repeating-reply' }] });
    expect(asked).toBe(2);
  });

  test.each(blocks)('a model that repeats $name and stops by itself was asked to', async ({ text }) => {
    const said = `Here you are: ${text.repeat(Math.max(8, Math.ceil(6000 / text.length)))}.`;
    const { result, asked } = await says({ text: said });
    expect(result.status === 'completed' && result.text.trim()).toBe(said);
    expect(asked).toBe(1);
  });

  test.each(blocks)('arguments that repeat $name until the limit are not run', async ({ text }) => {
    const city = `Paris ${text.repeat(Math.max(8, Math.ceil(12_000 / text.length)))}`;
    const { result, cities } = await says({
      calls: [{ id: 'a', name: 'get_weather', args: JSON.stringify({ city }) }],
      end: LIMIT[wire],
    });
    expect(result).toMatchObject({ text: 'Fine.', failures: [{ kind: 'repeating-reply' }] });
    expect(cities).toEqual([]);
  });

  test('a call that is repeated under other ids counts once', async () => {
    const calls = Array.from({ length: 300 }, (_, index) => ({
      id: `call_${index}`,
      name: 'get_weather',
      args: '{"city":"Paris"}',
    }));
    const { result, cities } = await says({ calls, end: LIMIT[wire] });
    expect(result).toMatchObject({ text: 'Fine.' });
    expect(cities).toEqual(['Paris']);
  });

  test.each([
    {
      name: 'a table',
      text: Array.from({ length: 400 }, (_, row) => `| ${row} | open | 0.00 | nobody |\n`).join(''),
    },
    { name: 'a list of lines', text: Array.from({ length: 300 }, (_, row) => `${row + 1}. I will do it.\n`).join('') },
    { name: 'a line a hundred times', text: 'I will not talk in class.\n'.repeat(100) },
    { name: 'a rule', text: `Title\n${'-'.repeat(1000)}\nText.` },
    { name: 'a refrain', text: `${paragraph}\n\n`.repeat(3) },
    { name: 'rows that are alike but for one letter', text: `${'0,0,0,0,0,0\n'.repeat(150)}0,0,1,0,0,0\n`.repeat(2) },
    { name: 'zeros in the middle', text: `AAAA${'A'.repeat(2000)}BBBB${'A'.repeat(2000)}CC` },
  ])('$name is let be', async ({ text }) => {
    const { result, asked } = await says({ text });
    expect(result.status === 'completed' && result.text.trim()).toBe(text.trim());
    expect(asked).toBe(1);
    const args = JSON.stringify({ city: text });
    const { cities } = await says({ calls: [{ id: 'a', name: 'get_weather', args }] });
    expect(cities).toEqual([text]);
  });
});

test.each([
  {
    name: 'Chat',
    wire: 'openai-chat' as const,
    make: openai,
    event: (delta: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`,
    base: '/v1',
  },
  {
    name: 'Ollama',
    wire: 'ollama' as const,
    make: ollama,
    event: (message: object) => `${JSON.stringify({ message, done: false })}\n`,
    base: '',
  },
])('a stream without an end is cut where it goes in circles, on $name', async ({ wire, event }) => {
  const call = '{"name": "get_weather", "arguments": {"city": "Paris"}} ';
  let sent = 0;
  const pour =
    (text: string) =>
    (response: ServerResponse): void => {
      const more = (): void => {
        while (!response.destroyed && response.write(event({ content: text }))) sent += text.length;
      };
      response.on('drain', more);
      more();
    };
  const calls = await run(wire, true, pour(call));
  expect(calls.result).toMatchObject({ text: 'Fine.' });
  expect(calls.cities).toEqual(['Paris']);
  expect(calls.asked).toBe(2);
  const text = await run(wire, true, pour('Let me think about it. '));
  expect(text.result).toMatchObject({ text: 'Fine.', failures: [{ kind: 'repeating-reply' }] });
  expect(sent).toBeGreaterThan(0);
});
