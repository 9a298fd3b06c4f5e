// Runs the shared fault benchmark (../shared/faultbench, where it is checked out beside this project) on every
// wire that our adapter speaks, and prints `N passed, N failed`. With documented options a cell that can't be
// expressed counts as a failure; without any options it does not.
//
//     node scripts/faultbench.mjs                  both variants, all wires
//     node scripts/faultbench.mjs --wire openai    one wire
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bench = join(root, '..', 'shared', 'faultbench', 'run.mjs');
const adapter = join(root, 'bench', 'faultbench-adapter.mjs');
const KNOWN_WIRES = ['openai', 'anthropic', 'ollama'];

if (!existsSync(bench) || !existsSync(adapter)) {
  process.stdout.write(
    `faultbench: not run, there is no ${existsSync(adapter) ? 'bench beside the project' : 'adapter'}\n0 passed, 0 failed\n`,
  );
  process.exit(0);
}

const { capabilities } = await import(pathToFileURL(adapter).href);
const chosen = process.argv[2] === '--wire' ? (process.argv[3] ?? '').split(',') : KNOWN_WIRES;
const wires = chosen.filter((wire) => capabilities('expert', wire)?.wires?.[wire] !== undefined);
const scratch = mkdtempSync(join(tmpdir(), 'oilcan-faultbench-'));
let passed = 0;
let failed = 0;

for (const variant of ['expert', 'defaults']) {
  const file = join(scratch, `${variant}.json`);
  // Two lanes on two cores would be slow: the cells mostly wait.
  const args = [
    bench,
    '--adapter',
    `${adapter}:${variant}`,
    '--wire',
    wires.join(','),
    '--json',
    file,
    '--concurrency',
    '6',
  ];
  const done = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (!existsSync(file)) {
    process.stdout.write(`faultbench ${variant}: it broke (${done.status ?? done.signal})\n`);
    failed += 1;
    continue;
  }
  const { cells } = JSON.parse(readFileSync(file, 'utf8'));
  const isBad = (cell) => cell.status === 'fail' || (cell.status !== 'pass' && variant === 'expert');
  passed += cells.filter((cell) => cell.status === 'pass').length;
  failed += cells.filter(isBad).length;
  if (cells.length === 0) failed += 1;
}

rmSync(scratch, { recursive: true, force: true });
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
