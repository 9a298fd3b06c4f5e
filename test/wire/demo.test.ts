import { describe, expect, test } from 'vitest';
import { anthropic, createAgent, ollama, openai, openaiResponses } from '../../src/index.ts';
import { demoStories } from '../../src/testing/demo/story.ts';
import { type LoopbackWire, loopbackWires, startLoopbackServer } from '../../src/testing/loopback-server.ts';
import { templeScript } from '../../src/testing/demo/temple-script.ts';

const makers = { openai, 'openai-responses': openaiResponses, anthropic, ollama };

const answers = {
  temple: 'The temple door is open. The lock was rusted shut, so I oiled it first; then the key turned.',
  cities:
    'London: [cached] 13 °C, rain (this may be out of date)\nTokyo: 22 °C, clear\n' +
    'Atlantis: I do not know a city of that name.\n50 GBP in JPY: 50 GBP = 10000 JPY',
  returns:
    'The kettle from order 4471 can go back: your return is RET-4471. I can’t see the amount at the moment. ' +
    'The lamp from order 3980 can no longer be returned: the 30 days are over.',
};
const names = ['temple', 'cities', 'returns'] as const;

async function play(
  name: (typeof names)[number],
  wire: LoopbackWire,
  options: { readonly isStream?: boolean; readonly slips?: 'ladder' | 'result' | 'rewind' } = {},
): Promise<{ text: string; violations: readonly string[]; scriptErrors: readonly string[]; requests: number }> {
  const story = demoStories[name]();
  const script = name === 'temple' ? templeScript({ retryAfterSeconds: 0 }) : story.script;
  await using server = await startLoopbackServer({ script });
  const baseURL = wire === 'ollama' ? server.origin : `${server.origin}/v1`;
  const provider = makers[wire]({ model: 'demo', baseURL, apiKey: 'any', stream: options.isStream ?? true });
  const retry = { baseDelayMs: 1 };
  const agent = createAgent({ provider, tools: story.tools, system: story.system, retry, slips: options.slips });
  const { text } = await agent.run(story.question);
  return { text, violations: server.violations, scriptErrors: server.scriptErrors, requests: server.requests.length };
}

describe.each(names)('the story of the %s', (name) => {
  test.each(loopbackWires.flatMap((wire) => [true, false].map((isStream) => ({ wire, isStream }))))(
    'comes to its end on $wire (streamed: $isStream)',
    async ({ wire, isStream }) => {
      expect(await play(name, wire, { isStream })).toMatchObject({
        text: answers[name],
        violations: [],
        scriptErrors: [],
      });
    },
  );

  test.each(['result', 'rewind'] as const)('comes to its end where slips are answered by %s', async (slips) => {
    expect(await play(name, 'openai', { slips })).toMatchObject({ text: answers[name], violations: [] });
  });
});

test('the temple can be played again on the same server, faults included', async () => {
  await using server = await startLoopbackServer({ script: templeScript({ retryAfterSeconds: 0 }) });
  const provider = openai({ model: 'demo', baseURL: `${server.origin}/v1` });
  for (const visit of [1, 2]) {
    const { question, tools } = demoStories.temple();
    const { text, failures } = await createAgent({ provider, tools, retry: { baseDelayMs: 1 } }).run(question);
    expect(text).toBe(answers.temple);
    expect(failures.map(({ kind }) => kind)).toEqual([
      'overloaded',
      'unknown-tool',
      'rate-limited',
      'network',
      'unreadable-arguments',
      'tool-failed',
    ]);
    expect(server.requests).toHaveLength(visit * 10);
  }
});

test('a healthy server leaves only the mistakes of the model', async () => {
  await using server = await startLoopbackServer({ script: templeScript({ faults: false }) });
  const { question, tools } = demoStories.temple();
  const provider = openai({ model: 'demo', baseURL: `${server.origin}/v1` });
  const { failures } = await createAgent({ provider, tools }).run(question);
  expect(failures.map(({ kind }) => kind)).toEqual(['unknown-tool', 'unreadable-arguments', 'tool-failed']);
});
