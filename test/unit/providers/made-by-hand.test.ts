import { describe, expect, test } from 'vitest';
import type { ModelRequest, Provider, ProviderEvent, ScriptStep } from '../../../src/index.ts';
import { createAgent, fallback, isOilcanError, openai, scripted } from '../../../src/index.ts';
import type { FetchInit } from '../../../src/providers/fetch-transport.ts';

const first = scripted(['One.']);
const second = scripted(['Two.']);

function refusal(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    return isOilcanError(error) && error.code === 'invalid-option' ? error.message : `another error: ${String(error)}`;
  }
  return 'nothing was thrown';
}

async function heard(provider: Provider, signal = new AbortController().signal): Promise<readonly ProviderEvent[]> {
  const events: ProviderEvent[] = [];
  const request: ModelRequest = { system: undefined, messages: [], tools: [], toolChoice: 'auto' };
  for await (const event of provider.stream(request, { signal })) events.push(event);
  return events;
}

describe('a fallback', () => {
  test.each<[string, readonly unknown[], string | RegExp]>([
    [
      'of providers side by side',
      [first, second],
      'Expected `fallback` to get an array of providers, as in fallback([first, second]), got an object.',
    ],
    ['of nothing', [[]], 'Expected `fallback` to get at least one provider, got none.'],
    ['of a name', [[first, 'gpt-5']], /^Expected candidate 1 of `fallback` to be a provider.*got a string/],
    [
      'with a misspelled option',
      [[first], { onRefuse: true }],
      /no option `onRefuse` of fallback. Did you mean `onRefusal`/,
    ],
    ['with a breaker that is a yes', [[first], { breaker: true }], /^Expected `breaker` to be an object such as/],
    ['with a misspelled breaker', [[first], { breaker: { coolDownMs: 5 } }], /Did you mean `cooldownMs`/],
    [
      'with a word for a yes',
      [[first], { onRefusal: 'yes' }],
      /^Expected `onRefusal` of `fallback` to be true or false/,
    ],
    ['with options that are a figure', [[first], 5], /^Expected the options of `fallback` to be an object/],
  ])('%s is refused', (_name, given, says) => {
    expect(refusal(() => Reflect.apply(fallback, undefined, given))).toMatch(says);
  });

  test('without a breaker is taken', () => {
    expect(fallback([first, second], { breaker: false, onRefusal: true }).candidates).toHaveLength(2);
  });
});

describe('a script', () => {
  test.each<[string, readonly unknown[], string | RegExp]>([
    ['of one text', ['ok'], "Expected `scripted` to get an array of steps, as in scripted(['Hello.']), got a string."],
    ['of nothing', [], /^Expected `scripted` to get an array of steps.*got undefined/],
    ['with a figure', [['ok', 5]], /^Expected step 1 of `scripted` to be a text, an object.*got a number/],
    ['in the words of a vendor', [[{ tool_calls: [] }]], /no option `tool_calls` of step 0 of `scripted`. Use `calls`/],
    ['with a misspelled option', [['ok'], { modle: 'x' }], /no option `modle` of scripted. Did you mean `model`/],
    ['with a model that is a figure', [['ok'], { model: 5 }], 'Expected `model` of `scripted` to be a string, got 5.'],
    ['with a hole', [Array(1)], /^Expected step 0 of `scripted` to be a text.*got undefined/],
    [
      'that calls in the words of a vendor',
      [[{ calls: [{ name: 'look', args: { at: 'door' } }] }]],
      'There is no option `args` of `calls[0]` of step 0 of `scripted`. Use `input`.',
    ],
    [
      'that calls a tool',
      [['ok', { calls: [{ tool: 'look' }] }]],
      /no option `tool` of `calls\[0\]` of step 1.*Use `name`/,
    ],
    [
      'that calls nobody',
      [[{ calls: [{}] }]],
      'Expected `calls[0].name` of step 0 of `scripted` to be a string, got undefined.',
    ],
    [
      'that calls by name',
      [[{ calls: ['look'] }]],
      /^Expected `calls\[0\]` of .* to be an object such as .*got a string/,
    ],
    ['that has one call', [[{ calls: { name: 'look' } }]], /^Expected `calls` of .* to be an array, got an object/],
    ['with a text of figures', [[{ text: [1, 2] }]], /^Expected `text` of .* to be a string or an array of strings/],
    [
      'that ends in the word of a vendor',
      [[{ finishReason: 'max_tokens' }]],
      /^Expected `finishReason` .*'length'.*got "max_tokens"/,
    ],
    [
      'with usage of a vendor',
      [[{ usage: { input_tokens: 5 } }]],
      /no option `input_tokens` of `usage` .*Did you mean `inputTokens`/,
    ],
    [
      'with a failure of no kind',
      [[{ failure: { kind: 'overload', message: 'x' } }]],
      'There is no kind of failure `overload` in step 0 of `scripted`. Did you mean `overloaded`?',
    ],
    [
      'with a failure in a word',
      [[{ failure: 'overloaded' }]],
      /^Expected `failure` of .* to be an object such as .*got a string/,
    ],
    [
      'with a failure of no words',
      [[{ failure: { kind: 'network' } }]],
      /^Expected `failure.message` of .* to be a string, got undefined/,
    ],
    [
      'that fails and calls',
      [[{ failure: { kind: 'network', message: 'x' }, calls: [] }]],
      /no option `calls` of step 0 of `scripted`. Use `text`, or another step/,
    ],
  ])('%s is refused', (_name, given, says) => {
    expect(refusal(() => Reflect.apply(scripted, undefined, given))).toMatch(says);
  });

  test('may give its texts and arguments in pieces, and a function may take its time', async () => {
    const provider = scripted([
      { text: ['a ', '', 'b'], calls: [{ name: 'look', rawArguments: ['{"at":', '1}'] }] },
      async () => 'late',
    ]);
    expect(await heard(provider)).toMatchObject([
      { type: 'text-delta', text: 'a ' },
      { type: 'text-delta', text: 'b' },
      { reply: { content: [{ text: 'a b' }, { name: 'look', arguments: { text: '{"at":1}' } }] } },
    ]);
    expect(await heard(provider)).toMatchObject([{ text: 'late' }, { reply: { content: [{ text: 'late' }] } }]);
  });

  test('shows the text that comes before a failure', async () => {
    const failure = { kind: 'network', message: 'Lost.' } as const;
    expect(await heard(scripted([{ text: 'half', failure }]))).toEqual([
      { type: 'text-delta', text: 'half' },
      { type: 'failure', failure },
    ]);
  });

  test.each<[string, () => unknown, RegExp]>([
    ['nothing', () => undefined, /^Expected what the script gave for request 1 to be a text.*got undefined/],
    ['what is wrong inside', async () => ({ calls: [{ tool: 'look' }] }), /no option `tool` of `calls\[0\]` of what/],
  ])('is told when a function gives %s', async (_name, step, says) => {
    await expect(heard(scripted([step as ScriptStep]))).rejects.toMatchObject({
      code: 'invalid-option',
      message: expect.stringMatching(says),
    });
  });

  test.each<[string, (abort: () => void) => void]>([
    ['while its function waits', (abort) => void Promise.resolve().then(abort)],
    ['by its function', (abort) => abort()],
  ])('ends when it is aborted %s', async (_name, when) => {
    const controller = new AbortController();
    const step = (): Promise<string> => {
      when(() => controller.abort());
      return new Promise(() => {});
    };
    expect(await heard(scripted([step]), controller.signal)).toEqual([]);
  });
});

test('the global fetch and one of the user’s own fit the option, and the body is bytes', async () => {
  const sent: Uint8Array[] = [];
  const own = async (_url: string, init: FetchInit): Promise<Response> => {
    sent.push(init.body);
    return new Response('{"error":{"message":"no"}}', { status: 400 });
  };
  openai({ model: 'm', baseURL: 'http://127.0.0.1:1/v1', fetch: globalThis.fetch });
  const provider = openai({ model: 'm', baseURL: 'http://127.0.0.1:1/v1', fetch: own });
  expect(await createAgent({ provider }).stream('Hi').result).toMatchObject({ status: 'failed' });
  expect(new TextDecoder().decode(sent[0])).toContain('"Hi"');
});
