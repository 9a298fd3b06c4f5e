// Real calls and real declarations through the library: what ran as it was meant, what was told, what was taken for an
// answer. `node bench/corpus/run.mjs [arguments] [words] [markups] [answers]`; a number takes every so many-th reply only.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = join(root, 'node_modules', '.cache', 'oilcan', 'corpus');
const data = join(cache, 'corpus.json');
if (!existsSync(data)) {
  execFileSync('python3', [fileURLToPath(new URL('fetch.py', import.meta.url)), data], { stdio: 'inherit' });
}

const bundle = await rolldown({ input: join(root, 'test/corpus/tables.ts'), platform: 'node', logLevel: 'warn' });
const file = join(cache, `tables-${process.pid}.mjs`);
await bundle.write({ file, format: 'esm', codeSplitting: false });
await bundle.close();
const { answerTable, argumentTable, markupTable, show, wordsTable } = await import(pathToFileURL(file).href);

/** Pieces of the files of this checkout, from one line to some hundred. */
function pieces(count) {
  const files = ['src', 'test', 'docs', 'examples']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.(?:ts|mjs|md|py)$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  return Array.from({ length: count }, (_, index) => {
    const text = files[index % files.length];
    const start = (index * 7919) % text.length;
    return text.slice(start, start + 40 + ((index * 104729) % 1500));
  });
}

const words = process.argv.slice(2);
const step = Number(words.find((word) => /^\d+$/.test(word)) ?? 1);
const wanted = words.filter((word) => !/^\d+$/.test(word));
const every = (list) => list.filter((_, index) => index % step === 0);
const all = JSON.parse(readFileSync(data, 'utf8'));
const corpus = { replies: every(all.replies), declarations: every(all.declarations), questions: every(all.questions) };
const tables = {
  arguments: () => argumentTable(corpus),
  words: () => wordsTable(corpus),
  markups: () => markupTable(corpus, pieces(Math.ceil(1500 / step))),
  answers: () => answerTable(corpus),
};
for (const [name, make] of Object.entries(tables)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const start = performance.now();
  console.log(`${show(await make())}\n  ${((performance.now() - start) / 1000).toFixed(0)} s\n`);
}
