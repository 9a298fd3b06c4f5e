import { expect, test } from 'vitest';
import { z } from 'zod';
import type { AgentOptions } from '../../../src/index.ts';
import { createAgent, fallback, ollama, openai, scripted, tool } from '../../../src/index.ts';

const provider = scripted(['Hello.']);
const use = tool({ name: 'use', description: 'Uses it.', schema: z.object({}), execute: () => 'ok' });
const local = ollama({ model: 'm', baseURL: 'http://127.0.0.1:1' });

test.each<[string, object, string | RegExp]>([
  ['no provider', {}, /^Expected `provider` to be a provider such as openai/],
  ['something that is no provider', { provider: 'gpt-5' }, /^Expected `provider` to be a provider such as/],
  ['an option that does not exist', { provider, maxTurn: 3 }, /^There is no option `maxTurn` of createAgent/],
  ['turns that are no count', { provider, maxTurns: 0 }, 'Expected `maxTurns` to be an integer >= 1, got 0.'],
  ['a limit that does not exist', { provider, limits: { turns: 3 } }, /^There is no limit `limits.turns`/],
  [
    'a limit that is no figure',
    { provider, limits: { toolCalls: '5' } },
    /^Expected `limits.toolCalls` to be a number > 0/,
  ],
  [
    'a word that is none',
    { provider, slips: 'forget' },
    "Expected `slips` to be one of 'ladder', 'result', 'rewind', got 'forget'.",
  ],
  [
    'two tools of one name',
    { provider, tools: [use, use] },
    "Two tools have the name `use`. Names of an agent's tools must differ.",
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
