import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from './source-files.ts';

interface Manifest {
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, unknown>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const modules = Object.entries(manifest.exports).flatMap(([subpath, target]) =>
  typeof target === 'string' ? [] : [{ name: `oilcan${subpath.slice(1)}`, ...target }],
);

/** A project that has the packed library installed, with its dependencies and nothing else. */
let consumer = '';
let packed: readonly string[] = [];
let tarballFile = '';

beforeAll(() => {
  consumer = mkdtempSync(join(tmpdir(), 'oilcan-consumer-'));
  const report = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', consumer], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [pack] = JSON.parse(report) as [{ filename: string; files: { path: string }[] }];
  packed = pack.files.map((file) => file.path);
  tarballFile = join(consumer, pack.filename);
  mkdirSync(join(consumer, 'node_modules'));
  execFileSync('tar', ['-xzf', pack.filename], { cwd: consumer });
  renameSync(join(consumer, 'package'), join(consumer, 'node_modules', 'oilcan'));
  for (const name of Object.keys(manifest.dependencies)) {
    symlinkSync(join(root, 'node_modules', name), join(consumer, 'node_modules', name));
  }
  writeFileSync(join(consumer, 'package.json'), '{"type":"module"}');
}, 60_000);

afterAll(() => rmSync(consumer, { recursive: true, force: true }));

function tarball(): ArrayBuffer {
  const bytes = readFileSync(tarballFile);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}

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

  describe('its declarations hold in a strict project that checks libraries too', () => {
    beforeAll(() => {
      for (const name of ['@types', 'undici-types'])
        symlinkSync(join(root, 'node_modules', name), join(consumer, 'node_modules', name));
      const imports = modules.map(({ name }, index) => `export * as module${index} from '${name}';\n`).join('');
      writeFileSync(join(consumer, 'main.ts'), imports);
    });

    test.each([
      { name: 'nodenext', options: '--module nodenext --target es2023 --types node' },
      { name: 'node16', options: '--module node16 --target es2022 --types node' },
      { name: 'a bundler', options: '--module preserve --target es2022' },
      { name: 'a browser of ES2022', options: '--module esnext --moduleResolution bundler --lib es2022,dom' },
      { name: 'exact optional properties', options: '--module nodenext --exactOptionalPropertyTypes' },
    ])('$name', ({ options }) => {
      const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
      const { stdout } = node(compiler, '--noEmit', '--strict', ...options.split(' '), 'main.ts');
      expect(stdout).toBe('');
    });
  });

  test('publint finds nothing to say about it', async () => {
    const { messages } = await publint({ pack: { tarball: tarball() }, strict: true });
    expect(messages).toEqual([]);
  });

  test('every resolver of TypeScript finds its types, node10 too', { timeout: 120_000 }, async () => {
    const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball())));
    if (analysis.types === false) throw new Error('The package has no types.');
    // Every supported Node can require a module: CommonJS gets it as it is.
    expect(analysis.problems.filter(({ kind }) => kind !== 'CJSResolvesToESM')).toEqual([]);
    for (const name of Object.keys(analysis.entrypoints).filter((path) => path !== './package.json'))
      expect(analysis.entrypoints[name]?.resolutions.node10.resolution?.fileName).toMatch(/\.d\.ts$/);
  });

  test('npm installs it beside zod 3 and zod 4', () => {
    // A project with another major version would meet a conflict (ERESOLVE), although zod is optional.
    expect(manifest.peerDependencies['zod']).toBe('^3.0.0 || ^4.0.0');
    expect(manifest.peerDependenciesMeta['zod']).toEqual({ optional: true });
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
