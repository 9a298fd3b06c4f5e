import { expect, test } from 'vitest';
import type { Answer, ProviderChoice, ProviderFlags, Surroundings } from '../../../src/cli/find-provider.ts';
import { findProvider } from '../../../src/cli/find-provider.ts';

const OLLAMA = 'http://127.0.0.1:11434';
const tags = (...names: string[]): Record<string, unknown> => ({
  [`${OLLAMA}/api/tags`]: { models: names.map((name) => ({ name })) },
});

function answerAt(answers: Record<string, unknown>, url: string): Answer {
  if (!(url in answers)) return { type: 'nothing' };
  const value = answers[url];
  return value === 'page' ? { type: 'other', status: 200, isPage: true } : { type: 'json', value };
}

function around(environment: Record<string, string>, answers: Record<string, unknown>): Surroundings {
  return { environment, ollamaOrigin: OLLAMA, getJson: async (url) => answerAt(answers, url) };
}

interface Case {
  readonly name: string;
  readonly flags?: ProviderFlags;
  readonly environment?: Record<string, string>;
  readonly answers?: Record<string, unknown>;
}

const found: (Case & { readonly choice: Partial<ProviderChoice> })[] = [
  {
    name: 'an Ollama on this machine comes first',
    answers: tags('qwen3:8b', 'llama3'),
    environment: { OPENAI_API_KEY: 'k' },
    choice: { provider: 'ollama', model: 'qwen3:8b' },
  },
  {
    name: 'a model that only embeds is passed over',
    answers: tags('nomic-embed-text', 'qwen3:8b'),
    choice: { provider: 'ollama', model: 'qwen3:8b' },
  },
  {
    name: 'a named model that Ollama has',
    flags: { model: 'llama3' },
    answers: tags('qwen3:8b', 'llama3:latest'),
    choice: { provider: 'ollama', model: 'llama3' },
  },
  {
    name: 'a named model that Ollama lacks goes to the key',
    flags: { model: 'gpt-x' },
    answers: tags('qwen3:8b'),
    environment: { OPENAI_API_KEY: 'k' },
    choice: { provider: 'openai', model: 'gpt-x', apiKey: 'k' },
  },
  {
    name: 'of two keys, the name of the model decides',
    flags: { model: 'claude-x' },
    environment: { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'a' },
    choice: { provider: 'anthropic', apiKey: 'a' },
  },
  {
    name: 'an Anthropic key alone',
    flags: { model: 'claude-x' },
    environment: { ANTHROPIC_API_KEY: 'a' },
    choice: { provider: 'anthropic', model: 'claude-x' },
  },
  {
    name: 'a base URL alone means the OpenAI wire, and its first model',
    flags: { baseUrl: 'http://box:8080/v1/' },
    answers: { 'http://box:8080/v1/models': { data: [{ id: 'local' }] } },
    choice: { provider: 'openai', model: 'local', baseURL: 'http://box:8080/v1/' },
  },
  {
    name: 'a vendor key is not sent to another server',
    flags: { baseUrl: 'http://box/v1', model: 'm' },
    environment: { OPENAI_API_KEY: 'k' },
    choice: { apiKey: undefined },
  },
  {
    name: 'unless the key is named',
    flags: { baseUrl: 'http://box/v1', model: 'm', apiKeyEnv: 'BOX_KEY' },
    environment: { BOX_KEY: 'b' },
    choice: { apiKey: 'b' },
  },
  {
    name: 'a named Ollama model is taken at its word',
    flags: { provider: 'ollama', model: 'm' },
    choice: { provider: 'ollama', model: 'm', reason: undefined },
  },
];

test.each(found)('found: $name', async ({ flags = {}, environment = {}, answers = {}, choice }) => {
  expect(await findProvider(flags, around(environment, answers))).toMatchObject(choice);
});

const missing: (Case & { readonly message: RegExp; readonly hint: RegExp })[] = [
  {
    name: 'nothing at all',
    message: /No model to ask/,
    hint: /ollama serve[^]*--base-url[^]*OPENAI_API_KEY[^]*oilcan demo temple/,
  },
  { name: 'Ollama without a model', answers: tags(), message: /has no model/, hint: /ollama pull/ },
  {
    name: 'a model that Ollama lacks',
    flags: { model: 'gpt-x' },
    answers: tags('qwen3:8b'),
    message: /no model "gpt-x"/,
    hint: /ollama pull gpt-x, or one of: qwen3:8b/,
  },
  {
    name: 'a key without a model',
    environment: { OPENAI_API_KEY: 'k' },
    message: /no model is named/,
    hint: /--provider openai --model /,
  },
  {
    name: 'a provider without its key',
    flags: { provider: 'anthropic', model: 'm' },
    message: /ANTHROPIC_API_KEY is not set/,
    hint: /export ANTHROPIC_API_KEY/,
  },
  {
    name: 'a server that lists no models',
    flags: { baseUrl: 'http://box/v1' },
    answers: { 'http://box/v1/models': { data: [] } },
    message: /No model is named/,
    hint: /--model/,
  },
  {
    name: 'a base URL where nothing answers',
    flags: { baseUrl: 'http://box/v1' },
    message: /Nothing answers at http:\/\/box\/v1/,
    hint: /is the server running/,
  },
  {
    name: 'a base URL that is no address',
    flags: { baseUrl: 'localhost:8080/v1', model: 'm' },
    message: /has to be an address that begins with http/,
    hint: /--base-url http:/,
  },
  {
    name: 'a base URL with a password, which is not shown',
    flags: { baseUrl: 'http://ana:secret@box/v1?key=secret' },
    message: /Nothing answers at http:\/\/box\/v1\./,
    hint: /is the server running/,
  },
  {
    name: 'a base URL that is a web page',
    flags: { baseUrl: 'http://box' },
    answers: { 'http://box/models': 'page' },
    message: /http:\/\/box\/models is a web page/,
    hint: /check --base-url/,
  },
  {
    name: 'no Ollama where one was asked for',
    flags: { provider: 'ollama' },
    message: /No Ollama answers at http:\/\/127/,
    hint: /ollama serve/,
  },
  {
    name: 'a named key variable that is not set',
    flags: { model: 'm', baseUrl: 'http://box', apiKeyEnv: 'BOX_KEY' },
    message: /BOX_KEY is not set/,
    hint: /export BOX_KEY/,
  },
];

test.each(missing)('not found: $name', async ({ flags = {}, environment = {}, answers = {}, message, hint }) => {
  await expect(findProvider(flags, around(environment, answers))).rejects.toMatchObject({
    name: 'UserError',
    message: expect.stringMatching(message),
    hint: expect.stringMatching(hint),
  });
});
