// Modules of the library as they are in `src`: `dist` is joined into few files, which hide them.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Everything that the modules export, in one object: `await sources('core/redact', 'loop/history/history')`. */
export async function sources(...names) {
  const bundle = await rolldown({
    input: Object.fromEntries(names.map((name) => [name, join(root, 'src', `${name}.ts`)])),
    platform: 'node',
    preserveEntrySignatures: 'strict',
    logLevel: 'warn',
  });
  // A folder for each set, so that benches can run beside each other.
  const dir = join(root, 'node_modules', '.cache', 'oilcan', 'micro', names.join('+').replaceAll('/', '-'));
  await bundle.write({ dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: 'chunk-[hash].mjs' });
  await bundle.close();
  const modules = await Promise.all(names.map((name) => import(pathToFileURL(join(dir, `${name}.mjs`)).href)));
  return Object.assign({}, ...modules);
}
