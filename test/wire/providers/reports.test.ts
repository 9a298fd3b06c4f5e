import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Message, RunResult } from '../../../src/index.ts';
import { anthropic, createAgent, openai, openaiResponses, tool, userMessage } from '../../../src/index.ts';
import { quick } from '../run-on-wire.ts';
import { startRawServer } from './raw-server.ts';
import { sse } from './decode.ts';

/* Public reports about other frameworks and servers, played against this one: docs/vendors.md tells of each of them. */

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | object;
}

const seen: unknown[] = [];
const look = tool({
  name: 'look',
  description: 'Looks at a place.',
  schema: z.object({ at: z.string() }),
  effect: 'read',
  execute: (input) => {
    seen.push(input);
    return 'A door.';
  },
});

const wires = { chat: openai, responses: openaiResponses, messages: anthropic };

/** Runs an agent against a server that gives these answers, the last one again and again. */
async function play(
  answers: readonly Answer[],
  {
    wire = 'chat',
    messages = [userMessage('Look.')],
  }: { wire?: keyof typeof wires; messages?: readonly Message[] } = {},
): Promise<{ result: RunResult<unknown>; bodies: readonly string[]; calls: readonly unknown[] }> {
  seen.length = 0;
  await using server = await startRawServer((response, index) => {
    const { status = 200, headers = {}, body } = answers[Math.min(index, answers.length - 1)] as Answer;
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  const provider = wires[wire]({ model: 'm', apiKey: 'k', baseURL: server.origin });
  const result = await createAgent({ provider, tools: [look], retry: { ...quick, maxAttempts: 3 } }).stream([
    ...messages,
  ]).result;
  return { result, bodies: server.bodies, calls: [...seen] };
}

const delta = (fields: object, finish: string | null = null): object => ({
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});
const piece = (call: object): object => delta({ tool_calls: [call] });
const end = (finish = 'stop'): object => delta({}, finish);
const text = (content: string): Answer => ({ body: sse(delta({ content }), end(), '[DONE]') });
const good = text('Here.');
const error = (message: string, more: object = {}): object => ({ error: { message, ...more } });
const AT = '{"at":"north"}';
const SOUTH = '{"at":"south"}';

describe('a spent account is asked once', () => {
  test.each<{ readonly report: string; readonly answer: Answer }>([
    {
      report: 'NousResearch/hermes-agent#36276',
      answer: {
        status: 429,
        body: error(
          "You've reached kimi monthly usage limit for this billing cycle. Your quota will be refreshed in the next cycle.",
        ),
      },
    },
    {
      report: '2389-research/tracker#547',
      answer: {
        status: 429,
        body: error('You exceeded your current quota', { type: 'insufficient_quota', code: 'insufficient_quota' }),
      },
    },
    { report: 'Lexus2016/hermes-agent-evolution#288', answer: { status: 402, body: '' } },
    { report: 'diegosouzapw/OmniRoute#1767', answer: { status: 429, body: error('Subscription quota exceeded') } },
    {
      report: 'bagofwords1/bagofwords#784',
      answer: { status: 429, body: error('Requests have exceeded your assigned quota.') },
    },
  ])('$report', async ({ answer }) => {
    const { result, bodies } = await play([answer]);
    expect(result).toMatchObject({ status: 'failed', failure: { kind: 'quota-exhausted' } });
    expect(bodies).toHaveLength(1);
  });
});

describe('what passes is asked again', () => {
  test.each<{ readonly report: string; readonly answer: Answer; readonly kind: string; readonly waitMs?: number }>([
    {
      report: 'matthiasn/lotti#4338',
      answer: { status: 503, body: error('The model provider encountered an error. Please try again.') },
      kind: 'overloaded',
    },
    {
      report: 'earendil-works/pi#9595',
      answer: { status: 429, headers: { 'retry-after': '0.003' }, body: '' },
      kind: 'rate-limited',
      waitMs: 3,
    },
    {
      report: 'cocoindex-io/cocoindex#1151',
      answer: {
        status: 429,
        body: [
          error(
            'Quota exceeded for aiplatform.googleapis.com/embed_content_input_tokens_per_minute_per_base_model with base model: gemini. Please submit a quota increase request.',
            { code: 429, status: 'RESOURCE_EXHAUSTED' },
          ),
        ],
      },
      kind: 'rate-limited',
    },
    {
      report: 'NousResearch/hermes-agent#12753',
      answer: {
        body: sse(
          delta({ content: 'Hal' }),
          { choices: [{ index: 0, delta: {}, finish_reason: 'error' }], error: { message: 'agent crashed' } },
          '[DONE]',
        ),
      },
      kind: 'server-error',
    },
    {
      report: 'bayesimpact/bayes-platform#639',
      answer: { body: `${sse(delta({ content: 'Hal' }))}event: error\nid: 1\n\n` },
      kind: 'cut-reply',
    },
  ])('$report', async ({ answer, kind, waitMs }) => {
    const { result, bodies } = await play([answer, good]);
    expect(result).toMatchObject({
      status: 'completed',
      text: 'Here.',
      failures: [{ kind, ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) }],
    });
    expect(bodies).toHaveLength(2);
  });

  test('Helicone/helicone#5672', async () => {
    const date = new Date(Date.now() + 1000).toUTCString();
    const { result } = await play([{ status: 429, headers: { 'retry-after': date }, body: '' }, good]);
    expect(result.failures[0]?.retryAfterMs ?? 0).toBeLessThanOrEqual(1000);
  });

  test('openclaw/openclaw#108989', async () => {
    const head = { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } };
    const item = { type: 'function_call', id: 'fc', call_id: 'c', name: 'look', arguments: AT, status: 'completed' };
    const cut = sse(
      head,
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 0, item },
    );
    const message = {
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Here.', annotations: [] }],
    };
    const whole = sse(head, {
      type: 'response.completed',
      response: { id: 'r', status: 'completed', output: [message] },
    });
    const { result, calls } = await play([{ body: cut }, { body: whole }], { wire: 'responses' });
    expect(result).toMatchObject({ status: 'completed', text: 'Here.', failures: [{ kind: 'cut-reply' }] });
    expect(calls).toEqual([]);
  });
});

describe('calls of a stream are told apart, and none runs on what was not said', () => {
  const call = (id: string | undefined, args: string, index?: number, name: string | undefined = 'look'): object => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: args },
  });
  const tail = (args: string, index?: number): object => ({ index, function: { arguments: args } });
  test.each<{
    readonly report: string;
    readonly pieces: readonly object[];
    readonly finish?: string;
    readonly runs: readonly object[];
  }>([
    {
      report: 'agno-agi/agno#8879',
      pieces: [call('a', AT, 0), call('b', '{"at":', 0), tail('"south"}', 1)],
      runs: [{ at: 'north' }, { at: 'south' }],
    },
    {
      report: 'AIPentest/CyberStrikeAI#231',
      pieces: [call('a', AT, 0), call('b', SOUTH, 0)],
      runs: [{ at: 'north' }, { at: 'south' }],
    },
    {
      report: 'lidge-jun/opencodex#361',
      pieces: [call('a', '', 0), tail(AT, 0), tail(AT, 0)],
      runs: [{ at: 'north' }],
    },
    {
      report: 'dyedd/lens#49',
      pieces: [call('a', '', 0), tail(AT, 0), { index: 0, function: { name: '', arguments: SOUTH } }],
      runs: [{ at: 'north' }],
    },
    { report: 'googleapis/python-genai#2868', pieces: [call('a', AT)], finish: 'stop', runs: [{ at: 'north' }] },
    {
      report: 'vllm-project/vllm#35906',
      pieces: [call('a', AT, 0, 'look<|channel|>commentary')],
      runs: [{ at: 'north' }],
    },
    {
      report: 'shiaho777/web-to-app#413',
      pieces: [{ ...call('a', AT, 0), extra: [1], type: 7 }],
      runs: [{ at: 'north' }],
    },
  ])('$report', async ({ report, pieces, finish = 'tool_calls', runs }) => {
    const { result, calls } = await play([{ body: sse(...pieces.map(piece), end(finish), '[DONE]') }, good]);
    expect(result).toMatchObject({ status: 'completed', text: 'Here.' });
    // A piece that holds two objects can not be told apart for sure: it may be told to the model instead.
    if (report !== 'dyedd/lens#49') expect(calls).toEqual(runs);
    else for (const input of calls) expect([{ at: 'north' }, { at: 'south' }]).toContainEqual(input);
  });

  test('open-webui/computer#224', async () => {
    const signature = { extra_content: { google: { thought_signature: 'own' } } };
    const first = sse(
      piece(call('a', AT, 0)),
      delta({ tool_calls: [{ index: 0, ...signature }] }),
      end('stop'),
      '[DONE]',
    );
    const { result, bodies } = await play([{ body: first }, good]);
    expect(result).toMatchObject({ status: 'completed' });
    expect(bodies[1]).toContain('"thought_signature":"own"');
  });

  test('sgl-project/sglang#33343', async () => {
    const again = (args: string): Answer => ({
      body: sse(piece(call('exec:80', args, 0)), end('tool_calls'), '[DONE]'),
    });
    const { result, bodies, calls } = await play([again(AT), again(SOUTH), good]);
    expect(result).toMatchObject({ status: 'completed' });
    expect(calls).toHaveLength(2);
    const ids = [...(bodies[2] ?? '').matchAll(/"tool_call_id":"([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(2);
  });
});

describe('thoughts and markup are no answer', () => {
  test.each([
    {
      report: 'Augustas11/macprovider#743',
      said: 'analysisWe need to answer in one word. The answer is "four".assistantfinalfour',
      is: 'four',
    },
    {
      report: 'scouzi1966/maclocal-api#121',
      said: '<|channel|>analysis<|message|>Two and two.<|end|><|start|>assistant<|channel|>final<|message|>four<|return|>',
      is: 'four',
    },
    { report: 'cubist38/mlx-openai-server#179', said: 'The user has sent a greeting.\n</think>\nfour', is: 'four' },
    { report: 'QwenLM/qwen-code#3228', said: '<thinking>\nTwo and two.\n</thinking>\n\nfour', is: 'four' },
  ])('$report', async ({ said, is }) => {
    expect((await play([text(said)])).result).toMatchObject({ status: 'completed', text: is });
  });

  test('sgl-project/sglang#21377', async () => {
    const said =
      '<|tool_calls_section_begin|><|tool_call_begin|>functionslook5<|tool_call_argument_begin|>{"at":"north"}<|tool_call_end|><|tool_calls_section_end|>';
    const { result } = await play([text(said), good]);
    expect(result).toMatchObject({ status: 'completed', text: 'Here.' });
  });

  test('MiniMax-AI/MiniMax-M2.5#10', async () => {
    const block = (said: string): Answer => ({
      body: JSON.stringify({
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', text: said }],
        stop_reason: 'end_turn',
      }),
    });
    const said =
      '<minimax:tool_call>\n<invoke name="look">\n<parameter name="at">north</parameter>\n</invoke>\n</minimax:tool_call>';
    const { result, calls } = await play([block(said), block('Here.')], { wire: 'messages' });
    expect(result).toMatchObject({ status: 'completed', text: 'Here.' });
    expect(calls).toEqual([{ at: 'north' }]);
  });

  test('MiniMax-AI/MiniMax-M2#122', async () => {
    const { result } = await play([
      { body: sse(delta({ content: '', reasoning_content: 'four' }), end(), '[DONE]') },
      text('four'),
    ]);
    expect(result).toMatchObject({ status: 'completed', text: 'four' });
  });
});

describe('refusals are read through what wraps them', () => {
  const signature = 'messages.1.content.0: Invalid `signature` in `thinking` block';
  const inner = JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: signature } });
  test.each<{ readonly report: string; readonly body: object }>([
    {
      report: 'lbjlaq/Antigravity-Manager#498',
      body: { error: { code: 400, message: inner, status: 'INVALID_ARGUMENT' } },
    },
    {
      report: 'ding113/claude-code-hub#518',
      body: { type: 'error', error: { type: 'request_fail', upstream_error: JSON.parse(inner) as object } },
    },
    {
      report: 'chenhg5/cc-connect#897',
      body: {
        error: {
          type: 'upstream_error',
          message: `data:{"error":{"type":"invalid_request_error","message":"messages.1.content.0: Invalid signature in thinking block (Service: BedrockRuntime, Status Code: 400,`,
        },
      },
    },
  ])('$report', async ({ body }) => {
    let asked = 0;
    await using server = await startRawServer((response, index) => {
      asked += 1;
      if (server.bodies[index]?.includes('"thinking"') === true) response.writeHead(400).end(JSON.stringify(body));
      else
        response.end(
          JSON.stringify({
            type: 'message',
            role: 'assistant',
            content: [{ type: 'text', text: 'Here.' }],
            stop_reason: 'end_turn',
          }),
        );
    });
    const provider = anthropic({ model: 'm', apiKey: 'k', baseURL: server.origin, stream: false });
    const thought: Message = {
      role: 'assistant',
      content: [
        {
          type: 'reasoning',
          text: 'hm',
          issuer: `anthropic@${server.origin.slice(7)}`,
          data: { type: 'thinking', signature: 'old' },
        },
        { type: 'text', text: 'Well.' },
      ],
    };
    const { result } = createAgent({ provider, retry: quick }).stream([
      userMessage('Hi'),
      thought,
      userMessage('Go on.'),
    ]);
    expect(await result).toMatchObject({ status: 'completed', text: 'Here.' });
    expect(asked).toBe(2);
  });

  test('continuedev/continue#11164', async () => {
    const body = error(
      JSON.stringify(
        {
          error: {
            code: 400,
            message:
              'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
            status: 'INVALID_ARGUMENT',
          },
        },
        null,
        2,
      ),
      { code: 400, status: 'Bad Request' },
    );
    const messages: Message[] = [
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'look', input: { at: 'north' } }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'a',
            toolName: 'look',
            content: [{ type: 'text', text: 'A door.' }],
            isError: false,
          },
        ],
      },
      userMessage('And now?'),
    ];
    const { result, bodies } = await play([{ status: 400, body }, good], { messages });
    expect(result).toMatchObject({ status: 'completed', text: 'Here.' });
    expect(bodies[1]).toMatch(/"messages":\[\{"role":"user"/);
  });

  test('openai/codex#22129', async () => {
    const body = error(
      `DeepSeek 400: {"error":{"message":"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)","type":"inva, url: http://127.0.0.1:11435/v1/responses`,
    );
    const { result, bodies } = await play([{ status: 502, body }]);
    expect(result).toMatchObject({ status: 'failed', failure: { kind: 'bad-request' } });
    expect(bodies).toHaveLength(1);
  });

  test('openclaw/openclaw#3188', async () => {
    const { result } = await play([{ status: 400, body: error('The request failed.', { code: 'context_overflow' }) }]);
    expect(result).toMatchObject({ failure: { kind: 'context-overflow' } });
  });
});
