import { describe, expect, test } from 'vitest';
import type { Failure, FailureKind } from '../../../../src/core/failure.ts';
import type { Server } from '../../../../src/providers/server.ts';
import { httpFailure, problemFailure, transportFailure } from '../../../../src/providers/errors/vendor-failure.ts';
import { answer, error, inside, server } from './answers.ts';

describe('the kind of an answer with an error status', () => {
  const rows: readonly {
    readonly name: string;
    readonly status: number;
    readonly body: unknown;
    readonly kind: FailureKind;
  }[] = [
    {
      name: 'a bad request',
      status: 400,
      body: error('Unrecognized request argument', { type: 'invalid_request_error' }),
      kind: 'bad-request',
    },
    {
      name: '422 of FastAPI',
      status: 422,
      body: { detail: [{ loc: ['body', 'x'], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' }] },
      kind: 'bad-request',
    },
    { name: '405', status: 405, body: '', kind: 'bad-request' },
    {
      name: 'a wrong key',
      status: 401,
      body: error('Incorrect API key', { code: 'invalid_api_key' }),
      kind: 'unauthorized',
    },
    { name: 'a forbidden model', status: 403, body: error('no access'), kind: 'unauthorized' },
    {
      name: 'OpenRouter: 403 of its moderation',
      status: 403,
      body: error('flagged', { code: 403, metadata: { reasons: ['violence'] } }),
      kind: 'refused',
    },
    {
      name: 'no such model',
      status: 404,
      body: error('The model m does not exist', { code: 'model_not_found' }),
      kind: 'not-found',
    },
    {
      name: 'no such model as a 400',
      status: 400,
      body: error('The model m does not exist', { code: 'model_not_found' }),
      kind: 'not-found',
    },
    { name: '410', status: 410, body: '', kind: 'not-found' },
    { name: 'too large', status: 413, body: error('too large'), kind: 'too-large' },
    {
      name: 'Groq: one request over the limit of a minute',
      status: 413,
      body: error('Request too large for model m on tokens per minute (TPM): Limit 6000, Requested 9000', {
        type: 'tokens',
        code: 'rate_limit_exceeded',
      }),
      kind: 'too-large',
    },
    {
      name: 'a throttle',
      status: 429,
      body: error('Rate limit reached', { type: 'rate_limit_error' }),
      kind: 'rate-limited',
    },
    { name: 'a throttle without a body', status: 429, body: '', kind: 'rate-limited' },
    {
      name: 'a throttle in HTML',
      status: 429,
      body: '<html><title>429 Too Many Requests</title></html>',
      kind: 'rate-limited',
    },
    {
      name: 'Google: a throttle that calls itself a quota',
      status: 429,
      body: [
        {
          error: {
            code: 429,
            message: 'You exceeded your current quota, please check your plan and billing details.',
            status: 'RESOURCE_EXHAUSTED',
            details: [{ '@type': 'x', retryDelay: '34.5s' }],
          },
        },
      ],
      kind: 'rate-limited',
    },
    {
      name: 'a throttle of tokens that names a context',
      status: 429,
      body: error('Limit 8192 tokens per min. maximum context length is 8192 tokens'),
      kind: 'rate-limited',
    },
    {
      name: 'OpenAI: no quota',
      status: 429,
      body: error('You exceeded your current quota', { type: 'insufficient_quota', code: 'insufficient_quota' }),
      kind: 'quota-exhausted',
    },
    {
      name: 'no quota in an inner word only',
      status: 429,
      body: error('x', { type: 'requests', code: 'billing_hard_limit_reached' }),
      kind: 'quota-exhausted',
    },
    { name: '402', status: 402, body: error('Insufficient Balance'), kind: 'quota-exhausted' },
    {
      name: 'Anthropic: no credit',
      status: 400,
      body: {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'Your credit balance is too low to access the Anthropic API.',
        },
      },
      kind: 'quota-exhausted',
    },
    { name: '500', status: 500, body: error('x'), kind: 'server-error' },
    {
      name: '500 with a number in its text',
      status: 500,
      body: error('error 429: see 401 and 404'),
      kind: 'server-error',
    },
    { name: '400 with a number in its text', status: 400, body: error('item 503 is missing'), kind: 'bad-request' },
    {
      name: '502 in HTML',
      status: 502,
      body: '<html><head><title>502 Bad Gateway</title></head></html>',
      kind: 'server-error',
    },
    { name: '504', status: 504, body: '', kind: 'server-error' },
    { name: '408', status: 408, body: '', kind: 'server-error' },
    { name: '409', status: 409, body: '', kind: 'server-error' },
    { name: '425', status: 425, body: '', kind: 'server-error' },
    { name: '503', status: 503, body: error('x'), kind: 'overloaded' },
    {
      name: '529',
      status: 529,
      body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      kind: 'overloaded',
    },
    { name: '498 of Groq', status: 498, body: '', kind: 'overloaded' },
    {
      name: 'llama.cpp while it loads its model',
      status: 503,
      body: error('Loading model', { code: 503, type: 'unavailable_error' }),
      kind: 'overloaded',
    },
    { name: 'a 500 around a 429', status: 500, body: error('x', { code: 429 }), kind: 'rate-limited' },
    { name: 'a 400 around a 503', status: 400, body: error('x', { code: 503 }), kind: 'overloaded' },
    {
      name: 'a 502 around a throttle in words',
      status: 502,
      body: error('x', { type: 'rate_limit_error' }),
      kind: 'rate-limited',
    },
    {
      name: 'a 400 around an overload in words',
      status: 400,
      body: error('x', { type: 'overloaded_error' }),
      kind: 'overloaded',
    },
    { name: 'a 500 around a 401 in a text', status: 500, body: error('x', { code: '401' }), kind: 'unauthorized' },
    {
      name: "llama.cpp: arguments in the history that it can't read",
      status: 500,
      body: error('Failed to parse tool call arguments as JSON: [json.exception', { code: 500, type: 'server_error' }),
      kind: 'bad-request',
    },
    {
      name: 'Azure: content filter',
      status: 400,
      body: error('filtered', { code: 'content_filter', innererror: { code: 'ResponsibleAIPolicyViolation' } }),
      kind: 'refused',
    },
    {
      name: 'Azure: content filter by its inner code',
      status: 400,
      body: error('filtered', { code: null, innererror: { code: 'ResponsibleAIPolicyViolation' } }),
      kind: 'refused',
    },
    {
      name: 'Ollama: no tools',
      status: 400,
      body: { error: 'registry.ollama.ai/library/m does not support tools' },
      kind: 'bad-request',
    },
    {
      name: 'a value over its limit, which is no overflow',
      status: 400,
      body: error('max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens', {
        type: 'invalid_request_error',
      }),
      kind: 'bad-request',
    },
  ];

  test.each(rows)('$name', ({ status, body, kind }) => {
    expect(answer(status, body)).toMatchObject({ kind, status, providerId: 'openai-chat' });
  });
});

describe('each vendor says in its own form that', () => {
  type Row = readonly [vendor: string, status: number, body: unknown];
  const classes: Partial<Record<FailureKind, readonly Row[]>> = {
    'rate-limited': [
      ['OpenAI', 429, error('Rate limit reached on tokens per min', { type: 'tokens', code: 'rate_limit_exceeded' })],
      ['Azure', 429, error('Requests have exceeded the token rate limit', { code: '429' })],
      ['Anthropic', 429, { type: 'error', error: { type: 'rate_limit_error', message: 'x' } }],
      ['Gemini', 429, [{ error: { code: 429, message: 'Resource exhausted', status: 'RESOURCE_EXHAUSTED' } }]],
      ['Mistral', 429, { message: 'Requests rate limit exceeded' }],
      ['LiteLLM', 429, error('litellm.RateLimitError: x', { type: 'throttling_error', code: '429' })],
      ['OpenRouter', 429, error('Provider returned error', { code: 429, metadata: { raw: 'busy' } })],
      ['Bedrock', 429, { __type: 'ThrottlingException', message: 'Too many requests' }],
    ],
    'quota-exhausted': [
      ['OpenAI', 429, error('x', { type: 'insufficient_quota', code: 'insufficient_quota' })],
      ['Anthropic', 402, { type: 'error', error: { type: 'billing_error', message: 'x' } }],
      ['DeepSeek', 402, error('Insufficient Balance', { type: 'unknown_error', code: 'invalid_request_error' })],
      ['OpenRouter', 402, error('This request requires more credits', { code: 402 })],
      ['Kimi', 429, error('x', { type: 'exceeded_current_quota_error' })],
    ],
    overloaded: [
      ['OpenAI', 503, error('The engine is currently overloaded', { type: 'server_error' })],
      ['OpenAI: slow down', 503, error('Slow down', { type: 'server_error', code: 'slow_down' })],
      ['Anthropic', 529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
      ['Gemini', 503, [{ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }]],
      ['Ollama', 503, { error: 'server busy, please try again. maximum pending requests exceeded' }],
      ['Kimi', 429, error('x', { type: 'engine_overloaded_error' })],
    ],
    'too-large': [
      ['Anthropic', 413, { type: 'error', error: { type: 'request_too_large', message: 'x' } }],
      ['a proxy', 413, '<html><head><title>413 Request Entity Too Large</title></head></html>'],
    ],
    unauthorized: [
      ['OpenAI', 401, error('Incorrect API key', { type: 'invalid_request_error', code: 'invalid_api_key' })],
      ['Azure', 401, { statusCode: 401, message: 'Unauthorized. Access token is missing, invalid or expired.' }],
      ['Anthropic', 401, { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } }],
      [
        'Gemini',
        400,
        [
          {
            error: {
              code: 400,
              message: 'API key not valid.',
              status: 'INVALID_ARGUMENT',
              details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
            },
          },
        ],
      ],
      ['vLLM', 401, { error: 'Unauthorized' }],
      ['Mistral', 401, { detail: 'Unauthorized' }],
    ],
    'not-found': [
      ['OpenAI', 404, error('The model m does not exist', { type: 'invalid_request_error', code: 'model_not_found' })],
      ['Azure', 404, error('The API deployment does not exist.', { code: 'DeploymentNotFound' })],
      ['Anthropic', 404, { type: 'error', error: { type: 'not_found_error', message: 'model: m' } }],
      ['Ollama', 404, { error: "model 'm' not found" }],
      ['vLLM', 404, { object: 'error', message: 'The model `m` does not exist.', type: 'NotFoundError', code: 404 }],
      ['Mistral', 400, { object: 'error', message: 'Invalid model: m', type: 'invalid_model', code: '1500' }],
    ],
    'bad-request': [
      ['OpenAI', 400, error('Invalid value', { type: 'invalid_request_error', param: 'messages', code: null })],
      ['Anthropic', 400, { type: 'error', error: { type: 'invalid_request_error', message: 'messages: required' } }],
      ['Gemini', 400, [{ error: { code: 400, message: 'Invalid JSON payload', status: 'INVALID_ARGUMENT' } }]],
      ['Ollama', 400, { error: 'json: cannot unmarshal string into Go struct field' }],
      ['vLLM', 400, { object: 'error', message: 'x', type: 'BadRequestError', code: 400 }],
      ['Mistral', 422, { detail: [{ loc: ['body', 'messages'], msg: 'Field required' }] }],
    ],
  };
  const rows = Object.entries(classes).flatMap(([kind, list]) =>
    list.map(([vendor, status, body]) => ({ kind, vendor, status, body })),
  );

  test.each(rows)('it is $kind: $vendor', ({ kind, status, body }) => {
    expect(answer(status, body)).toMatchObject({ kind, status });
  });
});

describe('a context overflow is recognised in the words of', () => {
  test.each([
    {
      name: 'OpenAI',
      message:
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.",
      tokens: { needed: 9001, limit: 8192 },
    },
    {
      name: 'OpenAI, older',
      message:
        "This model's maximum context length is 4097 tokens, however you requested 5360 tokens (1360 in your prompt; 4000 for the completion).",
      tokens: { needed: 5360, limit: 4097 },
    },
    {
      name: 'OpenRouter',
      message:
        "This endpoint's maximum context length is 128000 tokens. However, you requested about 140563 tokens (12563 of text input, 128000 in the output).",
      tokens: { needed: 140563, limit: 128000 },
    },
    {
      name: 'vLLM',
      message: "This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens.",
      tokens: { needed: 5000, limit: 4096 },
    },
    {
      name: 'vLLM, newer',
      message:
        "You passed 9001 input tokens and requested 1000 output tokens. However, the model's context length is only 8192 tokens",
      tokens: { needed: 9001, limit: 8192 },
    },
    {
      name: 'Anthropic',
      message: 'prompt is too long: 210000 tokens > 200000 maximum',
      tokens: { needed: 210000, limit: 200000 },
    },
    {
      name: 'Anthropic, with the reply',
      message: 'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length',
      tokens: { limit: 200000 },
    },
    {
      name: 'llama.cpp',
      message: 'request (6030 tokens) exceeds the available context size (4096 tokens), try increasing it',
      tokens: { needed: 6030, limit: 4096 },
    },
    {
      name: 'Gemini',
      message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      tokens: { needed: 1200000, limit: 1048576 },
    },
    {
      name: 'Gemini, newer',
      message: 'The input token count exceeds the maximum number of tokens allowed 1048576.',
      tokens: { limit: 1048576 },
    },
    {
      name: 'Mistral',
      message: 'Prompt contains 40960 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      tokens: { needed: 40960, limit: 32768 },
    },
    {
      name: 'xAI',
      message: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      tokens: { needed: 537812, limit: 131072 },
    },
    { name: 'Groq', message: 'Please reduce the length of the messages or completion.', tokens: {} },
    { name: 'Ollama', message: 'the input length exceeds the context length', tokens: {} },
    { name: 'Ollama, newer', message: 'prompt too long; exceeded max context length by 120 tokens', tokens: {} },
    {
      name: 'SGLang',
      message: "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
      tokens: { needed: 9000, limit: 8192 },
    },
    {
      name: 'LM Studio',
      message:
        'Trying to keep the first 4994 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
      tokens: { needed: 4994, limit: 4096 },
    },
    { name: 'Bedrock', message: 'Input is too long for requested model.', tokens: {} },
    {
      name: 'OpenAI Responses',
      message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
      tokens: {},
    },
    {
      name: 'Copilot',
      message: 'prompt token count of 135000 exceeds the limit of 128,000',
      tokens: { needed: 135000, limit: 128000 },
    },
    {
      name: 'TGI',
      message:
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens',
      tokens: { needed: 5000, limit: 4097 },
    },
    {
      name: 'Kimi',
      message: 'Invalid request: Your request exceeded model token limit: 262144',
      tokens: { limit: 262144 },
    },
    { name: 'MiniMax', message: 'invalid params, context window exceeds limit', tokens: {} },
    {
      name: 'Cohere',
      message: 'too many tokens: total number of tokens in the prompt cannot exceed 4081',
      tokens: { limit: 4081 },
    },
  ])('$name', ({ message, tokens }) => {
    for (const failure of [answer(400, error(message)), inside(error(message))]) {
      expect(failure.kind).toBe('context-overflow');
      expect(JSON.parse(JSON.stringify(failure.tokens))).toEqual(tokens);
      expect(failure.hint).toContain('compact');
    }
  });

  test('a code alone, and llama.cpp by the fields beside it', () => {
    expect(answer(400, error('too much', { code: 'context_length_exceeded' }))).toMatchObject({
      kind: 'context-overflow',
    });
    expect(
      answer(400, error('too much', { type: 'exceed_context_size_error', n_prompt_tokens: 60, n_ctx: 40 })),
    ).toMatchObject({ kind: 'context-overflow', tokens: { needed: 60, limit: 40 } });
  });

  test('no text takes long to look at', () => {
    const started = performance.now();
    for (const text of [
      'maximum context length is 1 tokens ',
      'prompt contains 1 tokens ',
      '`inputs` tokens ',
      '1,'.repeat(50),
    ])
      answer(400, error(text.repeat(20_000)));
    expect(performance.now() - started).toBeLessThan(500);
  });
});

describe('the kind of an error inside a 200', () => {
  const rows: readonly {
    readonly name: string;
    readonly payload: unknown;
    readonly kind: FailureKind;
    readonly status?: number;
  }[] = [
    { name: 'a code of 503', payload: error('x', { code: 503 }), kind: 'overloaded', status: 503 },
    {
      name: 'a code of 502 in a choice (OpenRouter)',
      payload: { choices: [{ error: { code: 502, message: 'Upstream error' } }] },
      kind: 'server-error',
      status: 502,
    },
    { name: 'a code of 429 in a text', payload: error('x', { code: '429' }), kind: 'rate-limited', status: 429 },
    { name: 'a code of 401', payload: error('x', { code: 401 }), kind: 'unauthorized', status: 401 },
    {
      name: 'Anthropic: overloaded',
      payload: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      kind: 'overloaded',
    },
    {
      name: 'Anthropic: api_error',
      payload: { type: 'error', error: { type: 'api_error', message: 'x' } },
      kind: 'server-error',
    },
    {
      name: 'Anthropic: invalid request',
      payload: { type: 'error', error: { type: 'invalid_request_error', message: 'x' } },
      kind: 'bad-request',
    },
    {
      name: 'Anthropic: billing',
      payload: { type: 'error', error: { type: 'billing_error', message: 'x' } },
      kind: 'quota-exhausted',
    },
    { name: 'Ollama: a text', payload: { error: 'llama runner process has terminated' }, kind: 'server-error' },
    {
      name: 'Responses: failed',
      payload: { type: 'response.failed', response: { error: { code: 'rate_limit_exceeded', message: 'x' } } },
      kind: 'rate-limited',
    },
    {
      name: 'Responses: an error event',
      payload: { type: 'error', code: 'server_error', message: 'x' },
      kind: 'server-error',
    },
    { name: 'no more than words', payload: error('something happened'), kind: 'server-error' },
    { name: 'a number in the words', payload: error('429 Too Many Requests'), kind: 'server-error' },
    { name: 'an empty object', payload: {}, kind: 'server-error' },
    { name: 'a content filter', payload: error('x', { code: 'content_filter' }), kind: 'refused' },
    {
      name: 'a wrong model, as an answer with that status would say it',
      payload: error('x', { type: 'model_not_found', code: 400 }),
      kind: 'not-found',
      status: 400,
    },
    {
      name: 'too large for the limit of a minute',
      payload: error('x', { type: 'rate_limit_exceeded', code: 413 }),
      kind: 'too-large',
      status: 413,
    },
  ];

  test.each(rows)('$name', ({ payload, kind, status }) => {
    expect(inside(payload)).toMatchObject({ kind, ...(status === undefined ? {} : { status }) });
  });
});

test.each([
  { code: 'CERT_HAS_EXPIRED', remedy: 'never', hint: 'NODE_EXTRA_CA_CERTS' },
  { code: 'CERT_REVOKED', remedy: 'never', hint: 'NODE_EXTRA_CA_CERTS' },
  { code: 'DEPTH_ZERO_SELF_SIGNED_CERT', remedy: 'never', hint: 'NODE_EXTRA_CA_CERTS' },
  { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', remedy: 'never', hint: 'NODE_EXTRA_CA_CERTS' },
  { code: 'EPROTO', remedy: 'never', hint: 'plain http' },
  { code: 'ERR_SSL_WRONG_VERSION_NUMBER', remedy: 'never', hint: 'plain http' },
  { code: 'ENOTFOUND', remedy: undefined, hint: 'Check the host' },
  { code: 'ECONNRESET', remedy: undefined, hint: undefined },
])('whether asking again can help, and the hint, for $code', ({ code, remedy, hint }) => {
  const failure = transportFailure(server, { code, message: 'x', phase: 'head' });
  expect(failure).toMatchObject({ kind: 'network', vendorCode: code });
  expect(failure.remedy).toBe(remedy);
  if (hint === undefined) expect(failure.hint).toBe(undefined);
  else expect(failure.hint).toContain(hint);
});

describe('the words', () => {
  test.each([
    {
      name: 'of OpenAI',
      status: 401,
      body: error('Incorrect API key'),
      is: 'api.example.test answered 401: Incorrect API key',
    },
    {
      name: 'of Ollama',
      status: 404,
      body: { error: "model 'm' not found" },
      is: "api.example.test answered 404: model 'm' not found",
    },
    {
      name: 'of Mistral',
      status: 400,
      body: { object: 'error', message: 'Bad', type: 'invalid', code: '3051' },
      is: 'api.example.test answered 400: Bad',
    },
    {
      name: 'of FastAPI',
      status: 422,
      body: { detail: [{ loc: ['body', 'tools'], msg: 'Field required' }] },
      is: 'api.example.test answered 422: body.tools: Field required',
    },
    {
      name: 'of OpenRouter, with those of its provider',
      status: 502,
      body: error('Provider returned error', { metadata: { raw: 'out of memory' } }),
      is: 'api.example.test answered 502: Provider returned error: out of memory',
    },
    {
      name: 'of a page',
      status: 502,
      body: '<html><head><title>502 Bad\nGateway</title></head><body>nginx</body></html>',
      is: 'api.example.test answered 502: 502 Bad Gateway',
    },
    {
      name: 'of a page without a title',
      status: 502,
      body: '<h1>Oops</h1>',
      is: 'api.example.test answered 502: Oops',
    },
    {
      name: 'in plain text',
      status: 500,
      body: 'Internal Server Error',
      is: 'api.example.test answered 500: Internal Server Error',
    },
    {
      name: 'in an event',
      status: 500,
      body: 'data: {"error":{"message":"busy"}}\n\n',
      is: 'api.example.test answered 500: busy',
    },
    { name: 'that are missing', status: 500, body: '', is: 'api.example.test answered 500 without a message' },
  ])('$name', ({ status, body, is }) => {
    expect(answer(status, body).message).toBe(is);
  });

  test.each([
    {
      name: 'of OpenSSL',
      error: {
        code: 'EPROTO',
        message:
          'write EPROTO 80AC5352727F0000:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/openssl/openssl/ssl/record/ssl3_record.c:350:\n',
      },
      is: 'api.example.test could not be reached (EPROTO: wrong version number).',
    },
    {
      name: 'of a network, over two lines',
      error: { code: 'EIO', message: 'one\r\n  two\n' },
      is: 'api.example.test could not be reached (EIO: one two).',
    },
  ])('$name are one line', ({ error: { code, message }, is }) => {
    expect(transportFailure(server, { code, message, phase: 'head' }).message).toBe(is);
  });

  test('are bounded and never hold the key', () => {
    const { message } = answer(401, error(`Incorrect API key provided: sk-abcdef123456. ${'x'.repeat(5000)}`));
    expect(message).toContain('Incorrect API key provided: ***.');
    expect(message.length).toBeLessThan(600);
    expect(JSON.stringify(inside(error('bad sk-abcdef123456', { code: 'sk-abcdef123456' })))).not.toContain(
      'sk-abcdef',
    );
  });
});

describe('a key that the server repeats', () => {
  const key = 'Zq8Wk/2mVb7RxL4cJd9Hn3PfSy6Gu1E+';
  const safe: Server = { ...server, secrets: [key] };
  const soFar = { nowMs: 0, hasBegun: false };
  const at = (before: number): string => `${'x'.repeat(before)}${key} is wrong`;
  const http = (status: number, body: string, location?: string): Failure =>
    httpFailure(safe, status, (name) => (name === 'location' ? location : undefined), body, 0);
  const cut: ReadonlyArray<{ readonly name: string; readonly failure: (text: string) => Failure }> = [
    { name: 'a message', failure: (text) => http(418, JSON.stringify(error(text))) },
    // As PHP writes it.
    { name: 'an escaped message', failure: (text) => http(418, JSON.stringify(error(text)).replaceAll('/', '\\/')) },
    { name: 'an encoded message', failure: (text) => http(418, JSON.stringify(error(encodeURIComponent(text)))) },
    {
      name: 'a code',
      failure: (text) => http(418, JSON.stringify(error('m', { code: text.replace(' is wrong', '') }))),
    },
    { name: 'a plain text', failure: (text) => http(418, text) },
    { name: 'a page', failure: (text) => http(418, `<html><body>${text}</body></html>`) },
    { name: 'the title of a page', failure: (text) => http(418, `<html><title>${text}</title></html>`) },
    { name: 'an address', failure: (text) => http(302, '', `https://x.test/${text}`) },
    {
      name: 'the query of an address',
      failure: (text) => http(302, '', `https://x.test/?${encodeURIComponent(text)}`),
    },
    {
      name: 'a reply',
      failure: (text) => problemFailure(safe, { type: 'error-payload', payload: error(text) }, soFar),
    },
    {
      name: 'what is no reply',
      failure: (got) => problemFailure(safe, { type: 'malformed', message: 'The reply is neither', got }, soFar),
    },
    { name: 'what breaks off', failure: (text) => http(418, `{"error":"${text.slice(0, text.indexOf(key) + 20)}`) },
  ];

  test.each(cut)('is not left by half in $name, wherever it is cut', ({ failure }) => {
    for (const base of [100, 200, 300, 500, 4096]) {
      for (let before = base - 45; before < base + 2; before += 1) {
        const told = JSON.stringify(failure(at(before)));
        expect(told).not.toContain(key.slice(0, 5));
        expect(told).not.toContain(encodeURIComponent(key).slice(-8));
      }
    }
  });

  test('leaves the words around it', () => {
    expect(http(401, JSON.stringify(error(`The key ${key} is wrong.`))).message).toBe(
      'api.example.test answered 401: The key *** is wrong.',
    );
    expect(http(302, '', 'https://x.test/v1?key=1').message).toContain('it redirects to https://x.test/v1.');
  });

  test('is cut with the words around it, and a text without spaces is not lost', () => {
    expect(http(500, JSON.stringify(error(`${'word '.repeat(200)}`))).message).toMatch(/word word …$/);
    expect(http(500, JSON.stringify(error('x'.repeat(900)))).message).toMatch(/: x{498} …$/);
  });
});

describe('the wait', () => {
  test.each([
    { name: 'in seconds', status: 503, headers: { 'retry-after': '5' }, body: '', is: 5000 },
    { name: 'as a date', status: 429, headers: { 'retry-after': 'Mon, 30 Nov 2026 12:00:02 GMT' }, body: '', is: 2000 },
    {
      name: 'in the body (Google)',
      status: 429,
      headers: {},
      body: [{ error: { code: 429, details: [{ retryDelay: '34s' }] } }],
      is: 34_000,
    },
    { name: 'by a reset header', status: 429, headers: { 'x-ratelimit-reset-requests': '3s' }, body: '', is: 3000 },
    {
      name: 'by a reset header that has nothing to do with the failure',
      status: 500,
      headers: { 'x-ratelimit-reset-requests': '3s' },
      body: '',
      is: undefined,
    },
    { name: 'unsaid', status: 429, headers: {}, body: '', is: undefined },
  ])('$name', ({ status, headers, body, is }) => {
    expect(answer(status, body, headers as unknown as Record<string, string>).retryAfterMs).toBe(is);
  });
});

describe('hints', () => {
  const ollama: Server = {
    ...server,
    providerId: 'ollama',
    host: '127.0.0.1:11434',
    origin: 'http://127.0.0.1:11434',
    model: 'qwen3:8b',
    keyVariable: undefined,
  };
  const refused = { code: 'ECONNREFUSED', message: 'x', phase: 'head' as const };
  test.each([
    { name: 'a wrong key', failure: answer(401, ''), is: 'EXAMPLE_KEY' },
    { name: 'a forbidden model', failure: answer(403, ''), is: 'may not use m' },
    {
      name: 'a wrong path',
      failure: answer(404, '404 page not found'),
      is: 'https://api.example.test/v1/chat/completions',
    },
    { name: 'a wrong model', failure: answer(404, error('The model m does not exist')), is: 'offer the model m' },
    {
      name: 'a model that Ollama lacks',
      failure: httpFailure(ollama, 404, () => undefined, '{"error":"model \'qwen3:8b\' not found"}', 0),
      is: 'ollama pull qwen3:8b',
    },
    { name: 'Ollama does not run', failure: transportFailure(ollama, refused), is: 'ollama serve' },
    {
      name: 'Ollama by its port on another wire',
      failure: transportFailure({ ...ollama, providerId: 'openai-chat' }, refused),
      is: 'ollama serve',
    },
    { name: 'another server does not run', failure: transportFailure(server, refused), is: 'https://api.example.test' },
    { name: 'a model without tools', failure: answer(400, error('m does not support tools')), is: 'can call tools' },
    {
      name: "Ollama's context",
      failure: httpFailure(ollama, 400, () => undefined, '{"error":"the input length exceeds the context length"}', 0),
      is: 'num_ctx',
    },
  ])('$name', ({ failure, is }) => {
    expect(failure.hint).toContain(is);
  });

  const refusal = (changes: Partial<Server>, status: number, body: unknown): string | undefined =>
    httpFailure({ ...server, ...changes }, status, () => undefined, JSON.stringify(body), 0).hint;

  test.each([
    {
      name: 'none was sent',
      changes: { keyFault: 'not-sent' as const, keyVariable: undefined },
      is: 'No key was sent: pass `apiKey`.',
    },
    {
      name: 'the one of the environment was kept back',
      changes: {
        keyFault: 'kept-back' as const,
        keyVariable: undefined,
        vendorKey: { vendor: 'OpenAI', variable: 'OPENAI_API_KEY' },
      },
      is: 'No key was sent. OPENAI_API_KEY goes to OpenAI only: pass `apiKey`.',
    },
    {
      name: 'it begins with Bearer',
      changes: { keyFault: 'has-scheme' as const, keyVariable: undefined },
      is: 'Check `apiKey`: the key has to stand there without "Bearer" before it.',
    },
    {
      name: 'it stands in quotes',
      changes: { keyFault: 'in-quotes' as const },
      is: 'Check `apiKey`, or the environment variable EXAMPLE_KEY: the key has to stand there without quotes around it.',
    },
  ])('a key that is refused: $name', ({ changes, is }) => {
    for (const status of [401, 403]) expect(refusal(changes, status, error('no'))).toBe(is);
  });

  test.each([
    { providerId: 'anthropic', is: "does this server speak Anthropic's own wire? Most servers speak Chat: `openai(" },
    { providerId: 'ollama', is: "does this server speak Ollama's own wire? Most servers speak Chat: `openai(" },
    { providerId: 'openai-responses', is: "does this server speak OpenAI's Responses wire? Most servers speak Chat:" },
    { providerId: 'openai-chat', is: 'check `baseURL` (for most compatible servers it ends in /v1).' },
  ])('a path that is not there on the wire of $providerId', ({ providerId, is }) => {
    const url = 'http://box:1/path?key=hidden';
    const hint = refusal({ providerId, url, keyVariable: undefined }, 404, { error: 'File Not Found' });
    expect(hint).toContain(`The request went to http://box:1/path: ${is}`);
  });

  test("a path that is not there at the wire's own vendor", () => {
    expect(refusal({ providerId: 'anthropic' }, 404, { error: 'Not found' })).toContain('check `baseURL`');
  });

  const llamaCpp = (n_prompt_tokens: number, n_ctx: number): object => ({
    error: { code: 400, message: 'too long', type: 'exceed_context_size_error', n_prompt_tokens, n_ctx },
  });
  const tooLong = error('the input length exceeds the context length');
  test.each([
    {
      name: 'Ollama on its own wire',
      changes: ollama,
      body: tooLong,
      is: 'Give the model a larger context (`options: { num_ctx: 16384 }`, or start the server with OLLAMA_CONTEXT_LENGTH=16384 ollama serve), shorten the conversation (`compact`), or send fewer tools.',
    },
    {
      name: 'Ollama on the Chat wire, which has no such option',
      changes: { ...ollama, providerId: 'openai-chat' },
      body: tooLong,
      is: 'Give the model a larger context (start the server with OLLAMA_CONTEXT_LENGTH=16384 ollama serve), shorten the conversation (`compact`), or send fewer tools.',
    },
    {
      name: 'llama.cpp',
      changes: {},
      body: llamaCpp(9000, 4096),
      is: 'Give the model a larger context (llama-server -c 16384), shorten the conversation (`compact`), or send fewer tools.',
    },
    {
      name: 'llama.cpp that has as much as we would name',
      changes: {},
      body: llamaCpp(40_000, 16_384),
      is: 'Give the model a larger context (llama-server -c 65536), shorten the conversation (`compact`), or send fewer tools.',
    },
    {
      name: 'llama.cpp, with numbers that are none',
      changes: {},
      body: llamaCpp(1e300, 4096),
      is: 'Give the model a larger context (llama-server -c 1048576), shorten the conversation (`compact`), or send fewer tools.',
    },
    {
      name: 'anybody else',
      changes: {},
      body: tooLong,
      is: 'Shorten the conversation (`compact`), send fewer tools, lower `maxOutputChars` of the tools, or take a model with a larger context.',
    },
  ])('a context that is too small: $name', ({ changes, body, is }) => {
    expect(refusal(changes, 400, body)).toBe(is);
  });
});
