import { afterEach, describe, expect, test, vi } from 'vitest';
import { environmentVariable, environmentVariables } from '../../../src/core/host.ts';
import { anthropic, createAgent, ollama, openai, openaiResponses } from '../../../src/index.ts';

const refuse = (): never => {
  throw new Error('NotCapable: Requires env access to "OPENAI_API_KEY", run again with the --allow-env flag');
};

/** Hosts that let nobody read the environment, or only a part of it. */
const hosts: { name: string; process: unknown; key: string | undefined }[] = [
  { name: 'there is no process', process: undefined, key: undefined },
  { name: 'the process has no environment', process: {}, key: undefined },
  {
    name: 'the environment itself is refused',
    key: undefined,
    process: {
      get env() {
        return refuse();
      },
    },
  },
  {
    name: 'every variable is refused',
    process: { env: new Proxy({}, { get: refuse, ownKeys: refuse, has: refuse, getOwnPropertyDescriptor: refuse }) },
    key: undefined,
  },
  {
    name: 'one variable is allowed and the list is refused',
    process: {
      env: new Proxy(
        {},
        { get: (_target, name) => (name === 'OPENAI_API_KEY' ? 'sk-allowed' : refuse()), ownKeys: refuse },
      ),
    },
    key: 'sk-allowed',
  },
];

afterEach(() => vi.unstubAllGlobals());

describe('where the host limits the environment', () => {
  test.each(hosts)('$name: reading gives what is allowed and throws nothing', ({ process, key }) => {
    vi.stubGlobal('process', process);
    const read = { key: environmentVariable('OPENAI_API_KEY'), all: environmentVariables() };
    vi.unstubAllGlobals();
    expect(read).toEqual({ key, all: {} });
  });

  test.each(hosts)('$name: providers are made, and a run searches for secrets', async ({ process }) => {
    vi.stubGlobal('process', process);
    const fetch = (): Promise<never> => Promise.reject(new Error('No network, Bearer abcdef123456.'));
    const results = [];
    for (const provider of [
      openai({ model: 'm', apiKey: 'k', fetch }),
      openaiResponses({ model: 'm', apiKey: 'k', fetch }),
      anthropic({ model: 'm', apiKey: 'k', fetch }),
      openai({ model: 'm', fetch }),
      ollama({ model: 'm', fetch }),
    ]) {
      const run = createAgent({ provider, retry: { maxAttempts: 1 } }).stream('Hello?');
      results.push((await run.result).status);
    }
    vi.unstubAllGlobals();
    expect(results).toEqual(['failed', 'failed', 'failed', 'failed', 'failed']);
  });

  test('a missing key is told as such, not as an error of the host', () => {
    vi.stubGlobal('process', hosts[3]?.process);
    let thrown: unknown;
    try {
      openai('gpt');
    } catch (error) {
      thrown = error;
    }
    vi.unstubAllGlobals();
    expect(thrown).toMatchObject({
      code: 'invalid-option',
      message: expect.stringContaining('or the environment variable OPENAI_API_KEY') as string,
    });
  });
});

test('a variable is trimmed, and an empty one is not set', () => {
  vi.stubGlobal('process', { env: { A: ' a ', B: '  ' } });
  const read = [environmentVariable('A'), environmentVariable('B'), environmentVariable('C')];
  vi.unstubAllGlobals();
  expect(read).toEqual(['a', undefined, undefined]);
});
