import { expect, test } from 'vitest';
import type { Asked } from '../../../src/cli/command-hint.ts';
import { commandHint } from '../../../src/cli/command-hint.ts';
import type { ProviderChoice } from '../../../src/cli/find-provider.ts';
import type { Failure } from '../../../src/core/failure.ts';
import type { RunResult } from '../../../src/core/result.ts';

const choice: ProviderChoice = {
  provider: 'openai',
  model: 'm',
  baseURL: 'http://box/v1/',
  apiKey: undefined,
  reason: undefined,
};
const asked: Asked = {
  choice,
  apiKeyEnv: undefined,
  unsentKeyVariable: undefined,
  maxTurns: undefined,
  hasMaxTurns: true,
  canAsk: false,
};
const summary = { runId: 'run_1', messages: [], usage: {}, turns: 1, failures: [], partialText: '' } as const;

function failed(failure: Omit<Failure, 'message'>): RunResult<unknown> {
  return { ...summary, status: 'failed', failure: { message: 'It failed.', ...failure } };
}

const rows: readonly {
  readonly name: string;
  readonly result: RunResult<unknown>;
  readonly asked?: Partial<Asked>;
  readonly hint: RegExp | undefined;
}[] = [
  {
    name: '401, no key anywhere',
    result: failed({ kind: 'unauthorized', status: 401 }),
    hint: /No key was sent\. .*--api-key-env NAME/,
  },
  {
    name: "401, a vendor's key stayed at home",
    result: failed({ kind: 'unauthorized', status: 401 }),
    asked: { unsentKeyVariable: 'OPENAI_API_KEY' },
    hint: /No key was sent: OPENAI_API_KEY .*--api-key-env OPENAI_API_KEY/,
  },
  {
    name: "401, a vendor's key stayed at home, and the library says so in its own words",
    result: failed({
      kind: 'unauthorized',
      status: 401,
      advice: { code: 'pass-kept-key', variable: 'OPENAI_API_KEY', vendor: 'OpenAI' },
    }),
    asked: { unsentKeyVariable: 'OPENAI_API_KEY' },
    hint: /--api-key-env OPENAI_API_KEY/,
  },
  {
    name: '404 of a server that speaks another wire',
    result: failed({ kind: 'not-found', advice: { code: 'check-wire', url: 'http://box/v1/x', wire: 'anthropic' } }),
    hint: /speak Chat: --provider openai\.$/,
  },
  {
    name: "401 from the vendor's own address: the key was sent",
    result: failed({
      kind: 'unauthorized',
      status: 401,
      hint: 'Check the environment variable OPENAI_API_KEY.',
      advice: { code: 'check-key', variable: 'OPENAI_API_KEY' },
    }),
    asked: { unsentKeyVariable: 'OPENAI_API_KEY' },
    hint: /^Check the environment variable OPENAI_API_KEY\.$/,
  },
  {
    name: '401, the key that was named',
    result: failed({ kind: 'unauthorized', status: 401, hint: 'Check `apiKey`.' }),
    asked: { apiKeyEnv: 'BOX_KEY', choice: { ...choice, apiKey: 'k' } },
    hint: /environment variable BOX_KEY/,
  },
  {
    name: '403 is about permissions',
    result: failed({ kind: 'unauthorized', status: 403, hint: 'The key may not.' }),
    hint: /^The key may not\.$/,
  },
  {
    name: '404 of a model',
    result: failed({ kind: 'not-found', status: 404, advice: { code: 'check-model', model: 'm' } }),
    hint: /Its list is at http:\/\/box\/v1\/models\./,
  },
  {
    name: '404 of an address',
    result: failed({ kind: 'not-found', advice: { code: 'check-address', url: 'http://box/v1/x' } }),
    hint: /http:\/\/box\/v1\/x: check --base-url/,
  },
  {
    name: 'a context that is too small for the tools',
    result: failed({ kind: 'context-overflow', hint: 'Shorten the conversation (`compact`).' }),
    hint: /fewer tools.*OLLAMA_CONTEXT_LENGTH=16384 ollama serve/,
  },
  {
    name: 'a page instead of a reply',
    result: failed({ kind: 'malformed-reply' }),
    hint: /http:\/\/box\/v1\/ the base URL/,
  },
  {
    name: 'a page, at an address with a password',
    result: failed({ kind: 'malformed-reply' }),
    asked: { choice: { ...choice, baseURL: 'http://ana:secret@box/v1' } },
    hint: /^Is http:\/\/box\/v1 the base URL/,
  },
  {
    name: 'an option of the library by its name in the command',
    result: failed({ kind: 'network', advice: { code: 'use-http' } }),
    hint: /Then --base-url must begin/,
  },
  {
    name: 'a reply of another wire',
    result: failed({ kind: 'malformed-reply', advice: { code: 'take-wire', wire: 'ollama' } }),
    hint: /^Ask it with --provider ollama\.$/,
  },
  {
    name: 'a better sentence of the library, which changes nothing',
    result: failed({
      kind: 'not-found',
      hint: 'Some other words.',
      advice: { code: 'check-address', url: 'http://box/x' },
    }),
    hint: /^The request went to http:\/\/box\/x: check --base-url/,
  },
  {
    name: 'turns used up, without a number',
    result: { ...summary, status: 'stopped', stopReason: 'max-turns', message: 'All used.' },
    hint: /--max-turns 50/,
  },
  {
    name: 'turns used up where there is no such option',
    result: { ...summary, status: 'stopped', stopReason: 'max-turns', message: 'All used.' },
    asked: { hasMaxTurns: false },
    hint: undefined,
  },
  { name: 'a call that waits', result: { ...summary, status: 'suspended', pending: [] }, hint: /on a terminal/ },
  { name: 'the person themselves', result: { ...summary, status: 'aborted', reason: 'interrupted' }, hint: undefined },
];

test.each(rows)('$name', ({ result, asked: special, hint }) => {
  const text = commandHint(result, { ...asked, ...special });
  if (hint === undefined) expect(text).toBeUndefined();
  else expect(text).toMatch(hint);
});
