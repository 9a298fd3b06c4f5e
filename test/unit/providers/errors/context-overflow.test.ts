import { describe, expect, test } from 'vitest';
import { answer, error, inside } from './answers.ts';

interface Row {
  readonly vendor: string;
  readonly message: string;
  readonly needed?: number;
  readonly limit?: number;
}

const rows: readonly Row[] = [
  {
    vendor: 'Poolside behind OpenRouter',
    message: 'Input length 131393 exceeds the maximum allowed input length of 131040 tokens.',
    needed: 131393,
    limit: 131040,
  },
  {
    vendor: 'Azure, newer',
    message:
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 509178 tokens. Please reduce the length of the messages.',
    needed: 509178,
    limit: 272000,
  },
  {
    vendor: 'DeepInfra',
    message: 'Requested input length 140000 exceeds maximum input length 131072',
    needed: 140000,
    limit: 131072,
  },
  {
    vendor: 'LM Studio',
    message: 'The number of tokens to keep from the initial prompt is greater than the context length.',
  },
  {
    vendor: 'LM Studio, with figures',
    message:
      'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 5228>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input.',
    needed: 5228,
    limit: 4096,
  },
  { vendor: 'LM Studio, while it writes', message: 'Context size has been exceeded.' },
  {
    vendor: 'llama.cpp, older',
    message: 'the request exceeds the available context size. try increasing the context size or enable context shift',
  },
  {
    vendor: 'ds4',
    message: 'Prompt has 5,958,968 tokens, but the configured context size is 256,000 tokens',
    needed: 5958968,
    limit: 256000,
  },
  {
    vendor: 'Bedrock',
    message: 'ValidationException: Input exceeds the max input token limit of 128000',
    limit: 128000,
  },
  { vendor: 'Bedrock, without a figure', message: 'Input exceeds the max input token limit' },
  { vendor: 'Bedrock, Nova', message: 'Number of input tokens exceeds maximum length' },
  {
    vendor: 'Bedrock, in a stream',
    message: 'The model returned the following errors: Input is too long for this model.',
  },
  { vendor: 'Bedrock, Llama', message: 'Input token count exceeds the maximum number of input tokens' },
  { vendor: 'Anthropic', message: 'prompt is too long' },
  { vendor: 'Anthropic, as a sentence', message: 'Prompt is too long.' },
  {
    vendor: 'vLLM, without room for an answer',
    message:
      "This model's maximum context length is 262144 tokens. However, you requested 0 output tokens and your prompt contains at least 262145 input tokens, for a total of at least 262145 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=262145)",
    needed: 262145,
    limit: 262144,
  },
  {
    vendor: 'vLLM, with an answer',
    message:
      "This model's maximum context length is 32768 tokens. However, you requested 32000 output tokens and your prompt contains at least 769 input tokens, for a total of at least 32769 tokens.",
    needed: 32769,
    limit: 32768,
  },
  {
    vendor: 'vLLM, without the sum',
    message:
      "This model's maximum context length is 50000 tokens. However, you requested 0 output tokens and your prompt contains at least 50001 input tokens.",
    needed: 50001,
    limit: 50000,
  },
  {
    vendor: 'vLLM, its engine',
    message: 'The decoder prompt (length 5120) is longer than the maximum model length of 4096.',
    needed: 5120,
    limit: 4096,
  },
  {
    vendor: 'vLLM, an older engine',
    message: 'Input prompt (5120 tokens) is too long and exceeds limit of 4096',
    needed: 5120,
    limit: 4096,
  },
  {
    vendor: 'LiteLLM',
    message: "Requested token count exceeds the model's maximum context length of 131072 tokens.",
    limit: 131072,
  },
  {
    vendor: 'Cloudflare',
    message:
      '5021: The estimated number of input and maximum output tokens (155740) exceeded this model context window limit (128000).',
    needed: 155740,
    limit: 128000,
  },
  {
    vendor: 'Cloudflare, newer',
    message:
      "Requested token count exceeds the model's maximum context length of 256000 tokens. You requested a total of 256800 tokens: 224800 tokens from the input messages and 32000 tokens for the completion.",
    needed: 256800,
    limit: 256000,
  },
  {
    vendor: 'SGLang',
    message: "Input length (265330 tokens) exceeds model's maximum context length (262144).",
    needed: 265330,
    limit: 262144,
  },
  {
    vendor: 'SGLang, in another form',
    message: 'Requested token count (5000) is greater than the context length (4096).',
    needed: 5000,
    limit: 4096,
  },
  {
    vendor: 'Together',
    message: "The input (516368 tokens) is longer than the model's context length (262144 tokens).",
    needed: 516368,
    limit: 262144,
  },
  { vendor: 'Novita', message: "The input is longer than the model's context length" },
  {
    vendor: 'Fireworks',
    message: 'The prompt is too long: 140000, model maximum context length: 131072',
    needed: 140000,
    limit: 131072,
  },
  {
    vendor: 'Qwen',
    message: 'InternalError.Algo.InvalidParameter: Range of input length should be [1, 983616]',
    limit: 983616,
  },
  { vendor: 'Zhipu, 1210', message: 'The number of tokens in request more than max tokens allowed' },
  { vendor: 'Zhipu, 1261', message: 'Prompt exceeds max length' },
  { vendor: 'Zhipu, in Chinese', message: 'Prompt 超长' },
  {
    vendor: 'Kimi',
    message: 'Invalid request: Your request exceeded model token limit: 262144 (requested: 310000)',
    needed: 310000,
    limit: 262144,
  },
  { vendor: 'MiniMax', message: 'invalid params, context window exceeds limit (2013)' },
  {
    vendor: 'Groq',
    message: 'Please reduce the length of the messages or completion. Current length is 10000 while limit is 8192',
    needed: 10000,
    limit: 8192,
  },
  { vendor: 'GitHub Models', message: 'Request body too large for gpt-4o model. Max size: 8000 tokens.', limit: 8000 },
  { vendor: 'Ollama', message: 'prompt too long; exceeded max context length by 100918 tokens' },
  { vendor: 'Ollama, older', message: 'input length exceeds maximum context length' },
  {
    vendor: 'TGI',
    message: 'Input validation error: `inputs` must have less than 4095 tokens. Given: 5000',
    needed: 5000,
    limit: 4095,
  },
  {
    vendor: 'Cohere',
    message: 'too many tokens: size limit exceeded by 1200 tokens. Try using shorter or fewer inputs.',
  },
  { vendor: 'a gateway, with an id', message: 'context length exceeded (request id: 20261201)' },
  { vendor: 'a gateway, with a date', message: 'context length exceeded at 2026-12-01 12:00' },
  { vendor: 'Vertex', message: 'Input exceeds the maximum number of tokens allowed (1048576).', limit: 1048576 },
  { vendor: 'Copilot', message: 'The request exceeds the context window of this model.' },
  { vendor: 'Codex', message: 'Codex ran out of room in the model’s context window. Start a new thread.' },
  { vendor: 'a gateway', message: 'Context length exceeded, too many tokens' },
  { vendor: 'another gateway', message: 'token limit exceeded' },
  { vendor: 'a template after a cut', message: 'No user query found in messages.' },
  { vendor: 'llama.cpp, its template after a cut', message: 'Jinja Exception: No user message found.' },
  {
    vendor: 'Cohere, older',
    message:
      'too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354. Try using a shorter prompt or a smaller max_tokens value.',
    needed: 6354,
    limit: 2048,
  },
  {
    vendor: 'SGLang, older',
    message: 'Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).',
    needed: 160062,
    limit: 59862,
  },
  {
    vendor: 'llama-cpp-python',
    message: 'Requested tokens (2285) exceed context window of 2048',
    needed: 2285,
    limit: 2048,
  },
  // Nobody's: relations of the forms above.
  {
    vendor: 'nobody',
    message: 'Your conversation has 90210 tokens, which is more than the 65536 tokens that this model can take.',
    needed: 90210,
    limit: 65536,
  },
  {
    vendor: 'nobody',
    message: 'Sorry, the messages exceed the maximum sequence length for the selected model (max tokens: 32768)',
    limit: 32768,
  },
  { vendor: 'nobody', message: 'The request does not fit into the context window' },
  { vendor: 'nobody', message: '输入内容超过模型最大长度限制' },
  { vendor: 'nobody', message: '上下文长度超出限制' },
];

describe('a context overflow is recognised in the words of', () => {
  test.each(rows)('$vendor: $message', ({ message, needed, limit }) => {
    const tokens = JSON.parse(JSON.stringify({ needed, limit })) as object;
    for (const failure of [400, 413, 422, 424, 500, 502, 503].map((status) => answer(status, error(message)))) {
      expect(failure.kind).toBe('context-overflow');
      expect(JSON.parse(JSON.stringify(failure.tokens))).toEqual(tokens);
    }
    expect(inside(error(message)).kind).toBe('context-overflow');
  });

  test.each([
    {
      name: 'a raw text',
      raw: '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
    },
    { name: 'a raw object', raw: { error: { message: 'prompt is too long: 210000 tokens > 200000 maximum' } } },
    { name: 'plain raw words', raw: 'prompt is too long: 210000 tokens > 200000 maximum' },
    {
      name: 'a raw text in a raw text',
      raw: JSON.stringify(
        error('Provider returned error', {
          metadata: { raw: JSON.stringify(error('prompt is too long: 210000 tokens > 200000 maximum')) },
        }),
      ),
    },
  ])('a vendor behind a gateway, in $name', ({ raw }) => {
    const failure = answer(400, error('Provider returned error', { code: 400, metadata: { raw, provider_name: 'x' } }));
    expect(failure).toMatchObject({ kind: 'context-overflow', tokens: { needed: 210000, limit: 200000 } });
  });

  test.each(['context_length_exceeded', 'model_context_window_exceeded', 'tokens_limit_reached', '1261'])(
    'the code %s',
    (code) => {
      expect(answer(400, error('x', { code })).kind).toBe('context-overflow');
    },
  );

  test('LiteLLM, by the name of its class', () => {
    const message =
      'litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: OpenAIException - too much';
    expect(answer(400, error(message, { type: null, code: '400' })).kind).toBe('context-overflow');
  });
});

describe('no context overflow is', () => {
  test.each([
    { status: 429, message: 'Limit 8192 tokens per min. maximum context length is 8192 tokens', kind: 'rate-limited' },
    { status: 400, message: 'Too many tokens, please wait before trying again.', kind: 'rate-limited' },
    {
      status: 500,
      message: 'ThrottlingException: Too many tokens, please wait before trying again.',
      kind: 'rate-limited',
    },
    { status: 429, message: 'Too many tokens, please wait before trying again.', kind: 'rate-limited' },
    {
      status: 503,
      message: 'Throttling error: Too many tokens, please wait before trying again.',
      kind: 'rate-limited',
    },
    { status: 429, message: 'You exceeded the limit of 30,000 input tokens per minute', kind: 'rate-limited' },
    {
      status: 400,
      message: 'max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens',
      kind: 'bad-request',
    },
    {
      status: 400,
      message: 'max_tokens is too large: 100000. This model supports at most 16384 completion tokens',
      kind: 'bad-request',
    },
    { status: 400, message: 'too many tokens: max_tokens must be less than or equal to 4096', kind: 'bad-request' },
    {
      status: 400,
      message: 'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]',
      kind: 'bad-request',
    },
    { status: 400, message: 'Range of max_tokens should be [1, 8192]', kind: 'bad-request' },
    {
      status: 400,
      message: 'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum',
      kind: 'bad-request',
    },
    {
      status: 413,
      message: 'request body too large: 88200078 bytes exceeds limit of 52428800 bytes',
      kind: 'too-large',
    },
    {
      status: 400,
      message: "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024",
      kind: 'bad-request',
    },
    { status: 400, message: 'tools.0.custom.name: String should have at most 64 characters', kind: 'bad-request' },
    { status: 400, message: 'Unknown field: context_length', kind: 'bad-request' },
    { status: 400, message: 'Please give more context to your question', kind: 'bad-request' },
    { status: 401, message: 'The context window of your plan is exceeded', kind: 'unauthorized' },
  ])('$status: $message', ({ status, message, kind }) => {
    expect(answer(status, error(message)).kind).toBe(kind);
  });
});
