import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

interface Manifest {
  readonly name: string;
  readonly exports: Record<string, string | { readonly default: string }>;
}

// Examples import the package by its name, as a reader would. In tests that name means the sources, not dist.
const manifest = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as Manifest;
const alias = Object.entries(manifest.exports).flatMap(([subpath, target]) => {
  if (typeof target === 'string') return [];
  const source = target.default.replace(/^\.\/dist\//, './src/').replace(/\.js$/, '.ts');
  return [
    {
      find: new RegExp(`^${manifest.name}${subpath.slice(1)}$`),
      replacement: fileURLToPath(new URL(source, import.meta.url)),
    },
  ];
});

export default defineConfig({
  resolve: { alias },
  test: {
    include: ['test/**/*.test.ts'],
    // Real sockets and spawned processes share two cores in CI: slow is not broken.
    testTimeout: 20_000,
    // A retried test hides the bug that it found.
    retry: 0,
    allowOnly: false,
    passWithNoTests: false,
  },
});
