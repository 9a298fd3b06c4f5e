import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { Provider, RunResult } from '../../../src/index.ts';
import { createAgent, fallback, scripted } from '../../../src/index.ts';
import { anthropic } from '../../../src/providers/anthropic/index.ts';
import { openai } from '../../../src/providers/openai-chat/index.ts';
import { openaiResponses } from '../../../src/providers/openai-responses/index.ts';
import { startRawServer } from './raw-server.ts';

/** An answer as a gateway or a vendor writes it. */
interface Dialect {
  readonly name: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

const retry = { maxAttempts: 4, baseDelayMs: 0, maxDelayMs: 0 };
const done = { choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Done.' } }] };

function tell(response: ServerResponse, { status, headers = {}, body }: Omit<Dialect, 'name'>): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function asked(
  answers: readonly Omit<Dialect, 'name'>[],
  run: (provider: Provider) => Promise<RunResult<unknown>>,
): Promise<{ readonly result: RunResult<unknown>; readonly requests: number }> {
  await using server = await startRawServer((response, index) =>
    tell(response, answers[Math.min(index, answers.length - 1)] ?? { status: 500, body: {} }),
  );
  const result = await run(openai({ model: 'm', baseURL: `${server.origin}/v1`, stream: false }));
  return { result, requests: server.bodies.length };
}

const alone = (provider: Provider): Promise<RunResult<unknown>> =>
  createAgent({ provider, retry }).stream('Hello?').result;

describe('a spent account is asked once, and the next provider takes over', () => {
  test.each<Dialect>([
    {
      name: 'Anthropic, a cap',
      status: 400,
      body: {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'You have reached your specified API usage limits.' },
      },
    },
    {
      name: 'MiniMax',
      status: 500,
      body: { type: 'error', error: { type: 'api_error', message: 'insufficient balance (1008)' } },
    },
    {
      name: 'OpenRouter, free models',
      status: 429,
      headers: { 'retry-after': '1' },
      body: { error: { message: 'Rate limit exceeded: free-models-per-day.', code: 429 } },
    },
    {
      name: 'OpenAI in a raw text of a gateway',
      status: 502,
      body: {
        error: {
          message: 'Provider returned error',
          code: 502,
          metadata: { raw: '{"error":{"code":"insufficient_quota"}}' },
        },
      },
    },
  ])('$name', async (dialect) => {
    const second = scripted(['Here.'], { id: 'second' });
    const { result, requests } = await asked(
      [dialect],
      (provider) => createAgent({ provider: fallback([provider, second]), retry }).stream('Hello?').result,
    );
    expect(result).toMatchObject({ status: 'completed', text: 'Here.', failures: [{ kind: 'quota-exhausted' }] });
    expect(requests).toBe(1);
  });
});

describe('what waiting does not mend is asked once', () => {
  test.each<Dialect & { readonly kind: string }>([
    {
      name: 'a template of llama.cpp',
      kind: 'bad-request',
      status: 500,
      body: { error: { code: 500, message: 'Jinja Exception: roles must alternate' } },
    },
    {
      name: 'a request over the limit of a minute',
      kind: 'too-large',
      status: 429,
      body: {
        error: {
          code: 'rate_limit_exceeded',
          message: 'Request too large for m on tokens per min (TPM): Limit 30000, Requested 40000.',
        },
      },
    },
    {
      name: 'eleven days of waiting',
      kind: 'rate-limited',
      status: 429,
      headers: { 'retry-after': '999999' },
      body: {},
    },
    { name: 'a guardrail', kind: 'refused', status: 446, body: { error: { type: 'hooks_failed', message: 'x' } } },
    {
      name: 'a model that LiteLLM does not know',
      kind: 'not-found',
      status: 400,
      body: { error: { message: 'Invalid model name passed in model=m' } },
    },
  ])('$name', async (dialect) => {
    const { result, requests } = await asked([dialect], alone);
    expect(result).toMatchObject({ status: 'failed', failure: { kind: dialect.kind } });
    expect(requests).toBe(1);
  });
});

describe('what passes is asked again', () => {
  test.each<Dialect & { readonly waitMs?: number }>([
    {
      name: 'a throttle in the client of Python',
      status: 500,
      body: { error: { message: "Error code: 429 - {'error': {'message': 'Try again in 5ms'}}" } },
      waitMs: 5,
    },
    {
      name: 'a throttle with its headers in the body',
      status: 429,
      body: { error: { message: 'x', code: 429, metadata: { headers: { 'Retry-After-Ms': '7' } } } },
      waitMs: 7,
    },
    {
      name: 'the limit that is nearly used up',
      status: 429,
      headers: {
        'x-ratelimit-remaining-requests': '197',
        'x-ratelimit-reset-requests': '21m36s',
        'x-ratelimit-remaining-tokens': '1000',
        'x-ratelimit-reset-tokens': '9ms',
      },
      body: {},
      waitMs: 9,
    },
    {
      name: 'a reply that LiteLLM could not read',
      status: 500,
      body: { error: { message: 'litellm.APIError: Failed to parse tool call arguments' } },
    },
  ])('$name', async (dialect) => {
    const { result, requests } = await asked([dialect, { status: 200, body: done }], alone);
    expect(result).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(result.failures[0]?.retryAfterMs).toBe(dialect.waitMs);
    expect(requests).toBe(2);
  });

  test('a 400 after text of the same stream', async () => {
    const piece = 'data: {"choices":[{"index":0,"delta":{"content":"Hal"}}]}\n\n';
    const broken = 'data: {"error":{"code":400,"message":"invalid arguments","type":"invalid_request_error"}}\n\n';
    await using server = await startRawServer((response, index) => {
      if (index > 0) return tell(response, { status: 200, body: done });
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(piece + broken);
    });
    const result = await alone(openai({ model: 'm', baseURL: `${server.origin}/v1` }));
    expect(result).toMatchObject({ status: 'completed', text: 'Done.', failures: [{ kind: 'server-error' }] });
    expect(server.bodies).toHaveLength(2);
  });
});

describe('a full context is shortened, under any status', () => {
  test.each<Dialect>([
    { name: 'Qwen', status: 400, body: { error: { message: 'Range of input length should be [1, 983616]' } } },
    {
      name: 'a gateway',
      status: 503,
      body: { error: { message: 'litellm.ServiceUnavailableError: the request exceeds the available context size' } },
    },
    {
      name: 'a template that misses the user',
      status: 500,
      body: { error: { message: 'Jinja Exception: No user message found.' } },
    },
  ])('$name', async (dialect) => {
    const { result, requests } = await asked(
      [dialect, { status: 200, body: done }],
      (provider) =>
        createAgent({ provider, retry, compact: ({ messages }) => messages.slice(-1) }).stream([
          { role: 'user', content: [{ type: 'text', text: 'One?' }] },
          { role: 'assistant', content: [{ type: 'text', text: 'One.' }] },
          { role: 'user', content: [{ type: 'text', text: 'Two?' }] },
        ]).result,
    );
    expect(result.status).toBe('completed');
    expect(requests).toBe(2);
  });
});

test('requests that were sent side by side and refused for one field are all sent again', async () => {
  await using server = await startRawServer((response, index) => {
    const has = server.bodies[index]?.includes('"temperature"') === true;
    const refusal = { error: { message: '`temperature` is deprecated for this model.' } };
    setImmediate(() => tell(response, has ? { status: 400, body: refusal } : { status: 200, body: done }));
  });
  const provider = openai({ model: 'm', baseURL: `${server.origin}/v1`, stream: false, temperature: 0.5 });
  const agent = createAgent({ provider, retry });
  const results = await Promise.all([1, 2, 3].map(() => agent.stream('Hello?').result));
  expect(results.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
});

describe('a refusal of a request that is longer than any that passed', () => {
  const long = 'word '.repeat(5000);
  test.each([
    {
      name: 'without words is a full context',
      body: '',
      kind: 'context-overflow',
      hint: 'Its context is probably full',
    },
    {
      name: 'in words that are not known says how to have it taken for one',
      body: '{"error":{"message":"Invalid request Error"}}',
      kind: 'bad-request',
      hint: "failures: { 'bad-request': { remedy: 'compact' } }",
    },
  ])('$name', async ({ body, kind, hint }) => {
    await using server = await startRawServer((response, index) =>
      index === 1 ? response.writeHead(400).end(body) : tell(response, { status: 200, body: done }),
    );
    const agent = createAgent({
      provider: openai({ model: 'm', baseURL: `${server.origin}/v1`, stream: false }),
      retry,
    });
    await agent.run('Hello?');
    const { status, failures } = await agent.stream(long).result;
    expect(status).toBe('failed');
    expect(failures).toMatchObject([{ kind, hint: expect.stringContaining(hint) as string }]);
  });

  test('is not suspected where it is no longer than others, or the first', async () => {
    await using server = await startRawServer((response, index) =>
      index === 1 ? tell(response, { status: 200, body: done }) : response.writeHead(400).end(),
    );
    const agent = createAgent({
      provider: openai({ model: 'm', baseURL: `${server.origin}/v1`, stream: false }),
      retry,
    });
    const results = [
      await agent.stream('Hello?').result,
      await agent.stream(long).result,
      await agent.stream('Hello?').result,
    ];
    expect(results.map(({ failures }) => failures[0]?.kind)).toEqual(['bad-request', undefined, 'bad-request']);
    expect(results[2]?.failures[0]?.hint).toBe(undefined);
  });
});

describe('a header is masked in errors only where its name says that it holds a key', () => {
  test.each([
    { name: 'x-portkey-provider', value: 'anthropic', shown: true },
    { name: 'x-monkey', value: 'anthropic', shown: true },
    { name: 'x-portkey-virtual-key', value: 'anthropic-1', shown: false },
    { name: 'x-portkey-api-key', value: 'anthropic-1', shown: false },
    { name: 'cf-aig-authorization', value: 'anthropic-1', shown: false },
    { name: 'Helicone-Auth', value: 'anthropic-1', shown: false },
    { name: 'X-ApiKey', value: 'anthropic-1', shown: false },
  ])('$name', async ({ name, value, shown }) => {
    const { result } = await asked(
      [{ status: 500, body: { error: { message: `${value} error: busy` } } }],
      (provider) =>
        alone(openai({ model: 'm', baseURL: `${provider.origin}/v1`, stream: false, headers: { [name]: value } })),
    );
    expect(result.failures[0]?.message.includes(value)).toBe(shown);
  });
});

describe('a reply of another wire says so, and is asked for once', () => {
  const chunk = {
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }],
  };
  test.each([
    {
      name: 'a Chat stream on Responses',
      make: openaiResponses,
      reply: `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`,
      says: "OpenAI's Chat wire",
    },
    {
      name: 'a Chat stream on Messages',
      make: anthropic,
      reply: `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`,
      says: "OpenAI's Chat wire",
    },
    {
      name: 'a whole Chat reply on Responses',
      make: openaiResponses,
      reply: JSON.stringify(done),
      says: "OpenAI's Chat wire",
    },
    {
      name: 'a message on Chat',
      make: openai,
      reply: '{"type":"message","role":"assistant","content":[]}',
      says: "Anthropic's own wire",
    },
    {
      name: 'an Ollama reply on Chat',
      make: openai,
      reply: '{"message":{"role":"assistant","content":"Hi"},"done":true}',
      says: "Ollama's own wire",
    },
  ])('$name', async ({ make, reply, says }) => {
    await using server = await startRawServer((response) => response.writeHead(200).end(reply));
    const result = await alone(make({ model: 'm', apiKey: 'k', baseURL: server.origin }));
    const [failure] = result.failures;
    expect(failure?.message).toContain(`It looks like a reply of ${says}.`);
    expect(failure).toMatchObject({ advice: { code: 'take-wire' }, hint: expect.stringContaining(says) as string });
    expect(server.bodies).toHaveLength(1);
  });
});
