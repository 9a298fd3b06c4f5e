import { afterEach, describe, expect, test, vi } from 'vitest';
import { isOilcanError } from '../../../src/core/error.ts';
import type { Provider } from '../../../src/core/provider.ts';
import { anthropic } from '../../../src/providers/anthropic/index.ts';
import { ollamaBaseURL } from '../../../src/providers/ollama/host.ts';
import { ollama } from '../../../src/providers/ollama/index.ts';
import { openai } from '../../../src/providers/openai-chat/index.ts';
import { openaiResponses } from '../../../src/providers/openai-responses/index.ts';
import type { Transport, TransportRequest } from '../../../src/providers/transport.ts';
import { eventsOf } from '../../wire/providers/question.ts';

afterEach(() => vi.unstubAllEnvs());

const sentBy = async (make: (transport: Transport) => Provider): Promise<TransportRequest> => {
  let sent: TransportRequest | undefined;
  const provider = make((request, listener) => {
    sent = request;
    queueMicrotask(() => listener.onError({ code: 'TEST', message: 'x', phase: 'head' }));
    return { pause() {}, resume() {}, abort() {} };
  });
  await eventsOf(provider);
  return sent as TransportRequest;
};

const messageOf = (make: () => unknown): string => {
  try {
    make();
  } catch (error) {
    if (isOilcanError(error) && error.code === 'invalid-option') return error.message;
    throw error;
  }
  return 'none';
};

describe('addresses', () => {
  test.each([
    { base: 'http://h:1/v1', is: 'http://h:1/v1/chat/completions' },
    { base: 'http://h:1/v1/', is: 'http://h:1/v1/chat/completions' },
    { base: 'http://h:1/v1//', is: 'http://h:1/v1/chat/completions' },
    { base: 'http://h:1', is: 'http://h:1/chat/completions' },
    { base: 'http://h:1/v1/chat/completions', is: 'http://h:1/v1/chat/completions' },
    {
      base: 'https://x.openai.azure.com/openai/v1?api-version=preview',
      is: 'https://x.openai.azure.com/openai/v1/chat/completions?api-version=preview',
    },
    { base: ' http://h:1/v1 ', is: 'http://h:1/v1/chat/completions' },
  ])('openai: $base', async ({ base, is }) => {
    expect((await sentBy((transport) => openai({ model: 'm', baseURL: base, transport }))).url).toBe(is);
  });

  test.each([
    { base: 'http://h:1', is: 'http://h:1/v1/messages' },
    { base: 'http://h:1/v1/', is: 'http://h:1/v1/messages' },
    { base: 'http://h:1/anthropic', is: 'http://h:1/anthropic/v1/messages' },
    { base: 'http://h:1/v1/messages', is: 'http://h:1/v1/messages' },
  ])('anthropic: $base', async ({ base, is }) => {
    expect((await sentBy((transport) => anthropic({ model: 'm', baseURL: base, transport }))).url).toBe(is);
  });

  test.each([
    { base: 'http://h:1', is: 'http://h:1/api/chat' },
    { base: 'http://h:1/api', is: 'http://h:1/api/chat' },
    { base: 'http://h:1/v1', is: 'http://h:1/api/chat' },
  ])('ollama: $base', async ({ base, is }) => {
    expect((await sentBy((transport) => ollama({ model: 'm', baseURL: base, transport }))).url).toBe(is);
  });

  test('openaiResponses', async () => {
    expect((await sentBy((transport) => openaiResponses({ model: 'm', transport }))).url).toBe(
      'https://api.openai.com/v1/responses',
    );
  });

  test.each([
    [undefined, 'http://127.0.0.1:11434'],
    ['', 'http://127.0.0.1:11434'],
    ['0.0.0.0', 'http://127.0.0.1:11434/'],
    ['0.0.0.0:8080', 'http://127.0.0.1:8080/'],
    [':8080', 'http://127.0.0.1:8080/'],
    ['host', 'http://host:11434/'],
    ['host:80', 'http://host/'],
    ['http://host', 'http://host/'],
    ['https://host:99/x', 'https://host:99/x'],
    ['"host:1"', 'http://host:1/'],
    ['[::]:11434', 'http://[::1]:11434/'],
  ])('OLLAMA_HOST=%j is %s', (variable, is) => {
    expect(ollamaBaseURL(variable)).toBe(is);
  });

  test('OLLAMA_HOST is heard, and `baseURL` wins', async () => {
    vi.stubEnv('OLLAMA_HOST', 'box:99');
    expect((await sentBy((transport) => ollama({ model: 'm', transport }))).url).toBe('http://box:99/api/chat');
    expect((await sentBy((transport) => ollama({ model: 'm', baseURL: 'http://h:1', transport }))).url).toBe(
      'http://h:1/api/chat',
    );
  });
});

describe('keys', () => {
  test("the environment's key goes to the vendor's own server, and to no other", async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-of-the-environment');
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-ant-of-the-environment');
    const authorization = async (baseURL?: string): Promise<unknown> =>
      (await sentBy((transport) => openai({ model: 'm', baseURL, transport }))).headers['authorization'];
    expect(await authorization()).toBe('Bearer sk-of-the-environment');
    expect(await authorization('https://api.openai.com/v1/')).toBe('Bearer sk-of-the-environment');
    expect(await authorization('https://api.openai.com.evil.test/v1')).toBeUndefined();
    expect(await authorization('http://127.0.0.1:1/v1')).toBeUndefined();
    expect((await sentBy((transport) => anthropic({ model: 'm', transport }))).headers).toMatchObject({
      'x-api-key': 'sk-ant-of-the-environment',
      'anthropic-version': '2023-06-01',
    });
    expect(
      (await sentBy((transport) => anthropic({ model: 'm', baseURL: 'http://h:1', transport }))).headers,
    ).not.toHaveProperty('x-api-key');
  });

  test('a key of the options goes where it is told to, trimmed', async () => {
    expect(
      (await sentBy((transport) => openai({ model: 'm', baseURL: 'http://h:1', apiKey: ' sk-abcdefgh\n', transport })))
        .headers['authorization'],
    ).toBe('Bearer sk-abcdefgh');
    expect(
      (await sentBy((transport) => ollama({ model: 'm', apiKey: 'abcdefgh', transport }))).headers['authorization'],
    ).toBe('Bearer abcdefgh');
  });

  test('headers of the options win', async () => {
    const headers = { Authorization: 'Bearer other-key-99', 'X-Extra': '1' };
    expect(
      (
        await sentBy((transport) =>
          openai({ model: 'm', baseURL: 'http://h:1', apiKey: 'sk-abcdefgh', headers, transport }),
        )
      ).headers,
    ).toMatchObject({ authorization: 'Bearer other-key-99', 'x-extra': '1' });
  });

  test('what is secret is told to the loop, and short words are not', () => {
    expect(
      openai({
        model: 'm',
        baseURL: 'http://h:1',
        apiKey: 'sk-abcdefgh',
        headers: { 'api-key': 'azure-key-1', accept: 'everything' },
      }).secrets,
    ).toEqual(['sk-abcdefgh', 'azure-key-1', 'azure-key-1']);
    expect(openai({ model: 'm', baseURL: 'http://h:1', apiKey: 'ollama' }).secrets).toEqual([]);
  });

  test('a missing key is told when the provider is made', () => {
    vi.stubEnv('OPENAI_API_KEY', '');
    vi.stubEnv('ANTHROPIC_API_KEY', '');
    expect(messageOf(() => openai('gpt-x'))).toBe(
      'Expected `apiKey` of `openai`, or the environment variable OPENAI_API_KEY. For another server set `baseURL`.',
    );
    expect(messageOf(() => anthropic('claude-x'))).toContain('ANTHROPIC_API_KEY');
    expect(messageOf(() => openai({ model: 'm', baseURL: 'http://h:1/v1' }))).toBe('none');
    expect(messageOf(() => ollama('m'))).toBe('none');
  });
});

describe('a name and a password in the address', () => {
  const sent = async (make: (transport: Transport) => Provider): Promise<Record<string, unknown>> =>
    (await sentBy(make)).headers;

  test.each([
    { name: 'both', baseURL: 'https://anna:pa55word@h/v1', is: 'anna:pa55word' },
    { name: 'with escapes', baseURL: 'https://an%40na:pa%3As%2Fs%20w%C3%B6rd@h/v1', is: 'an@na:pa:s/s wörd' },
    { name: 'a name alone', baseURL: 'https://token-abcdefgh@h/v1', is: 'token-abcdefgh:' },
  ])('are sent as basic authorization: $name', async ({ baseURL, is }) => {
    for (const make of [openai, openaiResponses, ollama] as const) {
      const { authorization } = await sent((transport) => make({ model: 'm', baseURL, transport }));
      expect(authorization).toBe(`Basic ${Buffer.from(is).toString('base64')}`);
    }
    const { secrets } = openai({ model: 'm', baseURL });
    expect(secrets).toContain(Buffer.from(is).toString('base64'));
  });

  test('stand beside a key that is sent in another header', async () => {
    const baseURL = 'https://anna:pa55word@h';
    expect(
      await sent((transport) => anthropic({ model: 'm', baseURL, apiKey: 'sk-abcdefgh', transport })),
    ).toMatchObject({ authorization: `Basic ${btoa('anna:pa55word')}`, 'x-api-key': 'sk-abcdefgh' });
  });

  test.each([
    { name: 'a key', more: { apiKey: 'sk-abcdefgh' }, word: '`apiKey`' },
    { name: 'a header', more: { headers: { Authorization: 'Bearer x' } }, word: '`headers.authorization`' },
  ])('are refused beside $name for the same header', ({ more, word }) => {
    const message = messageOf(() => openai({ model: 'm', baseURL: 'https://anna:pa55word@h/v1', ...more }));
    expect(message).toContain('Expected one authorization');
    expect(message).toContain(word);
    expect(message).not.toContain('pa55word');
  });
});

describe('options are checked when the provider is made', () => {
  const make =
    (changes: object): (() => unknown) =>
    () =>
      openai({ model: 'm', baseURL: 'http://h:1', ...changes });
  test.each([
    {
      name: 'no model',
      changes: { model: '' },
      is: 'Expected `model` of `openai` to be a model\'s id, got "".',
    },
    {
      name: 'a model that is none',
      changes: { model: 7 },
      is: "Expected `model` of `openai` to be a model's id, got 7.",
    },
    {
      name: 'an option in another spelling',
      changes: { baseUrl: 'x' },
      is: 'There is no option `baseUrl` of `openai`. Did you mean `baseURL`?',
    },
    {
      name: 'an option of another wire',
      changes: { options: {} },
      is: 'There is no option `options` of `openai`. Options are model, apiKey, baseURL, headers, body, stream, maxOutputTokens, temperature, textCalls, maxReplyBytes, fetch, transport, clock, imageResults, sendReasoningAs.',
    },
    {
      name: 'an address without a scheme',
      changes: { baseURL: 'localhost' },
      is: "Expected `baseURL` to be an address such as `https://api.openai.com/v1`; this one can't be read. Does it begin with http:// or https://?",
    },
    {
      name: 'an address of another scheme',
      changes: { baseURL: 'ftp://h' },
      is: 'Expected `baseURL` to be an address such as `https://api.openai.com/v1`, got one that begins with ftp://.',
    },
    {
      name: 'a key with a line break',
      changes: { apiKey: 'a\nb' },
      is: 'Expected `apiKey` to be a string of printable ASCII characters. Was it pasted with a line break or quotes?',
    },
    {
      name: 'a header with a line break',
      changes: { headers: { x: 'a\r\nb' } },
      is: 'Expected `headers.x` to be a string of printable ASCII characters.',
    },
    {
      name: 'a header with a strange name',
      changes: { headers: { 'a b': 'x' } },
      is: 'Expected the names in `headers` to be tokens, got "a b".',
    },
    {
      name: 'a limit of 0',
      changes: { maxOutputTokens: 0 },
      is: 'Expected `maxOutputTokens` to be an integer >= 1, got 0.',
    },
    {
      name: 'a temperature of NaN',
      changes: { temperature: Number.NaN },
      is: 'Expected `temperature` to be a number >= 0, got NaN.',
    },
    {
      name: 'a body that is a list',
      changes: { body: [] },
      is: 'Expected `body` to be an object of fields, got an array.',
    },
    {
      name: 'a text for a yes or no',
      changes: { stream: 'no' },
      is: 'Expected `stream` to be true or false, got "no".',
    },
    {
      name: 'a transport that is none',
      changes: { transport: null },
      is: 'Expected `transport` to be a function, got null.',
    },
    {
      name: 'a body with messages',
      changes: { body: { messages: [] } },
      is: 'Expected `body` without the field `messages`: oilcan writes it.',
    },
  ])('$name', ({ changes, is }) => {
    expect(messageOf(make(changes))).toBe(is);
  });

  test.each([
    ['maxTokens', 'Use `maxOutputTokens`.'],
    ['max_tokens', 'Use `maxOutputTokens`.'],
    ['max_completion_tokens', 'Use `maxOutputTokens`.'],
    ['key', 'Use `apiKey`.'],
    ['api_key', 'Did you mean `apiKey`?'],
    ['url', 'Use `baseURL`.'],
    ['topP', 'Use `body: { top_p }`.'],
    ['top_p', 'Use `body: { top_p }`.'],
    ['modle', 'Did you mean `model`?'],
    ['tools', 'Use `tools` of createAgent.'],
    ['timeout', 'Use `deadlines` of createAgent.'],
    ['maxRetries', 'Use `retry` of createAgent.'],
  ])('%s is called something else, or stands elsewhere', (name, says) => {
    expect(messageOf(make({ [name]: 1 }))).toBe(`There is no option \`${name}\` of \`openai\`. ${says}`);
  });

  test('what Ollama takes as options of the model is told so', () => {
    const given = { model: 'm', topP: 0.9 };
    expect(messageOf(() => ollama(given))).toBe('There is no option `topP` of `ollama`. Use `options: { top_p }`.');
  });

  const factories: readonly ((input: never) => unknown)[] = [openai, openaiResponses, anthropic, ollama];
  test.each([undefined, null, 5, ['m']])('%j is no argument of any of them', (argument) => {
    for (const factory of factories)
      expect(messageOf(() => factory(argument as never))).toMatch(
        /^Expected the argument of a provider to be a model's id or an object such as { model: '…' }, got /,
      );
  });

  test('a text for a yes or no is refused by all of them', () => {
    for (const factory of factories)
      expect(messageOf(() => factory({ model: 'm', baseURL: 'http://h:1', stream: 'no' } as never))).toBe(
        'Expected `stream` to be true or false, got "no".',
      );
  });

  test.each([
    { name: 'anthropic', make: anthropic, is: '`https://api.anthropic.com`' },
    { name: 'ollama', make: ollama, is: '`http://127.0.0.1:11434`' },
    { name: 'openaiResponses', make: openaiResponses, is: '`https://api.openai.com/v1`' },
  ])('a bad address of $name: the example is its own', ({ make: makeProvider, is }) => {
    expect(messageOf(() => makeProvider({ model: 'm', baseURL: 'localhost' }))).toContain(`such as ${is};`);
  });

  test('an address that holds a password is not repeated', () => {
    expect(messageOf(make({ baseURL: 'ftp://user:hunter22@h' }))).not.toContain('hunter22');
  });
});
