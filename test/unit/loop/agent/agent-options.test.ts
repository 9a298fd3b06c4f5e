import { expect, test } from 'vitest';
import { z } from 'zod';
import type { AgentOptions } from '../../../../src/index.ts';
import { createAgent, fallback, ollama, openai, scripted, tool } from '../../../../src/index.ts';

const provider = scripted(['Hello.']);
const use = tool({ name: 'use', description: 'Uses it.', schema: z.object({}), execute: () => 'ok' });
const local = ollama({ model: 'm', baseURL: 'http://127.0.0.1:1' });

test.each<[string, unknown, string | RegExp]>([
  ['no provider', {}, /^Expected `provider` to be a provider such as openai/],
  ['something that is no provider', { provider: 'gpt-5' }, /^Expected `provider` to be a provider such as/],
  ['an option that does not exist', { provider, maxTurn: 3 }, /^There is no option `maxTurn` of createAgent/],
  ['turns that are no count', { provider, maxTurns: 0 }, 'Expected `maxTurns` to be an integer >= 1, got 0.'],
  [
    'a limit by another name',
    { provider, limits: { turns: 3 } },
    'There is no option `turns` of `limits`. Use `maxTurns` of createAgent.',
  ],
  [
    'a limit that is no figure',
    { provider, limits: { toolCalls: '5' } },
    /^Expected `limits.toolCalls` to be a number > 0/,
  ],
  [
    'a word that is none',
    { provider, slips: 'forget' },
    "Expected `slips` to be 'ladder', 'result' or 'rewind', got \"forget\".",
  ],
  [
    'two tools of one name',
    { provider, tools: [use, use] },
    'Duplicate tool name `use`. Each tool of an agent needs a name of its own.',
  ],
  ['a tool that is none', { provider, tools: [{ name: 'use' }] }, 'Expected `tools[0]` to be made by `tool({ … })`.'],
  [
    'a choice of a tool that is not there',
    { provider, tools: [use], toolChoice: { toolName: 'gone' } },
    /^`toolChoice` names `gone`/,
  ],
  [
    'a forced call without tools',
    { provider, toolChoice: 'required' },
    '`toolChoice` is required, but the agent has no tools.',
  ],
  [
    'a choice that the wire cannot express',
    { provider: local, tools: [use], toolChoice: 'required' },
    /^The provider `ollama` cannot express `toolChoice`: required/,
  ],
  [
    'one call at a time where the wire cannot say it',
    { provider: local, tools: [use], parallelToolCalls: false },
    /^The provider `ollama` cannot express `parallelToolCalls`: false/,
  ],
  [
    'the same behind a fallback',
    { provider: fallback([provider, local]), parallelToolCalls: false },
    /^The provider `ollama` cannot express/,
  ],
  [
    'a cost limit without a price',
    { provider, limits: { costUsd: 1 } },
    /the price of `script` is not known: the limit could never trip/,
  ],
  ['options that are none', 'gpt-5', /^Expected the options of `createAgent` to be an object such as/],
  [
    'another library’s word',
    { provider, instructions: 'Be kind.' },
    /^There is no option `instructions`.*Use `system`/,
  ],
  ['the provider alone', provider, 'Expected an object of options, got a provider. Write `createAgent({ provider })`.'],
  ['a model', { provider, model: 'gpt-5' }, 'Use `model` of the provider.'],
  ['a temperature', { provider, temperature: 0 }, 'Use `temperature` of the provider.'],
  ['a key', { provider, api_key: 'hush' }, 'Use `apiKey` of the provider.'],
  ['an address', { provider, baseUrl: 'http://h' }, 'Use `baseURL` of the provider.'],
  ['tokens', { provider, maxTokens: 1000 }, 'Use `maxOutputTokens` of the provider, or `limits.totalTokens`.'],
  [
    'tokens, misspelled',
    { provider, maxTokns: 1000 },
    'Use `maxOutputTokens` of the provider, or `limits.totalTokens`.',
  ],
  ['a time', { provider, timeout: 1000 }, 'Use `deadlines: { runMs }`.'],
  ['retries', { provider, retries: 3 }, 'Use `retry: { maxAttempts }`, which is one more: the first try counts.'],
  ['steps', { provider, steps: 3 }, 'Use `maxTurns`.'],
  ['an option of a run', { provider, outputAttempts: 3 }, 'Use `outputAttempts` of `run`.'],
  ['a hook outside of `hooks`', { provider, onFailure() {} }, 'Use `hooks: [{ onFailure }]`.'],
  ['a hook before the model', { provider, beforeModel() {} }, 'Use `hooks: [{ beforeModel }]`.'],
  ['a hook before a tool', { provider, beforeTool() {} }, 'Use `hooks: [{ beforeTool }]`.'],
  ['a hook behind a tool', { provider, afterTool() {} }, 'Use `hooks: [{ afterTool }]`.'],
  ['a hook behind a turn, misspelled', { provider, afterTrun() {} }, 'Use `hooks: [{ afterTurn }]`.'],
  ['a name that every object has', { provider, constructor: 1 }, /^There is no option `constructor` of createAgent/],
  [
    'a misspelled option',
    { provider, slip: 'ladder' },
    'There is no option `slip` of createAgent. Did you mean `slips`?',
  ],
  ['deadlines that are a figure', { provider, deadlines: 5000 }, /^Expected `deadlines` to be an object such as/],
  [
    'a deadline that does not exist',
    { provider, deadlines: { tolMs: 5 } },
    'There is no option `tolMs` of `deadlines`. Did you mean `toolMs`?',
  ],
  [
    'a deadline that is a text',
    { provider, deadlines: { toolMs: '5s' } },
    'Expected `deadlines.toolMs` to be milliseconds > 0 (Infinity for none), got "5s".',
  ],
  ['a retry that is a figure', { provider, retry: 3 }, /^Expected `retry` to be an object such as { maxAttempts: 4 }/],
  [
    'attempts by another name',
    { provider, retry: { attempts: 3 } },
    'There is no option `attempts` of `retry`. Use `maxAttempts`.',
  ],
  [
    'retries where attempts are asked for',
    { provider, retry: { retries: 3 } },
    'There is no option `retries` of `retry`. Use `maxAttempts`, which is one more: the first try counts.',
  ],
  [
    'a breaker that is a yes',
    { provider, breaker: true },
    /^Expected `breaker` to be an object such as.*got a boolean/,
  ],
  ['a breaker that never rests', { provider, breaker: { cooldownMs: 0 } }, /^Expected `breaker.cooldownMs` to be/],
  ['limits that are a figure', { provider, limits: 5 }, /^Expected `limits` to be an object such as/],
  [
    'a misspelled limit',
    { provider, limits: { toolcalls: 5 } },
    'There is no option `toolcalls` of `limits`. Did you mean `toolCalls`?',
  ],
  [
    'secrets that are one text',
    { provider, secrets: 'hush-hush' },
    /^Expected `secrets` to be an array.*got a string.$/,
  ],
  ['a secret that is no text', { provider, secrets: ['a', 5] }, 'Expected `secrets[1]` to be a text, got a number.'],
  ['hooks outside of an array', { provider, hooks: { beforeTool: () => {} } }, /^Expected `hooks` to be an array/],
  [
    'a hook that is a function alone',
    { provider, hooks: [() => {}] },
    /^Expected `hooks\[0\]` to be an object such as/,
  ],
  ['a misspelled hook', { provider, hooks: [{ beforeTools: () => {} }] }, /Did you mean `beforeTool`\?$/],
  [
    'a hook that is a text',
    { provider, hooks: [{ beforeTool: 'no' }] },
    'Expected hook `beforeTool` to be a function, got "no".',
  ],
  [
    'the options of a limiter',
    { provider, limiter: { concurrency: 5 } },
    'Expected `limiter` to be made with createLimiter({ … }), got an object.',
  ],
  [
    'a compactor that is a yes',
    { provider, compact: true },
    /^Expected `compact` to be 'shorten' or a function.*got true.$/,
  ],
  [
    'a choice that is none',
    { provider, toolChoice: 'any' },
    /^Expected `toolChoice` to be 'auto', 'required', 'none' or/,
  ],
  ['no choice at all', { provider, toolChoice: null }, /^Expected `toolChoice` to be 'auto'/],
  [
    'a text for a yes or no',
    { provider, parallelToolCalls: 'no' },
    /^Expected `parallelToolCalls` to be true or false/,
  ],
  [
    'a price that is a figure',
    { provider, prices: { script: 5 } },
    /^Expected the price of `script` in `prices` to be { input/,
  ],
  [
    'half a price',
    { provider, prices: { script: { input: 5 } } },
    /^Expected the price of `script` in `prices` to be { input/,
  ],
  [
    'a clock that is a figure',
    { provider, clock: 5 },
    'Expected `clock` to be a clock: { now, monotonic, after }, got 5.',
  ],
  ['a randomness that is a figure', { provider, random: 0.5 }, 'Expected `random` to be a function, got 0.5.'],
  ['nothing where something is to be left out', { provider, maxTurns: null }, /^Expected `maxTurns`.*got null.$/],
  ['a name that is a figure', { provider, name: 5 }, 'Expected `name` to be a string, got 5.'],
  ['a rule that is a word', { provider, failures: { 'tool-bug': 'stop' } }, /^Expected `failures\['tool-bug'\]` to be/],
  ['a hook that does not exist', { provider, hooks: [{ beforeRun: () => {} }] }, /^There is no hook `beforeRun`/],
])('%s is refused when the agent is made, in a sentence that says what to do', (_name, options, message) => {
  expect(() => createAgent(options as AgentOptions)).toThrow(message);
});

test('what a wire can express is taken', () => {
  const chat = openai({ model: 'm', baseURL: 'http://127.0.0.1:1/v1' });
  expect(() =>
    createAgent({ provider: chat, tools: [use], toolChoice: 'required', parallelToolCalls: false }),
  ).not.toThrow();
  expect(() => createAgent({ provider: local, tools: [use], parallelToolCalls: true })).not.toThrow();
});
