import { describe, expect, test } from 'vitest';
import type { Provider } from '../../../src/core/provider.ts';
import { anthropic } from '../../../src/providers/anthropic/index.ts';
import { ollama } from '../../../src/providers/ollama/index.ts';
import { openai } from '../../../src/providers/openai-chat/index.ts';
import { openaiResponses } from '../../../src/providers/openai-responses/index.ts';
import type { LoopbackWire } from '../../../src/testing/loopback-server.ts';
import { providerSuite } from '../../../src/testing/provider-suite.ts';
import type { ProviderTarget } from '../../../src/testing/provider-suite.ts';

const makers: Record<LoopbackWire, (target: ProviderTarget) => Provider> = {
  openai: ({ origin, ...options }) => openai({ ...options, baseURL: `${origin}/v1` }),
  'openai-responses': ({ origin, ...options }) => openaiResponses({ ...options, baseURL: `${origin}/v1` }),
  anthropic: ({ origin, ...options }) => anthropic({ ...options, baseURL: origin }),
  ollama: ({ origin, ...options }) => ollama({ ...options, baseURL: origin }),
};

/** Chosen: a busy machine is slow, not broken, and the runner itself gives up after 20 s. */
const timeoutMs = 15_000;

describe.each(Object.keys(makers) as LoopbackWire[])('%s', (wire) => {
  test.each(providerSuite({ wire, makeProvider: makers[wire], timeoutMs }))('$name', ({ run }) => run());
});

describe('over fetch', () => {
  const makeProvider = (target: ProviderTarget): Provider =>
    openai({
      model: target.model,
      apiKey: target.apiKey,
      stream: target.stream,
      baseURL: `${target.origin}/v1`,
      fetch: (url, init) => fetch(url, init),
    });
  test.each(providerSuite({ wire: 'openai', makeProvider, modes: ['stream'], timeoutMs }))('$name', ({ run }) => run());
});

describe('a provider that breaks the contract is found out', () => {
  const good = makers.openai;
  const broken: readonly { readonly name: string; readonly makeProvider: (target: ProviderTarget) => Provider }[] = [
    {
      name: 'one that swallows its last event',
      makeProvider: (target) => {
        const provider = good(target);
        return {
          ...provider,
          async *stream(request, options) {
            for await (const event of provider.stream(request, options)) if (event.type !== 'reply') yield event;
          },
        };
      },
    },
    {
      name: 'one that asks twice',
      makeProvider: (target) => {
        const provider = good(target);
        return {
          ...provider,
          async *stream(request, options) {
            for await (const _event of provider.stream(request, options));
            yield* provider.stream(request, options);
          },
        };
      },
    },
  ];

  test.each(broken)('$name', async ({ makeProvider }) => {
    const [first] = providerSuite({ wire: 'openai', makeProvider });
    await expect(first?.run()).rejects.toThrow(/without a reply|refused|requests/);
  });
});
