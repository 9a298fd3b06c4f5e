import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/index.ts';
import { createAgent, scripted } from '../../src/index.ts';
import { anyTool, answer, call, eventsOf, onWire, watch } from './wire-agent.ts';

describe('a hook that throws in `onFailure`', () => {
  const boom = (): never => {
    throw new Error('hook broke');
  };

  test('does not replace the failure of a model call that it was asked about', async () => {
    await onWire([{ status: 401 }], async (wire) => {
      const { result, events } = await watch(wire.agent({ hooks: [{ onFailure: boom }] }).stream('Hello.'));
      expect(result).toMatchObject({ status: 'failed', failure: { kind: 'bug' } });
      expect(result.failures.map(({ kind }) => kind)).toEqual(['unauthorized', 'bug']);
      expect(eventsOf(events, 'failure').map(({ failure }) => failure.kind)).toEqual(['unauthorized', 'bug']);
    });
  });

  test('does not replace the failure of a tool', async () => {
    await onWire([call('bad'), answer], async (wire) => {
      const bad = anyTool('bad', () => {
        throw new Error('The lock is rusted.');
      });
      const { result, results } = await watch(
        wire.agent({ tools: [bad], hooks: [{ onFailure: boom }] }).stream('Hello.'),
      );
      expect(result.failures.map(({ kind }) => kind)).toEqual(['tool-failed', 'bug']);
      expect(results).toEqual([expect.stringContaining('The lock is rusted.')]);
    });
  });

  test('and an abort while it is asked keeps the failure as well', async () => {
    const abort = new AbortController();
    const onFailure = (): Promise<never> => {
      abort.abort(new Error('enough'));
      return new Promise(() => {});
    };
    await onWire([{ status: 503 }], async (wire) => {
      const { result } = await watch(wire.agent({ hooks: [{ onFailure }] }).stream('Hello.', { signal: abort.signal }));
      expect(result.status).toBe('aborted');
      expect(result.failures.map(({ kind }) => kind)).toEqual(['overloaded']);
    });
  });

  test('what the failed attempt cost is counted', async () => {
    const provider = scripted([{ text: '', usage: { inputTokens: 30, outputTokens: 0 } }]);
    const { usage } = await createAgent({ provider, hooks: [{ onFailure: boom }] }).stream('Hello.').result;
    expect(usage.inputTokens).toBe(30);
  });
});

describe('listeners', () => {
  test('hear nothing after `run-end`, whatever throws late', async () => {
    const agent = createAgent({ provider: scripted(['Hello.']) });
    const told: string[] = [];
    let goOn = (): void => {};
    const afterAll = new Promise<void>((resolve) => (goOn = resolve));
    agent.on('*', ({ type }) => void told.push(type));
    agent.on('reply', async () => {
      await afterAll;
      throw new Error('late');
    });
    agent.on('run-end', () => {
      throw new Error('at the end');
    });
    agent.on('run-end', () => Promise.reject(new Error('after the end')));
    await agent.run('Hello.');
    goOn();
    await new Promise((resolve) => setImmediate(resolve));
    expect(told.at(-1)).toBe('run-end');
    expect(told.filter((type) => type === 'run-end')).toHaveLength(1);
  });

  test('are still told in time what a listener threw', async () => {
    const agent = createAgent({ provider: scripted(['Hello.']) });
    const warnings: string[] = [];
    agent.on('warning', ({ message }) => void warnings.push(message));
    agent.on('turn-start', () => {
      throw new Error('boom');
    });
    await agent.run('Hello.');
    expect(warnings).toEqual([expect.stringMatching(/listener of `turn-start` threw Error: boom/)]);
  });

  test('have a copy of their own each, the result at the end included', async () => {
    const seen: RunEvent[][] = [[], []];
    const provider = scripted([
      { calls: [{ name: 'go', input: { to: { cents: 5 } } }], usage: { inputTokens: 1, outputTokens: 1 } },
      'Done.',
    ]);
    const agent = createAgent({ provider, tools: [anyTool('go', () => 'gone')] });
    for (const list of seen) agent.on('*', (event) => void list.push(event));
    const result = await agent.run('Go.');
    const before = structuredClone(seen[1]);
    const messages = structuredClone(result.messages);
    for (const event of seen[0] ?? []) spoil(event);
    expect(seen[1]).toEqual(before);
    expect(result.messages).toEqual(messages);
  });
});

/** Empties every object and every list that it finds. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    spoil(member);
    Reflect.deleteProperty(value, key);
  }
}
