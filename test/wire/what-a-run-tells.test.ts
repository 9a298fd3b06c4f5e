import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { RunEvent } from '../../src/index.ts';
import { createAgent, fallback, isOilcanError, scripted, tool } from '../../src/index.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  schema: z.object({ cents: z.number() }),
  approve: true,
  execute: () => 'Paid.',
});
const busy = { failure: { kind: 'overloaded', message: '503: busy.' } } as const;

describe('a run that waits for a person', () => {
  const waiting = { text: 'It is due, so I would like to pay now.', calls: [{ name: 'pay', input: { cents: 5 } }] };

  test('tells what the model said beside the call', async () => {
    const agent = createAgent({ provider: scripted([waiting]), tools: [pay] });
    expect(await agent.stream('Go.').result).toMatchObject({ status: 'suspended', partialText: waiting.text });
  });

  test('goes on from its own messages, whatever is done to those of the result', async () => {
    const provider = scripted([{ calls: [{ name: 'look', input: {} }] }, waiting, 'Done.']);
    const look = tool({ name: 'look', description: 'Looks.', schema: z.object({}), execute: () => 'a door' });
    const agent = createAgent({ provider, tools: [pay, look] });
    const result = await agent.stream('Go.').result;
    if (result.status !== 'suspended') throw new Error(`The run was ${result.status}.`);
    for (const message of result.messages)
      Object.assign(message.content[0] ?? {}, { toolName: 'edited', text: 'edited' });
    await agent.resume(result.runId, { decisions: { [result.pending[0]?.toolCallId ?? '']: 'approve' } });
    expect(JSON.stringify(provider.requests.at(-1)?.messages)).not.toContain('edited');
  });
});

describe('an error', () => {
  test('carries the id of its run where a logger sees it, and not the run', async () => {
    const agent = createAgent({ provider: scripted([{ failure: { kind: 'unauthorized', message: 'No' } }]) });
    const error: unknown = await agent.run('Go.', { id: 'night-1' }).catch((reason: unknown) => reason);
    expect(isOilcanError(error) && error).toMatchObject({ code: 'run-failed', runId: 'night-1' });
    expect(Object.keys(error ?? {})).toEqual(['name', 'code', 'failure', 'runId']);
  });

  test('ends its message before the hint begins', async () => {
    const failure = { kind: 'unauthorized', message: 'bad key', hint: 'Check `apiKey`.' } as const;
    const agent = createAgent({ provider: scripted([{ failure }]) });
    await expect(agent.run('Go.')).rejects.toThrow('bad key. Check `apiKey`.');
  });
});

test('the end of a run belongs to the turn that was begun last', async () => {
  const look = tool({ name: 'look', description: 'Looks.', schema: z.object({}), execute: () => 'a door' });
  const provider = scripted([
    { calls: [{ name: 'look', input: {} }] },
    { failure: { kind: 'not-found', message: 'No.' } },
  ]);
  const agent = createAgent({ provider, tools: [look] });
  const ends: number[] = [];
  agent.on('run-end', ({ turn }) => ends.push(turn));
  await agent.stream('Go.').result;
  expect(ends).toEqual([2]);
});

test('a fallback tells both models, and an open breaker what had failed', async () => {
  const clock = createVirtualClock();
  const first = scripted(
    Array.from({ length: 8 }, () => busy),
    { id: 'chat', model: 'large' },
  );
  const second = scripted(['Hello.', 'Hello again.'], { id: 'chat', model: 'small' });
  const breaker = { failures: 1, cooldownMs: 60_000 };
  const agent = createAgent({ provider: fallback([first, second], { breaker }), retry: { maxAttempts: 1 }, clock });
  const events: RunEvent[] = [];
  agent.on('fall-back', (event) => events.push(event));
  await agent.run('Hi.');
  await agent.run('Hi.');
  expect(events).toMatchObject([
    { fromModel: 'large', toModel: 'small', failure: { message: '503: busy.' } },
    { failure: { message: expect.stringContaining('The last time: 503: busy.') } },
  ]);
});

test('a small sum is told as it is', async () => {
  const provider = scripted([{ text: 'a', usage: { inputTokens: 81, outputTokens: 0 }, finishReason: 'pause' }]);
  const agent = createAgent({
    provider,
    prices: () => ({ input: 1, output: 1 }),
    limits: { costUsd: 0.0001 },
  });
  const result = await agent.stream('Go.').result;
  expect(result).toMatchObject({ stopReason: 'max-cost', message: expect.stringContaining('0.000081 USD are spent') });
});

test('a response sends what it is told to send', async () => {
  const handle = createAgent({ provider: scripted(['Hello.']) }).stream('Hi.');
  const response = handle.toResponse({
    send: (event) => (event.type === 'text-delta' ? { text: event.text } : undefined),
  });
  expect(await response.text()).toBe('event: text-delta\ndata: {"text":"Hello."}\n\n');
});
