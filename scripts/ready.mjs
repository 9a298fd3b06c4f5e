// Makes a fresh clone ready to run: checks Node, installs what package-lock.json names, builds dist.
// Does nothing, in a few milliseconds, where all of that is in place. With --installed (npm's `postprepare`, which runs at
// the end of `npm ci` and when somebody installs from git) it installs nothing, and builds only where there is a compiler:
// `npm ci --omit=dev` is no reason to fail. It is not called `prepare` since npm warns of that one wherever the packed
// library is installed from a file.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, 'node_modules', '.cache', 'oilcan');

/** @param {string} name */
const at = (name) => join(root, name);

/** @param {string} message @returns {never} */
function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)) return;
  fail(
    `error: oilcan needs Node 20.19 or later, or 22.12 or later; this is Node ${process.versions.node}.\nhint: install a newer Node.`,
  );
}

/** @param {string} file */
function readStamp(file) {
  try {
    return readFileSync(join(cache, file), 'utf8');
  } catch {
    return undefined;
  }
}

/** @param {string} file @param {string} text */
function writeStamp(file, text) {
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, file), text);
}

function install() {
  const wanted = createHash('sha256')
    .update(readFileSync(at('package-lock.json')))
    .digest('hex');
  if (readStamp('installed') === wanted) return;
  if (!isInstalledByHand()) {
    process.stderr.write('Installing the development packages (this happens once) ...\n');
    const npm = process.env.npm_execpath;
    // Without scripts: `postprepare` would come back here. None of the packages needs one.
    const args = ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const done =
      npm === undefined
        ? spawnSync('npm', args, {
            cwd: root,
            stdio: ['ignore', 'ignore', 'inherit'],
            shell: process.platform === 'win32',
          })
        : spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    if (done.status !== 0) fail('error: the packages could not be installed.\nhint: run npm ci and read what it says.');
  }
  writeStamp('installed', wanted);
}

/** npm writes this file last; where it is newer than the lock file, somebody has installed that lock file. */
function isInstalledByHand() {
  const installed = at('node_modules/.package-lock.json');
  return existsSync(installed) && statSync(installed).mtimeMs > statSync(at('package-lock.json')).mtimeMs;
}

/** Names, sizes and times of everything that the build reads. Times alone would miss a deleted file. */
function sourceFingerprint() {
  const hash = createHash('sha256');
  const files = readdirSync(at('src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of [
    ...files,
    at('tsconfig.json'),
    at('tsconfig.build.json'),
    at('package.json'),
    at('scripts/build.mjs'),
  ]) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

async function buildIfStale() {
  const wanted = sourceFingerprint();
  if (existsSync(at('dist/cli/main.js')) && readStamp('built') === wanted) return;
  const { build } = await import('./build.mjs');
  if (!(await build(cache))) fail('error: the build failed (see above).');
  writeStamp('built', wanted);
}

checkNode();
if (!process.argv.includes('--installed')) {
  install();
  await buildIfStale();
} else if (existsSync(at('node_modules/typescript')) && existsSync(at('node_modules/rolldown'))) {
  await buildIfStale();
}
