import { describe, expect, test } from 'vitest';
import type { FailureKind } from '../../../../src/core/failure.ts';
import { answer, error, inside } from './answers.ts';

interface Row {
  readonly vendor: string;
  readonly status: number;
  readonly body: unknown;
}

const openRouter = (code: number, raw: unknown): object =>
  error('Provider returned error', { code, metadata: { raw, provider_name: 'x' } });
const google = (quotaId: string, retryDelay = '18s'): object => ({
  error: {
    code: 429,
    message: 'You exceeded your current quota, please check your plan and billing details.',
    status: 'RESOURCE_EXHAUSTED',
    details: [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
    ],
  },
});
const anthropic = (message: string, type = 'invalid_request_error'): object => ({
  type: 'error',
  error: { type, message },
});

const spent: readonly Row[] = [
  {
    vendor: 'Anthropic, a cap of the organisation as a 429',
    status: 429,
    body: {
      type: 'error',
      error: { type: 'rate_limit_error', message: 'x', details: { error_code: 'enforced_spend_limit_reached' } },
    },
  },
  {
    vendor: 'Google, a limit of the day in words',
    status: 429,
    body: [
      error(
        "Quota exceeded for quota metric 'Gemini 2.5 Pro Requests' and limit 'Gemini 2.5 Pro Requests per day per user per tier'",
        { code: 429, status: 'RESOURCE_EXHAUSTED' },
      ),
    ],
  },
  {
    vendor: 'Moonshot in a router in a router',
    status: 429,
    body: error('Error from provider: Provider returned error', {
      code: 429,
      metadata: {
        raw: '{"error":{"message":"Your account org-1 is suspended due to insufficient balance, please recharge","type":"x"}}',
      },
    }),
  },
  {
    vendor: 'Zhipu on the Messages wire',
    status: 429,
    body: { type: 'error', error: { type: 'rate_limit_error', code: '1113', message: '[1113][x]' } },
  },
  {
    vendor: 'xAI, a subscription',
    status: 403,
    body: { code: 'x', error: 'You have run out of credits or need a Grok subscription.' },
  },
  {
    vendor: 'Anthropic, a cap of the organisation',
    status: 400,
    body: anthropic(
      'You have reached your specified API usage limits. You will regain access on 2026-11-01 at 00:00 UTC.',
    ),
  },
  {
    vendor: 'Anthropic, a cap of the workspace',
    status: 400,
    body: anthropic('You have reached your specified workspace API usage limits.'),
  },
  {
    vendor: 'Anthropic, a plan',
    status: 400,
    body: anthropic("You're out of extra usage. Add more at claude.ai/settings/usage and keep going."),
  },
  {
    vendor: 'Anthropic behind LiteLLM',
    status: 400,
    body: error(
      'litellm.BadRequestError: AnthropicException - b\'{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}\'',
    ),
  },
  {
    vendor: 'Anthropic behind Portkey',
    status: 400,
    body: error('anthropic error: Your credit balance is too low to access the Anthropic API.'),
  },
  { vendor: 'MiniMax', status: 500, body: anthropic('insufficient balance (1008)', 'api_error') },
  { vendor: 'MiniMax, by its type', status: 429, body: anthropic('x', 'insufficient_balance_error') },
  {
    vendor: 'MiniMax, its own shape',
    status: 400,
    body: { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } },
  },
  { vendor: 'MiniMax, a plan', status: 429, body: error('usage limit exceeded, 5-hour usage limit reached (2056)') },
  {
    vendor: 'Gemini, a limit of the day',
    status: 429,
    body: google('GenerateRequestsPerDayPerProjectPerModel-FreeTier'),
  },
  {
    vendor: 'Gemini, a limit of tokens of the day, in a list',
    status: 429,
    body: [google('GenerateContentInputTokensPerModelPerDay')],
  },
  {
    vendor: 'Gemini, paid in advance',
    status: 429,
    body: error('Your prepayment credits are depleted.', { status: 'RESOURCE_EXHAUSTED' }),
  },
  {
    vendor: 'OpenRouter, free models',
    status: 429,
    body: error('Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day', {
      code: 429,
    }),
  },
  {
    vendor: 'OpenRouter, free models of a payer',
    status: 429,
    body: error('Rate limit exceeded: free-models-per-day-high-balance. ', { code: 429 }),
  },
  {
    vendor: 'OpenRouter, a key',
    status: 403,
    body: error('Key limit exceeded (total limit). Manage it using https://openrouter.ai/settings/keys', { code: 403 }),
  },
  {
    vendor: 'xAI',
    status: 403,
    body: {
      code: 'The caller does not have permission to execute the specified operation',
      error: 'Your team 1 has either used all available credits or reached its monthly spending limit.',
    },
  },
  {
    vendor: 'xAI, as a 429',
    status: 429,
    body: {
      code: 'Some resource has been exhausted',
      error: 'Your team 1 has either used all available credits or reached its monthly spending limit.',
    },
  },
  {
    vendor: 'xAI, a new team',
    status: 403,
    body: { code: 'permission-denied', error: "Your newly created team doesn't have any credits or licenses yet." },
  },
  {
    vendor: 'Qwen',
    status: 400,
    body: error('Access denied, please make sure your account is in good standing.', { code: 'Arrearage' }),
  },
  {
    vendor: 'Qwen, by its words alone',
    status: 400,
    body: error('Access denied, please make sure your account is in good standing.'),
  },
  {
    vendor: 'Qwen, the free part',
    status: 403,
    body: { code: 'AllocationQuota.FreeTierOnly', message: 'The free tier of the model has been exhausted.' },
  },
  {
    vendor: 'Zhipu',
    status: 429,
    body: error('Insufficient balance or no resource package. Please recharge.', { code: '1113' }),
  },
  { vendor: 'Zhipu, in Chinese', status: 429, body: error('余额不足或无可用资源包,请充值。') },
  {
    vendor: 'Zhipu, a plan',
    status: 429,
    body: error('Weekly/Monthly Limit Exhausted. Your limit will reset at 2026-12-05', { code: '1310' }),
  },
  {
    vendor: 'Moonshot',
    status: 403,
    body: error("Your account's current quota has been exhausted", { type: 'exceeded_current_quota_error' }),
  },
  {
    vendor: 'Moonshot, suspended',
    status: 429,
    body: error('Your account is suspended due to insufficient balance, please recharge your account'),
  },
  { vendor: 'DeepSeek', status: 402, body: error('Insufficient Balance') },
  {
    vendor: 'SiliconFlow',
    status: 403,
    body: { code: 30001, message: 'Sorry, your account balance is insufficient', data: null },
  },
  {
    vendor: 'Fireworks',
    status: 412,
    body: error(
      'Account x is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices.',
    ),
  },
  {
    vendor: 'Together',
    status: 402,
    body: error('Credit limit exceeded, please navigate to https://api.together.ai/settings/billing'),
  },
  {
    vendor: 'Cohere',
    status: 429,
    body: { message: 'You are using a Trial key, which is limited to 1000 API calls / month.' },
  },
  {
    vendor: 'Hugging Face',
    status: 402,
    body: { error: 'You have exceeded your monthly included credits for Inference Providers.' },
  },
  {
    vendor: 'LiteLLM, a budget of its own',
    status: 400,
    body: error('Budget has been exceeded! Current cost: 0.5, Max budget: 0.1', { type: 'budget_exceeded' }),
  },
  {
    vendor: 'OpenAI behind LiteLLM',
    status: 429,
    body: error(
      'litellm.RateLimitError: RateLimitError: OpenAIException - You exceeded your current quota, please check your plan and billing details.',
      { type: null, code: '429' },
    ),
  },
  {
    vendor: 'OpenAI behind claude-code-router',
    status: 500,
    body: error(
      'Error from provider(openai,gpt-5: 429): {"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}',
      { type: 'api_error', code: 'provider_response_error' },
    ),
  },
  {
    vendor: 'OpenAI behind OpenRouter',
    status: 502,
    body: openRouter(502, JSON.stringify(error('x', { type: 'insufficient_quota' }))),
  },
  {
    vendor: 'DeepSeek behind a gateway that says 402 inside',
    status: 500,
    body: openRouter(502, JSON.stringify({ error: { message: 'no', code: 402 } })),
  },
  {
    vendor: 'Cloudflare',
    status: 429,
    body: {
      errors: [
        { code: 4006, message: 'you have used up your daily free allocation of 10,000 neurons, please upgrade' },
      ],
    },
  },
  {
    vendor: 'Vertex',
    status: 403,
    body: error('This API method requires billing to be enabled.', {
      status: 'PERMISSION_DENIED',
      details: [{ reason: 'BILLING_DISABLED' }],
    }),
  },
  {
    vendor: 'Ollama, a week',
    status: 429,
    body: {
      error: 'you (me) have reached your weekly usage limit, upgrade for higher limits: https://ollama.com/upgrade',
    },
  },
  {
    vendor: 'Ollama, a session',
    status: 429,
    body: { error: 'you (me) have reached your session usage limit, please wait or upgrade to continue' },
  },
  {
    vendor: 'Bedrock',
    status: 429,
    body: { __type: 'ThrottlingException', message: 'Too many tokens per day, please wait before trying again.' },
  },
  { vendor: 'nobody', status: 403, body: error('Your workspace has run out of credits. Top up to continue.') },
  { vendor: 'nobody', status: 500, body: error('You have exceeded your monthly spending cap') },
  { vendor: 'nobody', status: 400, body: 'Insufficient account funds' },
];

const rows: Partial<Record<FailureKind, readonly Row[]>> = {
  'quota-exhausted': spent,
  'rate-limited': [
    {
      vendor: 'Gemini, a limit of the minute',
      status: 429,
      body: google('GenerateRequestsPerMinutePerProjectPerModel-FreeTier'),
    },
    {
      vendor: 'OpenRouter, free models by the minute',
      status: 429,
      body: error('Rate limit exceeded: free-models-per-min.', { code: 429 }),
    },
    {
      vendor: 'a vendor in OpenRouter, raw text',
      status: 400,
      body: openRouter(400, '{"error":{"message":"slow down please","code":429}}'),
    },
    { vendor: 'a vendor in OpenRouter, raw object', status: 502, body: openRouter(502, { status: 429, message: 'x' }) },
    {
      vendor: 'a gateway in a gateway',
      status: 502,
      body: openRouter(502, JSON.stringify(openRouter(502, JSON.stringify(error('x', { code: 429 }))))),
    },
    {
      vendor: 'OpenAI, in the client of Python',
      status: 500,
      body: error(
        "Error code: 429 - {'error': {'message': \"It's too quick\", 'type': 'requests', 'param': None, 'code': None}}",
      ),
    },
    {
      vendor: 'httpx',
      status: 500,
      body: error("Client error '429 Too Many Requests' for url 'https://api.mistral.ai/v1/chat/completions'"),
    },
    {
      vendor: 'requests',
      status: 500,
      body: error('429 Client Error: Too Many Requests for url: https://api.x.ai/v1'),
    },
    { vendor: 'axios', status: 500, body: error('Request failed with status code 429') },
    { vendor: 'aiohttp', status: 502, body: error("429, message='Too Many Requests', url='https://api.x.ai/v1'") },
    { vendor: "Go's client", status: 500, body: error('error, status code: 429, message: slow down') },
    {
      vendor: 'Mistral in its client',
      status: 500,
      body: error('API error occurred: Status 429. Body: {"message":"Requests rate limit exceeded"}'),
    },
    {
      vendor: "Google's client",
      status: 500,
      body: error(
        "429 RESOURCE_EXHAUSTED. {'error': {'code': 429, 'message': 'Resource exhausted.', 'status': 'RESOURCE_EXHAUSTED'}}",
      ),
    },
    { vendor: 'claude-code-router', status: 500, body: error('Error from provider(p,m: 429): slow down') },
    {
      vendor: 'LiteLLM, by its class',
      status: 500,
      body: error('litellm.RateLimitError: RateLimitError: GroqException - x'),
    },
    {
      vendor: 'AWS, by its class',
      status: 400,
      body: { message: 'An error occurred (ThrottlingException) when calling the Converse operation' },
    },
    {
      vendor: 'LiteLLM, cooling down',
      status: 429,
      body: error('No deployments available for selected model, Try again in 60 seconds.'),
    },
    {
      vendor: 'an error that was cut',
      status: 502,
      body: error('upstream said {"error":{"message":"Rate lim","type":"rate_limit_error","par'),
    },
    {
      vendor: 'an error that was escaped once more',
      status: 502,
      body: error('upstream said {\\"error\\":{\\"message\\":\\"x\\",\\"type\\":\\"rate_limit_error\\"}}'),
    },
    {
      vendor: 'Qwen, a limit of the minute in the words of an empty account',
      status: 429,
      body: error(
        'You exceeded your current quota, please check your plan and billing details. For details, see: https://help.aliyun.com/zh/model-studio/error-code#token-limit',
        { type: 'insufficient_quota', code: 'insufficient_quota' },
      ),
    },
    {
      vendor: 'Qwen, by its own code',
      status: 429,
      body: {
        code: 'Throttling.AllocationQuota',
        message: 'Allocated quota exceeded, please increase your quota limit.',
      },
    },
    { vendor: 'nobody, a plan', status: 429, body: error("Your plan's rate limit exceeded. Try again in 2s") },
    {
      vendor: 'Zhipu',
      status: 429,
      body: error('High concurrency usage of this API, please reduce concurrency', { code: '1302' }),
    },
    {
      vendor: 'xAI',
      status: 429,
      body: error(
        "Too many tokens for team 1 and model grok-4-0709. Your team's rate limit is — Tokens per Minute (actual/limit): 65605/16000.",
      ),
    },
    {
      vendor: 'Azure',
      status: 429,
      body: error(
        'Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-08-01-preview have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 60 seconds.',
        { code: '429' },
      ),
    },
    {
      vendor: 'Vertex',
      status: 429,
      body: [error('Resource exhausted. Please try again later.', { code: 429, status: 'RESOURCE_EXHAUSTED' })],
    },
    {
      vendor: 'Cerebras',
      status: 429,
      body: {
        message: 'Tokens per minute limit exceeded - too many tokens processed.',
        type: 'too_many_tokens_error',
        code: 'token_quota_exceeded',
      },
    },
    {
      vendor: 'Qwen',
      status: 400,
      body: error('Request rate increased too quickly. To ensure system stability, please adjust your client logic.'),
    },
  ],
  overloaded: [
    {
      vendor: 'Anthropic behind LiteLLM',
      status: 500,
      body: error(
        'litellm.InternalServerError: AnthropicException - b\'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\'. Handle with `litellm.InternalServerError`.',
      ),
    },
    {
      vendor: 'Kimi',
      status: 429,
      body: error('The engine is currently overloaded, please try again later', { type: 'engine_overloaded_error' }),
    },
    {
      vendor: 'Zhipu',
      status: 429,
      body: error('The service may be temporarily overloaded, please try again later', { code: '1305' }),
    },
    {
      vendor: 'Mistral',
      status: 400,
      body: error('Service tier capacity exceeded: this model is currently at capacity'),
    },
    { vendor: 'a 503 in a client of Python', status: 500, body: error("Error code: 503 - {'error': 'busy'}") },
    { vendor: 'httpx', status: 424, body: error("Server error '503 Service Unavailable' for url 'http://x'") },
  ],
  unauthorized: [
    {
      vendor: 'LiteLLM without a database',
      status: 400,
      body: error('No connected db.', { type: 'no_db_connection' }),
    },
    {
      vendor: 'OpenAI in the client of Python',
      status: 500,
      body: error("Error code: 401 - {'error': {'message': 'Incorrect key', 'code': None}}"),
    },
    {
      vendor: 'httpx',
      status: 500,
      body: error(
        "Client error '401 Unauthorized' for url 'https://x'\nFor more information check: https://developer.mozilla.org",
      ),
    },
    { vendor: 'LiteLLM', status: 500, body: error('litellm.AuthenticationError: AnthropicException - x') },
    {
      vendor: 'Groq, a closed account',
      status: 400,
      body: error('Organization has been restricted. Please reach out to support if you believe this was in error.', {
        type: 'invalid_request_error',
        code: 'organization_restricted',
      }),
    },
    {
      vendor: 'xAI',
      status: 400,
      body: {
        code: 'Client specified an invalid argument',
        error: 'Incorrect API key provided: ab***. You can obtain an API key from https://console.x.ai.',
      },
    },
    { vendor: 'Gemini, on Chat', status: 400, body: [error('API key not valid. Please pass a valid API key.')] },
    {
      vendor: 'MiniMax',
      status: 500,
      body: error("login fail: Please carry the API secret key in the 'Authorization' field of the request header"),
    },
  ],
  'not-found': [
    {
      vendor: 'LiteLLM',
      status: 400,
      body: error(
        '/chat/completions: Invalid model name passed in model=gpt-9. Call `/v1/models` to view available models for your key.',
      ),
    },
    { vendor: 'OpenRouter', status: 400, body: error('gpt-9 is not a valid model ID', { code: 400 }) },
    { vendor: 'DeepSeek', status: 400, body: error('Model Not Exist', { type: 'invalid_request_error' }) },
    {
      vendor: 'DeepSeek, newer',
      status: 400,
      body: error('The supported API model names are deepseek-v4 or deepseek-v4-pro, but you passed gpt-9.'),
    },
    { vendor: 'Zhipu', status: 400, body: error('Unknown Model, please check the model code.', { code: '1211' }) },
    { vendor: 'Bedrock', status: 400, body: { message: 'The provided model identifier is invalid.' } },
    {
      vendor: 'Groq',
      status: 400,
      body: error('The model `x` has been decommissioned and is no longer supported.', {
        code: 'model_decommissioned',
      }),
    },
    { vendor: 'GitHub Models', status: 400, body: error('Unknown model: x', { code: 'unknown_model' }) },
    { vendor: 'Qwen', status: 400, body: error('Model not exist.', { code: 'InvalidParameter' }) },
    { vendor: 'a router without a channel', status: 503, body: error('no channel', { code: 'model_not_found' }) },
  ],
  refused: [
    {
      vendor: 'Portkey',
      status: 446,
      body: error('The guardrail checks defined in the config failed.', { type: 'hooks_failed' }),
    },
    { vendor: 'Portkey, without a body', status: 446, body: '' },
    { vendor: 'DeepSeek', status: 400, body: error('Content Exists Risk', { type: 'invalid_request_error' }) },
    {
      vendor: 'Qwen',
      status: 400,
      body: error('Input data may contain inappropriate content.', { code: 'data_inspection_failed' }),
    },
    {
      vendor: 'OpenAI',
      status: 400,
      body: error('Invalid prompt: your prompt was flagged as potentially violating our usage policy.', {
        code: 'invalid_prompt',
      }),
    },
    { vendor: 'Anthropic', status: 400, body: anthropic('Output blocked by content filtering policy') },
    {
      vendor: 'xAI',
      status: 403,
      body: {
        code: 'permission-denied',
        error: 'Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO',
      },
    },
    { vendor: 'Kimi', status: 400, body: error('The request was rejected because it was considered high risk') },
    { vendor: 'LiteLLM', status: 400, body: error('litellm.ContentPolicyViolationError: AzureException - x') },
    {
      vendor: 'Cloudflare',
      status: 424,
      body: { errors: [{ code: 2016, message: 'Prompt blocked due to security configurations' }] },
    },
  ],
  'bad-request': [
    {
      vendor: 'OpenRouter, no host that takes the request',
      status: 404,
      body: error("No endpoints found that support the provided 'tool_choice' value.", { code: 404 }),
    },
    {
      vendor: 'OpenRouter, a model without tools',
      status: 404,
      body: error('No endpoints found that support tool use. To learn more about provider routing, visit: https://x', {
        code: 404,
      }),
    },
    {
      vendor: 'Azure behind LiteLLM, sealed thoughts',
      status: 400,
      body: error(
        'litellm.BadRequestError: litellm.ContentPolicyViolationError: AzureException - {"error":{"message":"The encrypted content gAAA could not be verified.","code":"invalid_encrypted_content"}}',
      ),
    },
    {
      vendor: 'Copilot behind LiteLLM, an id that is too long',
      status: 400,
      body: error(
        "litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: Github_copilotException - Invalid 'messages[11].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 46 instead.",
      ),
    },
    {
      vendor: 'llama.cpp, its template',
      status: 500,
      body: error('Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...', {
        code: 500,
        type: 'server_error',
      }),
    },
    {
      vendor: 'llama.cpp, another template',
      status: 500,
      body: error('Value is not callable: null at row 1, column 72 in the chat template', { code: 500 }),
    },
    {
      vendor: 'llama.cpp, the history',
      status: 500,
      body: error('Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error', {
        code: 500,
      }),
    },
    {
      vendor: 'llama.cpp behind LiteLLM',
      status: 500,
      body: error(
        'litellm.InternalServerError: OpenAIException - Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error',
      ),
    },
    { vendor: 'llama.cpp, a grammar', status: 500, body: error('failed to parse grammar', { code: 500 }) },
    {
      vendor: 'vLLM, its template',
      status: 400,
      body: error('After the optional system message, conversation roles must alternate'),
    },
    {
      vendor: 'a gateway that answers 502 to a field',
      status: 502,
      body: error('Unknown parameter: x', { code: 'unknown_parameter' }),
    },
  ],
  'server-error': [
    {
      vendor: 'aiohttp, a connection that broke',
      status: 502,
      body: error(
        "Response payload is not completed: <TransferEncodingError: 400, message='Not enough data to satisfy transfer length header.'>. ConnectionResetError(104, 'Connection reset by peer')",
      ),
    },
    {
      vendor: 'aiohttp, a body that is too short',
      status: 500,
      body: error("<ContentLengthError: 400, message='Not enough data to satisfy content length header.'>"),
    },
    {
      vendor: 'LiteLLM, about the reply',
      status: 500,
      body: error("litellm.APIError: Failed to parse tool call arguments for tool 'x': Expecting ',' delimiter"),
    },
    {
      vendor: 'llama.cpp, about the reply',
      status: 500,
      body: error('Failed to parse input at pos 120', { code: 500 }),
    },
    { vendor: 'a text with numbers', status: 500, body: error('error 429: see 401 and 404') },
  ],
  'too-large': [
    {
      vendor: 'OpenAI, one request over a minute',
      status: 429,
      body: error(
        'Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 40000. The input or output tokens must be reduced in order to run successfully.',
        { type: 'tokens', code: 'rate_limit_exceeded' },
      ),
    },
    {
      vendor: 'Groq, one request over a minute',
      status: 413,
      body: error('Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 9000', {
        code: 'rate_limit_exceeded',
      }),
    },
    {
      vendor: 'Groq, as a 429',
      status: 429,
      body: error(
        'Rate limit reached for model `m` on tokens per minute (TPM): Limit 6000, Used 0, Requested 9000. Please try again in 30s',
      ),
    },
    {
      vendor: 'Groq behind LiteLLM',
      status: 429,
      body: error(
        'litellm.RateLimitError: GroqException - {"error":{"message":"Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 9,000","code":"rate_limit_exceeded"}}',
      ),
    },
  ],
};

describe('the kind is found wherever the words stand', () => {
  const table = Object.entries(rows).flatMap(([kind, list]) => list.map((row) => ({ kind, ...row })));
  test.each(table)('$kind: $vendor ($status)', ({ kind, status, body }) => {
    expect(answer(status, body)).toMatchObject({ kind, status });
  });

  test.each(spent)('a spent account in a stream: $vendor', ({ body }) => {
    expect(inside(body).kind).toBe('quota-exhausted');
  });
});

describe('a request that fits into the minute', () => {
  test.each([
    'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000. Please try again in 6s.',
    'Rate limit reached for model `m` on requests per minute (RPM): Limit 30, Used 30, Requested 1. Please try again in 2s.',
  ])('is a throttle: %s', (message) => {
    expect(answer(429, error(message, { code: 'rate_limit_exceeded' })).kind).toBe('rate-limited');
  });
});

describe('an error inside a stream', () => {
  const payload = error('Failed to parse tool call arguments', { code: 400, type: 'invalid_request_error' });
  test('that calls the request bad, after text, is the trouble of the server', () => {
    expect(inside(payload, true).kind).toBe('server-error');
    expect(inside(payload, false).kind).toBe('bad-request');
  });

  test('that names a class keeps it, after text as well', () => {
    expect(inside(error('x', { type: 'insufficient_quota' }), true).kind).toBe('quota-exhausted');
    expect(inside(error('prompt is too long'), true).kind).toBe('context-overflow');
    expect(inside(error('x', { code: 401 }), true).kind).toBe('unauthorized');
  });
});

describe('what is shown of a wrapped error', () => {
  test.each([
    {
      name: 'the inner sentence in place of its object',
      body: error(
        'Error from provider(openai,gpt-5: 429): {"error":{"message":"Slow down","type":"rate_limit_error"}}',
      ),
      is: 'Error from provider(openai,gpt-5: 429): Slow down',
    },
    {
      name: 'the raw words',
      body: openRouter(429, '{"error":{"message":"Slow down"}}'),
      is: 'Provider returned error: Slow down',
    },
    { name: 'one sentence once', body: { error: { message: 'Slow down' }, message: 'Slow down' }, is: 'Slow down' },
    {
      name: 'the bytes of Python',
      body: error('AnthropicException - b\'{"error":{"message":"It\\\'s late"}}\''),
      is: "AnthropicException: It's late",
    },
  ])('$name', ({ body, is }) => {
    expect(answer(500, body).message).toBe(`api.example.test answered 500: ${is}`);
  });

  test('the code of the innermost error', () => {
    expect(answer(502, openRouter(502, JSON.stringify(error('x', { code: 'slow_down' })))).vendorCode).toBe(
      'slow_down',
    );
  });

  test('a key in any layer is masked', () => {
    const raw = JSON.stringify(error('bad key sk-abcdef123456', { code: 'sk-abcdef123456' }));
    expect(JSON.stringify(answer(502, openRouter(401, raw)))).not.toContain('sk-abcdef');
  });

  test('a body of any depth is read without harm', () => {
    let body: object = error('deep', { code: 429 });
    for (let depth = 0; depth < 2000; depth++) body = { error: body };
    expect(answer(500, body).kind).toBe('server-error');
    expect(answer(500, error(`${'{'.repeat(8000)}'"`.repeat(20))).kind).toBe('server-error');
  });
});
