import type { ModelReply, Provider, ProviderEvent, RunEvent, RunHandle, RunResult } from '../../src/index.ts';
import { createAgent, createLimiter, scripted, tool } from '../../src/index.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { eventsOf } from './wire-agent.ts';

async function textOf(handle: RunHandle): Promise<string> {
  let text = '';
  for await (const piece of handle.textStream) text += piece;
  return text;
}

async function typesOf(handle: RunHandle): Promise<string[]> {
  const types: string[] = [];
  for await (const event of handle) types.push(event.type);
  return types;
}

async function bodyTypesOf(handle: RunHandle): Promise<string[]> {
  const body = await handle.toResponse().text();
  return [...body.matchAll(/^event: (.+)$/gm)].map((match) => match[1] ?? '');
}

/** The events of a response, as a client reads them. */
async function clientEvents(
  handle: RunHandle,
): Promise<readonly { readonly type: string; readonly [key: string]: unknown }[]> {
  const body = await handle.toResponse().text();
  return body.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []));
}

const all = ['run-start', 'turn-start', 'attempt-start', 'text-delta', 'attempt-end', 'reply', 'turn-end', 'run-end'];

describe('readers of one handle', () => {
  test('see everything side by side', async () => {
    const handle = createAgent({ provider: scripted(['Hello there.']) }).stream('Hi');
    expect(await Promise.all([textOf(handle), typesOf(handle), typesOf(handle), bodyTypesOf(handle)])).toEqual([
      'Hello there.',
      all,
      all,
      all,
    ]);
  });

  test('see everything one after the other, and after the end', async () => {
    const handle = createAgent({ provider: scripted(['Hello there.']) }).stream('Hi');
    for await (const event of handle) if (event.type === 'turn-start') break;
    await handle.result;
    expect(await textOf(handle)).toBe('Hello there.');
    expect(await typesOf(handle)).toEqual(all);
    expect(await bodyTypesOf(handle)).toEqual(all);
  });
});

/** A model that thinks and writes by turns, so that nothing can be joined, and leaves when it is told to. */
function talkative(
  pieces: number,
  end?: Promise<void>,
): Provider & { readonly asked: { requests: number; isFreed: boolean } } {
  const asked = { requests: 0, isFreed: false };
  const reply: ModelReply = {
    content: [{ type: 'text', text: 'Well.' }],
    finishReason: 'stop',
    rawFinishReason: 'stop',
    usage: {},
  };
  return {
    id: 'talkative',
    model: 'demo',
    capabilities: { toolChoice: ['auto'], parallelToolCalls: true, imageResults: true },
    asked,
    async *stream(): AsyncGenerator<ProviderEvent> {
      asked.requests += 1;
      try {
        for (let index = 0; index < pieces; index += 1)
          yield { type: index % 2 === 0 ? 'text-delta' : 'reasoning-delta', text: 'hm ' };
        await end;
        yield { type: 'reply', reply };
      } finally {
        asked.isFreed = true;
      }
    },
  };
}

/** Lets everything happen that needs no time. */
const soon = async (): Promise<void> => {
  for (let round = 0; round < 5; round += 1) await new Promise<void>((resolve) => setImmediate(resolve));
};

describe('a reader that falls behind', () => {
  test('is waited for: the model’s server is not blamed for our own silence', async () => {
    const clock = createVirtualClock();
    const provider = talkative(3000);
    const deadlines = { firstByteMs: 20_000, totalMs: 30_000, idleMs: 60_000 };
    const handle = createAgent({ provider, clock, deadlines }).stream('Hi');
    const events = handle[Symbol.asyncIterator]();
    await events.next();
    await soon();
    await clock.advance(50_000);
    expect(provider.asked.isFreed).toBe(false);
    const types: string[] = [];
    for await (const event of { [Symbol.asyncIterator]: () => events }) types.push(event.type);
    expect(await handle.result).toMatchObject({ status: 'completed', failures: [] });
    expect(types.at(-1)).toBe('run-end');
    expect(types.filter((type) => type.endsWith('-delta'))).toHaveLength(3000);
    expect(provider.asked.requests).toBe(1);
    expect(clock.pending).toBe(0);
  });

  test('is no excuse for a server that stops sending afterwards', async () => {
    const clock = createVirtualClock();
    const provider = talkative(1100, new Promise(() => {}));
    const agent = createAgent({ provider, clock, retry: { maxAttempts: 1 } });
    const handle = agent.stream('Hi');
    const events = handle[Symbol.asyncIterator]();
    await events.next();
    await soon();
    await clock.advance(50_000);
    const rest = (async () => {
      for await (const _event of { [Symbol.asyncIterator]: () => events });
    })();
    await soon();
    await clock.advance(59_000);
    expect(clock.pending).toBe(2);
    await clock.advance(1000);
    expect(await handle.result).toMatchObject({ status: 'failed', failure: { kind: 'timeout', deadline: 'idle' } });
    await rest;
  });

  test('and reads nothing more is left behind with one warning, and holds no other run', async () => {
    const clock = createVirtualClock();
    const limiter = createLimiter({ concurrency: 1 });
    const warnings: string[] = [];
    const agent = createAgent({ provider: talkative(6000), clock, limiter });
    agent.on('warning', ({ message }) => warnings.push(message));
    const handle = agent.stream('Hi');
    const events = handle[Symbol.asyncIterator]();
    await events.next();
    const unread = handle.toResponse();
    const other = createAgent({ provider: scripted(['Hello.']), clock, limiter }).run('Hi');
    await soon();
    await clock.advance(60_000);
    expect(await handle.result).toMatchObject({ status: 'completed', failures: [] });
    expect((await other).text).toBe('Hello.');
    expect(warnings).toEqual([expect.stringMatching(/has read nothing for 60000 ms \(`deadlines.idleMs`\)/)]);
    const types: string[] = [];
    for await (const event of { [Symbol.asyncIterator]: () => events }) types.push(event.type);
    expect(types.at(-1)).toBe('run-end');
    expect(types.length).toBeLessThan(2100);
    expect(await unread.text()).toMatch(/^event: run-start\n[^]*\nevent: run-end\n/);
    expect(clock.pending).toBe(0);
  });

  test('does not hold an abort back', async () => {
    const clock = createVirtualClock();
    const provider = talkative(3000);
    const handle = createAgent({ provider, clock }).stream('Hi');
    await handle[Symbol.asyncIterator]().next();
    await soon();
    expect(provider.asked.isFreed).toBe(false);
    handle.abort('enough');
    expect(await handle.result).toMatchObject({ status: 'aborted', reason: 'enough' });
    await soon();
    expect(provider.asked.isFreed).toBe(true);
    expect(clock.pending).toBe(0);
  });
});

test('a listener that aborts at the first piece leaves no timer behind', async () => {
  const clock = createVirtualClock();
  const agent = createAgent({ provider: talkative(3), clock });
  const abort = new AbortController();
  agent.on('text-delta', () => abort.abort('enough'));
  expect((await agent.stream('Hi', { signal: abort.signal }).result).status).toBe('aborted');
  expect(clock.pending).toBe(0);
});

describe('a response', () => {
  test.each<[string, () => unknown]>([
    [
      'a cycle',
      () => {
        const cycle: Record<string, unknown> = { code: 7 };
        cycle['self'] = cycle;
        return cycle;
      },
    ],
    [
      'something that refuses to be JSON',
      () => ({
        code: 7,
        toJSON: () => {
          throw new Error('never');
        },
      }),
    ],
  ])('ends as it should although the abort’s reason is %s', async (_name, makeReason) => {
    const handle = createAgent({ provider: scripted(['Hello.']) }).stream('Hi');
    handle.abort(makeReason());
    const last = (await clientEvents(handle)).at(-1);
    expect(last).toMatchObject({
      type: 'run-end',
      result: { status: 'aborted', reason: expect.stringContaining('7') },
    });
  });

  test.each<[string, (event: RunEvent) => unknown]>([
    [
      'throws',
      () => {
        throw new Error('mine');
      },
    ],
    ['rejects', () => Promise.reject(new Error('mine'))],
    [
      'gives a cycle',
      (event) => {
        const cycle: Record<string, unknown> = { event };
        cycle['self'] = cycle;
        return cycle;
      },
    ],
  ])('whose `send` %s breaks, and the run goes on without it', async (_name, send) => {
    const clock = createVirtualClock();
    const handle = createAgent({ provider: talkative(3000), clock }).stream('Hi');
    await expect(handle.toResponse({ send }).text()).rejects.toThrow(/mine|circular/);
    expect((await handle.result).status).toBe('completed');
    expect(clock.pending).toBe(0);
  });

  test('waits for what `send` promises', async () => {
    const handle = createAgent({ provider: scripted(['Hello.']) }).stream('Hi');
    const body = await handle
      .toResponse({ send: async ({ type }) => (type === 'text-delta' ? type : undefined) })
      .text();
    expect(body).toBe('event: text-delta\ndata: "text-delta"\n\n');
  });

  test('takes a `send` that only filters, whatever was thrown', async () => {
    const get = tool({
      name: 'get',
      description: 'Get.',
      schema: z.object({}),
      execute: () => {
        const error: Error & { request?: unknown } = new Error('Refused.');
        error.request = { error, authorization: 'Bearer my-own-token' };
        throw error;
      },
    });
    const handle = createAgent({ provider: scripted([{ calls: [{ name: 'get', input: {} }] }, 'No.']), tools: [get] });
    const send = (event: RunEvent): unknown => (event.type === 'turn-start' ? undefined : event);
    const body = await handle.stream('Hi').toResponse({ send }).text();
    expect(body).toMatch(/event: failure\n[^]*\nevent: run-end\n/);
    expect(body).not.toMatch(/turn-start|my-own-token/);
  });

  test('leaves what was thrown out, but not an argument that is named `cause`', async () => {
    const report = tool({
      name: 'report',
      description: 'Report an accident.',
      schema: z.object({ cause: z.string() }),
      execute: () => {
        throw new Error('The printer is out of paper.', { cause: new Error('inner') });
      },
    });
    const provider = scripted([{ calls: [{ name: 'report', input: { cause: 'ice' } }] }, 'It failed.']);
    const events = await clientEvents(createAgent({ provider, tools: [report] }).stream('Hi'));
    expect(events.find(({ type }) => type === 'tool-start')).toMatchObject({ input: { cause: 'ice' } });
    expect(events.find(({ type }) => type === 'failure')).not.toHaveProperty('failure.cause');
    expect(events.at(-1)).toHaveProperty('result.messages.1.content.0.input', { cause: 'ice' });
    expect(events.at(-1)).not.toHaveProperty('result.failures.0.cause');
  });
});

describe('what a listener or a reader edits in an event', () => {
  const pay = tool({
    name: 'pay',
    description: 'Pay.',
    schema: z.object({ to: z.object({ cents: z.number() }) }),
    approve: true,
    execute: ({ to }) => `Paid ${to.cents}.`,
  });

  /** Changes every figure that it finds. */
  function edit(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (typeof member === 'number') Object.assign(value, { [key]: 999_999 });
      else edit(member);
    }
  }

  test.each(['listener', 'reader'])('changes neither what is done nor what is sent (a %s)', async (who) => {
    const provider = scripted([
      { calls: [{ name: 'pay', input: { to: { cents: 5 } } }], usage: { inputTokens: 10, outputTokens: 5 } },
      'Done.',
    ]);
    const agent = createAgent({ provider, tools: [pay] });
    const seen: RunEvent[] = [];
    const spoil = (event: RunEvent): void => {
      seen.push(event);
      edit(event);
    };
    if (who === 'listener') agent.on('*', spoil);
    const watch = async (handle: RunHandle<unknown>): Promise<RunResult<unknown>> => {
      if (who === 'listener') return handle.result;
      for await (const event of handle) spoil(event);
      return handle.result;
    };
    const waiting = await watch(agent.stream('Pay.'));
    expect(waiting).toMatchObject({ status: 'suspended', pending: [{ input: { to: { cents: 5 } } }] });
    if (waiting.status !== 'suspended') return;
    const [request] = waiting.pending;
    const decisions = { [request?.toolCallId ?? '']: 'approve' } as const;
    const result = await watch(agent.resumeStream(waiting.runId, { decisions }));
    expect(eventsOf(seen, 'tool-start')).toHaveLength(1);
    expect(provider.requests[1]?.messages.slice(1)).toMatchObject([
      { content: [{ input: { to: { cents: 5 } } }] },
      { content: [{ content: [{ text: 'Paid 5.' }] }] },
    ]);
    expect(result.messages[1]).toMatchObject({ content: [{ input: { to: { cents: 5 } } }] });
    expect(result.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  });
});
