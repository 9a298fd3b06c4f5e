import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { tool } from '../../../src/core/define-tool.ts';
import type { Message } from '../../../src/core/message.ts';
import { userMessage } from '../../../src/core/message.ts';
import type { ModelRequest, Provider } from '../../../src/core/provider.ts';
import { createAgent } from '../../../src/loop/agent/create-agent.ts';
import { anthropic } from '../../../src/providers/anthropic/index.ts';
import { ollama } from '../../../src/providers/ollama/index.ts';
import { openai } from '../../../src/providers/openai-chat/index.ts';
import { openaiResponses } from '../../../src/providers/openai-responses/index.ts';
import type { Transport } from '../../../src/providers/transport.ts';
import { sse } from './decode.ts';
import { eventsOf, failureOf, question, replyOf } from './question.ts';
import { startRawServer } from './raw-server.ts';
import type { RawServer } from './raw-server.ts';

const chat = JSON.stringify({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] });
const messages = JSON.stringify({ type: 'message', content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn' });
const responses = JSON.stringify({
  object: 'response',
  status: 'completed',
  output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }],
});

/** A server that refuses every request in which it finds something, with the first error that fits. */
function pickyServer(
  answer: string,
  refusals: readonly {
    readonly finds: RegExp;
    readonly says: string;
    readonly status?: number;
    readonly param?: string;
  }[],
): Promise<RawServer> {
  const server = startRawServer((response, index) => {
    void server.then(({ bodies }) => {
      const refusal = refusals.find(({ finds }) => finds.test(bodies[index] ?? ''));
      if (refusal === undefined) response.end(answer);
      else
        response.writeHead(refusal.status ?? 400).end(
          JSON.stringify({
            error: { message: refusal.says, type: 'invalid_request_error', param: refusal.param ?? null },
          }),
        );
    });
  });
  return server;
}

describe('a server that does not know a field is asked once more without it, and the field is not sent again', () => {
  const rows: readonly {
    readonly name: string;
    readonly finds: RegExp;
    readonly says: string;
    readonly status?: number;
    readonly param?: string;
    readonly options?: object;
    readonly request?: Partial<ModelRequest>;
  }[] = [
    {
      name: 'stream_options',
      finds: /"stream_options"/,
      says: 'Unrecognized request argument supplied: stream_options',
    },
    {
      name: 'stream_options by its param',
      finds: /"stream_options"/,
      says: 'Unknown field',
      param: 'stream_options',
      status: 422,
    },
    {
      name: 'parallel_tool_calls',
      finds: /"parallel_tool_calls"/,
      says: "Unsupported parameter: 'parallel_tool_calls'",
      request: { parallelToolCalls: false },
    },
    {
      name: 'max_tokens',
      finds: /"max_tokens"/,
      says: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      options: { maxOutputTokens: 9 },
    },
    {
      name: 'max_tokens as an extra field',
      finds: /"max_tokens"/,
      says: 'max_tokens: Extra inputs are not permitted',
      options: { maxOutputTokens: 9 },
    },
  ];

  test.each(rows)('$name', async ({ finds, says, status, param, options, request }) => {
    await using server = await pickyServer(chat, [
      { finds, says, ...(status === undefined ? {} : { status }), ...(param === undefined ? {} : { param }) },
    ]);
    const provider = openai({ model: 'm', baseURL: server.origin, ...options });
    const asked = question(request);
    expect(await replyOf(provider, asked)).toMatchObject({ content: [{ text: 'Hi' }] });
    expect(server.bodies).toHaveLength(2);
    await replyOf(provider, asked);
    await replyOf(provider, question(request));
    expect(server.bodies).toHaveLength(4);
    expect(server.bodies.filter((body) => finds.test(body))).toHaveLength(1);
  });

  test('several fields, one after the other', async () => {
    await using server = await pickyServer(chat, [
      { finds: /"stream_options"/, says: 'unknown: stream_options' },
      { finds: /"parallel_tool_calls"/, says: 'unknown: parallel_tool_calls' },
    ]);
    await replyOf(openai({ model: 'm', baseURL: server.origin }), question({ parallelToolCalls: true }));
    expect(server.bodies).toHaveLength(3);
  });

  test('is a failure that the loop retries at once: each request is an attempt, and one alone is one request', async () => {
    const refusals = [{ finds: /"stream_options"/, says: 'unknown: stream_options' }];
    await using server = await pickyServer(chat, refusals);
    const kinds: string[] = [];
    const agentOf = (maxAttempts: number): ReturnType<typeof createAgent> => {
      const agent = createAgent({ provider: openai({ model: 'm', baseURL: server.origin }), retry: { maxAttempts } });
      agent.on('*', ({ type }) => kinds.push(type));
      return agent;
    };
    const one = await agentOf(1).stream('Hello?').result;
    expect(one).toMatchObject({ status: 'failed', failure: { kind: 'bad-request', remedy: 'at-once' } });
    expect(server.bodies).toHaveLength(1);
    kinds.length = 0;
    const two = await agentOf(2).stream('Hello?').result;
    expect(two).toMatchObject({ status: 'completed', failures: [{ kind: 'bad-request' }] });
    expect(server.bodies).toHaveLength(3);
    expect(kinds.filter((kind) => ['attempt-start', 'failure', 'retry'].includes(kind))).toEqual([
      'attempt-start',
      'failure',
      'retry',
      'attempt-start',
    ]);
  });

  test('encrypted reasoning on the Responses wire', async () => {
    await using server = await pickyServer(responses, [
      { finds: /"include"/, says: 'Encrypted content is not supported with this model.' },
    ]);
    await replyOf(openaiResponses({ model: 'm', baseURL: server.origin }));
    expect(server.bodies).toHaveLength(2);
  });

  test.each([
    { name: 'another field', says: 'Unrecognized request argument supplied: frobnicate' },
    {
      name: "a field's value",
      says: 'max_tokens is too large: 99999. This model supports at most 4096 completion tokens',
    },
  ])('but a server that refuses $name is asked once', async ({ says }) => {
    await using server = await pickyServer(chat, [{ finds: /./, says }]);
    expect(await failureOf(openai({ model: 'm', baseURL: server.origin, maxOutputTokens: 99999 }))).toMatchObject({
      kind: 'bad-request',
    });
    expect(server.bodies).toHaveLength(1);
  });

  test('and one that refuses both names of a field is not asked for ever', async () => {
    await using server = await pickyServer(chat, [
      {
        finds: /"max_(?:completion_)?tokens"/,
        says: 'Extra inputs are not permitted: max_tokens, max_completion_tokens',
      },
    ]);
    expect(await failureOf(openai({ model: 'm', baseURL: server.origin, maxOutputTokens: 9 }))).toMatchObject({
      kind: 'bad-request',
    });
    expect(server.bodies).toHaveLength(2);
  });
});

describe('reasoning that its own server refuses is left out, once', () => {
  const history = (issuer: string, data: object): Message[] => [
    userMessage('Hello?'),
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm', issuer, data: data as never },
        { type: 'text', text: 'Well.' },
      ],
    },
    userMessage('Go on.'),
  ];

  test('a signature on the Messages wire', async () => {
    await using server = await pickyServer(messages, [
      { finds: /"signature":"old"/, says: 'messages.1.content.0: Invalid `signature` in `thinking` block' },
    ]);
    const provider = anthropic({ model: 'm', baseURL: server.origin });
    const issuer = `anthropic@${server.origin.slice(7)}`;
    const past = history(issuer, { type: 'thinking', signature: 'old' });
    await replyOf(provider, question({ messages: past }));
    expect(server.bodies).toHaveLength(2);
    expect(server.bodies[1]).not.toContain('thinking');
    past.push(
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'new', issuer, data: { type: 'thinking', signature: 'fresh' } },
          { type: 'text', text: 'x' },
        ],
      },
      userMessage('And?'),
    );
    await replyOf(provider, question({ messages: past }));
    expect(server.bodies).toHaveLength(3);
    expect(server.bodies[2]).toContain('"signature":"fresh"');
  });

  test('a sealed item on the Responses wire', async () => {
    await using server = await pickyServer(responses, [
      { finds: /rs_1/, says: 'The encrypted content for item rs_1 could not be verified.' },
    ]);
    const issuer = `openai-responses@${server.origin.slice(7)}`;
    const past = history(issuer, { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' });
    await replyOf(openaiResponses({ model: 'm', baseURL: server.origin }), question({ messages: past }));
    expect(server.bodies).toHaveLength(2);
  });

  test('a refusal where nothing was sent that could be left out is final', async () => {
    await using server = await pickyServer(messages, [{ finds: /./, says: 'Invalid `signature` in `thinking` block' }]);
    expect(await failureOf(anthropic({ model: 'm', baseURL: server.origin }))).toMatchObject({ kind: 'bad-request' });
    expect(server.bodies).toHaveLength(1);
  });
});

describe('events', () => {
  /** A transport under the hand of the test. */
  const byHand =
    (chunks: readonly string[]): Transport =>
    (_request, listener) => {
      queueMicrotask(() => {
        listener.onHead(200, () => undefined);
        for (const chunk of chunks) listener.onChunk(new TextEncoder().encode(chunk));
        listener.onEnd();
      });
      return { pause() {}, resume() {}, abort() {} };
    };
  const ask = (chunks: readonly string[]): Provider => openai({ model: 'm', transport: byHand(chunks) });
  const delta = (fields: object): object => ({ choices: [{ index: 0, delta: fields }] });
  const end = sse({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }, '[DONE]');

  test('deltas of one chunk are one event; text and reasoning stay apart and in order', async () => {
    const chunk = sse(
      delta({ reasoning_content: 'h' }),
      delta({ reasoning_content: 'm' }),
      delta({ content: 'H' }),
      delta({ content: 'i' }),
    );
    expect((await eventsOf(ask([chunk, end]))).slice(0, -1)).toEqual([
      { type: 'progress', phase: 'headers' },
      { type: 'reasoning-delta', text: 'hm' },
      { type: 'text-delta', text: 'Hi' },
    ]);
  });

  test('a chunk that shows nothing tells that the server lives', async () => {
    expect((await eventsOf(ask([': ping\n\n', ': ping\n\n', end]))).map(({ type }) => type)).toEqual([
      'progress',
      'progress',
      'reply',
    ]);
  });

  test('the last event is exactly one reply or failure', async () => {
    for (const chunks of [
      [end],
      [],
      ['data: {'],
      [sse({ error: { message: 'x' } }), end],
      [end, sse({ error: { message: 'x' } })],
    ]) {
      const types = (await eventsOf(ask(chunks))).map(({ type }) => type);
      expect(types.filter((type) => type === 'reply' || type === 'failure')).toHaveLength(1);
      expect(['reply', 'failure']).toContain(types.at(-1));
    }
  });

  test('text of a failed reply was shown before its failure', async () => {
    const types = (await eventsOf(ask([sse(delta({ content: 'H' }))]))).map(({ type }) => type);
    expect(types).toEqual(['progress', 'text-delta', 'failure']);
  });

  test('a conversation that can not be written is a bug, told as one', async () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    const broken: Message = {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'f', input: loop as never }],
    };
    expect(await failureOf(ask([end]), question({ messages: [broken] }))).toMatchObject({
      kind: 'bug',
      cause: expect.any(TypeError) as unknown,
    });
  });
});

describe('usage that is far too small is a warning', () => {
  const long = 'word '.repeat(6000);
  const wires: readonly {
    readonly wire: string;
    readonly make: (origin: string) => Provider;
    readonly answer: (tokens: number) => object;
  }[] = [
    {
      wire: 'openai-chat',
      make: (origin) => openai({ model: 'm', baseURL: origin }),
      answer: (tokens) => ({ ...(JSON.parse(chat) as object), usage: { prompt_tokens: tokens } }),
    },
    {
      wire: 'openai-responses',
      make: (origin) => openaiResponses({ model: 'm', baseURL: origin }),
      answer: (tokens) => ({ ...(JSON.parse(responses) as object), usage: { input_tokens: tokens } }),
    },
    {
      wire: 'anthropic',
      make: (origin) => anthropic({ model: 'm', baseURL: origin }),
      answer: (tokens) => ({ ...(JSON.parse(messages) as object), usage: { input_tokens: tokens } }),
    },
    {
      wire: 'ollama',
      make: (origin) => ollama({ model: 'm', baseURL: origin }),
      answer: (tokens) => ({ message: { content: 'Hi' }, done: true, prompt_eval_count: tokens }),
    },
  ];
  const rows = [
    { name: 'a prompt that was cut', tokens: 400, messages: [userMessage(long)], warns: true },
    { name: 'a prompt that was read', tokens: 6010, messages: [userMessage(long)], warns: false },
    {
      name: 'a prompt that was cut to a context of usual size',
      tokens: 4096,
      messages: [userMessage(long)],
      warns: true,
    },
    { name: 'a prompt whose tokens are as many by chance', tokens: 6144, messages: [userMessage(long)], warns: false },
    { name: 'a short prompt', tokens: 1, messages: [userMessage('Hi')], warns: false },
    {
      name: 'an image',
      tokens: 400,
      messages: [{ role: 'user', content: [{ type: 'image', data: long, mediaType: 'image/png' }] } as Message],
      warns: false,
    },
  ];

  describe.each(wires)('$wire', ({ make, answer }) => {
    test.each(rows)('$name', async ({ tokens, messages: past, warns }) => {
      await using server = await startRawServer((response) => response.end(JSON.stringify(answer(tokens))));
      const reply = await replyOf(make(server.origin), question({ messages: past }));
      expect(reply.warnings?.[0]?.includes(`${tokens} input tokens`) ?? false).toBe(warns);
    });
  });

  test('it is told once for each conversation, as an event of the run', async () => {
    const look = { tool_calls: [{ function: { name: 'look', arguments: {} } }] };
    await using server = await startRawServer((response, index) => {
      const message = index === 0 ? look : { content: 'Hi' };
      response.end(JSON.stringify({ message, done: true, prompt_eval_count: 400 }));
    });
    const provider = ollama({ model: 'm', baseURL: server.origin });
    const tools = [tool({ name: 'look', description: 'Look.', schema: z.object({}), execute: () => 'A door.' })];
    const agent = createAgent({ provider, tools });
    const warnings: string[] = [];
    agent.on('warning', ({ message }) => warnings.push(message));
    await agent.run(long);
    expect(server.bodies).toHaveLength(2);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('`num_ctx`');
  });
});
