import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/json.ts';
import type { Message, Provider } from '../../../src/index.ts';
import { anthropic, createAgent, ollama, openai, openaiResponses, tool, userMessage } from '../../../src/index.ts';
import { z } from 'zod';
import { quick } from '../run-on-wire.ts';
import { decode, sse, summary } from './decode.ts';
import type { WireId } from './decode.ts';
import { exchange, question, replyOf } from './question.ts';
import { startRawServer } from './raw-server.ts';
import type { RawServer } from './raw-server.ts';

/* What single vendors do where they keep to their wire, told in docs/vendors.md by the names of these rows. */

const delta = (fields: object, finish: string | null = null, more: object = {}): object => ({
  choices: [{ index: 0, delta: fields, finish_reason: finish, ...more }],
});
const said = { content: 'A door.' };
const end = delta({}, 'stop');
const done = '[DONE]';
const plain = (message: object, more: object = {}): string =>
  JSON.stringify({
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
    ...more,
  });

const listIn = (value: Json | undefined): JsonObject[] => (value ?? []) as unknown as JsonObject[];

interface Reply {
  readonly vendor: string;
  readonly wire?: WireId;
  readonly body: string;
}

describe('thoughts are told as thoughts, wherever a vendor writes them', () => {
  test.each<Reply>([
    { vendor: 'DeepSeek', body: sse(delta({ reasoning_content: 'hm', content: null }), delta(said), end, done) },
    { vendor: 'Moonshot', body: plain({ reasoning_content: 'hm', ...said }) },
    { vendor: 'Zhipu', body: sse(delta({ role: 'assistant', reasoning_content: 'hm' }), delta(said), end, done) },
    {
      vendor: 'Qwen',
      body: sse(
        delta({ content: null, reasoning_content: 'hm' }),
        delta({ ...said, reasoning_content: null }),
        end,
        done,
      ),
    },
    { vendor: 'xAI', body: plain({ reasoning_content: 'hm', ...said, refusal: null }) },
    { vendor: 'Fireworks', body: sse(delta({ reasoning_content: 'hm' }), delta(said), end, done) },
    {
      vendor: 'SGLang',
      body: sse(delta({ reasoning_content: 'hm', content: '' }), delta({ ...said, reasoning_content: '' }), end, done),
    },
    {
      vendor: 'llama.cpp',
      body: sse(
        delta({ role: 'assistant', content: null }),
        delta({ reasoning_content: 'hm' }),
        delta(said),
        end,
        done,
      ),
    },
    {
      vendor: 'LiteLLM',
      body: plain({
        reasoning_content: 'hm',
        thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 's' }],
        ...said,
      }),
    },
    { vendor: 'vLLM, newer', body: sse(delta({ reasoning: 'hm' }), delta(said), end, done) },
    { vendor: 'Groq', body: plain({ reasoning: 'hm', ...said }) },
    { vendor: 'Cerebras', body: sse(delta({ reasoning: 'hm' }), delta(said), end, done) },
    { vendor: 'Together', body: sse(delta({ reasoning: 'hm', content: '' }), delta(said), end, done) },
    { vendor: 'LM Studio', body: plain({ reasoning: 'hm', ...said }) },
    {
      vendor: 'OpenRouter',
      body: sse(
        delta({ reasoning: 'hm', reasoning_details: [{ type: 'reasoning.text', text: 'hm', index: 0 }] }),
        delta(said),
        end,
        done,
      ),
    },
    {
      vendor: 'Mistral',
      body: plain({
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
          { type: 'text', text: 'A door.' },
        ],
      }),
    },
    {
      vendor: 'MiniMax, split',
      body: plain({ reasoning_content: 'hm', reasoning_details: [{ type: 'reasoning.text', text: 'hm' }], ...said }),
    },
    {
      vendor: 'Ollama',
      wire: 'ollama',
      body: '{"message":{"role":"assistant","thinking":"hm","content":""},"done":false}\n{"message":{"role":"assistant","content":"A door."},"done":true,"done_reason":"stop"}\n',
    },
    {
      vendor: 'Anthropic',
      wire: 'anthropic',
      body: JSON.stringify({
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'text', text: 'A door.' },
        ],
        stop_reason: 'end_turn',
      }),
    },
    {
      vendor: 'OpenAI, on Responses',
      wire: 'openai-responses',
      body: JSON.stringify({
        object: 'response',
        status: 'completed',
        output: [
          { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'x' },
          {
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: 'A door.', annotations: [] }],
          },
        ],
      }),
    },
  ])('$vendor', ({ wire = 'openai-chat', body }) => {
    expect(summary(decode(wire, body))).toBe('<hm> "A door." stop');
  });

  test('MiniMax, as marks in the text: a run tells them as reasoning, and the answer is without them', async () => {
    await using server = await startRawServer((response) =>
      response.end(plain({ content: '<think>\nhm\n</think>\n\nA door.' })),
    );
    const { result } = createAgent({
      provider: openai({ model: 'm', baseURL: server.origin, stream: false }),
      retry: quick,
    }).stream('Look.');
    expect(await result).toMatchObject({ text: 'A door.' });
  });
});

describe('ids of calls, as vendors give them', () => {
  const call = (id: unknown, more: object = {}): object => ({
    id,
    type: 'function',
    function: { name: 'look', arguments: '{}' },
    ...more,
  });
  test.each<Reply & { readonly is: string }>([
    {
      vendor: 'Moonshot',
      body: plain({ content: null, tool_calls: [call('functions.look:0')] }),
      is: 'look#functions.look:0({}) stop',
    },
    {
      vendor: 'vLLM',
      body: plain({ content: null, tool_calls: [call('chatcmpl-tool-576c28ae7fe44cde8ffeed533d5e3a02')] }),
      is: 'look#chatcmpl-tool-576c28ae7fe44cde8ffeed533d5e3a02({}) stop',
    },
    {
      vendor: 'DeepSeek',
      body: plain({ content: '', tool_calls: [call('call_00_abc', { index: 0 })] }),
      is: 'look#call_00_abc({}) stop',
    },
    {
      vendor: 'MiniMax',
      body: plain({ content: '', tool_calls: [call('call_function_g094w5htkglv_1')] }),
      is: 'look#call_function_g094w5htkglv_1({}) stop',
    },
    {
      vendor: 'Gemini, without an index',
      body: sse(delta({ tool_calls: [call('call_297140')] }), delta({}, 'stop'), done),
      is: 'look#call_297140({}) stop',
    },
    {
      vendor: 'Qwen, an empty id in later pieces',
      body: sse(
        delta({
          tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '{' } }],
        }),
        delta({ tool_calls: [{ index: 0, id: '', type: 'function', function: { arguments: '}' } }] }),
        delta({}, 'tool_calls'),
        done,
      ),
      is: 'look#call_1({}) tool-calls',
    },
    {
      vendor: 'Gemini behind a proxy, pieces without id, index and type',
      body: sse(
        delta({ tool_calls: [call('call_1', { function: { name: 'look', arguments: '{' } })] }),
        delta({ tool_calls: [{ id: '', type: '', function: { arguments: '}' } }] }),
        delta({}, 'tool_calls'),
        done,
      ),
      is: 'look#call_1({}) tool-calls',
    },
    {
      vendor: 'SGLang, no id for the second call',
      body: plain({
        content: null,
        tool_calls: [call('call_1'), call('', { function: { name: 'look', arguments: '{"far":true}' } })],
      }),
      is: 'look#call_1({}) look({"far":true}) stop',
    },
    {
      vendor: 'Ollama, none',
      wire: 'ollama',
      body: '{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"look","arguments":{}}}]},"done":true,"done_reason":"stop"}\n',
      is: 'look({}) stop',
    },
  ])('$vendor', ({ wire = 'openai-chat', body, is }) => {
    expect(summary(decode(wire, body))).toBe(is);
  });

  test.each([
    { vendor: 'Xinference, one id for all calls', ids: ['call_f0de', 'call_f0de'] },
    { vendor: 'TGI, a number', ids: ['0', '0'] },
    { vendor: 'langchain-qwq, an empty one', ids: ['call_1', ''] },
    { vendor: 'llama.cpp, older: none', ids: [undefined, undefined] },
  ])('$vendor: calls and results have ids of their own', async ({ ids }) => {
    const calls = ids.map((id, at) => ({
      id,
      type: 'function',
      function: { name: 'look', arguments: `{"at":${at}}` },
    }));
    const replies = [plain({ content: null, tool_calls: calls }), plain(said)];
    await using server = await startRawServer((response, index) => response.end(replies[index]));
    const look = tool({
      name: 'look',
      description: 'Looks.',
      schema: z.object({ at: z.number() }),
      effect: 'read',
      execute: ({ at }) => `at ${at}`,
    });
    const provider = openai({ model: 'm', baseURL: server.origin, stream: false });
    const { result } = createAgent({ provider, tools: [look], retry: quick }).stream('Look.');
    expect(await result).toMatchObject({ text: 'A door.' });
    const sent = (JSON.parse(server.bodies[1] ?? '{}') as { messages: JsonObject[] }).messages;
    const used = listIn(sent.find(({ tool_calls }) => tool_calls !== undefined)?.['tool_calls']).map(({ id }) => id);
    const answered = sent
      .filter(({ role }) => role === 'tool')
      .map(({ tool_call_id, content }) => [tool_call_id, content]);
    expect(new Set(used).size).toBe(2);
    expect(answered).toEqual([
      [used[0], 'at 0'],
      [used[1], 'at 1'],
    ]);
  });
});

describe('usage, wherever a vendor writes it', () => {
  const figures = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 };
  const both = { inputTokens: 20, outputTokens: 5 };
  test.each<Reply & { readonly is: object }>([
    {
      vendor: 'OpenAI',
      body: sse(
        delta(said),
        end,
        { choices: [], usage: { ...figures, completion_tokens_details: { reasoning_tokens: 3 } } },
        done,
      ),
      is: { ...both, reasoningTokens: 3 },
    },
    {
      vendor: 'Azure, a filter result first',
      body: sse(
        { choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] },
        delta(said),
        end,
        { choices: [], usage: figures },
        done,
      ),
      is: both,
    },
    {
      vendor: 'Moonshot, in the choice',
      body: sse(delta(said), delta({}, 'stop', { usage: { ...figures, cached_tokens: 4 } }), done),
      is: { ...both, cachedInputTokens: 4 },
    },
    {
      vendor: 'Groq, in a field of its own',
      body: sse(
        delta(said),
        {
          ...delta({}, 'stop'),
          x_groq: { id: 'req_1', usage: { queue_time: 0.07, prompt_tokens: 20, completion_tokens: 5 } },
        },
        done,
      ),
      is: both,
    },
    {
      vendor: 'xAI, before the last chunk',
      body: sse(
        delta(said),
        {
          ...delta({}, 'stop'),
          usage: { ...figures, total_tokens: 925, completion_tokens_details: { reasoning_tokens: 900 } },
        },
        { choices: [] },
        done,
      ),
      is: { inputTokens: 20, outputTokens: 905, reasoningTokens: 900 },
    },
    {
      vendor: 'Gemini',
      body: plain(said, { usage: { prompt_tokens: 20, completion_tokens: 5, total_tokens: 925 } }),
      is: { inputTokens: 20, outputTokens: 905 },
    },
    {
      vendor: 'DeepSeek',
      body: plain(said, { usage: { ...figures, prompt_cache_hit_tokens: 16, prompt_cache_miss_tokens: 4 } }),
      is: { ...both, cachedInputTokens: 16 },
    },
    {
      vendor: 'Zhipu',
      body: sse(
        delta(said),
        { ...delta({}, 'stop'), usage: { ...figures, prompt_tokens_details: { cached_tokens: 8 } } },
        done,
      ),
      is: { ...both, cachedInputTokens: 8 },
    },
    {
      vendor: 'Qwen',
      body: sse(
        delta(said),
        end,
        { choices: [], usage: { ...figures, prompt_tokens_details: { cached_tokens: 0 } } },
        done,
      ),
      is: { ...both, cachedInputTokens: 0 },
    },
    {
      vendor: 'vLLM, after each piece',
      body: sse(
        { ...delta(said), usage: { prompt_tokens: 20, completion_tokens: 1, total_tokens: 21 } },
        { ...delta({}, 'stop'), usage: figures },
        done,
      ),
      is: both,
    },
    {
      vendor: 'SGLang',
      body: plain(said, { usage: { ...figures, reasoning_tokens: 2 } }),
      is: { ...both, reasoningTokens: 2 },
    },
    {
      vendor: 'llama.cpp',
      body: sse(delta(said), end, { choices: [], usage: figures, timings: { prompt_n: 1, predicted_n: 5 } }, done),
      is: both,
    },
    {
      vendor: 'OpenRouter',
      body: sse(
        ': OPENROUTER PROCESSING',
        delta(said),
        end,
        {
          choices: [{ index: 0, delta: {}, finish_reason: null }],
          usage: { ...figures, cost: 0.0001, is_byok: false },
        },
        done,
      ).replace('data: : OPEN', ': OPEN'),
      is: both,
    },
    {
      vendor: 'LiteLLM, zeros where it counts nothing',
      body: plain(said, { usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }),
      is: {},
    },
    {
      vendor: 'Portkey, a further chunk',
      body: sse(
        delta(said),
        end,
        { choices: [], usage: figures },
        { id: 'x', choices: [{ index: 0, delta: {}, finish_reason: null }] },
        done,
      ),
      is: both,
    },
    {
      vendor: 'Mistral',
      body: sse(
        delta(said),
        { ...delta({}, 'stop'), usage: { prompt_tokens: 20, total_tokens: 25, completion_tokens: 5 } },
        done,
      ),
      is: both,
    },
    {
      vendor: 'Ollama',
      wire: 'ollama',
      body: '{"message":{"role":"assistant","content":"A door."},"done":true,"done_reason":"stop","prompt_eval_count":20,"eval_count":5}\n',
      is: both,
    },
    {
      vendor: 'Ollama, newer',
      wire: 'ollama',
      body: '{"message":{"role":"assistant","content":"A door."},"done":true,"done_reason":"stop","prompt_eval_count":20,"prompt_eval_cached_count":16,"eval_count":5}\n',
      is: { ...both, cachedInputTokens: 16 },
    },
    {
      vendor: 'Ollama, a prompt from its cache',
      wire: 'ollama',
      body: '{"message":{"role":"assistant","content":"A door."},"done":true,"done_reason":"stop","eval_count":5}\n',
      is: { outputTokens: 5 },
    },
    {
      vendor: 'Anthropic, its cache beside the input',
      wire: 'anthropic',
      body: JSON.stringify({
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', text: 'A door.' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 4, cache_read_input_tokens: 16, cache_creation_input_tokens: 0, output_tokens: 5 },
      }),
      is: { inputTokens: 20, outputTokens: 5, cachedInputTokens: 16 },
    },
    {
      vendor: 'Bedrock and Vertex, on the Messages wire',
      wire: 'anthropic',
      body: JSON.stringify({
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', text: 'A door.' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 20, output_tokens: 5 },
        'amazon-bedrock-invocationMetrics': {},
      }),
      is: both,
    },
  ])('$vendor', ({ wire = 'openai-chat', body, is }) => {
    const { assembled } = decode(wire, body);
    expect(assembled).toMatchObject({ type: 'reply' });
    expect(assembled.type === 'reply' && JSON.parse(JSON.stringify(assembled.reply.usage))).toEqual(is);
  });
});

describe('what is written for a vendor', () => {
  /** A server that refuses once what `finds` matches. */
  async function picky(finds: RegExp, says: string, reply = plain(said)): Promise<RawServer> {
    const server: RawServer = await startRawServer((response, index) => {
      if (!finds.test(server.bodies[index] ?? '')) return void response.end(reply);
      response.writeHead(400).end(JSON.stringify({ error: { message: says, type: 'invalid_request_error' } }));
    });
    return server;
  }
  const chat = (server: RawServer): Provider => openai({ model: 'm', baseURL: server.origin, stream: false });
  const sentOf = (server: RawServer): JsonObject[] =>
    (JSON.parse(server.bodies.at(-1) ?? '{}') as { messages: JsonObject[] }).messages;
  const history = (id: string): Message[] => [
    userMessage('Weather?'),
    ...exchange(id, 'Rain.'),
    userMessage('And now?'),
  ];

  test('OpenAI: an id of another server that is too long is replaced, alike in call and result', async () => {
    const long = `call_${'a'.repeat(30)}__thought__${'b'.repeat(300)}`;
    await using server = await picky(
      new RegExp(long),
      "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 345 instead.",
    );
    await replyOf(chat(server), question({ messages: history(long) }));
    expect(server.bodies).toHaveLength(2);
    const [, , calls, result] = sentOf(server);
    const id = listIn(calls?.['tool_calls'])[0]?.['id'] as string;
    expect(id.length).toBeLessThanOrEqual(40);
    expect(result?.['tool_call_id']).toBe(id);
  });

  test('Cloudflare: a message that only calls has an empty text after the first refusal', async () => {
    await using server = await picky(
      /"content":null/,
      "AiError: Bad input: Error: oneOf at '/' not met, Type mismatch of '/messages/2/content', 'null' not in 'string'",
    );
    await replyOf(chat(server), question({ messages: history('call_1') }));
    expect(sentOf(server)[2]).toMatchObject({ content: '', tool_calls: [{}] });
  });

  test('Gemini: a history that begins with calls gets a first word of the user', async () => {
    await using server = await picky(
      /"messages":\[\{"role":"system"[^}]*\},\{"role":"assistant"/,
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    );
    await replyOf(chat(server), question({ messages: [...exchange('call_1', 'Rain.'), userMessage('And now?')] }));
    expect(sentOf(server).map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
  });

  test('Groq: thoughts that it does not take back are left out', async () => {
    await using server = await picky(
      /reasoning_content/,
      "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
    );
    const provider = openai({
      model: 'm',
      baseURL: server.origin,
      stream: false,
      sendReasoningAs: 'reasoning_content',
    });
    await replyOf(provider, question({ messages: history('call_1') }));
    expect(server.bodies).toHaveLength(2);
  });

  test('OpenRouter: a choice of a tool that no host of the model takes is left out, although the answer is a 404', async () => {
    await using server = await startRawServer((response, index) => {
      if (server.bodies[index]?.includes('"tool_choice"') !== true) return void response.end(plain(said));
      response.writeHead(404).end(
        JSON.stringify({
          error: { message: "No endpoints found that support the provided 'tool_choice' value.", code: 404 },
        }),
      );
    });
    await replyOf(chat(server), question({ toolChoice: 'required' }));
    expect(server.bodies).toHaveLength(2);
  });

  test('Azure behind LiteLLM: sealed thoughts that can not be opened are left out, whatever class the gateway gives the refusal', async () => {
    await using server = await picky(
      /c2VhbGVk/,
      'litellm.BadRequestError: litellm.ContentPolicyViolationError: AzureException - {"error":{"message":"The encrypted content gAAA could not be verified.","type":"invalid_request_error","param":null,"code":"invalid_encrypted_content"}}',
      JSON.stringify({
        object: 'response',
        status: 'completed',
        output: [
          {
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: 'A door.', annotations: [] }],
          },
        ],
      }),
    );
    const provider = openaiResponses({ model: 'm', apiKey: 'k', baseURL: server.origin, stream: false });
    const sealed: Message = {
      role: 'assistant',
      content: [
        {
          type: 'reasoning',
          text: 'hm',
          issuer: `openai-responses@${server.origin.slice(7)}`,
          data: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'c2VhbGVk' },
        },
        { type: 'text', text: 'Well.' },
      ],
    };
    await replyOf(provider, question({ messages: [userMessage('Hi'), sealed, userMessage('Go on.')] }));
    expect(server.bodies).toHaveLength(2);
  });

  test.each([
    {
      vendor: 'DeepSeek',
      says: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
    },
    { vendor: 'MiniMax', says: "invalid params, tool result's tool id(call_1) not found (2013)" },
  ])('$vendor: each call has its result directly behind it, and a user after all of them', async ({ says }) => {
    const two: Message[] = [
      userMessage('Weather?'),
      {
        role: 'assistant',
        content: ['a', 'b'].map((toolCallId) => ({
          type: 'tool-call',
          toolCallId,
          toolName: 'get_weather',
          input: {},
        })),
      },
      {
        role: 'tool',
        content: ['a', 'b'].map((toolCallId) => ({
          type: 'tool-result',
          toolCallId,
          toolName: 'get_weather',
          content: [{ type: 'image', mediaType: 'image/png', data: 'aGk=' }],
          isError: false,
        })),
      },
    ];
    await using server = await startRawServer((response, index) => {
      const roles = (JSON.parse(server.bodies[index] ?? '{}') as { messages: JsonObject[] }).messages
        .map(({ role }) => role as string)
        .join(' ');
      const isRight = roles === 'system user assistant tool tool user';
      response.writeHead(isRight ? 200 : 400).end(isRight ? plain(said) : JSON.stringify({ error: { message: says } }));
    });
    await replyOf(openai({ model: 'm', baseURL: server.origin, stream: false }), question({ messages: two }));
    expect(server.bodies).toHaveLength(1);
  });

  test('Anthropic, Bedrock and Vertex: results come directly behind their calls, before the words of the user', async () => {
    await using server = await startRawServer((response) =>
      response.end(
        JSON.stringify({
          type: 'message',
          role: 'assistant',
          content: [{ type: 'text', text: 'A door.' }],
          stop_reason: 'end_turn',
        }),
      ),
    );
    await replyOf(
      anthropic({ model: 'm', apiKey: 'k', baseURL: server.origin, stream: false }),
      question({ messages: history('call_1') }),
    );
    const [, , last] = sentOf(server);
    expect(listIn(last?.['content']).map(({ type }) => type)).toEqual(['tool_result', 'text']);
  });

  test('Qwen 3.5: the only system message stands at the beginning', async () => {
    await using server = await startRawServer((response) => response.end(plain(said)));
    await replyOf(chat(server), question({ messages: history('call_1') }));
    expect(sentOf(server).flatMap(({ role }, index) => (role === 'system' ? [index] : []))).toEqual([0]);
  });

  test('MiniMax and LM Studio: a tool without arguments has a schema with empty properties', async () => {
    for (const make of [openai, ollama] as const) {
      const reply =
        make === openai
          ? plain(said)
          : '{"message":{"role":"assistant","content":"A door."},"done":true,"done_reason":"stop"}\n';
      await using server = await startRawServer((response) => response.end(reply));
      const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }];
      await replyOf(make({ model: 'm', baseURL: server.origin, stream: false }), question({ tools }));
      expect(server.bodies[0]).toContain('"parameters":{"type":"object","properties":{}}');
    }
  });

  test('Mistral: a request without tools has no list of them', async () => {
    await using server = await startRawServer((response) => response.end(plain(said)));
    await replyOf(chat(server), question({ tools: [] }));
    expect(server.bodies[0]).not.toContain('"tools"');
  });
});
