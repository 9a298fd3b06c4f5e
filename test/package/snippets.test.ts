import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startLoopbackServer } from '../../src/testing/loopback-server.ts';
import type { LoopbackServer } from '../../src/testing/loopback-server.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
// Inside the project, so that 'oilcan' and 'zod' are found as a user finds them.
const folder = join(root, 'test', `.snippets-${process.pid}`);

interface Snippet {
  readonly name: string;
  readonly code: string;
}

/** Every TypeScript block of the README and the docs: what a reader copies must compile and run. */
function snippetsOf(file: string): Snippet[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match, index) => ({
    name: `${basename(file, '.md')}-${index + 1}`.toLowerCase(),
    code: match[1] ?? '',
  }));
}

const files = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];
const snippets = files.flatMap(snippetsOf);

/** Plays the model behind the addresses that the snippets use. */
let server: LoopbackServer;

beforeAll(async () => {
  server = await startLoopbackServer({
    script: ({ view, lastResults }) => {
      const told = lastResults.at(-1)?.text ?? '';
      if (!view.tools.includes('use')) return { text: 'Hello.' };
      if (told.includes('rusted')) return { calls: [{ name: 'use', input: { item: 'oil_can', target: 'lock' } }] };
      if (told.includes('door opens')) return { text: 'The door is open.' };
      return { calls: [{ name: 'use', input: { item: 'key', target: 'door' } }] };
    },
  });
  mkdirSync(folder, { recursive: true });
  for (const { name, code } of snippets) {
    writeFileSync(
      join(folder, `${name}.ts`),
      `${code.replaceAll('http://127.0.0.1:11434', server.origin)}\nexport {};\n`,
    );
  }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: '../../tsconfig.json',
      compilerOptions: {
        noEmit: false,
        outDir: 'out',
        rootDir: '.',
        allowImportingTsExtensions: false,
        declaration: false,
        isolatedDeclarations: false,
        noUnusedLocals: false,
      },
      include: ['*.ts'],
    }),
  );
}, 60_000);

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the snippets of the README and the docs', () => {
  test('there are some', () => {
    expect(snippets.length).toBeGreaterThan(3);
  });

  test('all compile', async () => {
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe('');
  }, 60_000);

  test.each(snippets)(
    '$name runs to its end',
    async ({ name }) => {
      const { stdout } = await run(process.execPath, [join(folder, 'out', `${name}.js`)], { timeout: 20_000 });
      if (name === 'readme-1') expect(stdout).toBe('The door is open.\n');
    },
    30_000,
  );
});
