import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { RunEvent, Tool } from '../../src/index.ts';
import { createAgent, isOilcanError, openai, scripted, tool } from '../../src/index.ts';
import type { LoopbackScript } from '../../src/testing/loopback-server.ts';
import { startLoopbackServer } from '../../src/testing/loopback-server.ts';
import { askWeather, quick, runOnWire, weather } from './run-on-wire.ts';

const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): number => unhandled.push(reason);
beforeAll(() => void process.on('unhandledRejection', onUnhandled));
afterAll(() => {
  process.off('unhandledRejection', onUnhandled);
  expect(unhandled).toEqual([]);
});

const never: Tool = tool({
  name: 'get_weather',
  description: 'Weather.',
  schema: z.object({ city: z.string() }),
  execute: () => new Promise<string>(() => {}),
});

describe('events', () => {
  test('there is exactly one end event, and it is the last, whatever the ending', async () => {
    const scripts: Record<string, LoopbackScript> = {
      completed: [{ text: 'Hello.' }],
      failed: [{ status: 401 }],
      stopped: () => askWeather,
    };
    for (const [status, script] of Object.entries(scripts)) {
      const { events, result } = await runOnWire({ script, agent: { maxTurns: 2 } });
      expect(result.status).toBe(status);
      expect(events.filter((event) => event.type === 'run-end')).toHaveLength(1);
      expect(events.at(-1)).toMatchObject({ type: 'run-end', result: { status } });
    }
  });

  test('the order of a run is the one that is documented', async () => {
    const { events } = await runOnWire({ script: [{ status: 503 }, askWeather, { text: ['It ', 'is mild.'] }] });
    const types = events.map((event) => event.type).filter((type) => type !== 'text-delta');
    expect(types).toEqual([
      'run-start',
      'turn-start',
      'attempt-start',
      'attempt-end',
      'failure',
      'retry',
      'attempt-start',
      'attempt-end',
      'reply',
      'recovered',
      'tool-start',
      'tool-end',
      'turn-end',
      'turn-start',
      'attempt-start',
      'attempt-end',
      'reply',
      'turn-end',
      'run-end',
    ]);
    expect(events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('')).toBe('It is mild.');
  });

  test('a listener that throws or rejects is reported and changes nothing', async () => {
    const agent = createAgent({ provider: scripted(['Hello.']) });
    const warnings: string[] = [];
    agent.on('warning', ({ message }) => warnings.push(message));
    agent.on('turn-start', () => {
      throw new TypeError('my listener is broken');
    });
    agent.on('reply', async () => Promise.reject(new Error('mine too')));
    expect((await agent.run('Hi')).text).toBe('Hello.');
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain('A listener of `turn-start` threw TypeError: my listener is broken');
  });

  test('a listener can be taken away', async () => {
    const agent = createAgent({ provider: scripted(['One.', 'Two.']) });
    const seen: string[] = [];
    const off = agent.on('reply', ({ text }) => seen.push(text));
    await agent.run('Hi');
    off();
    await agent.run('Hi');
    expect(seen).toEqual(['One.']);
  });

  test('a reader that leaves early does not stop the run', async () => {
    const handle = createAgent({ provider: scripted(['Hello.']) }).stream('Hi');
    for await (const event of handle) if (event.type === 'run-start') break;
    expect((await handle.result).status).toBe('completed');
  });
});

describe('a run', () => {
  test('rejects for every outcome that is no answer, with the work done so far', async () => {
    const agent = createAgent({
      provider: scripted([
        { calls: [{ name: 'get_weather', input: { city: 'Rome' } }] },
        { text: 'Half an answ', finishReason: 'length' },
      ]),
      tools: [weather],
    });
    const error: unknown = await agent.run('Hi').catch((caught: unknown) => caught);
    expect(isOilcanError(error) && error).toMatchObject({ code: 'run-stopped' });
    const run = isOilcanError(error) ? error.run : undefined;
    expect(run).toMatchObject({ status: 'stopped', stopReason: 'output-limit', partialText: 'Half an answ', turns: 2 });
    expect(run?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(JSON.stringify(error)).not.toContain('Half an answ');
  });

  test('can be gone on with: its messages are the input of the next one', async () => {
    const first = await createAgent({ provider: scripted(['Hello.']) }).run('Hi');
    const provider = scripted(['Good.']);
    const before = JSON.stringify(first.messages);
    await createAgent({ provider }).run([
      ...first.messages,
      { role: 'user', content: [{ type: 'text', text: 'How are you?' }] },
    ]);
    expect(provider.requests[0]?.messages).toHaveLength(3);
    expect(JSON.stringify(first.messages)).toBe(before);
  });

  test.each([
    ['an empty question', '  '],
    ['no messages', []],
    ['nothing', undefined],
    ['a message alone', { role: 'user', content: 'Hi' }],
    ['messages without a part', [{ role: 'user', content: [] }]],
    ['messages of blanks', [{ role: 'user', content: ' \n' }]],
    ['a result alone', [{ role: 'tool', content: [] }]],
  ])('%s is refused with a sentence that says what was expected', async (_name, input) => {
    const agent = createAgent({ provider: scripted(['Hello.']) });
    await expect(agent.run(input as string)).rejects.toMatchObject({
      code: 'invalid-option',
      message: expect.stringMatching(/^Expected the input of a run/),
    });
  });

  test('its text stream puts an empty line where text was void', async () => {
    const server = await startLoopbackServer({
      script: [{ text: ['One ', 'two '], cut: { after: 'text', count: 2, how: 'reset' } }, { text: 'Three.' }],
    });
    try {
      const handle = createAgent({
        provider: openai({ model: 'demo', baseURL: `${server.origin}/v1` }),
        retry: quick,
      }).stream('Hi');
      let text = '';
      for await (const piece of handle.textStream) text += piece;
      expect(text).toBe('One two \n\nThree.');
    } finally {
      await server.close();
    }
  });

  test('its response is a stream of server-sent events', async () => {
    const response = createAgent({ provider: scripted(['Hello.']) })
      .stream('Hi')
      .toResponse();
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const body = await response.text();
    expect(body).toContain('event: text-delta\ndata: {"');
    expect(body.trimEnd().split('\n\n').at(-1)).toMatch(/^event: run-end/);
  });

  test('a client that leaves the response ends the run', async () => {
    const handle = createAgent({
      provider: scripted([{ calls: [{ name: 'get_weather', input: { city: 'Rome' } }] }]),
      tools: [never],
    }).stream('Hi');
    const reader = handle.toResponse().body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect((await handle.result).status).toBe('aborted');
  });
});

describe('an abort', () => {
  const phases: { name: string; script: LoopbackScript; when: RunEvent['type']; tools?: Tool[] }[] = [
    { name: 'before the headers', script: [{ fault: 'hang' }], when: 'attempt-start' },
    {
      name: 'in the middle of a reply',
      script: [{ text: ['One ', 'two'], stall: { after: 'text' } }],
      when: 'text-delta',
    },
    { name: 'in a wait between attempts', script: [{ status: 503, headers: { 'retry-after': '60' } }], when: 'retry' },
    { name: 'in a tool that ignores its signal', script: [askWeather], when: 'tool-start', tools: [never] },
  ];
  test.each(phases)(
    '$name ends the run at once, with a history that can be used again',
    async ({ script, when, tools }) => {
      const server = await startLoopbackServer({ script });
      try {
        const agent = createAgent({
          provider: openai({ model: 'demo', baseURL: `${server.origin}/v1` }),
          tools: tools ?? [weather],
        });
        const abort = new AbortController();
        const reason = new Error('the user pressed stop');
        agent.on(when, () => {
          // In the next turn of the event loop, when the request has come and the wait has begun.
          void server.waitForRequests(1).then(() => setImmediate(() => abort.abort(reason)));
        });
        const result = await agent.stream('Hi', { signal: abort.signal }).result;
        expect(result).toMatchObject({ status: 'aborted', reason });
        expect(server.requests).toHaveLength(1);
        const provider = scripted(['Good.']);
        await createAgent({ provider }).run([
          ...result.messages,
          { role: 'user', content: [{ type: 'text', text: 'Go on.' }] },
        ]);
        expect(provider.requests).toHaveLength(1);
      } finally {
        await server.close();
      }
    },
  );

  test('keeps the text that had been written by then, as the last message', async () => {
    const server = await startLoopbackServer({
      script: [{ text: ['One ', 'two'], stall: { after: 'text', count: 2 } }],
    });
    try {
      const handle = createAgent({ provider: openai({ model: 'demo', baseURL: `${server.origin}/v1` }) }).stream('Hi');
      let text = '';
      for await (const event of handle) {
        if (event.type === 'text-delta') text += event.text;
        if (text === 'One two') handle.abort();
      }
      expect(await handle.result).toMatchObject({
        status: 'aborted',
        partialText: 'One two',
        messages: [{ role: 'user' }, { role: 'assistant', content: [{ text: 'One two' }], isPartial: true }],
      });
    } finally {
      await server.close();
    }
  });

  test('before the start sends nothing', async () => {
    const { result, requests } = await runOnWire({ script: [], signal: AbortSignal.abort('never mind') });
    expect(result).toMatchObject({ status: 'aborted', reason: 'never mind' });
    expect(requests).toHaveLength(0);
  });

  test('by the handle does the same', async () => {
    const handle = createAgent({
      provider: scripted([{ calls: [{ name: 'get_weather', input: { city: 'Rome' } }] }]),
      tools: [never],
    }).stream('Hi');
    for await (const event of handle) if (event.type === 'tool-start') handle.abort('enough');
    expect(await handle.result).toMatchObject({ status: 'aborted', reason: 'enough' });
  });

  test('leaves no listener on the caller’s signal', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const counting = new Proxy(signal, {
      get(target, key) {
        if (key === 'addEventListener')
          return (...args: Parameters<AbortSignal['addEventListener']>) => (
            listeners++,
            target.addEventListener(...args)
          );
        if (key === 'removeEventListener')
          return (...args: Parameters<AbortSignal['removeEventListener']>) => (
            listeners--,
            target.removeEventListener(...args)
          );
        return Reflect.get(target, key, target) as unknown;
      },
    });
    await createAgent({
      provider: scripted([{ calls: [{ name: 'get_weather', input: { city: 'Rome' } }] }, 'Done.']),
      tools: [weather],
    }).run('Hi', { signal: counting });
    expect(listeners).toBe(0);
  });
});

describe('a tool that settles late', () => {
  test('harms nothing, even with an error', async () => {
    let fail: (error: Error) => void = () => {};
    const late = tool({
      name: 'get_weather',
      description: 'Weather.',
      schema: z.object({ city: z.string() }),
      timeoutMs: 5,
      execute: () => new Promise<string>((_resolve, reject) => (fail = reject)),
    });
    const { result } = await runOnWire({ script: [askWeather, { text: 'Done.' }], tools: [late] });
    fail(new Error('too late'));
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(result.status).toBe('completed');
    expect(unhandled).toEqual([]);
  });
});

describe('providers of all kinds', () => {
  test('one that throws is a bug, named, and not retried', async () => {
    const provider = {
      ...scripted([]),
      id: 'mine',
      stream: () => {
        throw new TypeError('oops');
      },
    };
    const result = await createAgent({ provider }).stream('Hi').result;
    expect(result).toMatchObject({
      status: 'failed',
      failure: { kind: 'bug', message: 'The provider `mine` threw: oops.' },
    });
  });

  test('one that ends without a last word is a bug', async () => {
    const provider = { ...scripted([]), id: 'mine', async *stream() {} };
    const result = await createAgent({ provider }).stream('Hi').result;
    expect(result).toMatchObject({ status: 'failed', failure: { kind: 'bug' } });
  });
});
