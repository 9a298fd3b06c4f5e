import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { LoopbackServer } from '../../src/testing/loopback-server.ts';
import { startLoopbackServer } from '../../src/testing/loopback-server.ts';
import type { Started } from './cli.ts';
import { fixtures, startOnTerminal } from './cli.ts';

let server: LoopbackServer | undefined;
afterEach(() => server?.close());

/** A run on a terminal whose model calls this and then says what it was told. */
async function started(...names: readonly string[]): Promise<Started> {
  server = await startLoopbackServer({
    script: ({ lastResults }) =>
      lastResults.length === 0
        ? { calls: names.map((name) => ({ name, input: name === 'open_door' ? { door: 'red' } : {} })) }
        : { text: `I was told: ${lastResults.map((result) => result.text).join(' ')}` },
  });
  const model = ['--base-url', `${server.origin}/v1`, '--model', 'demo'];
  return startOnTerminal(['run', 'Go.', '--tools', join(fixtures, 'approved.mjs'), ...model]);
}

const QUESTION = /Run open_door\(door: red\)\? \[y\/N\] /;

test('a call that a person approves is run, and the run goes on', async () => {
  const { child, ended, shows } = await started('open_door');
  await shows(QUESTION);
  child.stdin?.write('y\r');
  expect(await ended).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/I was told: The red door is open\.[^]*2 turns, 2 requests/),
  });
});

test.each(['\r', 'n\r', 'yesterday\r'])('anything but a yes (%j) denies it', async (said) => {
  const { child, ended, shows } = await started('open_door');
  await shows(QUESTION);
  child.stdin?.write(said);
  const { code, stdout } = await ended;
  expect(code).toBe(0);
  expect(stdout).toMatch(/I was told: .*open_door/);
  expect(stdout).not.toContain('The red door is open.');
});

test("a tool's question is put to the person, and the answer is its result", async () => {
  const { child, ended, shows } = await started('ask_name');
  await shows(/ask_name asks: What is your name\? /);
  child.stdin?.write('Ana\r');
  expect((await ended).stdout).toMatch(/I was told: Ana/);
});

test('Ctrl+C at the question ends the command, and nothing was run', async () => {
  const { child, ended, shows } = await started('open_door');
  await shows(QUESTION);
  child.stdin?.write('\u0003');
  const { code, stdout } = await ended;
  expect(code).toBe(4);
  expect(stdout).toMatch(/hint: Nothing was decided/);
  expect(server?.requests).toHaveLength(1);
});
