import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Json, JsonObject } from '../../../src/core/json.ts';
import { isJsonObject } from '../../../src/core/json.ts';
import type { Agent, AgentOptions, Message, Provider } from '../../../src/index.ts';
import { anthropic, createAgent, fallback, openai, openaiResponses, tool, userMessage } from '../../../src/index.ts';
import { quick } from '../run-on-wire.ts';
import { startRawServer } from './raw-server.ts';
import type { RawServer } from './raw-server.ts';

/** A message of a Chat body, as a strict server looks at it. */
type Sent = JsonObject & { role: string };

/** What a server says of a body: undefined where it takes it. */
type Verdict =
  | { readonly status?: number; readonly message: string; readonly code?: string; readonly param?: string }
  | undefined;

/** A reply of a Chat server, in one piece. */
const chatReply = (message: object): string =>
  JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }] });
const chatCall = (id: string, name = 'look', args = '{}', extra: object = {}): object => ({
  id,
  type: 'function',
  function: { name, arguments: args },
  ...extra,
});

/** A server that refuses what `verdict` says, and answers the rest with its replies in order; the last one again and again. */
async function strictServer(replies: readonly string[], verdict: (body: JsonObject) => Verdict): Promise<RawServer> {
  let given = 0;
  const server: RawServer = await startRawServer((response, index) => {
    const refusal = verdict(JSON.parse(server.bodies[index] ?? '{}') as JsonObject);
    if (refusal === undefined) {
      response.end(replies[Math.min(given, replies.length - 1)]);
      given += 1;
      return;
    }
    const { status = 400, message, code = null, param = null } = refusal;
    response.writeHead(status).end(JSON.stringify({ error: { message, type: 'invalid_request_error', code, param } }));
  });
  return server;
}

const look = tool({
  name: 'look',
  description: 'Looks around.',
  schema: z.object({}),
  effect: 'read',
  execute: () => 'A door.',
});

const chat = (server: RawServer, options: object = {}): Provider =>
  openai({ model: 'm', baseURL: server.origin, stream: false, ...options });

const agentOf = (provider: Provider, options: Partial<AgentOptions> = {}): Agent =>
  createAgent({ provider, tools: [look], retry: quick, ...options });

const messagesOf = (body: JsonObject): Sent[] =>
  (body['messages'] as unknown as Sent[]).filter(({ role }) => role !== 'system');
const assistants = (body: JsonObject): Sent[] => messagesOf(body).filter(({ role }) => role === 'assistant');
const callsOf = (message: Sent | undefined): JsonObject[] => (message?.['tool_calls'] ?? []) as unknown as JsonObject[];
const lastBody = (server: RawServer): JsonObject => JSON.parse(server.bodies.at(-1) ?? '{}') as JsonObject;

/** A conversation that another server's model had. */
const foreign: Message[] = [
  userMessage('Look around.'),
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Somebody else thought this.', issuer: 'elsewhere' },
      { type: 'tool-call', toolCallId: 'toolu_01A09q90qw90lq917835lq9', toolName: 'look', input: {} },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'toolu_01A09q90qw90lq917835lq9',
        toolName: 'look',
        content: [{ type: 'text', text: 'A door.' }],
        isError: false,
      },
    ],
  },
];

describe('thoughts that must come back', () => {
  const needsThoughts =
    (says: string, onlyCalls = false) =>
    (body: JsonObject): Verdict =>
      assistants(body).some(
        (message) =>
          typeof message['reasoning_content'] !== 'string' && (!onlyCalls || message['tool_calls'] !== undefined),
      )
        ? { message: says }
        : undefined;

  test.each([
    { vendor: 'DeepSeek', says: 'The `reasoning_content` in the thinking mode must be passed back to the API.' },
    {
      vendor: 'Moonshot',
      says: 'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
      onlyCalls: true,
    },
  ])(
    '$vendor: without an option, after the first refusal, and for as long as the provider lives',
    async ({ says, onlyCalls }) => {
      const replies = [
        chatReply({ reasoning_content: 'I look.', content: null, tool_calls: [chatCall('call_1')] }),
        chatReply({ reasoning_content: '', content: null, tool_calls: [chatCall('call_2')] }),
        chatReply({ content: 'A door.' }),
      ];
      await using server = await strictServer(replies, needsThoughts(says, onlyCalls));
      const agent = agentOf(chat(server));
      const result = await agent.run('Look.');
      expect(result.text).toBe('A door.');
      expect(assistants(lastBody(server)).map((message) => message['reasoning_content'])).toEqual(['I look.', '']);
      // Three replies and one refusal; a second run is not refused.
      expect(server.bodies).toHaveLength(4);
      await agent.run([...foreign, userMessage('And now?')]);
      expect(server.bodies).toHaveLength(5);
      expect(assistants(lastBody(server))[0]).toMatchObject({ reasoning_content: '' });
    },
  );

  test('thoughts without a seal on the Messages wire, for calls of another model', async () => {
    const needsBlock = (body: JsonObject): Verdict =>
      assistants(body).some(
        (message) =>
          !(message['content'] as Json[]).some((block) => isJsonObject(block) && block['type'] === 'thinking'),
      )
        ? { message: 'The `content[].thinking` in the thinking mode must be passed back to the API.' }
        : undefined;
    const reply = JSON.stringify({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'A door.' }],
      stop_reason: 'end_turn',
    });
    await using server = await strictServer([reply], needsBlock);
    const agent = agentOf(anthropic({ model: 'm', baseURL: server.origin, apiKey: 'k', stream: false }));
    expect((await agent.run([...foreign, userMessage('And now?')])).text).toBe('A door.');
    expect(server.bodies).toHaveLength(2);
  });
});

describe('sealed thoughts that another host of the model refuses are left out once', () => {
  test.each([
    'Corrupted thought signature.',
    'Invalid signature in thinking block',
    'reasoning_details could not be verified',
    'The encrypted reasoning content could not be decrypted.',
  ])('%s', async (says) => {
    const details = [{ type: 'reasoning.encrypted', data: 'c2VhbGVk', id: 'r1', format: 'x' }];
    const replies = [
      chatReply({ content: null, reasoning_details: details, tool_calls: [chatCall('call_1')] }),
      chatReply({ content: 'A door.' }),
    ];
    await using server = await strictServer(replies, (body) =>
      JSON.stringify(body).includes('c2VhbGVk') ? { message: says } : undefined,
    );
    expect((await agentOf(chat(server)).run('Look.')).text).toBe('A door.');
    expect(server.bodies).toHaveLength(3);
  });
});

describe('thought signatures of Gemini', () => {
  const signed = { extra_content: { google: { thought_signature: 'own' } } };
  const needsSignature = (body: JsonObject): Verdict =>
    assistants(body).some((message) => {
      const [first] = callsOf(message);
      return first !== undefined && !isJsonObject(first['extra_content']);
    })
      ? {
          message:
            'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly.',
        }
      : undefined;

  test('calls of another model get the documented placeholder on the first call of each message; its own are echoed', async () => {
    const replies = [
      chatReply({ content: null, tool_calls: [chatCall('call_1', 'look', '{}', signed)] }),
      chatReply({ content: 'A door.' }),
    ];
    await using server = await strictServer(replies, needsSignature);
    const result = await agentOf(chat(server)).run([...foreign, userMessage('And now?')]);
    expect(result.text).toBe('A door.');
    expect(server.bodies).toHaveLength(3);
    const calls = assistants(lastBody(server)).map((message) => callsOf(message)[0]);
    expect(calls).toMatchObject([
      { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } },
      signed,
    ]);
  });

  test('as a fallback in the middle of a turn', async () => {
    let asked = 0;
    const calls = chatReply({ content: null, tool_calls: [chatCall('call_1'), chatCall('call_2')] });
    await using first = await strictServer([calls], () => {
      asked += 1;
      return asked === 1 ? undefined : { status: 402, message: 'The account is empty.', code: 'insufficient_quota' };
    });
    await using second = await strictServer([chatReply({ content: 'A door.' })], needsSignature);
    expect((await agentOf(fallback([chat(first), chat(second)])).run('Look.')).text).toBe('A door.');
    expect(second.bodies).toHaveLength(2);
    expect(lastBody(second)['messages']).toMatchObject([{}, { tool_calls: [{ extra_content: {} }, {}] }, {}, {}]);
  });
});

describe('the order of messages', () => {
  /** Mistral's rule (code 3230), or a chat template's. */
  const mistral = (body: JsonObject): Verdict => {
    const roles = messagesOf(body).map(({ role }) => role);
    const at = roles.findIndex((role, index) => role === 'user' && roles[index - 1] === 'tool');
    return at < 0 ? undefined : { message: "Unexpected role 'user' after role 'tool'", code: '3230' };
  };
  const template = (body: JsonObject): Verdict => {
    const spoken = messagesOf(body)
      .filter(({ role, tool_calls }) => role !== 'tool' && tool_calls === undefined)
      .map(({ role }) => role);
    const isInTurn = spoken.every((role, index) => role === (index % 2 === 0 ? 'user' : 'assistant'));
    if (isInTurn) return undefined;
    return {
      status: 500,
      message:
        'Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.',
    };
  };
  const answer = chatReply({ content: 'A door.' });

  test.each([
    { name: 'Mistral', verdict: mistral },
    { name: 'a chat template', verdict: template },
  ])('$name: a user behind a tool gets an assistant between, learnt once', async ({ verdict }) => {
    await using server = await strictServer([answer], verdict);
    const agent = agentOf(chat(server));
    expect((await agent.run([...foreign, userMessage('And now?')])).text).toBe('A door.');
    expect(server.bodies).toHaveLength(2);
    await agent.run([...foreign, userMessage('And now?')]);
    expect(server.bodies).toHaveLength(3);
  });

  test('a limit, an image in a result and an empty reply do not break it', async () => {
    const image = tool({
      name: 'look',
      description: 'Looks around.',
      schema: z.object({}),
      effect: 'read',
      execute: () => [{ type: 'image', mediaType: 'image/png', data: 'aGk=' }] as never,
    });
    const replies = [
      chatReply({ content: null, tool_calls: [chatCall('call_1')] }),
      chatReply({ content: '' }),
      chatReply({ content: '' }),
      answer,
    ];
    await using server = await strictServer(replies, (body) => mistral(body) ?? template(body));
    const agent = agentOf(chat(server), { tools: [image], retry: { ...quick, maxAttempts: 8 } });
    expect((await agent.run('Look.')).text).toBe('A door.');
  });

  test('messages of the user in a row are one, from the first request on', async () => {
    await using server = await strictServer([answer], template);
    const agent = agentOf(chat(server));
    await agent.run([userMessage('Look.'), userMessage('Now.')]);
    expect(server.bodies).toHaveLength(1);
    expect(messagesOf(lastBody(server))).toEqual([{ role: 'user', content: 'Look.\n\nNow.' }]);
  });

  test('a refusal that is about something else is not asked again', async () => {
    await using server = await strictServer([answer], () => ({ message: "Unexpected role 'user' after role 'tool'" }));
    const result = await agentOf(chat(server)).stream('Look.').result;
    expect(result).toMatchObject({ status: 'failed', failure: { kind: 'bad-request' } });
    expect(server.bodies).toHaveLength(1);
  });
});

describe('ids of calls', () => {
  const NINE = /^[a-zA-Z0-9]{9}$/;
  const nine =
    (status: number) =>
    (body: JsonObject): Verdict => {
      const ids = messagesOf(body).flatMap((message) => [
        ...callsOf(message).map(({ id }) => id as string),
        ...(message['tool_call_id'] === undefined ? [] : [message['tool_call_id'] as string]),
      ]);
      const wrong = ids.find((id) => !NINE.test(id));
      return wrong === undefined
        ? undefined
        : {
            status,
            message: `Tool call id was ${wrong} but must be a-z, A-Z, 0-9, with a length of 9.`,
            code: '3280',
          };
    };

  test.each([400, 500])(
    'a server that wants nine letters or digits gets them, alike in call and result (status %s)',
    async (status) => {
      await using server = await strictServer([chatReply({ content: 'A door.' })], nine(status));
      const agent = agentOf(chat(server));
      expect((await agent.run([...foreign, userMessage('And now?')])).text).toBe('A door.');
      expect(server.bodies).toHaveLength(2);
      const [, calls, result] = messagesOf(lastBody(server));
      expect(callsOf(calls)[0]?.['id']).toBe(result?.['tool_call_id']);
    },
  );

  test.each([
    { name: 'no id', id: undefined },
    { name: 'an empty id', id: '' },
    { name: 'one id twice', id: 'abcdefghi' },
  ])('our own ids are such: a server that gives $name', async ({ id }) => {
    const calling = chatReply({ content: null, tool_calls: [{ ...chatCall('x'), id }] });
    const again = chatReply({ content: null, tool_calls: [{ ...chatCall('x', 'look', '{"again":1}'), id }] });
    await using server = await strictServer([calling, again, chatReply({ content: 'A door.' })], nine(500));
    expect((await agentOf(chat(server)).run('Look.')).text).toBe('A door.');
    expect(server.bodies).toHaveLength(3);
  });
});

describe('parameters that a model refuses are left out once, with a warning', () => {
  const rows: readonly {
    name: string;
    field: string;
    says: string;
    param?: string;
    options?: object;
    agent?: Partial<AgentOptions>;
  }[] = [
    {
      name: 'OpenAI: a temperature',
      field: 'temperature',
      says: "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
      param: 'temperature',
      options: { temperature: 0.2 },
    },
    {
      name: 'a deprecated temperature',
      field: 'temperature',
      says: '`temperature` is deprecated for this model.',
      options: { temperature: 0.2 },
    },
    {
      name: 'a field of `body`',
      field: 'top_p',
      says: "Unsupported parameter: 'top_p' is not supported with this model.",
      param: 'top_p',
      options: { body: { top_p: 0.9 } },
    },
    {
      name: 'tool_choice',
      field: 'tool_choice',
      says: 'tool_choice is not supported by this model',
      agent: { toolChoice: 'required' },
    },
    {
      name: 'response_format',
      field: 'response_format',
      says: "'response_format' of type 'json_object' is not supported with this model.",
      options: { body: { response_format: { type: 'json_object' } } },
    },
  ];

  test.each(rows)('$name', async ({ field, says, param, options, agent: agentOptions }) => {
    const reply = chatReply({ content: null, tool_calls: [chatCall('call_1')] });
    await using server = await strictServer([reply, chatReply({ content: 'A door.' })], (body) =>
      field in body ? { message: says, ...(param === undefined ? {} : { param }) } : undefined,
    );
    const warnings: string[] = [];
    const agent = agentOf(chat(server, options), agentOptions);
    agent.on('warning', ({ message }) => warnings.push(message));
    expect((await agent.run('Look.')).text).toBe('A door.');
    expect(server.bodies.filter((body) => body.includes(`"${field}"`))).toHaveLength(1);
    expect(warnings.filter((warning) => warning.includes(`\`${field}\``))).toHaveLength(1);
  });

  test('on the Messages and the Responses wire as well', async () => {
    const refusesTemperature = (body: JsonObject): Verdict =>
      'temperature' in body ? { message: '`temperature` is deprecated for this model.' } : undefined;
    const message = JSON.stringify({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Hi.' }],
      stop_reason: 'end_turn',
    });
    await using messages = await strictServer([message], refusesTemperature);
    expect(
      (
        await agentOf(
          anthropic({ model: 'm', baseURL: messages.origin, apiKey: 'k', stream: false, temperature: 0.2 }),
        ).run('Hi')
      ).text,
    ).toBe('Hi.');
    const response = JSON.stringify({
      object: 'response',
      status: 'completed',
      output: [
        {
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Hi.', annotations: [] }],
        },
      ],
    });
    await using responses = await strictServer([response], refusesTemperature);
    expect(
      (
        await agentOf(
          openaiResponses({ model: 'm', baseURL: responses.origin, apiKey: 'k', stream: false, temperature: 0.2 }),
        ).run('Hi')
      ).text,
    ).toBe('Hi.');
    expect([messages.bodies.length, responses.bodies.length]).toEqual([2, 2]);
  });

  test.each([
    {
      name: 'a value out of range',
      says: "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead.",
      param: 'temperature',
    },
    {
      name: 'a limit that is too large',
      says: 'max_tokens is too large: 99999. This model supports at most 4096 completion tokens',
      param: 'max_tokens',
    },
  ])('but $name is a bad request', async ({ says, param }) => {
    await using server = await strictServer([chatReply({ content: 'Hi.' })], () => ({ message: says, param }));
    const result = await agentOf(chat(server, { temperature: 3, maxOutputTokens: 99999 })).stream('Look.').result;
    expect(result).toMatchObject({ status: 'failed', failure: { kind: 'bad-request' } });
    expect(server.bodies).toHaveLength(1);
  });
});
