import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../package/source-files.ts';
import { run } from './cli.ts';

test.each([
  { name: 'docs/cli.md says what --help says', script: 'write-cli-docs.mjs' },
  { name: 'docs/failures.md says what the failure table says', script: 'write-failure-docs.mjs' },
  { name: 'docs/wires.md lists the markups that are read', script: 'write-markup-docs.mjs' },
  { name: 'the pictures of the README show what a run shows', script: 'draw-trace.mjs' },
])('$name', ({ script }) => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts', script), '--check'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('help goes to standard output and is no error, also where nothing was asked', async () => {
  const asked = await run(['--help']);
  expect(asked).toMatchObject({ code: 0, stderr: '' });
  expect(asked.stdout).toMatch(/Usage: oilcan .*[^]*run [^]*demo [^]*Exit codes:/);
  expect(await run([])).toEqual(asked);
});

test('help comes by name as well, of all or of one command', async () => {
  expect(await run(['help'])).toEqual(await run(['--help']));
  expect(await run(['help', 'demo'])).toEqual(await run(['demo', '--help']));
});

test.each(['-v', '-V', '--version'])('%s prints the version', async (flag) => {
  expect(await run([flag])).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: '' });
});
