import { gzipSync } from 'node:zlib';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { describe, expect, test } from 'vitest';
import { fileAt, importsOf, resolveImport, root } from './source-files.ts';

/** What is loaded as soon as `entry` is, and what is left for later (`import()`) is not. */
function loadedBy(entry: string): { readonly files: readonly string[]; readonly foreign: readonly string[] } {
  const files = new Set<string>();
  const foreign = new Set<string>();
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (files.has(path)) continue;
    files.add(path);
    const file = fileAt(path);
    for (const { specifier, isType, isDynamic } of importsOf(file)) {
      if (isType || isDynamic) continue;
      if (specifier.startsWith('.')) waiting.push(resolveImport(file, specifier));
      else foreign.add(specifier);
    }
  }
  return { files: [...files], foreign: [...foreign] };
}

/** The size of some exports in an application: bundled, minified, gzipped. */
async function gzippedBytes(names: string): Promise<number> {
  const application = `export ${names} from ${JSON.stringify(join(root, 'src/index.ts'))};`;
  const bundle = await rolldown({
    input: 'application',
    platform: 'node',
    logLevel: 'silent',
    plugins: [
      {
        name: 'application',
        resolveId: (id) => (id === 'application' ? id : undefined),
        load: (id) => (id === 'application' ? application : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return output.reduce((sum, part) => sum + (part.type === 'chunk' ? gzipSync(part.code).length : 0), 0);
}

describe('a cold import of the library', () => {
  test('loads few files', () => {
    // Node takes about 0.3 ms for each. chosen: a handful, since entries share what they have in common.
    const { files } = loadedBy('dist/index.js');
    expect(files.length).toBeGreaterThan(0);
    expect(files.length).toBeLessThanOrEqual(10);
  });

  test('loads no package and no module of the host', () => {
    expect(loadedBy('src/index.ts').foreign).toEqual([]);
  });

  test('loads neither the command nor the testing kit', () => {
    expect(loadedBy('src/index.ts').files.filter((path) => /^src\/(?:cli|testing)\//.test(path))).toEqual([]);
  });
});

describe('in an application', () => {
  // chosen: what was measured and one percent; raise them only together with what is worth it. What the smaller one is made
  // of: bench/README.md. Since 74,500 and 85,000 there came: arguments and structured answers read, repaired and explained by
  // their schema; calls in the markups of thirty model families; secrets by place and by look; the errors of thirty vendors;
  // dialects of servers, learnt from what they refuse; schemas in the form that a vendor takes, from any schema library;
  // journals, snapshots and words said to a run that goes on; replies in circles.
  test.each([
    { name: 'the whole library', names: '*', maxBytes: 129_500 },
    { name: 'an agent with one provider and a tool', names: '{ createAgent, openai, tool }', maxBytes: 118_100 },
  ])('$name weighs at most $maxBytes bytes', async ({ names, maxBytes }) => {
    expect(await gzippedBytes(names)).toBeLessThanOrEqual(maxBytes);
  });

  test('what is not used is left out', async () => {
    expect(await gzippedBytes('{ failureDescriptions }')).toBeLessThanOrEqual(2500);
    expect(await gzippedBytes('{ failureTable }')).toBeLessThanOrEqual(1500);
  });
});
