import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { tool } from '../../../src/core/define-tool.ts';
import type { Json } from '../../../src/core/json.ts';
import type { ImagePart, Message, TextPart } from '../../../src/core/message.ts';
import { userMessage } from '../../../src/core/message.ts';
import type { ModelRequest, Provider, ToolDeclaration } from '../../../src/core/provider.ts';
import { createAgent } from '../../../src/loop/agent/create-agent.ts';
import { anthropic } from '../../../src/providers/anthropic/index.ts';
import { ollama } from '../../../src/providers/ollama/index.ts';
import { openai } from '../../../src/providers/openai-chat/index.ts';
import { openaiResponses } from '../../../src/providers/openai-responses/index.ts';
import type { Transport } from '../../../src/providers/transport.ts';
import { checkRequest, requestViolation } from '../../../src/testing/strict-request.ts';
import type { WireId } from './decode.ts';
import { wireIds } from './decode.ts';
import { eventsOf, exchange, question } from './question.ts';

type Body = Record<string, Json> & { messages: Json[]; input: Json[] };

/** A transport that keeps what is sent and answers with an error. */
function recorder(): {
  readonly transport: Transport;
  readonly sent: Uint8Array[];
  readonly headers: Record<string, string>[];
  readonly urls: string[];
} {
  const sent: Uint8Array[] = [];
  const headers: Record<string, string>[] = [];
  const urls: string[] = [];
  const transport: Transport = (request, listener) => {
    sent.push(request.body.slice());
    headers.push({ ...request.headers });
    urls.push(request.url);
    queueMicrotask(() => listener.onError({ code: 'TEST', message: 'no network', phase: 'head' }));
    return { pause() {}, resume() {}, abort() {} };
  };
  return { transport, sent, headers, urls };
}

const makers: Record<WireId, (options: { model: string; transport: Transport } & Record<string, unknown>) => Provider> =
  {
    'openai-chat': openai,
    'openai-responses': openaiResponses,
    anthropic,
    ollama: ({ ...options }) => ollama({ baseURL: 'http://127.0.0.1:11434', ...options }),
  };

async function bytesOf(
  wire: WireId,
  request: ModelRequest,
  options: Record<string, unknown> = {},
): Promise<Uint8Array> {
  const { transport, sent } = recorder();
  await eventsOf(makers[wire]({ model: 'm', transport, ...options }), request);
  return sent[0] ?? new Uint8Array();
}

const textOfBytes = (bytes: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(bytes);
const bodyOf = async (wire: WireId, request: ModelRequest, options?: Record<string, unknown>): Promise<Body> =>
  JSON.parse(textOfBytes(await bytesOf(wire, request, options))) as Body;

const hello = userMessage('Hello?');
const image: ImagePart = { type: 'image', mediaType: 'image/png', data: 'aGk=' };
const result = (id: string, content: readonly (TextPart | ImagePart)[], isError = false): Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: id, toolName: 'get_weather', content, isError }],
});
const called = (id: string): Message => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId: id, toolName: 'get_weather', input: { city: 'London' } }],
});

describe('one turn with a tool', () => {
  const history = [hello, ...exchange('call_1', 'Order is locked', true)];

  test('on the Chat Completions wire: the text says that it is an error', async () => {
    expect((await bodyOf('openai-chat', question({ messages: history }))).messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"London"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'Error: Order is locked' },
    ]);
  });

  test('on the Responses wire: the text says that it is an error', async () => {
    const body = await bodyOf('openai-responses', question({ messages: history }));
    expect(body).toMatchObject({ instructions: 'Be brief.', store: false, include: ['reasoning.encrypted_content'] });
    expect(body.input).toEqual([
      { role: 'user', content: 'Hello?' },
      { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"London"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'Error: Order is locked' },
    ]);
  });

  test('on the Messages wire: the result is marked', async () => {
    const body = await bodyOf('anthropic', question({ messages: history }));
    expect(body).toMatchObject({ system: 'Be brief.', max_tokens: 8192 });
    expect(body.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hello?' }] },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'London' } }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'Order is locked', is_error: true }],
      },
    ]);
  });

  test("on Ollama's wire: arguments are an object, the result names its tool and says that it is an error", async () => {
    expect((await bodyOf('ollama', question({ messages: history }))).messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello?' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'call_1', function: { name: 'get_weather', arguments: { city: 'London' } } }],
      },
      { role: 'tool', tool_name: 'get_weather', tool_call_id: 'call_1', content: 'Error: Order is locked' },
    ]);
  });

  test.each([
    'get_weather failed: the city is unknown.',
    'There is no such tool.',
    'Timed out after 5 s.',
    'Invalid city.',
  ])('a text that already reads like an error stays: %s', async (text) => {
    const body = await bodyOf('openai-chat', question({ messages: [hello, ...exchange('a', text, true)] }));
    expect(body.messages.at(-1)).toMatchObject({ content: text });
  });
});

describe('what vendors are strict about', () => {
  test('messages of one role are one on the Messages wire, tool results first', async () => {
    const body = await bodyOf(
      'anthropic',
      question({ messages: [hello, ...exchange('a', 'x'), userMessage('And now?'), userMessage('Well?')] }),
    );
    expect(body.messages.map((message) => (message as { role: string }).role)).toEqual(['user', 'assistant', 'user']);
    expect(body.messages[2]).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: 'x' },
        { type: 'text', text: 'And now?' },
        { type: 'text', text: 'Well?' },
      ],
    });
  });

  test('empty texts are left out on the Messages wire, and an empty result says so', async () => {
    const messages: Message[] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: ' \n' },
          { type: 'text', text: 'Hi' },
        ],
      },
      called('a'),
      result('a', [{ type: 'text', text: '' }], true),
    ];
    const body = await bodyOf('anthropic', question({ messages, system: ' ' }));
    expect(body).not.toHaveProperty('system');
    expect(body.messages[0]).toEqual({ role: 'user', content: [{ type: 'text', text: 'Hi' }] });
    expect(body.messages[2]).toMatchObject({ content: [{ content: '(no output)', is_error: true }] });
  });

  test('ids that the Messages wire refuses are replaced, the same in call and result, and stay apart', async () => {
    const ids = ['call:1', 'call.1', 'call 1', 'ünï', 'x'.repeat(80), ''];
    const messages = [hello, ...ids.flatMap((id) => exchange(id, 'x'))];
    const body = await bodyOf('anthropic', question({ messages }));
    const seen = body.messages.flatMap((message) =>
      (message as { content: { id?: string; tool_use_id?: string }[] }).content.map(
        ({ id, tool_use_id }) => id ?? tool_use_id,
      ),
    );
    const used = seen.filter((id) => id !== undefined);
    expect(used).toHaveLength(ids.length * 2);
    expect(new Set(used).size).toBe(ids.length);
    for (const id of used) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(used).toContain('x'.repeat(80));
  });

  test.each(['openai-chat', 'openai-responses', 'ollama'] as const)('%s: ids are echoed exactly', async (wire) => {
    const id = 'functions.get_weather:0 🔑/+=';
    const text = textOfBytes(await bytesOf(wire, question({ messages: [hello, ...exchange(id, 'x')] })));
    expect(text.split(JSON.stringify(id))).toHaveLength(3);
  });

  test('empty texts are left out on the Responses wire, beside a call', async () => {
    const messages: Message[] = [
      hello,
      {
        role: 'assistant',
        content: [
          { type: 'text', text: '' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'get_weather', input: {} },
        ],
      },
      result('a', []),
    ];
    expect((await bodyOf('openai-responses', question({ messages, system: '' }))).input).toEqual([
      { role: 'user', content: 'Hello?' },
      { type: 'function_call', call_id: 'a', name: 'get_weather', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: '' },
    ]);
  });

  test('a history that begins with the words of the model gets a first word of the user on the Messages wire', async () => {
    const messages: Message[] = [{ role: 'assistant', content: [{ type: 'text', text: 'Well.' }] }, hello];
    const body = await bodyOf('anthropic', question({ messages }));
    expect(body.messages.map((message) => (message as { role: string }).role)).toEqual(['user', 'assistant', 'user']);
  });

  test('white space at the end of a reply is left out on the Messages wire, and nowhere else', async () => {
    const says = (...texts: string[]): Message => ({
      role: 'assistant',
      content: texts.map((text) => ({ type: 'text', text })),
    });
    const textsOf = async (...messages: Message[]): Promise<unknown> =>
      (await bodyOf('anthropic', question({ messages: [hello, ...messages] }))).messages.slice(1);
    const sent = (...texts: string[]): object[] => texts.map((text) => ({ type: 'text', text }));
    expect(await textsOf(says('One ', 'half \n'))).toEqual([{ role: 'assistant', content: sent('One ', 'half') }]);
    expect(await textsOf(says('Half \n', ' '))).toEqual([{ role: 'assistant', content: sent('Half') }]);
    // What the user said behind it is nothing, so it is the end all the same.
    expect(await textsOf(says('Half\t'), userMessage(' '))).toEqual([{ role: 'assistant', content: sent('Half') }]);
    expect(await textsOf(says('Half '), says('whole. '), userMessage('Well? '))).toEqual([
      { role: 'assistant', content: sent('Half', 'whole.') },
      { role: 'user', content: sent('Well? ') },
    ]);
  });

  describe('calls in the history, and no tools: the Messages wire declares those that were called', () => {
    const ask = (changes: Partial<ModelRequest>, options?: Record<string, unknown>): Promise<Body> =>
      bodyOf(
        'anthropic',
        question({ messages: [hello, ...exchange('a', 'x'), ...exchange('b', 'y')], ...changes }),
        options,
      );
    const former = { name: 'get_weather', description: expect.any(String) as string, input_schema: { type: 'object' } };

    test('once each, and none may be called', async () => {
      const body = await ask({ tools: [] });
      expect(body).toMatchObject({ tools: [former], tool_choice: { type: 'none' } });
      expect(requestViolation('anthropic', body)).toBeUndefined();
    });

    test('none where tools are declared, by the agent or by `body`', async () => {
      const search = { type: 'web_search_20250305', name: 'web_search' };
      for (const body of [await ask({}), await ask({ tools: [] }, { body: { tools: [search] } })]) {
        expect(body['tools']).toHaveLength(1);
        expect(body).not.toHaveProperty('tool_choice');
        expect(body['tools']).not.toEqual([former]);
      }
    });

    test('none where nothing was called', async () => {
      expect(await ask({ tools: [], messages: [hello] })).not.toHaveProperty('tools');
    });

    test('the choice of `body` stays', async () => {
      const text = textOfBytes(
        await bytesOf('anthropic', question({ messages: [hello, ...exchange('a', 'x')], tools: [] }), {
          body: { tool_choice: { type: 'auto' } },
        }),
      );
      expect(text.match(/tool_choice/g)).toHaveLength(1);
    });

    test('a call that comes although there are no tools is heard in the next turn', async () => {
      const { transport, sent } = recorder();
      const provider = anthropic({ model: 'm', transport });
      const messages: Message[] = [hello];
      const request = question({ messages, tools: [] });
      await eventsOf(provider, request);
      messages.push(...exchange('a', 'There is no such tool.', true));
      await eventsOf(provider, request);
      const bodies = sent.map((bytes) => JSON.parse(textOfBytes(bytes)) as Body);
      expect(bodies.map((body) => requestViolation('anthropic', body))).toEqual([undefined, undefined]);
      expect(bodies[0]).not.toHaveProperty('tools');
      expect(bodies[1]).toMatchObject({ tools: [former] });
    });
  });

  test('a schema of an object without properties gets an empty list of them', async () => {
    const tools = [{ name: 'look', description: 'Look.', inputSchema: { type: 'object' } }];
    expect(await bodyOf('openai-chat', question({ tools }))).toMatchObject({
      tools: [{ function: { parameters: { type: 'object', properties: {} } } }],
    });
  });

  test.each(wireIds)('%s: no lone surrogate leaves', async (wire) => {
    const bad = 'a\ud800b';
    const request: ModelRequest = {
      system: bad,
      messages: [
        userMessage(bad),
        {
          role: 'assistant',
          content: [
            { type: 'text', text: bad },
            { type: 'tool-call', toolCallId: 'a', toolName: 'get_weather', input: { [bad]: [bad] } },
          ],
        },
        result('a', [{ type: 'text', text: bad }]),
      ],
      tools: [{ name: 'get_weather', description: bad, inputSchema: { type: 'object', description: bad } }],
      toolChoice: 'auto',
    };
    const text = textOfBytes(await bytesOf(wire, request));
    expect(text).not.toMatch(/\\ud8/i);
    expect(text).toContain('a\ufffdb');
  });

  test.each(wireIds)('%s: text that only looks like a lone surrogate stays', async (wire) => {
    const text = String.raw`say \ud800 👍`;
    expect(textOfBytes(await bytesOf(wire, question({ messages: [userMessage(text)] })))).toContain(
      JSON.stringify(text).slice(1, -1),
    );
  });
});

describe('images', () => {
  test.each([
    { wire: 'openai-chat' as const, is: { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } } },
    {
      wire: 'openai-responses' as const,
      is: { type: 'input_image', image_url: 'data:image/png;base64,aGk=', detail: 'auto' },
    },
    {
      wire: 'anthropic' as const,
      is: { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
    },
  ])('of the user go as $wire wants them', async ({ wire, is }) => {
    const body = await bodyOf(
      wire,
      question({ system: undefined, messages: [{ role: 'user', content: [{ type: 'text', text: 'See' }, image] }] }),
    );
    expect((body.messages ?? body.input)[0]).toMatchObject({ content: [{}, is] });
  });

  test('of tool results follow all results of the turn on the Chat Completions wire', async () => {
    const both: Message = {
      role: 'tool',
      content: ['a', 'b'].map((id) => ({
        type: 'tool-result',
        toolCallId: id,
        toolName: 'get_weather',
        content: [image],
        isError: false,
      })),
    };
    const assistant: Message = {
      role: 'assistant',
      content: ['a', 'b'].map((id) => ({ type: 'tool-call', toolCallId: id, toolName: 'get_weather', input: {} })),
    };
    const request = question({ system: undefined, messages: [hello, assistant, both] });
    const { messages } = await bodyOf('openai-chat', request);
    expect(messages.map((message) => (message as { role: string }).role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
    ]);
    expect(messages[4]).toMatchObject({ content: [{ type: 'text' }, { type: 'image_url' }, { type: 'image_url' }] });
    const without = await bodyOf('openai-chat', request, { imageResults: false });
    expect(without.messages).toHaveLength(4);
    expect(without.messages[2]).toMatchObject({ content: expect.stringContaining('not shown') as string });
  });

  test('of tool results stand in them on the Messages wire', async () => {
    const body = await bodyOf(
      'anthropic',
      question({ messages: [hello, called('a'), result('a', [{ type: 'text', text: 'See' }, image])] }),
    );
    expect(body.messages[2]).toMatchObject({
      content: [{ type: 'tool_result', content: [{ type: 'text', text: 'See' }, { type: 'image' }] }],
    });
  });

  test("stand beside the text on Ollama's wire", async () => {
    const body = await bodyOf(
      'ollama',
      question({
        system: undefined,
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'See' }, image] },
          called('a'),
          result('a', [image]),
        ],
      }),
    );
    expect(body.messages[0]).toMatchObject({ content: 'See', images: ['aGk='] });
    expect(body.messages.at(-1)).toMatchObject({ role: 'user', images: ['aGk='] });
  });
});

describe('reasoning goes back to its own issuer only', () => {
  const thought = (issuer: string, data: Json): Message => ({
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'hm', issuer, data },
      { type: 'text', text: 'Hi' },
    ],
  });
  const rows: readonly { readonly wire: WireId; readonly issuer: string; readonly data: Json; readonly is: Json }[] = [
    {
      wire: 'anthropic',
      issuer: 'anthropic',
      data: { type: 'thinking', signature: 's' },
      is: { type: 'thinking', thinking: 'hm', signature: 's' },
    },
    {
      wire: 'anthropic',
      issuer: 'anthropic',
      data: { type: 'redacted_thinking', data: 'x' },
      is: { type: 'redacted_thinking', data: 'x' },
    },
    {
      wire: 'openai-responses',
      issuer: 'openai-responses',
      data: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' },
      is: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' },
    },
    {
      wire: 'openai-chat',
      issuer: 'openai-chat',
      data: { reasoning_details: [{ type: 'x' }] },
      is: { reasoning_details: [{ type: 'x' }] },
    },
  ];

  test.each(rows)('$wire', async ({ wire, issuer, data, is }) => {
    const request = (from: string): ModelRequest => question({ messages: [hello, thought(from, data), hello] });
    const own = JSON.stringify(await bodyOf(wire, request(issuer)));
    const inner = JSON.stringify(is).slice(1, -1);
    expect(own).toContain(inner);
    expect(JSON.stringify(await bodyOf(wire, request('another')))).not.toContain(inner);
    expect(JSON.stringify(await bodyOf(wire, request(issuer), { baseURL: 'http://127.0.0.1:9/v1' }))).not.toContain(
      inner,
    );
  });

  test('as plain text on the Chat Completions wire, for servers that ask for it', async () => {
    const message: Message = {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm', issuer: 'openai-chat' },
        { type: 'text', text: 'Hi' },
      ],
    };
    const request = question({ messages: [hello, message, hello] });
    expect((await bodyOf('openai-chat', request)).messages[2]).toEqual({ role: 'assistant', content: 'Hi' });
    expect((await bodyOf('openai-chat', request, { sendReasoningAs: 'reasoning_content' })).messages[2]).toEqual({
      role: 'assistant',
      content: 'Hi',
      reasoning_content: 'hm',
    });
  });

  test('fields of a call that a vendor wants back go to the same server only', async () => {
    const message: Message = {
      role: 'assistant',
      content: [
        {
          type: 'tool-call',
          toolCallId: 'a',
          toolName: 'get_weather',
          input: {},
          vendor: { issuer: 'openai-chat', data: { issuer: 'openai-chat', extra_content: { x: 1 } } },
        },
      ],
    };
    const request = question({ messages: [hello, message, result('a', [{ type: 'text', text: 'x' }])] });
    expect(JSON.stringify(await bodyOf('openai-chat', request))).toContain('"extra_content":{"x":1}');
    expect(JSON.stringify(await bodyOf('openai-chat', request, { baseURL: 'http://127.0.0.1:9/v1' }))).not.toContain(
      'extra_content',
    );
  });
});

describe('options and choices', () => {
  test.each([
    { wire: 'openai-chat' as const, choice: 'auto' as const, is: undefined },
    { wire: 'openai-chat' as const, choice: 'required' as const, is: 'required' },
    { wire: 'openai-chat' as const, choice: 'none' as const, is: 'none' },
    {
      wire: 'openai-chat' as const,
      choice: { toolName: 'get_weather' },
      is: { type: 'function', function: { name: 'get_weather' } },
    },
    {
      wire: 'openai-responses' as const,
      choice: { toolName: 'get_weather' },
      is: { type: 'function', name: 'get_weather' },
    },
    { wire: 'openai-responses' as const, choice: 'auto' as const, is: undefined },
    { wire: 'openai-responses' as const, choice: 'required' as const, is: 'required' },
    { wire: 'openai-responses' as const, choice: 'none' as const, is: 'none' },
    { wire: 'anthropic' as const, choice: 'auto' as const, is: undefined },
    { wire: 'anthropic' as const, choice: 'required' as const, is: { type: 'any' } },
    { wire: 'anthropic' as const, choice: 'none' as const, is: { type: 'none' } },
    { wire: 'anthropic' as const, choice: { toolName: 'get_weather' }, is: { type: 'tool', name: 'get_weather' } },
  ])('$wire writes the choice $choice', async ({ wire, choice, is }) => {
    expect((await bodyOf(wire, question({ toolChoice: choice })))['tool_choice']).toEqual(is);
    expect(await bodyOf(wire, question({ toolChoice: choice, tools: [] }))).not.toHaveProperty('tool_choice');
  });

  test('Ollama is told not to cut a conversation silently, unless `body` says so', async () => {
    expect((await bodyOf('ollama', question()))['truncate']).toBe(false);
    expect((await bodyOf('ollama', question(), { body: { truncate: true } }))['truncate']).toBe(true);
  });

  test("without a field for it, Ollama's wire does not tell of the tools where none may be called", async () => {
    expect(await bodyOf('ollama', question({ toolChoice: 'none' }))).not.toHaveProperty('tools');
    expect(makers.ollama({ model: 'm', transport: recorder().transport }).capabilities).toEqual({
      toolChoice: ['auto', 'none'],
      parallelToolCalls: false,
      imageResults: true,
      textCalls: 'run',
    });
  });

  test.each(['required' as const, { toolName: 'get_weather' }])(
    "a choice that Ollama's wire can't express (%o) is an error of the developer, when the agent is made",
    (toolChoice) => {
      const provider = makers.ollama({ model: 'm', transport: recorder().transport });
      const get_weather = tool({ name: 'get_weather', description: 'x', schema: z.object({}), execute: () => 'x' });
      expect(() => createAgent({ provider, tools: [get_weather], toolChoice })).toThrow(
        /^The provider `ollama` cannot express `toolChoice`: (?:required|tool)\. It knows auto, none\.$/,
      );
    },
  );

  test.each([true, false])('several calls at once: %s', async (parallelToolCalls) => {
    const request = question({ parallelToolCalls });
    expect(await bodyOf('openai-chat', request)).toHaveProperty('parallel_tool_calls', parallelToolCalls);
    expect(await bodyOf('openai-responses', request)).toHaveProperty('parallel_tool_calls', parallelToolCalls);
    expect(await bodyOf('anthropic', request)).toHaveProperty('tool_choice', {
      type: 'auto',
      disable_parallel_tool_use: !parallelToolCalls,
    });
    for (const wire of ['openai-chat', 'openai-responses', 'anthropic'] as const) {
      const without = JSON.stringify(await bodyOf(wire, question({ parallelToolCalls, tools: [] })));
      expect(without).not.toContain('parallel');
    }
  });

  test.each(wireIds)('%s: fields of the body win, and no tools means no tools', async (wire) => {
    const body = await bodyOf(wire, question({ tools: [] }), {
      body: { model: 'other', seed: 7 },
      temperature: 0,
      maxOutputTokens: 5,
      stream: false,
    });
    expect(body).toMatchObject({ model: 'other', seed: 7, stream: false });
    expect(body).not.toHaveProperty('tools');
    expect(JSON.stringify(body)).toContain('"temperature":0');
    expect(JSON.stringify(body)).toMatch(/"(?:max_completion_tokens|max_output_tokens|max_tokens|num_predict)":5/);
  });

  test("tools of the server's own stand beside ours", async () => {
    const search = { type: 'web_search_20250305', name: 'web_search' };
    expect((await bodyOf('anthropic', question(), { body: { tools: [search] } }))['tools']).toMatchObject([
      { name: 'get_weather' },
      search,
    ]);
    expect((await bodyOf('openai-responses', question({ tools: [] }), { body: { tools: [search] } }))['tools']).toEqual(
      [search],
    );
  });
});

describe('a conversation that grows', () => {
  const turn = (index: number): Message[] => exchange(`call_${index}`, `Result ${index} – ${'ü'.repeat(index * 7)}`);

  test.each(wireIds)('%s: the bytes are those of a conversation written at once', async (wire) => {
    const { transport, sent } = recorder();
    const provider = makers[wire]({ model: 'm', transport });
    const messages: Message[] = [hello];
    const request = question({ messages });
    for (let index = 0; index < 30; index++) {
      await eventsOf(provider, request);
      const fresh = await bytesOf(wire, question({ messages: [...messages] }));
      expect(textOfBytes(sent.at(-1) ?? fresh)).toBe(textOfBytes(fresh));
      messages.push(...turn(index));
      if (index % 7 === 0) messages.push(userMessage('Go on.'));
    }
  });

  test.each(wireIds)('%s: a message is written once', async (wire) => {
    const { transport } = recorder();
    const provider = makers[wire]({ model: 'm', transport });
    let reads = 0;
    const watched: Message = {
      role: 'user',
      get content() {
        reads++;
        return [{ type: 'text' as const, text: 'Hello?' }];
      },
    };
    const messages: Message[] = [watched];
    const request = question({ messages });
    await eventsOf(provider, request);
    const once = reads;
    for (let index = 0; index < 5; index++) {
      messages.push(...turn(index));
      await eventsOf(provider, request);
    }
    expect(reads).toBe(once);
  });

  test.each(wireIds)('%s: another head, another past and another array are heard', async (wire) => {
    const { transport, sent } = recorder();
    const provider = makers[wire]({ model: 'm', transport });
    const messages: Message[] = [hello, ...turn(1)];
    const requests: ModelRequest[] = [
      question({ messages }),
      question({ messages, system: 'Other.' }),
      question({ messages, system: 'Other.', toolChoice: 'none' }),
      question({ messages, system: 'Other.', tools: [] }),
      question({ messages: [hello, ...turn(2)] }),
      question({ messages }),
    ];
    for (const request of requests) {
      await eventsOf(provider, request);
      expect(textOfBytes(sent.at(-1) ?? new Uint8Array())).toBe(
        textOfBytes(await bytesOf(wire, { ...request, messages: [...request.messages] })),
      );
    }
    messages.pop();
    messages.push(result('call_1', [{ type: 'text', text: 'changed' }]));
    await eventsOf(provider, question({ messages }));
    expect(textOfBytes(sent.at(-1) ?? new Uint8Array())).toContain('changed');
  });
});

describe('any conversation that is in order', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 12 });
  const filled = anyText.map((text) => `x${text}`);
  const anyId = fc.string({ maxLength: 6 });
  const anyTurn = fc.record({
    calls: fc.array(
      fc.record({
        input: fc.dictionary(anyText, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 }),
        text: anyText,
        isError: fc.boolean(),
        hasImage: fc.boolean(),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    text: anyText,
    id: anyId,
  });
  const anyTool: fc.Arbitrary<ToolDeclaration> = fc.record({
    name: fc.constant('get_weather'),
    description: filled,
    inputSchema: fc.constant({ type: 'object' }),
  });

  const historyOf = (
    turns: readonly {
      calls: readonly { input: Record<string, unknown>; text: string; isError: boolean; hasImage: boolean }[];
      text: string;
      id: string;
    }[],
  ): Message[] =>
    turns.flatMap(({ calls, text, id }, turnIndex): Message[] => {
      const idOf = (index: number): string => `${id}:${turnIndex}.${index}`;
      return [
        {
          role: 'assistant',
          content: [
            ...(text === '' ? [] : [{ type: 'text' as const, text }]),
            ...calls.map(({ input }, index) => ({
              type: 'tool-call' as const,
              toolCallId: idOf(index),
              toolName: 'get_weather',
              input: input as Json,
            })),
          ],
        },
        {
          role: 'tool',
          content: calls.map((call, index) => ({
            type: 'tool-result',
            toolCallId: idOf(index),
            toolName: 'get_weather',
            isError: call.isError,
            content: [{ type: 'text' as const, text: call.text }, ...(call.hasImage ? [image] : [])],
          })),
        },
      ];
    });

  test.each(wireIds)('%s: is accepted by a strict server', async (wire) => {
    await fc.assert(
      fc.asyncProperty(
        filled,
        fc.array(anyTurn, { maxLength: 4 }),
        anyTool,
        filled,
        async (first, turns, tool, last) => {
          const messages = [userMessage(first), ...historyOf(turns), userMessage(last)];
          const bytes = await bytesOf(wire, { system: last, messages, tools: [tool], toolChoice: 'auto' });
          expect(checkRequest(wire === 'openai-chat' ? 'openai' : wire, bytes).violation).toBeUndefined();
        },
      ),
      { numRuns: 150 },
    );
  });
});
