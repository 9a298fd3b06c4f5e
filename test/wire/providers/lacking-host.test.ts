import { expect, test, vi } from 'vitest';
import { bodyOf } from './bodies.ts';
import { replyOf } from './question.ts';
import { startRawServer } from './raw-server.ts';

const { getBuiltinModule } = process;

/** Runs with the host's modules as another host has them. */
async function withModules(modules: typeof process.getBuiltinModule, run: () => Promise<void>): Promise<void> {
  process.getBuiltinModule = modules;
  try {
    await run();
  } finally {
    process.getBuiltinModule = getBuiltinModule;
  }
}

test.each([
  {
    name: 'whose node:http refuses an option (Cloudflare Workers with nodejs_compat)',
    http: {
      Agent: getBuiltinModule('node:http').Agent,
      request: () => {
        const message = 'The options.maxHeaderSize option is not implemented';
        throw Object.assign(new Error(message), { code: 'ERR_OPTION_NOT_IMPLEMENTED' });
      },
    },
  },
  { name: 'that has no node:http behind getBuiltinModule', http: undefined },
])('a host $name is asked by its fetch', async ({ http }) => {
  await using server = await startRawServer((response) => {
    response.end(bodyOf('openai-chat', 'stream', { text: 'Hi' }));
  });
  const modules = ((id: string) => (id === 'node:http' ? http : getBuiltinModule(id))) as typeof getBuiltinModule;
  // What a host lacks is found out once.
  vi.resetModules();
  const { openai } = await import('../../../src/index.ts');
  await withModules(modules, async () => {
    const provider = openai({ model: 'm', apiKey: 'none', baseURL: `${server.origin}/v1` });
    expect(await replyOf(provider)).toMatchObject({ content: [{ type: 'text', text: 'Hi' }] });
    expect(server.bodies).toHaveLength(1);
  });
});
