// Writes the table of markups in docs/wires.md anew, from the table in the source. `--check` only says whether it is as it
// should be.
import { readFileSync, writeFileSync } from 'node:fs';
import { sources } from '../bench/micro/sources.mjs';

const { MARKUP_EXAMPLES } = await sources('loop/text-calls/markups');

const page = new URL('../docs/wires.md', import.meta.url);
const begin = '<!-- markups: written by scripts/write-markup-docs.mjs -->';
const end = '<!-- end of markups -->';

const shown = (example) => `\`\` ${example.replaceAll('\n', ' ↵ ').replaceAll('|', '\\|')} \`\``;
const rows = MARKUP_EXAMPLES.map(([family, example]) => `| ${family} | ${shown(example)} |`);
const table = ['| written by | a call of `get_weather` (↵ is a new line) |', '| --- | --- |', ...rows].join('\n');
const text = readFileSync(page, 'utf8');
const written = text.slice(0, text.indexOf(begin)) + `${begin}\n\n${table}\n\n` + text.slice(text.indexOf(end));
if (!process.argv.includes('--check')) writeFileSync(page, written);
else if (written !== text) {
  console.error('docs/wires.md is not as the table of markups: run node scripts/write-markup-docs.mjs');
  process.exitCode = 1;
}
