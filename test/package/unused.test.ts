import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './source-files.ts';

test('every file and every export of src is used', { timeout: 120_000 }, () => {
  const knip = join(root, 'node_modules', 'knip', 'bin', 'knip.js');
  const options = ['-c', 'test/package/knip.json', '--include', 'files,exports,types,duplicates', '--no-progress'];
  const { stdout, status } = spawnSync(process.execPath, [knip, ...options, '--no-config-hints'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
});
