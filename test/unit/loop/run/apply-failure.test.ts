import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AgentOptions, RunEvent, RunResult } from '../../../../src/index.ts';
import { createAgent, fallback, scripted, tool } from '../../../../src/index.ts';

const look = tool({ name: 'get_it', description: 'Gets it.', schema: z.object({}), execute: () => 'ok' });

async function watched(options: AgentOptions): Promise<{ result: RunResult; events: RunEvent[] }> {
  const agent = createAgent(options);
  const events: RunEvent[] = [];
  agent.on('*', (event) => events.push(event));
  return { result: await agent.stream('Get it.').result, events };
}

describe('a fallback', () => {
  test.each([
    ['can not shorten it', (): undefined => undefined],
    ['is not there', undefined],
  ])('after an overflow is told where a compactor %s', async (_what, compact) => {
    const long = scripted([{ failure: { kind: 'context-overflow', message: 'Too long.' } }], { id: 'A' });
    const provider = fallback([long, scripted(['Done.'], { id: 'B' })]);
    const { result, events } = await watched({ provider, compact });
    expect(result).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(events.filter(({ type }) => type === 'fall-back')).toEqual([
      expect.objectContaining({
        turn: 1,
        from: 'A',
        to: 'B',
        failure: expect.objectContaining({ kind: 'context-overflow' }),
      }),
    ]);
  });
});

describe('a described call that ends the run', () => {
  const text = 'Use get_it for it.';
  const base: AgentOptions = { provider: scripted([text]), tools: [look], slips: 'rewind' };
  test.each<[string, Partial<AgentOptions>]>([
    ['by the table', { failures: { 'described-call': { remedy: 'stop' } } }],
    ['by a hook', { hooks: [{ onFailure: () => 'stop' }] }],
  ])('%s stays in the result as the last text', async (_what, options) => {
    const { result, events } = await watched({ ...base, provider: scripted([text]), ...options });
    expect(result).toMatchObject({
      status: 'failed',
      failure: { kind: 'described-call' },
      partialText: text,
      turns: 1,
    });
    expect(result.messages).toMatchObject([{ role: 'user' }, { role: 'assistant', content: [{ text }] }]);
    expect(events.map(({ type }) => type).slice(-3)).toEqual(['text-void', 'turn-end', 'run-end']);
  });

  test('in the last turn after a limit stays in the result, too', async () => {
    // A hook that lets tools be called in the last turn.
    const provider = scripted([{ calls: [{ name: 'nothing', input: {} }] }, text]);
    const hooks = [{ beforeModel: () => ({ toolChoice: 'auto' as const }) }];
    const { result } = await watched({ ...base, provider, hooks, maxTurns: 1, onLimit: 'finish' });
    expect(result).toMatchObject({ status: 'stopped', stopReason: 'max-turns', partialText: text });
  });
});
