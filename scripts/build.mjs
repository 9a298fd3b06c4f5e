// Builds dist. The compiler checks everything and writes the declarations; its JavaScript is then joined into few
// files, since Node takes a third of a millisecond to find and load each one: a hundred of them were most of a cold
// import. Nothing is minified, so stacks stay readable, and what is loaded on demand (`import()`) stays apart.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Modules that only our own scripts import. */
const SCRIPT_ENTRIES = ['cli/start-demo', 'cli/terminal-text', 'cli/trace', 'cli/trace-line'];

/** What package.json lets the world import or run, without `./dist/` and `.js`. */
function publicEntries() {
  const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const files = [...Object.values(exports).map((target) => target.default), ...Object.values(bin)];
  return files.flatMap((file) => /^(?:\.\/)?dist\/(.+)\.js$/.exec(file ?? '')?.[1] ?? []);
}

/**
 * Builds into `dist`, which is replaced as a whole: a run beside this one never meets half a build.
 * @param {string} scratch a folder on the same disk as `dist`
 * @returns {Promise<boolean>} false where the compiler found something; it has said what
 */
export async function build(scratch) {
  const own = join(scratch, `build-${process.pid}`);
  // Named so that the file which holds most of the library is `chunks/oilcan.js`.
  const compiled = join(own, 'oilcan');
  const joined = join(own, 'joined');
  const dist = join(root, 'dist');
  mkdirSync(own, { recursive: true });
  try {
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const args = [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', compiled];
    if (spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] }).status !== 0) return false;
    await joinFiles(compiled, joined);
    if (existsSync(dist)) renameSync(dist, join(own, 'stale'));
    renameSync(joined, dist);
    return true;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** @param {string} compiled @param {string} joined */
async function joinFiles(compiled, joined) {
  const { rolldown } = await import('rolldown');
  const names = [...publicEntries(), ...SCRIPT_ENTRIES];
  const bundle = await rolldown({
    input: Object.fromEntries(names.map((name) => [name, join(compiled, `${name}.js`)])),
    platform: 'node',
    // Packages are not ours to copy.
    external: /^[^./]/,
    preserveEntrySignatures: 'strict',
    logLevel: 'warn',
  });
  await bundle.write({ dir: joined, format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name].js' });
  await bundle.close();
  for (const entry of readdirSync(compiled, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.d.ts')) continue;
    const folder = join(joined, entry.parentPath.slice(compiled.length));
    mkdirSync(folder, { recursive: true });
    renameSync(join(entry.parentPath, entry.name), join(folder, entry.name));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = (await build(join(root, 'node_modules', '.cache', 'oilcan'))) ? 0 : 1;
}
