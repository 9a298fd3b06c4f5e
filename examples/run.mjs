// Runs an example on any Node from 20.19 on, where TypeScript needs a compiler. From 22.18 on `node main.ts` will do.
//
//     node examples/run.mjs temple [flags]            examples/temple/main.ts
//     node examples/run.mjs temple/scratch [flags]    examples/temple/scratch.ts
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const [name = '', ...flags] = process.argv.slice(2);
const file = name.includes('/') ? name : `${name}/main`;

if (!existsSync(join(here, `${file}.ts`))) {
  console.error(`error: there is no example "${name}".\nhint: node examples/run.mjs temple`);
  process.exit(2);
}
if (!existsSync(join(root, 'scripts/ready.mjs'))) {
  // Node does not run TypeScript below node_modules, and the package does not bring a compiler.
  console.error(
    'error: the examples run in a clone of oilcan.\nhint: without one, play the same story: npx oilcan demo',
  );
  process.exit(2);
}
run([join(root, 'scripts/ready.mjs')]);
run([join(root, 'node_modules/typescript/bin/tsc'), '-p', here]);
run([join(here, '.build', `${file}.js`), ...flags]);

/** @param {string[]} args */
function run(args) {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
