import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from './source-files.ts';

interface Manifest {
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const modules = Object.entries(manifest.exports).flatMap(([subpath, target]) =>
  typeof target === 'string' ? [] : [{ name: `oilcan${subpath.slice(1)}`, ...target }],
);

/** A project that has the packed library installed, with its dependencies and nothing else. */
let consumer = '';
let packed: readonly string[] = [];

beforeAll(() => {
  consumer = mkdtempSync(join(tmpdir(), 'oilcan-consumer-'));
  const report = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', consumer], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [pack] = JSON.parse(report) as [{ filename: string; files: { path: string }[] }];
  packed = pack.files.map((file) => file.path);
  mkdirSync(join(consumer, 'node_modules'));
  execFileSync('tar', ['-xzf', pack.filename], { cwd: consumer });
  renameSync(join(consumer, 'package'), join(consumer, 'node_modules', 'oilcan'));
  for (const name of Object.keys(manifest.dependencies)) {
    symlinkSync(join(root, 'node_modules', name), join(consumer, 'node_modules', name));
  }
  writeFileSync(join(consumer, 'package.json'), '{"type":"module"}');
}, 60_000);

afterAll(() => rmSync(consumer, { recursive: true, force: true }));

function node(...args: string[]): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  return spawnSync(process.execPath, args, { cwd: consumer, encoding: 'utf8' });
}

describe('the packed library', () => {
  test('holds what runs, its sources, its words and its examples, and nothing else', () => {
    const odd = packed.filter(
      (path) => !/^(?:dist|src|docs|examples)\/|^(?:README|CHANGELOG)\.md$|^LICENSE$|^package\.json$/.test(path),
    );
    expect(odd).toEqual([]);
    expect(packed.filter((path) => path.includes('/.'))).toEqual([]);
    const wanted = ['LICENSE', 'README.md', 'CHANGELOG.md', 'dist/cli/main.js', 'docs/cli.md', 'examples/tools.mjs'];
    expect(packed).toEqual(expect.arrayContaining(wanted));
  });

  test('has no script that npm runs, or asks to be reviewed, where it is installed', () => {
    const installs = ['preinstall', 'install', 'postinstall', 'prepare'];
    expect(installs.filter((name) => name in manifest.scripts)).toEqual([]);
    // What builds it in a clone and for an install from git.
    expect(manifest.scripts).toMatchObject({ postprepare: expect.any(String), prepack: expect.any(String) });
  });

  test.each(modules)('$name can be imported, with types', ({ name, types, default: file }) => {
    expect(packed).toEqual(expect.arrayContaining([types.slice(2), file.slice(2)]));
    const { stderr, stdout } = node(
      '--input-type=module',
      '-e',
      `import * as all from '${name}'; console.log(Object.keys(all).length > 0)`,
    );
    expect({ stderr, stdout }).toEqual({ stderr: '', stdout: 'true\n' });
  });

  test('can be required from CommonJS', () => {
    const script = "const { createAgent } = require('oilcan'); console.log(typeof createAgent)";
    expect(node('--no-warnings', '--input-type=commonjs', '-e', script)).toMatchObject({
      stdout: 'function\n',
      stderr: '',
    });
  });

  test('its declarations hold in a strict project that checks libraries too', () => {
    symlinkSync(join(root, 'node_modules', '@types'), join(consumer, 'node_modules', '@types'));
    symlinkSync(join(root, 'node_modules', 'undici-types'), join(consumer, 'node_modules', 'undici-types'));
    writeFileSync(
      join(consumer, 'main.ts'),
      modules.map(({ name }, index) => `export * as module${index} from '${name}';\n`).join(''),
    );
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--types',
      'node',
      'main.ts',
    ];
    const { stdout } = node(join(root, 'node_modules', 'typescript', 'bin', 'tsc'), ...options);
    expect(stdout).toBe('');
  });

  test('its command runs', () => {
    const main = join('node_modules', 'oilcan', manifest.bin['oilcan'] ?? '');
    expect(node(main, '--version')).toMatchObject({ stdout: `${manifest.version}\n`, stderr: '', status: 0 });
  });
});

describe('the lock file', () => {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');

  test('names no registry', () => {
    expect(lock).not.toMatch(/"resolved"|registry/);
  });

  test('goes with package.json', () => {
    const [whole] = Object.values((JSON.parse(lock) as { packages: Record<string, Manifest> }).packages);
    expect(whole).toMatchObject({ version: manifest.version, dependencies: manifest.dependencies });
  });
});
