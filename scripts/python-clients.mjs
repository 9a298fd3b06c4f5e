// The official Python clients (openai, anthropic, ollama) against the loopback server. Installs them into a folder outside
// of the repository (--dir=FOLDER), so it needs Python 3 and, once, the network; not part of npm test.
// Usage: node scripts/python-clients.mjs
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startLoopbackServer } from '../dist/testing/index.js';

const given = process.argv.find((option) => option.startsWith('--dir='));
const dir = given?.slice('--dir='.length) ?? join(tmpdir(), 'oilcan-python-clients');
const python = join(dir, 'bin', 'python');

/** @param {string} command @param {readonly string[]} args */
function must(command, args) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed.`);
}

if (!existsSync(python)) must('python3', ['-m', 'venv', dir]);
must(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'openai', 'anthropic', 'ollama']);

const answers = [{ calls: [{ name: 'look', input: { at: 'door' } }] }, { text: 'It is rusted shut.' }];
let asked = 0;
const server = await startLoopbackServer({
  script: () => {
    asked += 1;
    return answers[(asked + 1) % 2] ?? { text: '' };
  },
});
const clients = spawn(python, [fileURLToPath(new URL('python-clients.py', import.meta.url)), server.origin], {
  stdio: 'inherit',
});
const failed = await new Promise((resolve) => clients.once('exit', (code) => resolve(code ?? 1)));
const { violations, strays, scriptErrors } = server;
await server.close();
const findings = [...violations, ...strays, ...scriptErrors];
for (const finding of findings) process.stdout.write(`the server: ${finding}\n`);
process.exitCode = failed === 0 && findings.length === 0 ? 0 : 1;
