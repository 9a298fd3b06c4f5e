import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Provider } from '../../../src/core/provider.ts';
import { anthropic } from '../../../src/providers/anthropic/index.ts';
import type { HttpProviderOptions } from '../../../src/providers/http-options.ts';
import { ollama } from '../../../src/providers/ollama/index.ts';
import { openai } from '../../../src/providers/openai-chat/index.ts';
import { openaiResponses } from '../../../src/providers/openai-responses/index.ts';
import { failureOf } from './question.ts';
import { startRawServer } from './raw-server.ts';

beforeEach(() => {
  vi.stubEnv('OPENAI_API_KEY', '');
  vi.stubEnv('ANTHROPIC_API_KEY', '');
});
afterEach(() => vi.unstubAllEnvs());

const NONE = 'No key was sent: pass `apiKey`.';
const NO_SCHEME = 'Check `apiKey`: the key has to stand there without "Bearer" before it.';
const NO_QUOTES = 'Check `apiKey`: the key has to stand there without quotes around it.';
const keptBack = (vendor: string): string =>
  `No key was sent. ${vendor.toUpperCase()}_API_KEY goes to ${vendor} only: pass \`apiKey\`.`;

const rows: readonly {
  readonly name: string;
  readonly make?: (options: HttpProviderOptions) => Provider;
  readonly options?: Partial<HttpProviderOptions>;
  readonly variable?: string;
  /** Behind the base URL. */
  readonly query?: string;
  readonly hint: string;
}[] = [
  { name: 'no key', hint: NONE },
  { name: 'an empty key', options: { apiKey: '' }, hint: NONE },
  { name: 'a key for OpenAI, kept back', variable: 'OPENAI_API_KEY', hint: keptBack('OpenAI') },
  {
    name: 'an empty key, and one for OpenAI',
    variable: 'OPENAI_API_KEY',
    options: { apiKey: ' ' },
    hint: keptBack('OpenAI'),
  },
  {
    name: 'a key for OpenAI, on its other wire',
    make: openaiResponses,
    variable: 'OPENAI_API_KEY',
    hint: keptBack('OpenAI'),
  },
  { name: 'a key for Anthropic', make: anthropic, variable: 'ANTHROPIC_API_KEY', hint: keptBack('Anthropic') },
  { name: 'a key for the vendor of another wire', make: anthropic, variable: 'OPENAI_API_KEY', hint: NONE },
  { name: 'no key for an Ollama', make: ollama, variable: 'OPENAI_API_KEY', hint: NONE },
  {
    name: 'a header whose name only ends like one',
    options: { headers: { 'x-portkey-provider': 'anthropic' } },
    hint: NONE,
  },
  { name: 'a header that says nothing of a key', options: { headers: { 'x-title': 'Box' } }, hint: NONE },
  { name: 'a header without its key', options: { headers: { Authorization: 'Bearer ' } }, hint: NONE },
  { name: 'a wrong key', options: { apiKey: 'sk-wrong-1234' }, hint: 'Check `apiKey`.' },
  { name: 'a wrong key in a header', options: { headers: { 'api-key': 'wrong-1234' } }, hint: 'Check `apiKey`.' },
  { name: 'a wrong key in the address', query: '?code=x&api-key=wrong-1234', hint: 'Check `apiKey`.' },
  {
    name: 'a `fetch` that may add a key',
    options: { fetch: (url, init) => fetch(url, init) },
    hint: 'Check `apiKey`.',
  },
  { name: 'a key behind Bearer', options: { apiKey: 'Bearer sk-right-1234' }, hint: NO_SCHEME },
  { name: 'a key behind Bearer, twice', options: { headers: { authorization: 'Bearer bearer k' } }, hint: NO_SCHEME },
  { name: 'Anthropic: a key behind Bearer', make: anthropic, options: { apiKey: 'Bearer sk-1234' }, hint: NO_SCHEME },
  { name: 'a key in quotes', options: { apiKey: '"sk-right-1234"' }, hint: NO_QUOTES },
  { name: 'Anthropic: a key in quotes', make: anthropic, options: { apiKey: "'sk-right-1234'" }, hint: NO_QUOTES },
];

test.each(rows)('a 401 to $name', async ({ make = openai, options, variable, query = '', hint }) => {
  if (variable !== undefined) vi.stubEnv(variable, 'sk-of-the-environment');
  await using server = await startRawServer((response) => response.writeHead(401).end('{"error":"Who are you?"}'));
  const failure = await failureOf(make({ model: 'm', baseURL: `${server.origin}/v1${query}`, ...options }));
  expect(failure).toMatchObject({ kind: 'unauthorized', status: 401, hint });
});
