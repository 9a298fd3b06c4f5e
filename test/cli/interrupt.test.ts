import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { LoopbackServer, LoopbackStep } from '../../src/testing/loopback-server.ts';
import { startLoopbackServer } from '../../src/testing/loopback-server.ts';
import { fixtures, main, start, startOnTerminal } from './cli.ts';

let server: LoopbackServer | undefined;
afterEach(() => server?.close());

async function played(script: readonly LoopbackStep[]): Promise<string[]> {
  server = await startLoopbackServer({ script });
  return ['--base-url', `${server.origin}/v1`, '--model', 'demo', '--tools', join(fixtures, 'patient.mjs')];
}

const phases: readonly {
  readonly name: string;
  readonly script: readonly LoopbackStep[];
  readonly shows: RegExp;
  readonly requests: number;
}[] = [
  {
    name: 'while it waits for an answer',
    script: [{ delayMs: 60_000, text: 'late' }],
    shows: /asking demo/,
    requests: 1,
  },
  {
    name: 'in the middle of a reply',
    script: [{ text: ['The door ', 'is'], stall: { after: 'text' } }],
    shows: /\nThe door/,
    requests: 1,
  },
  {
    name: 'in a wait before the next attempt',
    script: [{ status: 429, headers: { 'retry-after': '20' } }],
    shows: /waits .* as told/,
    requests: 1,
  },
  { name: 'in a tool', script: [{ calls: [{ name: 'wait' }] }], shows: /running wait/, requests: 1 },
];

describe('Ctrl+C on a terminal', () => {
  test.each(phases)('$name ends the run in order, at once', async ({ script, shows, requests }) => {
    const started = startOnTerminal(['run', 'Go.', ...(await played(script))]);
    await started.shows(shows);
    started.child.stdin?.write('\u0003');
    const { code, stdout } = await started.ended;
    expect(code).toBe(130);
    expect(stdout).toMatch(/■ stopped .*by you/);
    expect(stdout).not.toMatch(/error:|^\s+at /m);
    expect(server?.requests).toHaveLength(requests);
  });

  test('what had been written stays on the screen, and the end of the run follows it', async () => {
    const started = startOnTerminal([
      'run',
      'Go.',
      ...(await played([{ text: ['The door ', 'is'], stall: { after: 'text' } }])),
    ]);
    await started.shows(/\nThe door/);
    started.child.stdin?.write('\u0003');
    expect((await started.ended).stdout).toMatch(/\nThe door [^\n]*\n[^]*■ stopped .*by you/);
  });
});

test('SIGTERM ends a run in order too, and --json still tells the whole', async () => {
  const started = start([
    'run',
    'Go.',
    '--json',
    ...(await played([{ status: 429, headers: { 'retry-after': '20' } }])),
  ]);
  await started.shows(/waits .* as told/);
  started.child.kill('SIGTERM');
  const { code, stdout } = await started.ended;
  expect(code).toBe(130);
  expect(JSON.parse(stdout)).toMatchObject({ status: 'aborted', messages: [{ role: 'user' }] });
});

test('a reader that has seen enough is no error', async () => {
  const text = 'A long line of an answer.\n'.repeat(20_000);
  server = await startLoopbackServer({ script: [{ text }] });
  const command = `"$0" "$1" run Go. --base-url ${server.origin}/v1 --model demo | head -n 1; exit "\${PIPESTATUS[0]}"`;
  const child = spawn('bash', ['-c', command, process.execPath, main]);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'A long line of an answer.\n' });
  expect(stderr).not.toMatch(/EPIPE|^\s+at /m);
});
