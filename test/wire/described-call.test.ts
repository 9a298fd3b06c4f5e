import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Agent, SuspendedRun } from '../../src/index.ts';
import { createAgent, scripted, tool, userMessage } from '../../src/index.ts';
import type { LoopbackStep } from '../../src/testing/loopback-server.ts';
import { askWeather, runOnWire, weather } from './run-on-wire.ts';
import type { WireRun, WireRunOptions } from './run-on-wire.ts';

const described = 'You can use the `get_weather` function. It is 40 degrees.';
const answer = { text: 'It is mild.' };
const thrice = (text: string): { text: string }[] => [{ text }, { text }, { text }];

function run(script: WireRunOptions['script'], more: Partial<WireRunOptions> = {}): Promise<WireRun> {
  return runOnWire({ script, ...more, agent: { slips: 'rewind', ...more.agent } });
}

async function suspendedRun(agent: Agent): Promise<SuspendedRun> {
  const result = await agent.stream('Pay it.').result;
  if (result.status !== 'suspended') throw new Error(`The run was ${result.status}.`);
  return result;
}

describe("a reply that only describes a call, with `slips: 'rewind'`", () => {
  test('is shown, declared void, kept in the transcript and taken out of what is sent', async () => {
    const { result, events, requests, violations } = await run([{ text: described }, askWeather, answer]);
    expect(result).toMatchObject({ status: 'completed', text: 'It is mild.', turns: 3 });
    expect(result.messages[1]).toMatchObject({ role: 'assistant', rewound: true, content: [{ text: described }] });
    expect(result.failures).toMatchObject([{ kind: 'described-call', toolName: 'get_weather' }]);
    const told = events.filter((event) => event.turn === 1 && !/-start|delta/.test(event.type));
    expect(told.map((event) => event.type)).toEqual([
      'attempt-end',
      'reply',
      'failure',
      'text-void',
      'rewind',
      'turn-end',
    ]);
    expect(told[2]).toMatchObject({ owner: 'model', action: 'tell-model' });
    expect(JSON.stringify(requests[1]?.view.messages)).not.toContain('40 degrees');
    expect(violations).toEqual([]);
  });

  test('the note goes when the tool was called', async () => {
    const { requests } = await run([{ text: described }, askWeather, answer]);
    const asked = requests.map(({ view }) => JSON.stringify(view.messages).includes('Call get_weather now'));
    expect(asked).toEqual([false, true, false]);
  });

  test('is told twice at most: then it is the answer', async () => {
    const { result, requests } = await run(thrice(described));
    expect(result).toMatchObject({ status: 'completed', text: described, turns: 3 });
    expect(requests).toHaveLength(3);
    expect(result.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'assistant', 'assistant']);
  });

  test('counts as an error turn', async () => {
    const { result } = await run([{ text: described }], { agent: { limits: { errorsInARow: 1 } } });
    expect(result).toMatchObject({ status: 'stopped', stopReason: 'errors-in-a-row' });
  });

  test('may be re-owned by a hook or by the table', async () => {
    const hooks = [{ onFailure: () => 'stop' as const }];
    expect((await run([{ text: described }], { agent: { hooks } })).result).toMatchObject({
      status: 'failed',
      failure: { kind: 'described-call' },
    });
    const failures = { 'described-call': { remedy: 'stop' } } as const;
    expect((await run([{ text: described }], { agent: { failures } })).result.status).toBe('failed');
  });

  test.each<{ name: string; script: readonly LoopbackStep[]; agent?: NonNullable<WireRunOptions['agent']> }>([
    { name: 'a tool has been run', script: [askWeather, { text: described }] },
    { name: 'the policy is another', script: [{ text: described }], agent: { slips: 'ladder' } },
    { name: 'no tool can be called', script: [{ text: described }], agent: { toolChoice: 'none' } },
    { name: 'no tool is named', script: [{ text: 'I do not know the weather.' }] },
    { name: 'the name is part of another', script: [{ text: 'forget_weather2 is a song.' }] },
  ])('is an answer where $name', async ({ script, agent }) => {
    const { result, requests } = await run(script, { agent });
    expect(result.status).toBe('completed');
    expect(requests).toHaveLength(script.length);
  });
});

test('a JSON answer may name a tool: it is checked against its schema', async () => {
  const agent = createAgent({ provider: scripted(['{"about":"get_weather"}']), tools: [weather], slips: 'rewind' });
  const result = await agent.stream('What can you do?', { output: z.object({ about: z.string() }) }).result;
  expect(result).toMatchObject({ status: 'completed', turns: 1, output: { about: 'get_weather' } });
});

describe('an answer that talks about', () => {
  const pay = tool({
    name: 'pay_invoice',
    description: 'Pays.',
    schema: z.object({ cents: z.number() }),
    approve: true,
    execute: () => 'paid',
  });

  test('a call that was denied is an answer', async () => {
    const provider = scripted([
      { calls: [{ name: 'pay_invoice', input: { cents: 5 } }] },
      'I did not call pay_invoice: you said no.',
    ]);
    const agent = createAgent({ provider, tools: [pay], slips: 'rewind' });
    const { runId, pending } = await suspendedRun(agent);
    const decisions = Object.fromEntries(pending.map(({ toolCallId }) => [toolCallId, 'deny' as const]));
    expect(await agent.resumeStream(runId, { decisions }).result).toMatchObject({ status: 'completed', turns: 2 });
  });

  test('a call of an earlier question is an answer', async () => {
    const { result } = await run([askWeather, answer]);
    const provider = scripted(['I asked get_weather.']);
    const agent = createAgent({ provider, tools: [weather], slips: 'rewind' });
    const asked = [...result.messages, userMessage('How do you know?')];
    expect(await agent.stream(asked).result).toMatchObject({ status: 'completed', turns: 1 });
  });
});

describe('a tool whose name is a word of every other answer', () => {
  const look = tool({
    name: 'look',
    description: 'Looks at a thing.',
    schema: z.object({ at: z.string() }),
    execute: () => 'a door',
  });

  test.each([
    { text: 'I look at the door.', requests: 1 },
    { text: 'They look (all of them) at it.', requests: 1 },
    { text: 'I would use `look` on the door.', requests: 3 },
    { text: 'I would use "look" on the door.', requests: 3 },
    { text: 'look(door) shows that it is open.', requests: 3 },
  ])('is named by quotes or by a parenthesis: $text', async ({ text, requests }) => {
    expect((await run(thrice(text), { tools: [look] })).requests).toHaveLength(requests);
  });
});

describe('a call of a read tool in JSON, below its explanation', () => {
  const call = '{"name": "get_weather", "arguments": {"city": "Paris"}}';
  const other = { text: `And in Oslo:\n${call.replace('Paris', 'Oslo')}` };
  const explained = { text: `It is 40 degrees. This asks for it:\n\n${call}` };

  test.each<{ name: string; script: readonly LoopbackStep[]; slips: 'ladder' | 'rewind'; ran: number }>([
    { name: 'is run', script: [explained, answer], slips: 'ladder', ran: 1 },
    { name: 'is an example once a tool has been run', script: [explained, explained], slips: 'ladder', ran: 1 },
    { name: 'is run at any time for a small model', script: [explained, other, answer], slips: 'rewind', ran: 2 },
    { name: 'is quoted where it has its result already', script: [explained, explained], slips: 'rewind', ran: 1 },
  ])('$name', async ({ script, slips, ran }) => {
    const { result, requests, events } = await runOnWire({ script, agent: { slips } });
    expect(result.status).toBe('completed');
    expect(events.filter(({ type }) => type === 'tool-start')).toHaveLength(ran);
    expect(requests).toHaveLength(script.length);
  });
});
