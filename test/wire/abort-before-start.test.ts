import { describe, expect, test } from 'vitest';
import type { AgentOptions, RunEventType, Tool } from '../../src/index.ts';
import { createAgent, NeedsUser, scripted } from '../../src/index.ts';
import { answer, anyTool, call, eventsOf, onWire, watch } from './wire-agent.ts';

type Approve = Tool['options']['approve'];

interface Place {
  /** Aborts the run as soon as it is told of this. */
  readonly listensTo?: RunEventType;
  readonly approve?: (abort: () => void) => Approve;
  readonly agent?: (abort: () => void) => Partial<AgentOptions>;
}

/** Where an abort may come when a write is asked for and has not begun. */
const places: Readonly<Record<string, Place>> = {
  'a listener of `reply`': { listensTo: 'reply' },
  'a listener of `tool-start`': { listensTo: 'tool-start' },
  '`approve` that says no': { approve: (abort) => () => (abort(), false) },
  '`approve` that says yes': { approve: (abort) => () => (abort(), true) },
  '`beforeTool`': { agent: (abort) => ({ hooks: [{ beforeTool: abort }] }) },
  '`beforeTool` that waits': { agent: (abort) => ({ hooks: [{ beforeTool: () => Promise.resolve().then(abort) }] }) },
};

describe('an abort before a write has begun', () => {
  test.each(Object.entries(places))('in %s: the write is not run, and told so', async (_name, place) => {
    const stop = new AbortController();
    const abort = (): void => stop.abort(new Error('enough'));
    let ran = 0;
    const tools = [anyTool('pay', () => (ran += 1), { approve: place.approve?.(abort) })];
    await onWire([call('pay'), answer], async (wire) => {
      const agent = wire.agent({ tools, ...place.agent?.(abort) });
      if (place.listensTo !== undefined) agent.on(place.listensTo, abort);
      const { result, results, events } = await watch(agent.stream('Pay.', { signal: stop.signal }));
      expect(result.status).toBe('aborted');
      expect(ran).toBe(0);
      expect(results).toEqual(['pay was not run: the run was cancelled before it started. It changed nothing.']);
      expect(eventsOf(events, 'tool-start')).toHaveLength(place.listensTo === 'tool-start' ? 1 : 0);
      expect(eventsOf(events, 'tool-end')).toMatchObject([{ isError: true, failureKind: 'not-run' }]);
    });
  });

  test('no hook is shown the result of a call that has not begun', async () => {
    const shown: string[] = [];
    const stop = new AbortController();
    const agent = createAgent({
      provider: scripted([{ calls: [{ name: 'pay', input: {} }] }]),
      tools: [anyTool('pay', () => 'paid')],
      hooks: [{ afterTool: ({ call: { toolName } }) => void shown.push(toolName) }],
    });
    agent.on('tool-start', () => stop.abort());
    expect((await agent.stream('Pay.', { signal: stop.signal }).result).status).toBe('aborted');
    expect(shown).toEqual([]);
  });
});

describe('an abort when a write has begun', () => {
  test('before a second try: the outcome of the first is not known', async () => {
    const stop = new AbortController();
    const pay = anyTool('pay', () => {
      throw new Error('dark');
    });
    await onWire([call('pay')], async (wire) => {
      const agent = wire.agent({ tools: [pay], hooks: [{ onFailure: () => 'retry' }] });
      agent.on('tool-start', ({ attempt }) => {
        if (attempt === 2) stop.abort();
      });
      const { result, results } = await watch(agent.stream('Pay.', { signal: stop.signal }));
      expect(result.status).toBe('aborted');
      expect(results).toEqual([expect.stringMatching(/outcome is unknown/)]);
    });
  });

  test('while it waits for the answer to its question: the outcome is not known', async () => {
    const ask = anyTool('pay', () => {
      throw new NeedsUser('Cash or card?');
    });
    await onWire([call('pay')], async (wire) => {
      const agent = wire.agent({ tools: [ask] });
      const waiting = await agent.stream('Pay.').result;
      expect(waiting.status).toBe('suspended');
      const stop = AbortSignal.abort(new Error('enough'));
      const { result, results } = await watch(agent.resumeStream(waiting.runId, { signal: stop }));
      expect(result.status).toBe('aborted');
      expect(results).toEqual([expect.stringMatching(/outcome is unknown/)]);
    });
  });

  test('where our own code fails after it has run: the outcome is not known', async () => {
    const pay = anyTool('pay', () => 'paid');
    const options = Object.defineProperty({ ...pay.options }, 'maxOutputChars', {
      get: () => {
        throw new Error('a bug of ours');
      },
    });
    const agent = createAgent({
      provider: scripted([{ calls: [{ name: 'pay', input: {} }] }]),
      tools: [{ ...pay, options }],
    });
    const { result, results, events } = await watch(agent.stream('Pay.'));
    expect(result).toMatchObject({ status: 'failed', failure: { kind: 'bug' } });
    expect(results).toEqual([expect.stringMatching(/outcome is unknown/)]);
    expect(eventsOf(events, 'tool-end')).toHaveLength(1);
  });
});
