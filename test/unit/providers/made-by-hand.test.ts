import { describe, expect, test } from 'vitest';
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
  ])('%s is refused', (_name, given, says) => {
    expect(refusal(() => Reflect.apply(scripted, undefined, given))).toMatch(says);
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
