import { expect, test } from 'vitest';
import { DEMO_NAMES } from '../../src/cli/demo-names.ts';
import { startLoopbackServer } from '../../src/testing/loopback-server.ts';
import { run } from './cli.ts';

test('the temple meets every kind of failure on its way, and opens the door', async () => {
  const { code, stdout, stderr } = await run(['demo', 'temple']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/door is open/) });
  const rows = [
    /✗ 503 server overloaded +code +waits .*, asks again/,
    /✗ 429 too many requests +code +waits 1\.\d s as told, asks again/,
    /✗ connection lost in a reply +code +voids the text, .*asks again|✗ reply cut off +code +voids the text, .*asks again/,
    /✗ open_door: no such tool +model +reads: /,
    /✗ use: broken JSON +model +reads: /,
    /✗ use\(item: key, target: door\) +model +reads: The lock is rusted shut\./,
    /✓ use\(item: oil_can, target: lock\) +The oil runs into the lock/,
    /✓ use\(item: key, target: door\) +The key turns\. The temple door swings open\./,
    /6 failures on the way, all survived: 3 code, 3 model/,
  ];
  for (const row of rows) expect(stderr).toMatch(row);
});

test.each(DEMO_NAMES)('%s ends well, as JSON too', async (name) => {
  const { code, stdout } = await run(['demo', name, '--json', '--quiet']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ status: 'completed' });
});

test('the cities keep apart what is unknown from what is known', async () => {
  const { stdout } = await run(['demo', 'cities', '--quiet']);
  expect(stdout).toMatch(/Atlantis: I do not know/);
});

test('a real model is not announced with the failures of the script', async () => {
  const server = await startLoopbackServer({ script: [{ text: 'I will not.' }] });
  const { code, stderr } = await run(['demo', 'temple', '--base-url', `${server.origin}/v1`, '--model', 'm']);
  await server.close();
  expect(code).toBe(0);
  expect(stderr).toMatch(/A real model plays/);
  expect(stderr).not.toMatch(/fails three times|plays the model/);
});

test('an unknown story names the ones there are', async () => {
  const { code, stderr } = await run(['demo', 'moon']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/Allowed choices are temple, cities, returns/);
});
