import { Agent } from 'node:http';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type LoopbackQuirks,
  type LoopbackScript,
  type LoopbackServer,
  type LoopbackServerOptions,
  type LoopbackStep,
  type LoopbackWire,
  loopbackWires,
  startLoopbackServer,
  wirePaths,
} from '../../src/testing/loopback-server.ts';
import { ask, type RawAnswer } from './raw-client.ts';

const servers: LoopbackServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(
  script: LoopbackScript,
  options: Omit<LoopbackServerOptions, 'script'> = {},
): Promise<LoopbackServer> {
  const server = await startLoopbackServer({ ...options, script });
  servers.push(server);
  return server;
}

/** A first question, as each wire puts it. */
function question(wire: LoopbackWire, isStream: boolean): Record<string, unknown> {
  const head = { model: 'demo', stream: isStream };
  const messages = [{ role: 'user', content: 'Hello?' }];
  switch (wire) {
    case 'openai':
      return { ...head, messages, ...(isStream ? { stream_options: { include_usage: true } } : {}) };
    case 'openai-responses':
      return { ...head, input: messages };
    case 'anthropic':
      return { ...head, max_tokens: 100, messages };
    case 'ollama':
      return { ...head, messages };
  }
}

function askOn(server: LoopbackServer, wire: LoopbackWire, isStream: boolean): Promise<RawAnswer> {
  return ask(server.origin + wirePaths[wire], question(wire, isStream), { headers: { 'accept-encoding': 'gzip' } });
}

function askStream(server: LoopbackServer): Promise<RawAnswer> {
  return askOn(server, 'openai', true);
}

/** Every field of the four wires that is looked at here. */
interface WireEvent {
  readonly type?: string;
  readonly index?: number;
  readonly message?: { readonly content: string; readonly tool_calls?: readonly WireCall[] };
  readonly choices?: readonly {
    readonly delta?: WirePart;
    readonly message?: WirePart;
    readonly finish_reason?: string | null;
  }[];
  readonly delta?:
    | string
    | { readonly type?: string; readonly text?: string; readonly partial_json?: string; readonly stop_reason?: string };
  readonly response?: WireEvent;
  readonly output?: readonly WireItem[];
  readonly status?: string;
  readonly content?: readonly {
    readonly type: string;
    readonly text?: string;
    readonly name?: string;
    readonly input?: unknown;
  }[];
  readonly content_block?: { readonly type: string; readonly name?: string; readonly input?: unknown };
  readonly stop_reason?: string;
  readonly done_reason?: string;
  readonly error?: { readonly message: string; readonly type: string; readonly code: string };
}
interface WirePart {
  readonly content?: string | null;
  readonly tool_calls?: readonly WireCall[];
}
interface WireCall {
  readonly id?: string;
  readonly index?: number;
  readonly function: { readonly name?: string; readonly arguments?: unknown };
}
interface WireItem {
  readonly type: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly content?: readonly { readonly text: string }[];
}

/** The events of a stream of server-sent events or of lines, marks like `[DONE]` left out. */
function eventsOf(text: string): WireEvent[] {
  return text
    .split('\n')
    .map((line) => line.replace(/^data: ?/u, ''))
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as WireEvent);
}

const modes = loopbackWires.flatMap((wire) => [
  { wire, isStream: true, name: `${wire}, streamed` },
  { wire, isStream: false, name: `${wire}, plain` },
]);

const fullReply: LoopbackStep = {
  text: 'Let me look.',
  reasoning: 'The door first.',
  calls: [
    { name: 'look_at', input: { target: 'door' }, id: 'call-a' },
    { name: 'use', input: { item: 'key', target: 'lock' }, id: 'call-b' },
  ],
  usage: { inputTokens: 50, outputTokens: 7, cachedInputTokens: 10 },
};

/** What the vendor's own shape says, read the long way. */
function readReply(
  wire: LoopbackWire,
  isStream: boolean,
  text: string,
): { text: string; calls: unknown[]; finish: unknown } {
  const events = isStream ? eventsOf(text) : [JSON.parse(text) as WireEvent];
  const sum: Sum = { text: '', calls: [], finish: undefined };
  for (const event of events) readers[wire](event, sum, isStream);
  const calls = sum.calls.filter((call) => call !== undefined);
  return { ...sum, calls: calls.map(({ name, json }) => ({ name, input: JSON.parse(json) as unknown })) };
}

interface Sum {
  text: string;
  calls: ({ name: string; json: string } | undefined)[];
  finish: unknown;
}

const readers: Readonly<Record<LoopbackWire, (event: WireEvent, sum: Sum, isStream: boolean) => void>> = {
  openai(event, sum) {
    const [choice] = event.choices ?? [];
    const part = choice?.delta ?? choice?.message;
    sum.text += part?.content ?? '';
    for (const [position, call] of (part?.tool_calls ?? []).entries()) {
      addToCall(sum, call.index ?? position, call.function.name, call.function.arguments);
    }
    sum.finish ??= choice?.finish_reason ?? undefined;
  },
  'openai-responses'(event, sum, isStream) {
    if (event.type === 'response.output_text.delta') sum.text += event.delta as string;
    const response = isStream ? event.response : event;
    if (response?.status !== 'completed') return;
    for (const [index, item] of (response.output ?? []).entries()) {
      if (item.type === 'function_call') addToCall(sum, index, item.name, item.arguments);
      if (item.type === 'message' && !isStream) sum.text += item.content?.[0]?.text ?? '';
    }
    sum.finish = response.status;
  },
  anthropic(event, sum) {
    for (const [index, block] of (event.content ?? []).entries()) {
      if (block.type === 'text') sum.text += block.text ?? '';
      if (block.type === 'tool_use') addToCall(sum, index, block.name, JSON.stringify(block.input));
    }
    const index = event.index ?? 0;
    if (event.content_block?.type === 'tool_use') addToCall(sum, index, event.content_block.name, '');
    if (typeof event.delta === 'object') {
      sum.text += event.delta.text ?? '';
      if (event.delta.partial_json !== undefined) addToCall(sum, index, undefined, event.delta.partial_json);
      sum.finish ??= event.delta.stop_reason;
    }
    sum.finish ??= event.stop_reason ?? undefined;
  },
  ollama(event, sum) {
    sum.text += event.message?.content ?? '';
    for (const call of event.message?.tool_calls ?? []) {
      addToCall(sum, sum.calls.length, call.function.name, JSON.stringify(call.function.arguments));
    }
    sum.finish ??= event.done_reason;
  },
};

function addToCall(sum: Sum, index: number, name: string | undefined, json: unknown): void {
  const call = (sum.calls[index] ??= { name: '', json: '' });
  call.name += name ?? '';
  call.json += typeof json === 'string' ? json : '';
}

describe('replies', () => {
  test.each(modes)(
    'a reply with text and two calls is whole in the vendor’s own shape: $name',
    async ({ wire, isStream }) => {
      const server = await serve([fullReply]);
      const answer = await askOn(server, wire, isStream);
      expect(answer.status).toBe(200);
      expect(readReply(wire, isStream, answer.text)).toEqual({
        text: 'Let me look.',
        calls: [
          { name: 'look_at', input: { target: 'door' } },
          { name: 'use', input: { item: 'key', target: 'lock' } },
        ],
        finish: { openai: 'tool_calls', 'openai-responses': 'completed', anthropic: 'tool_use', ollama: 'stop' }[wire],
      });
      expect(answer.text).toContain('The door first.'.slice(0, 3));
      expect(server.violations).toEqual([]);
      expect(server.scriptErrors).toEqual([]);
      expect(await server.requests[0]?.ended).toBe('answered');
    },
  );

  test.each(modes)('usage is told unless the script keeps it back: $name', async ({ wire, isStream }) => {
    const server = await serve([
      { text: 'a', usage: { inputTokens: 4711, outputTokens: 9 } },
      { text: 'a', usage: null },
    ]);
    expect((await askOn(server, wire, isStream)).text).toContain('4711');
    expect((await askOn(server, wire, isStream)).text).not.toMatch(/"(input|prompt)_tokens|eval_count/u);
  });

  test('a script that is a function sees the conversation without its wire', async () => {
    const seen: unknown[] = [];
    const server = await serve(({ requestIndex, view, lastResults }) => {
      seen.push({ requestIndex, messages: view.messages, tools: view.tools, lastResults });
      return { text: 'ok' };
    });
    const call = { id: 'c1', name: 'look_at', input: { target: 'door' } };
    for (const wire of loopbackWires) await ask(server.origin + wirePaths[wire], history(wire));
    expect(server.violations).toEqual([]);
    expect(seen).toHaveLength(4);
    for (const [index, wire] of loopbackWires.entries()) {
      const id = wire === 'ollama' ? undefined : 'c1';
      const isError = wire === 'anthropic' ? true : undefined;
      const result = { role: 'tool', toolCallId: id, toolName: 'look_at', text: 'Rusty.', isError };
      expect(seen[index]).toEqual({
        requestIndex: index,
        messages: [
          { role: 'system', text: 'Be brief.' },
          { role: 'user', text: 'Open it.' },
          { role: 'assistant', text: 'Looking.', calls: [{ ...call, id }] },
          result,
        ],
        tools: ['look_at'],
        lastResults: [result],
      });
    }
  });
});

describe('a script that is a function', () => {
  test('may take its time', async () => {
    const server = await serve(async ({ requestIndex }) => ({ text: `reply ${requestIndex}` }));
    expect(readReply('openai', true, (await askStream(server)).text).text).toBe('reply 0');
    expect(server.requests[0]).toMatchObject({ step: { text: 'reply 0' }, status: 200 });
    expect(server.scriptErrors).toEqual([]);
  });

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'Expected the step for request 1 to be an object such as'],
    ['a misspelled fault', { fault: 'rest' }, 'Expected `fault` of the step for request 1 to be'],
    ['a call of nobody', { calls: [{}] }, 'Expected `calls[0].name` of the step for request 1 to be a string'],
  ])('is told when it gives %s', async (_name, step, says) => {
    for (const script of [() => step, async () => step]) {
      const server = await serve(script as LoopbackScript);
      expect(await askStream(server)).toMatchObject({ status: 400, text: expect.stringContaining(says) });
      expect(server.scriptErrors).toEqual([expect.stringContaining(says)]);
    }
  });

  test.each<[string, LoopbackScript]>([
    [
      'throws',
      () => {
        throw new Error('Lost.');
      },
    ],
    ['throws later', () => Promise.reject(new Error('Lost.'))],
  ])('is told when it %s', async (_name, script) => {
    const server = await serve(script);
    expect((await askStream(server)).status).toBe(400);
    expect(server.scriptErrors).toEqual(['The script threw at request 1: Error: Lost.']);
  });
});

test('a cut in the middle of a stream of one write is told, for it has none', async () => {
  const server = await serve([{ text: 'a b', oneWrite: true, cut: { after: 'text', how: 'reset' } }]);
  expect((await askStream(server)).status).toBe(200);
  expect(server.scriptErrors).toEqual(['A stream in one write has no middle: its cut never struck.']);
});

test('two replies of the Responses wire stay two', async () => {
  let roles: string[] = [];
  const server = await serve(({ view }) => {
    roles = view.messages.map((message) => message.role);
    return { text: 'ok' };
  });
  const body = history('openai-responses');
  const again = { type: 'function_call', call_id: 'c2', name: 'look_at', arguments: '{}' };
  const result = { type: 'function_call_output', call_id: 'c2', output: 'Still rusty.' };
  await ask(server.origin + wirePaths['openai-responses'], {
    ...body,
    input: [...(body['input'] as object[]), again, result],
  });
  expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'tool']);
});

/** System text, question, one call and its result. */
function history(wire: LoopbackWire): Record<string, unknown> {
  const schema = { type: 'object', properties: { target: { type: 'string' } } };
  const declared = { name: 'look_at', description: 'Look.', parameters: schema };
  const text = JSON.stringify({ target: 'door' });
  const system = { role: 'system', content: 'Be brief.' };
  const user = { role: 'user', content: 'Open it.' };
  switch (wire) {
    case 'openai': {
      const calls = [{ id: 'c1', type: 'function', function: { name: 'look_at', arguments: text } }];
      const reply = { role: 'assistant', content: 'Looking.', tool_calls: calls };
      const result = { role: 'tool', tool_call_id: 'c1', content: 'Rusty.' };
      return {
        model: 'demo',
        messages: [system, user, reply, result],
        tools: [{ type: 'function', function: declared }],
      };
    }
    case 'openai-responses': {
      const reply = { role: 'assistant', content: [{ type: 'output_text', text: 'Looking.' }] };
      const call = { type: 'function_call', call_id: 'c1', name: 'look_at', arguments: text };
      const result = { type: 'function_call_output', call_id: 'c1', output: 'Rusty.' };
      return {
        model: 'demo',
        instructions: 'Be brief.',
        input: [user, reply, call, result],
        tools: [{ type: 'function', ...declared }],
      };
    }
    case 'anthropic': {
      const use = { type: 'tool_use', id: 'c1', name: 'look_at', input: { target: 'door' } };
      const result = { type: 'tool_result', tool_use_id: 'c1', content: 'Rusty.', is_error: true };
      return {
        model: 'demo',
        max_tokens: 10,
        system: 'Be brief.',
        messages: [
          user,
          { role: 'assistant', content: [{ type: 'text', text: 'Looking.' }, use] },
          { role: 'user', content: [result] },
        ],
        tools: [{ name: 'look_at', input_schema: schema }],
      };
    }
    case 'ollama': {
      const calls = [{ function: { name: 'look_at', arguments: { target: 'door' } } }];
      const reply = { role: 'assistant', content: 'Looking.', tool_calls: calls };
      const result = { role: 'tool', content: 'Rusty.', tool_name: 'look_at' };
      return {
        model: 'demo',
        stream: false,
        messages: [system, user, reply, result],
        tools: [{ type: 'function', function: declared }],
      };
    }
  }
}

describe('errors before a reply', () => {
  test.each([
    { wire: 'openai', path: 'error.code', says: 'rate_limit_exceeded' },
    { wire: 'openai-responses', path: 'error.code', says: 'rate_limit_exceeded' },
    { wire: 'anthropic', path: 'error.type', says: 'rate_limit_error' },
    { wire: 'ollama', path: 'error', says: 'slow down' },
  ] as const)('a status has the vendor’s body: $wire', async ({ wire, path, says }) => {
    const server = await serve([{ status: 429, message: 'slow down', headers: { 'retry-after': '7' } }]);
    const answer = await askOn(server, wire, true);
    expect(answer.status).toBe(429);
    expect(answer.headers['retry-after']).toBe('7');
    expect(JSON.parse(answer.text)).toHaveProperty(path, says);
  });

  test('a body of the script’s own replaces the vendor’s', async () => {
    const server = await serve([
      { status: 502, body: '<html>Bad gateway</html>' },
      { status: 500, body: { odd: true } },
    ]);
    const html = await askStream(server);
    expect([html.status, html.headers['content-type'], html.text]).toEqual([
      502,
      'text/html',
      '<html>Bad gateway</html>',
    ]);
    expect((await askStream(server)).text).toBe('{"odd":true}');
  });

  test('a reset before the headers reaches the client as a reset', async () => {
    const server = await serve([{ fault: 'reset' }]);
    expect(await askStream(server)).toMatchObject({ status: undefined, error: 'ECONNRESET' });
    expect(await server.requests[0]?.ended).toBe('broken');
  });

  test('a server that hangs says nothing, and closing it frees the client', async () => {
    const server = await serve([{ fault: 'hang' }]);
    const answer = askStream(server);
    await server.waitForRequests(1);
    await server.close();
    expect(await answer).toMatchObject({ status: undefined, error: 'ECONNRESET' });
    expect(await server.requests[0]?.ended).toBe('client-left');
  });

  test('a refusal in an array closes the port before the client asks, and the same port answers later', async () => {
    const server = await serve([
      { fault: 'refuse', forMs: 30 },
      { text: 'one' },
      { fault: 'refuse', forMs: 30 },
      { text: 'two' },
    ]);
    // Kept alive on purpose: an open connection must not lead past the closed port.
    const agent = new Agent({ keepAlive: true });
    const until = async (): Promise<{ answer: RawAnswer; refused: number }> => {
      for (let refused = 0; ; refused++) {
        const answer = await ask(server.origin + wirePaths.openai, question('openai', true), { agent });
        if (answer.error === undefined) return { answer, refused };
        expect(answer.error).toBe('ECONNREFUSED');
      }
    };
    const first = await until();
    const second = await until();
    agent.destroy();
    expect(first.refused).toBeGreaterThan(0);
    expect(second.refused).toBeGreaterThan(0);
    expect([first.answer.text, second.answer.text].map((text) => readReply('openai', true, text).text)).toEqual([
      'one',
      'two',
    ]);
    expect(server.requests).toHaveLength(2);
    expect(server.scriptErrors).toEqual([]);
  });

  test('a refusal from a function resets the request and closes the port', async () => {
    const server = await serve(({ requestIndex }) =>
      requestIndex === 0 ? { fault: 'refuse', forMs: 2_000 } : { text: 'late' },
    );
    expect(await askStream(server)).toMatchObject({ error: 'ECONNRESET' });
    expect(await askStream(server)).toMatchObject({ error: 'ECONNREFUSED' });
  });

  test('a wrong key, a wrong model and an unknown path are turned away in the vendor’s form', async () => {
    const server = await serve([{ text: 'in' }], { apiKey: 'right', models: ['demo'] });
    const url = server.origin + wirePaths.openai;
    const key = { authorization: 'Bearer right' };
    expect((await ask(url, question('openai', false), { headers: { authorization: 'Bearer wrong' } })).status).toBe(
      401,
    );
    const noModel = await ask(url, { ...question('openai', false), model: 'nope' }, { headers: key });
    expect([noModel.status, noModel.text]).toEqual([404, expect.stringContaining("model 'nope' not found")]);
    expect((await ask(`${server.origin}/nowhere`, {}, { headers: key })).status).toBe(404);
    expect(server.strays).toEqual(['POST /nowhere']);
    expect((await ask(url, question('openai', false), { headers: key })).status).toBe(200);
  });

  test.each(['/api/tags', '/v1/models'])('the models are listed at %s', async (path) => {
    const server = await serve([], { models: ['one', 'two'] });
    const answer = await ask(server.origin + path, undefined, { method: 'GET' });
    expect([...answer.text.matchAll(/"(?:name|id)":"(\w+)"/gu)].map((match) => match[1])).toEqual(['one', 'two']);
    expect(server.requests).toEqual([]);
  });

  test('a server of one wire does not know the paths of the others', async () => {
    const server = await serve([{ text: 'hi' }], { wire: 'ollama' });
    expect((await askOn(server, 'openai', true)).status).toBe(404);
    expect((await askOn(server, 'ollama', true)).status).toBe(200);
  });
});

describe('faults within a reply', () => {
  test.each(loopbackWires.flatMap((wire) => (['reset', 'drop'] as const).map((how) => ({ wire, how }))))(
    'a stream broken by $how after two words holds two words: $wire',
    async ({ wire, how }) => {
      const server = await serve([{ text: 'one two three', cut: { after: 'text', count: 2, how } }]);
      const answer = await askOn(server, wire, true);
      expect(answer.status).toBe(200);
      expect(answer.error).toBe('ECONNRESET');
      expect(answer.text).toContain('two');
      expect(answer.text).not.toContain('three');
      expect(await server.requests[0]?.ended).toBe('broken');
    },
  );

  test.each([
    { how: 'reset', sees: 'ECONNRESET' },
    { how: 'drop', sees: 'end' },
  ] as const)('below HTTP, $how is seen as $sees', async ({ how, sees }) => {
    const server = await serve([{ text: 'one two three', cut: { after: 'text', count: 2, how } }]);
    const body = JSON.stringify(question('openai', true));
    const head = `POST ${wirePaths.openai} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
    const socket = connect(server.port, '127.0.0.1');
    socket.resume();
    const seen = new Promise((resolve) => {
      socket.on('end', () => resolve('end'));
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    });
    socket.write(`${head}\r\n\r\n${body}`);
    expect(await seen).toBe(sees);
  });

  test('a stream that ends cleanly without its mark looks whole to HTTP', async () => {
    const server = await serve([{ text: 'one two three', cut: { after: 'text', count: 2, how: 'end' } }]);
    const answer = await askStream(server);
    expect(answer.error).toBeUndefined();
    expect(answer.text).not.toMatch(/three|DONE|finish_reason":"/u);
    expect(await server.requests[0]?.ended).toBe('broken');
  });

  test.each([
    { after: 'start', count: undefined, has: undefined, lacks: 'assistant' },
    { after: 'reasoning', count: 1, has: 'The ', lacks: 'door' },
    { after: 'call', count: 1, has: 'look_at', lacks: 'arguments":"{' },
    { after: 'arguments', count: 2, has: 'targe', lacks: '"use"' },
    { after: 'finish', count: 1, has: 'tool_calls', lacks: 'DONE' },
  ] as const)('a cut strikes after $after', async ({ after, count, has, lacks }) => {
    const server = await serve([{ ...fullReply, cut: { after, count, how: 'reset' } }]);
    const answer = await askStream(server);
    expect(answer.error).toBe('ECONNRESET');
    expect(answer.text).toContain(has ?? '');
    expect(answer.text).not.toContain(lacks);
  });

  test.each([
    { how: 'reset', error: 'ECONNRESET' },
    { how: 'drop', error: 'ECONNRESET' },
    { how: 'end', error: undefined },
  ] as const)('a plain reply is cut in its middle by $how', async ({ how, error }) => {
    const server = await serve([{ text: 'one two three', cut: { after: 'text', how } }]);
    const answer = await askOn(server, 'openai', false);
    expect(answer.error).toBe(error);
    expect(answer.text.length).toBeGreaterThan(10);
    expect(() => JSON.parse(answer.text)).toThrow();
  });

  test.each(modes)(
    'a stalled reply falls silent, and the log sees the client leave: $name',
    async ({ wire, isStream }) => {
      const server = await serve([{ text: 'one two three', stall: { after: 'text', count: 1 } }]);
      const url = server.origin + wirePaths[wire];
      const answer = await ask(url, question(wire, isStream), { leaveAfter: isStream ? 'one' : '{' });
      expect(answer.error).toBe('left');
      expect(answer.text).not.toMatch(isStream ? /two/u : /\}$/u);
      expect(await server.requests[0]?.ended).toBe('client-left');
    },
  );

  test.each(loopbackWires)('a stall can go on showing life: %s', async (wire) => {
    const server = await serve([{ text: 'one two', stall: { after: 'text', count: 1, pingMs: 1 } }]);
    const ping = { openai: ': ping', 'openai-responses': ': ping', anthropic: '{"type": "ping"}', ollama: '\n\n' }[
      wire
    ];
    const answer = await ask(server.origin + wirePaths[wire], question(wire, true), { leaveAfter: ping });
    expect(answer.error).toBe('left');
    expect(answer.text).not.toContain('two');
  });

  test.each(loopbackWires)('an error event comes in the middle of a 200: %s', async (wire) => {
    const errorEvent = { after: 'text', count: 1, message: 'boom' } as const;
    const server = await serve([
      { text: 'one two', errorEvent },
      { text: 'one', errorEvent: { ...errorEvent, event: { odd: 1 } } },
    ]);
    const answer = await askOn(server, wire, true);
    expect([answer.status, answer.error]).toEqual([200, undefined]);
    expect(eventsOf(answer.text).at(-1)).toMatchObject(
      wire === 'ollama'
        ? { error: 'boom' }
        : wire === 'openai-responses'
          ? { type: 'error', message: 'boom' }
          : { error: { message: 'boom' } },
    );
    expect(eventsOf((await askOn(server, wire, true)).text).at(-1)).toEqual({ odd: 1 });
  });

  test('an error inside a plain 200 is an error body', async () => {
    const server = await serve([{ text: 'one', errorEvent: { after: 'start', message: 'boom' } }]);
    const answer = await askOn(server, 'openai', false);
    expect([answer.status, (JSON.parse(answer.text) as WireEvent).error?.message]).toEqual([200, 'boom']);
  });

  test('a fault that never strikes is the script’s error', async () => {
    const server = await serve([{ text: 'one', cut: { after: 'arguments', how: 'reset' } }]);
    await askStream(server);
    expect(server.scriptErrors).toEqual([expect.stringContaining('never struck')]);
  });
});

describe('bytes', () => {
  const text = 'Grüße 👋 aus Köln';

  test.each<{ name: string; step: LoopbackStep; sees: (answer: RawAnswer) => unknown }>([
    { name: 'one byte at a time', step: { text, bytesPerWrite: 1 }, sees: (answer) => answer.chunks.length > 100 },
    { name: 'in one write', step: { text, oneWrite: true }, sees: (answer) => answer.chunks.length === 1 },
    { name: 'with CR LF', step: { text, crlf: true }, sees: (answer) => !/[^\r]\n/u.test(answer.text) },
    {
      name: 'with comments',
      step: { text, comments: true },
      sees: (answer) => answer.text.startsWith(': keep-alive\n\n'),
    },
    { name: 'with a byte order mark', step: { text, bom: true }, sees: (answer) => answer.bytes[0] === 0xef },
    {
      name: 'without a space after data:',
      step: { text, tightData: true },
      sees: (answer) => answer.text.startsWith('data:{'),
    },
    { name: 'compressed', step: { text, gzip: 'accepted' }, sees: (answer) => answer.bytes[0] === 0x1f },
    {
      name: 'with another content type',
      step: { text, contentType: 'text/plain' },
      sees: (answer) => answer.headers['content-type'] === 'text/plain',
    },
  ])('a stream comes $name', async ({ step, sees }) => {
    const server = await serve([step]);
    const answer = await askStream(server);
    expect(sees(answer)).toBe(true);
    const lines = answer.text.replaceAll('\r', '').replace('\uFEFF', '');
    expect(readReply('openai', true, lines).text).toBe(text);
  });

  test('gaps lie between the writes', async () => {
    const server = await serve([{ text, gapMs: 10 }]);
    const start = performance.now();
    const { chunks } = await askStream(server);
    // A timer may fire a fraction of a millisecond early.
    expect(performance.now() - start).toBeGreaterThan((chunks.length - 1) * 9);
    expect(chunks.length).toBeGreaterThan(5);
  });

  test('gzip is for those who take it, unless the script insists', async () => {
    const server = await serve([
      { text, gzip: 'accepted' },
      { text, gzip: 'always' },
    ]);
    const url = server.origin + wirePaths.openai;
    expect((await ask(url, question('openai', false))).headers['content-encoding']).toBeUndefined();
    const zipped = await ask(url, question('openai', false));
    expect(zipped.bytes[0]).toBe(0x1f);
    expect(readReply('openai', false, zipped.text).text).toBe(text);
  });

  test('a compressed stream can be cut', async () => {
    const server = await serve([{ text: 'a b', gzip: 'always', cut: { after: 'text', how: 'end' } }]);
    const answer = await askStream(server);
    expect(answer.text).toContain('"a "');
    expect(answer.text).not.toContain('"b"');
    expect(() => gunzipSync(answer.bytes)).toThrow('unexpected end of file');
  });

  test('raw bytes are sent as they are, and raw frames can be cut', async () => {
    const server = await serve([
      { raw: new Uint8Array([255, 0, 1]), contentType: 'application/octet-stream' },
      { raw: 'null', status: 201 },
      { raw: ['data: {}\n\n', 'data: [DONE]\n\n'], cut: { after: 'raw', count: 1, how: 'end' } },
    ]);
    expect([...(await askStream(server)).bytes]).toEqual([255, 0, 1]);
    expect(await askStream(server)).toMatchObject({ status: 201, text: 'null' });
    expect((await askStream(server)).text).toBe('data: {}\n\n');
  });

  test('a megabyte comes whole', async () => {
    const server = await serve([{ text: 'x'.repeat(1_000_000) }]);
    expect(readReply('openai', true, (await askStream(server)).text).text).toHaveLength(1_000_000);
  });
});

describe('quirks', () => {
  const calls = [
    { id: 'a', name: 'open', rawArguments: ['{"x":', '1}'] },
    { id: 'b', name: 'shut', rawArguments: ['{}'] },
  ];

  /** The pieces of the calls in a stream, each as `index id name arguments`, with a dash for what it lacks. */
  function piecesOf(text: string): string[] {
    return eventsOf(text)
      .flatMap((event) => event.choices?.[0]?.delta?.tool_calls ?? [])
      .map(({ index = '-', id = '-', function: { name = '-', arguments: json } }) => {
        return `${index} ${id} ${name} ${typeof json === 'string' ? json : JSON.stringify(json ?? '-')}`;
      });
  }

  test.each<{ name: string; quirks: LoopbackQuirks; pieces: string[] }>([
    { name: 'none', quirks: {}, pieces: ['0 a open ', '0 - - {"x":', '0 - - 1}', '1 b shut ', '1 - - {}'] },
    {
      name: 'no index',
      quirks: { callIndex: 'missing' },
      pieces: ['- a open ', '- - - {"x":', '- - - 1}', '- b shut ', '- - - {}'],
    },
    {
      name: 'index 0 for all',
      quirks: { callIndex: 'zero' },
      pieces: ['0 a open ', '0 - - {"x":', '0 - - 1}', '0 b shut ', '0 - - {}'],
    },
    {
      name: 'no ids',
      quirks: { callIds: 'missing' },
      pieces: ['0 - open ', '0 - - {"x":', '0 - - 1}', '1 - shut ', '1 - - {}'],
    },
    {
      name: 'empty ids',
      quirks: { callIds: 'empty' },
      pieces: ['0  open ', '0 - - {"x":', '0 - - 1}', '1  shut ', '1 - - {}'],
    },
    {
      name: 'ids in every piece',
      quirks: { callIds: 'every-piece' },
      pieces: ['0 a open ', '0 a - {"x":', '0 a - 1}', '1 b shut ', '1 b - {}'],
    },
    {
      name: 'names in every piece',
      quirks: { callNames: 'every-piece' },
      pieces: ['0 a open ', '0 - open {"x":', '0 - open 1}', '1 b shut ', '1 - shut {}'],
    },
    {
      name: 'names in two parts',
      quirks: { callNames: 'split' },
      pieces: ['0 a op ', '0 - en ', '0 - - {"x":', '0 - - 1}', '1 b sh ', '1 - ut ', '1 - - {}'],
    },
    {
      name: 'names after the arguments',
      quirks: { callNames: 'last' },
      pieces: ['0 a - ', '0 - - {"x":', '0 - - 1}', '0 - open "-"', '1 b - ', '1 - - {}', '1 - shut "-"'],
    },
    { name: 'whole arguments', quirks: { callArguments: 'whole' }, pieces: ['0 a open {"x":1}', '1 b shut {}'] },
    { name: 'arguments as a value', quirks: { callArguments: 'value' }, pieces: ['0 a open {"x":1}', '1 b shut {}'] },
    {
      name: 'cumulative arguments',
      quirks: { callArguments: 'cumulative' },
      pieces: ['0 a open ', '0 - - {"x":', '0 - - {"x":1}', '1 b shut ', '1 - - {}'],
    },
    {
      name: 'arguments again at the end',
      quirks: { callArguments: 'again-at-end' },
      pieces: ['0 a open ', '0 - - {"x":', '0 - - 1}', '0 - - {"x":1}', '1 b shut ', '1 - - {}', '1 - - {}'],
    },
    {
      name: 'interleaved calls',
      quirks: { interleaved: true },
      pieces: ['0 a open ', '1 b shut ', '0 - - {"x":', '1 - - {}', '0 - - 1}'],
    },
  ])('OpenAI: $name', async ({ quirks, pieces }) => {
    const server = await serve([{ calls, quirks }]);
    const { text } = await askStream(server);
    expect(piecesOf(text)).toEqual(pieces);
    expect(text.includes('"arguments":{')).toBe(quirks.callArguments === 'value');
  });

  test.each([
    { wire: 'openai', terminal: 'missing', lacks: /DONE|finish_reason":"/u },
    { wire: 'openai', terminal: 'no-done', lacks: /DONE/u },
    { wire: 'anthropic', terminal: 'missing', lacks: /message_delta|message_stop/u },
    { wire: 'anthropic', terminal: 'no-done', lacks: /message_stop/u },
    { wire: 'openai-responses', terminal: 'missing', lacks: /response\.completed/u },
    { wire: 'ollama', terminal: 'missing', lacks: /"done":true/u },
  ] as const)('$wire with its end $terminal', async ({ wire, terminal, lacks }) => {
    const server = await serve([{ calls }, { calls, quirks: { terminal } }]);
    expect((await askOn(server, wire, true)).text).toMatch(lacks);
    expect((await askOn(server, wire, true)).text).not.toMatch(lacks);
  });

  test('Anthropic: the arguments stand in the block’s start', async () => {
    const server = await serve([{ calls, quirks: { callArguments: 'whole' } }]);
    const events = eventsOf((await askOn(server, 'anthropic', true)).text);
    expect(events.flatMap(({ content_block: block }) => block?.input ?? [])).toEqual([{ x: 1 }, {}]);
    expect(JSON.stringify(events)).not.toContain('partial_json');
  });

  test.each([
    { wire: 'openai', finish: 'length', says: '"finish_reason":"length"' },
    { wire: 'openai', finish: 'content-filter', says: '"finish_reason":"content_filter"' },
    { wire: 'openai', finish: 'MALFORMED_FUNCTION_CALL', says: '"finish_reason":"MALFORMED_FUNCTION_CALL"' },
    { wire: 'openai-responses', finish: 'length', says: '"reason":"max_output_tokens"' },
    { wire: 'openai-responses', finish: 'content-filter', says: '"reason":"content_filter"' },
    { wire: 'openai-responses', finish: 'error', says: 'response.failed' },
    { wire: 'anthropic', finish: 'length', says: '"stop_reason":"max_tokens"' },
    { wire: 'anthropic', finish: 'pause', says: '"stop_reason":"pause_turn"' },
    { wire: 'anthropic', finish: 'content-filter', says: '"stop_reason":"refusal"' },
    { wire: 'ollama', finish: 'length', says: '"done_reason":"length"' },
  ] as const)('$wire says $finish in its own word', async ({ wire, finish, says }) => {
    const server = await serve([{ text: 'a', finish }]);
    expect((await askOn(server, wire, true)).text).toContain(says);
  });

  test.each(modes)('a refusal is told: $name', async ({ wire, isStream }) => {
    const server = await serve([{ refusal: 'No.' }]);
    const { text } = await askOn(server, wire, isStream);
    expect(text).toContain('No.');
    expect(text).toMatch(/refusal|"done_reason":"stop"/u);
  });

  test('broken arguments reach the client as they were written, on every wire', async () => {
    const server = await serve(() => ({ calls: [{ name: 'use', rawArguments: '{"item": key' }] }));
    for (const { wire, isStream } of modes) {
      const { text } = await askOn(server, wire, isStream);
      const strings = [...text.matchAll(/"(?:arguments|partial_json|delta|input)":"((?:[^"\\]|\\.)*)"/gu)];
      expect(strings.map((match) => JSON.parse(`"${match[1] ?? ''}"`) as string).join('')).toContain('{"item": key');
    }
  });
});

describe('the log', () => {
  test('a script that has run out is told to the client as final, and to the test', async () => {
    const server = await serve([]);
    expect((await askStream(server)).status).toBe(400);
    expect(server.scriptErrors).toEqual(['The script has no step for request 1.']);
  });

  test('a script that throws is told to the test', async () => {
    const server = await serve(() => {
      throw new Error('typo');
    });
    expect((await askStream(server)).status).toBe(400);
    expect(server.scriptErrors).toEqual([expect.stringContaining('typo')]);
  });

  test('a request that a strict vendor refuses gets its 400 and takes no step', async () => {
    const server = await serve([{ text: 'first' }]);
    const url = server.origin + wirePaths.openai;
    const refused = await ask(url, { model: 'demo', messages: [] });
    expect([refused.status, (JSON.parse(refused.text) as WireEvent).error?.type]).toEqual([
      400,
      'invalid_request_error',
    ]);
    expect(server.violations).toEqual([expect.stringContaining("Invalid 'messages': empty array")]);
    expect(readReply('openai', true, (await askStream(server)).text).text).toBe('first');
  });

  test.each([
    { name: 'no JSON', body: '{', says: 'not valid JSON' },
    { name: 'no UTF-8', body: Buffer.from([0x22, 0xff, 0x22]), says: 'not valid UTF-8' },
    { name: 'no object', body: '[]', says: 'must be a JSON object' },
  ])('a body that is $name is refused', async ({ body, says }) => {
    const server = await serve([]);
    await ask(server.origin + wirePaths.openai, body);
    expect(server.violations).toEqual([expect.stringContaining(says)]);
  });

  test('Anthropic asks for its version, and every wire for JSON', async () => {
    const server = await serve([]);
    await ask(server.origin + wirePaths.anthropic, question('anthropic', true), {
      headers: { 'content-type': 'text/plain' },
    });
    expect(server.violations).toEqual([expect.stringContaining('content type')]);
  });

  test('a lenient server lets everything through', async () => {
    const server = await serve([{ text: 'fine' }], { strict: false });
    expect((await ask(server.origin + wirePaths.openai, { model: 'demo', messages: [] })).status).toBe(200);
    expect(server.violations).toEqual([]);
  });

  test('connections are counted, so that keep-alive can be seen', async () => {
    const server = await serve([{ text: 'a' }, { text: 'b' }]);
    const agent = new Agent({ keepAlive: true });
    await ask(server.origin + wirePaths.openai, question('openai', true), { agent });
    await ask(server.origin + wirePaths.openai, question('openai', true), { agent });
    agent.destroy();
    expect([server.requests.length, server.connections]).toEqual([2, 1]);
  });
});
