import { describe, expect, test } from 'vitest';
import { answer, error, inside, NOW } from './answers.ts';

type Headers = Readonly<Record<string, string>>;

describe('the wait that a header asks for', () => {
  test.each<{ readonly name: string; readonly headers: Headers; readonly is: number | undefined }>([
    { name: 'a duration', headers: { 'retry-after': '1m30s' }, is: 90_000 },
    { name: 'words', headers: { 'retry-after': '20 seconds' }, is: 20_000 },
    { name: 'ISO 8601', headers: { 'retry-after': 'PT1M20S' }, is: 80_000 },
    { name: 'Azure, milliseconds', headers: { 'x-ms-retry-after-ms': '1500' }, is: 1500 },
    { name: 'an imitation', headers: { 'x-retry-after': '3' }, is: 3000 },
    { name: 'an imitation in milliseconds', headers: { 'x-retry-after-ms': '250' }, is: 250 },
    { name: 'LiteLLM, of the vendor', headers: { 'llm_provider-retry-after': '7' }, is: 7000 },
    { name: 'LiteLLM, milliseconds of the vendor', headers: { 'llm_provider-retry-after-ms': '700' }, is: 700 },
    { name: 'LiteLLM, a reset of the vendor', headers: { 'llm_provider-x-ratelimit-reset-tokens': '3s' }, is: 3000 },
    { name: 'its own before the vendor', headers: { 'retry-after': '2', 'llm_provider-retry-after': '7' }, is: 2000 },
    { name: 'RateLimit, the draft', headers: { ratelimit: '"default";r=0;t=20' }, is: 20_000 },
    { name: 'RateLimit, two policies', headers: { ratelimit: '"burst";r=0;t=2, "day";r=900;t=3600' }, is: 2000 },
    { name: 'RateLimit, an older draft', headers: { ratelimit: 'limit=10, remaining=0, reset=20' }, is: 20_000 },
    {
      name: 'Anthropic, a plan',
      headers: { 'anthropic-ratelimit-unified-reset': String(NOW / 1000 + 42) },
      is: 42_000,
    },
    {
      name: 'Anthropic, the window of a plan that is used up',
      headers: {
        'anthropic-ratelimit-unified-5h-status': 'rejected',
        'anthropic-ratelimit-unified-5h-reset': String(NOW / 1000 + 90),
        'anthropic-ratelimit-unified-7d-status': 'allowed',
        'anthropic-ratelimit-unified-7d-reset': String(NOW / 1000 + 9000),
      },
      is: 90_000,
    },
    { name: 'Mistral', headers: { 'ratelimitbysize-remaining': '0', 'ratelimitbysize-reset': '28' }, is: 28_000 },
    { name: 'Together', headers: { 'x-ratelimit-reset': '1' }, is: 1000 },
    { name: 'a moment in milliseconds', headers: { 'x-ratelimit-reset': String(NOW + 42_000) }, is: 42_000 },
    {
      name: 'Cerebras: the minute is used up, the day is not',
      headers: {
        'x-ratelimit-remaining-requests-day': '9500',
        'x-ratelimit-reset-requests-day': '33011.382867',
        'x-ratelimit-remaining-tokens-minute': '0',
        'x-ratelimit-reset-tokens-minute': '11.4',
      },
      is: 11_400,
    },
    {
      name: 'the limit that is nearly used up, not the longest',
      headers: {
        'x-ratelimit-remaining-requests': '197',
        'x-ratelimit-reset-requests': '21m36s',
        'x-ratelimit-remaining-tokens': '1000',
        'x-ratelimit-reset-tokens': '300ms',
      },
      is: 300,
    },
    {
      name: 'the other way round',
      headers: {
        'x-ratelimit-remaining-requests': '1',
        'x-ratelimit-reset-requests': '2s',
        'x-ratelimit-remaining-tokens': '90000',
        'x-ratelimit-reset-tokens': '21m36s',
      },
      is: 2000,
    },
    {
      name: 'one that is used up before one of which nothing is said',
      headers: {
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '3s',
        'x-ratelimit-reset-requests': '21m36s',
      },
      is: 3000,
    },
    {
      name: 'the longest of those that are used up',
      headers: {
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': '2026-11-30T12:00:05Z',
        'anthropic-ratelimit-output-tokens-remaining': '0',
        'anthropic-ratelimit-output-tokens-reset': '2026-11-30T12:00:09Z',
        'anthropic-ratelimit-requests-remaining': '12',
        'anthropic-ratelimit-requests-reset': '2026-11-30T12:01:00Z',
      },
      is: 9000,
    },
    { name: 'rubbish', headers: { ratelimit: 'soon', 'x-ratelimit-reset': '-' }, is: undefined },
  ])('$name', ({ headers, is }) => {
    expect(answer(429, '', headers).retryAfterMs).toBe(is);
  });
});

describe('the wait that a body asks for', () => {
  const openRouter = (headers: object): object => error('Rate limit exceeded', { code: 429, metadata: { headers } });
  test.each<{ readonly name: string; readonly body: object; readonly is: number | undefined }>([
    {
      name: 'OpenRouter, a moment',
      body: openRouter({
        'X-RateLimit-Limit': '20',
        'X-RateLimit-Remaining': '0',
        'X-RateLimit-Reset': String(NOW + 42_000),
      }),
      is: 42_000,
    },
    { name: 'OpenRouter, Retry-After', body: openRouter({ 'Retry-After': '42' }), is: 42_000 },
    {
      name: 'OpenRouter, in the raw answer',
      body: error('x', { code: 429, metadata: { raw: JSON.stringify(openRouter({ 'Retry-After': 42 })) } }),
      is: 42_000,
    },
    { name: 'Google', body: { error: { code: 429, details: [{ retryDelay: '34.07s' }] } }, is: 34_070 },
    {
      name: 'Google, as an object',
      body: { error: { code: 429, details: [{ retryDelay: { seconds: 34, nanos: 0 } }] } },
      is: 34_000,
    },
    { name: 'seconds', body: error('x', { retry_after: 12 }), is: 12_000 },
    { name: 'seconds as a text', body: error('x', { retry_after: '12.5' }), is: 12_500 },
    { name: 'seconds by their name', body: { error: { message: 'x' }, retry_after_seconds: 12 }, is: 12_000 },
    { name: 'milliseconds', body: error('x', { retry_after_ms: 1200 }), is: 1200 },
    { name: 'Codex', body: error('x', { type: 'rate_limit_reached', resets_in_seconds: 60 }), is: 60_000 },
    { name: 'OpenAI', body: error('Rate limit reached. Please try again in 20s. Visit https://x'), is: 20_000 },
    { name: 'OpenAI, milliseconds', body: error('Please try again in 428ms.'), is: 428 },
    { name: 'Groq', body: error('Please try again in 1m30.5s. Need more tokens?'), is: 90_500 },
    { name: 'Azure', body: error('Please retry after 26 seconds.'), is: 26_000 },
    { name: 'Google, in words', body: error('Please retry in 34.074824224s.'), is: 34_075 },
    {
      name: 'Azure, newer',
      body: error('Please retry after 60 seconds. To increase your default rate limit, visit: x'),
      is: 60_000,
    },
    { name: 'Moonshot', body: error('max RPM: 3, please try again after 1 seconds'), is: 1000 },
    {
      name: 'Bedrock says none',
      body: { __type: 'ThrottlingException', message: 'Too many tokens, please wait before trying again.' },
      is: undefined,
    },
    {
      name: 'Vertex says none',
      body: [error('Resource exhausted. Please try again later.', { code: 429 })],
      is: undefined,
    },
    { name: 'Zhipu says none', body: error('Rate limit reached for requests', { code: '1302' }), is: undefined },
    {
      name: 'xAI says none',
      body: error("Your team's rate limit is — Tokens per Minute (actual/limit): 65605/16000."),
      is: undefined,
    },
    {
      name: 'Ollama says none',
      body: { error: "you've reached your hourly usage limit, please wait or upgrade to continue" },
      is: undefined,
    },
    { name: 'LiteLLM', body: error('No deployments available for selected model, Try again in 1 seconds.'), is: 1000 },
    { name: 'a router', body: error('Your quota will reset after 5h20m10s.'), is: 19_210_000 },
    { name: 'wait', body: error('Please wait 3 seconds and retry your request'), is: 3000 },
    { name: 'minutes and seconds', body: error('Try again in 2 minutes and 5 seconds'), is: 125_000 },
    { name: 'a header in words', body: error('upstream: Retry-After: 12'), is: 12_000 },
    { name: 'in Chinese', body: error('请求过于频繁，请在 30 秒后重试'), is: 30_000 },
    {
      name: 'a sentence in a quoted error',
      body: error('provider(p: 429): {"error":{"message":"try again in 9s"}}'),
      is: 9000,
    },
    {
      name: 'a number that is no wait',
      body: error('Limit 30000, Requested 4000. Please try again later, code 42'),
      is: undefined,
    },
    { name: 'a moment that is none', body: error('try again in a moment', { retry_after: 'soon' }), is: undefined },
  ])('$name', ({ body, is }) => {
    expect(answer(429, body).retryAfterMs).toBe(is);
    if (!JSON.stringify(body).includes('eset')) expect(inside(body).retryAfterMs).toBe(is);
  });

  test('a header counts before the body, and a field before words', () => {
    const body = error('try again in 9s', { retry_after: 5 });
    expect(answer(429, body, { 'retry-after': '2' }).retryAfterMs).toBe(2000);
    expect(answer(429, body).retryAfterMs).toBe(5000);
  });
});
