import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type LoopbackServer, loopbackWires, startLoopbackServer, templeScript } from 'oilcan/testing';
import { main } from '../../examples/temple/main.ts';
import { enterTemple } from '../../examples/temple/tools.ts';

const ANSWER = 'The temple door is open. The lock was rusted shut, so I oiled it first; then the key turned.';
const scratch = (file: string): string => fileURLToPath(new URL(`../../examples/temple/${file}`, import.meta.url));

let server: LoopbackServer;
afterEach(() => server?.close());

async function startTemple(): Promise<string> {
  server = await startLoopbackServer({ script: templeScript({ retryAfterSeconds: 0 }) });
  return `${server.origin}/v1`;
}

/** 503, unknown tool, 429, a look, a cut, broken JSON, rust, oil, key, the answer. */
const PATH = [503, 'open_door', 429, 'look_at', 'cut', 'use', 'use', 'use', 'use', 'answer'];

function pathOf({ requests }: LoopbackServer): unknown[] {
  return requests.map(({ step }) => {
    if (step === undefined) return 'refused';
    if ('status' in step) return step.status;
    if ('cut' in step) return 'cut';
    return 'calls' in step ? step.calls?.[0]?.name : 'answer';
  });
}

describe('the temple door opens, whoever wrote the loop', () => {
  test('in TypeScript, with nothing but fetch', async () => {
    vi.stubEnv('BASE_URL', await startTemple());
    vi.stubEnv('MODEL', 'demo');
    const printed = vi.spyOn(console, 'log').mockReturnValue(undefined);
    const traced = vi.spyOn(console, 'error').mockReturnValue(undefined);
    await import('../../examples/temple/scratch.ts');
    expect(printed).toHaveBeenCalledExactlyOnceWith(ANSWER);
    printed.mockRestore();
    traced.mockRestore();
    vi.unstubAllEnvs();
    expect(pathOf(server)).toEqual(PATH);
    expect([server.violations, server.scriptErrors]).toEqual([[], []]);
  });

  test('in Python, with nothing but its standard library', async () => {
    const flags = ['--base-url', await startTemple(), '--model', 'demo'];
    const { stdout } = await promisify(execFile)('python3', [scratch('scratch.py'), ...flags]);
    expect(stdout).toBe(`${ANSWER}\n`);
    expect(pathOf(server)).toEqual(PATH);
    expect([server.violations, server.scriptErrors]).toEqual([[], []]);
  });

  test.each(loopbackWires)('on oilcan, offline, on the %s wire', async (wire) => {
    const lines: string[] = [];
    expect(await main(['--wire', wire], (line) => lines.push(line))).toBe(ANSWER);
    const trace = lines.join('\n');
    for (const kind of [
      'overloaded',
      'rate-limited',
      'network',
      'unknown-tool',
      'unreadable-arguments',
      'tool-failed',
    ]) {
      expect(trace).toContain(`! ${kind}, owned by`);
    }
    expect(trace).toContain('(the text so far is void)');
  });
});

describe('giving up', () => {
  const stubborn = [{ calls: [{ name: 'use', input: { item: 'key', target: 'door' } }] }];

  test('the Python version stops after four errors in a row', async () => {
    server = await startLoopbackServer({ script: () => stubborn[0]! });
    const run = promisify(execFile)('python3', [scratch('scratch.py'), '--base-url', `${server.origin}/v1`]);
    await expect(run).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('4 errors in a row: giving up.'),
    });
    expect(server.requests).toHaveLength(4);
  });

  test('the Python version does not ask again with a wrong key', async () => {
    server = await startLoopbackServer({ script: [], apiKey: 'right' });
    const run = promisify(execFile)('python3', [scratch('scratch.py'), '--base-url', `${server.origin}/v1`]);
    await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('401') });
    expect(server.requests).toHaveLength(1);
  });
});

test('the key does nothing before the oil, and the temple remembers', async () => {
  const temple = enterTemple();
  const use = temple.tools.find((tool) => tool.name === 'use')!;
  const context = {
    signal: new AbortController().signal,
    toolCallId: '1',
    runId: '1',
    idempotencyKey: '1',
    attempt: 1,
  };
  const run = async (item: string): Promise<unknown> => use.options.execute({ item, target: 'lock' }, context);
  await expect(run('key')).rejects.toThrow('rusted shut');
  await run('oil_can');
  await run('key');
  expect(temple.isOpen).toBe(true);
});
