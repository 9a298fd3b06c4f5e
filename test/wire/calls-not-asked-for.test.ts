import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AgentOptions, ScriptStep, Tool } from '../../src/index.ts';
import { createAgent, scripted, tool } from '../../src/index.ts';

/** A tool with effects, and what it was run with. */
function payments(): { readonly pay: Tool; readonly paid: number[] } {
  const paid: number[] = [];
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    schema: z.object({ cents: z.number() }),
    execute: ({ cents }) => {
      paid.push(cents);
      return 'Paid.';
    },
  });
  return { pay, paid };
}

const call = '{"name": "pay", "arguments": {"cents": 500}}';
const native: ScriptStep = { calls: [{ name: 'pay', input: { cents: 500 } }] };

describe('where no call is to be made', () => {
  const ways: readonly { readonly by: string; readonly options: Partial<AgentOptions> }[] = [
    { by: 'the agent', options: { toolChoice: 'none' } },
    { by: 'a hook', options: { hooks: [{ beforeModel: () => ({ toolChoice: 'none' }) }] } },
  ];

  test.each(ways)('by the word of $by, a call is not run, and the model is told', async ({ options }) => {
    const { pay, paid } = payments();
    const provider = scripted([native, 'It is not paid.']);
    const result = await createAgent({ provider, tools: [pay], ...options }).stream('What would it cost?').result;
    expect(result).toMatchObject({ status: 'completed', text: 'It is not paid.' });
    expect(paid).toEqual([]);
    expect(JSON.stringify(provider.requests[1]?.messages)).toContain('was not run');
  });

  test.each(ways)('by the word of $by, a call written as text is the answer', async ({ options }) => {
    const { pay, paid } = payments();
    const agent = createAgent({ provider: scripted([call]), tools: [pay], ...options });
    expect(await agent.stream('How would the call look?').result).toMatchObject({ status: 'completed', text: call });
    expect(paid).toEqual([]);
  });
});

describe('where a structured answer is asked for', () => {
  const plan = z.object({ name: z.string(), arguments: z.object({ cents: z.number() }) });

  test('an answer that fits is one, although it could be a call', async () => {
    const { pay, paid } = payments();
    const agent = createAgent({ provider: scripted([call]), tools: [pay] });
    const result = await agent.stream('Plan it.', { output: plan }).result;
    expect(result).toMatchObject({ status: 'completed', turns: 1, output: { name: 'pay', arguments: { cents: 500 } } });
    expect(paid).toEqual([]);
  });

  test('what does not fit and is a call is run, once, and stands in the transcript once', async () => {
    const { pay, paid } = payments();
    const agent = createAgent({ provider: scripted([call, '{"done": true}']), tools: [pay] });
    const mended: string[] = [];
    agent.on('call-mended', ({ toolName }) => mended.push(toolName));
    const result = await agent.stream('Pay it.', { output: z.object({ done: z.boolean() }) }).result;
    expect(result).toMatchObject({ status: 'completed', turns: 2, output: { done: true } });
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect([paid, mended]).toEqual([[500], ['pay']]);
  });

  test('slips in calls written as text are rewound as ever', async () => {
    const { pay } = payments();
    const slip = '{"name": "pay", "arguments": {"amount": "all"}}';
    const agent = createAgent({ provider: scripted([slip, slip, '{"done": false}']), tools: [pay] });
    const rewound: number[] = [];
    agent.on('rewind', ({ exchanges }) => rewound.push(exchanges));
    await agent.run('Pay it.', { output: z.object({ done: z.boolean() }) });
    expect(rewound).toEqual([2]);
  });

  test('the half of a call that the limit cut is no answer and is not run', async () => {
    const { pay, paid } = payments();
    const provider = scripted([{ text: call.slice(0, -4), finishReason: 'length' }, '{"done": false}']);
    const agent = createAgent({ provider, tools: [pay] });
    const result = await agent.stream('Pay it.', { output: z.object({ done: z.boolean() }) }).result;
    expect(result).toMatchObject({ status: 'completed', output: { done: false } });
    expect(paid).toEqual([]);
  });
});

test('the key of a provider that a hook chose is a secret from then on', async () => {
  const key = 'swapped-key-123456';
  const other = { ...scripted([{ calls: [{ name: 'show', input: {} }] }, 'Done.'], { id: 'other' }), secrets: [key] };
  const show = tool({ name: 'show', description: 'Shows.', schema: z.object({}), execute: () => `The key is ${key}.` });
  const hooks = [{ beforeModel: () => ({ provider: other }) }];
  await createAgent({ provider: scripted([]), tools: [show], hooks }).run('Show it.');
  expect(JSON.stringify(other.requests[1]?.messages)).not.toContain(key);
});

test('what comes between two slips is not taken out with the second', async () => {
  const { pay } = payments();
  const slip: ScriptStep = { calls: [{ name: 'nothing', input: {} }] };
  const pause: ScriptStep = { text: 'The first half.', finishReason: 'pause' };
  const agent = createAgent({ provider: scripted([slip, pause, slip, 'The rest.']), tools: [pay] });
  const { messages } = await agent.run('Go.');
  expect(messages.flatMap((message) => (message.role === 'assistant' ? [message.rewound === true] : []))).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
