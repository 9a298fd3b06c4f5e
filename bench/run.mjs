// Measures the loop against the shared performance bench and prints ratios to `floor`: the least
// that any loop can do over `node:http`. See README.md beside this file.
//
//     npm run bench                 five minutes
//     npm run bench -- --quick      one or two, for a first look
//     npm run bench -- --cases P1,P4
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const shared = join(root, '..', 'shared');
const own = join(root, 'node_modules', '.cache', 'oilcan', 'bench');
const bench = join(own, 'perfbench');
const adapter = join(root, 'bench', 'faultbench-adapter.mjs');

/** Cases, what the best framework of the bench's own README needs for each, and what we set ourselves. */
const TARGETS = [
  {
    name: 'P1 loop, JSON',
    cases: 'P1',
    best: '5.2 (openai-sdk)',
    target: 2.5,
    of: (data) => ratio(data, 'P1j', (row) => row.cpuPerTurn),
  },
  {
    name: 'P1 loop, stream',
    cases: 'P1',
    best: '4.9 (openai-sdk)',
    target: 2.5,
    of: (data) => ratio(data, 'P1s', (row) => row.cpuPerTurn),
  },
  {
    name: 'P2 1,000 turns, total',
    cases: 'P2',
    best: '8.7 (anthropic-sdk)',
    target: 3,
    of: (data) => ratio(data, 'P2', (row) => row.cpuMs),
  },
  {
    name: 'P2 last tenth to first',
    cases: 'P2',
    best: '1.5 (ai)',
    target: 1.15,
    of: (data) => median(rowsOf(data, 'oilcan', 'P2').map((row) => row.ratio)),
  },
  {
    name: 'P3 1,000 runs at once',
    cases: 'P3',
    best: '3.8 (openai-sdk)',
    target: 2.5,
    of: (data) => ratio(data, 'P3', (row) => row.cpuPerRun),
  },
  {
    name: 'P3 5,000 runs at once',
    cases: 'P3',
    best: '4.2 (pi)',
    target: 2.5,
    of: (data) => ratio(data, 'P3x', (row) => row.cpuPerRun),
  },
  {
    name: 'P4 stream, burst',
    cases: 'P4',
    best: '1.9 (anthropic-sdk)',
    target: 1.8,
    of: (data) => ratio(data, 'P4', (row) => row.cpuUsPerDelta),
  },
  {
    name: 'P4 stream, paced',
    cases: 'P4',
    best: '2.1 (anthropic-sdk)',
    target: 1.6,
    of: (data) => ratio(data, 'P4d', (row) => row.cpuUsPerDelta),
  },
  {
    name: 'P5 result of 5 MB, uncapped',
    cases: 'P5',
    best: '2.7 (pi)',
    target: 1.8,
    of: (_data, uncapped) => ratio(uncapped, 'P5', (row) => row.cpuMs),
  },
  { name: 'P6 import, CPU ms beyond zod', cases: 'P6', best: '54 (ai)', target: 40, of: importMs },
  {
    name: 'P6 bundle without zod, KB gz',
    cases: 'P6',
    best: '85 (openai-sdk)',
    target: 40,
    of: (data) => data.peers.oilcan?.bundle?.gzNoZodKB,
  },
  {
    name: 'P7 memory of a waiting run',
    cases: 'P7',
    best: '2.5 (openai-sdk)',
    target: 1.8,
    of: (data) => ratio(data, 'P7', (row) => row.rssKB),
  },
];

/** The import of what one writes by hand is that of zod. */
function importMs(data) {
  const cpu = (peer) => median(rowsOf(data, peer, 'P6').map((row) => row.cpuOver));
  return cpu('oilcan') - cpu('scratch');
}

function rowsOf(data, peer, name) {
  return data.rows.filter((row) => row.peer === peer && row.case === name && !row.error && !row.invalid);
}

/** The median over the rounds of ours to the floor's in the same round, so that drift of the machine cancels out. */
function ratio(data, name, figure, peer = 'oilcan') {
  const floors = rowsOf(data, 'floor', name);
  const ratios = rowsOf(data, peer, name).map(
    (row) => figure(row) / figure(floors.find(({ round }) => round === row.round) ?? {}),
  );
  return median(ratios);
}

function median(figures) {
  const sorted = figures.filter(Number.isFinite).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** A copy of the shared bench that may be written to, with the packages that it needs. */
function prepare() {
  if (!existsSync(join(shared, 'perfbench', 'run.mjs'))) {
    throw new Error('There is no bench: `../shared/perfbench` has to stand beside this project.');
  }
  if (!existsSync(join(root, 'dist', 'index.js'))) throw new Error('There is no `dist`. Run: npm run build');
  mkdirSync(own, { recursive: true });
  for (const name of ['perfbench', 'faultbench']) {
    if (existsSync(join(shared, name))) cpSync(join(shared, name), join(own, name), { recursive: true });
  }
  if (existsSync(join(bench, 'node_modules', 'esbuild'))) return;
  const installed = spawnSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: bench, stdio: ['ignore', 2, 2] });
  if (installed.status !== 0) throw new Error('The packages of the bench could not be installed.');
}

function measure(variant, cases, options) {
  const file = join(own, `${variant}.json`);
  rmSync(file, { force: true });
  const args = [
    'run.mjs',
    '--adapter',
    `${adapter}:${variant}`,
    '--name',
    'oilcan',
    '--minimal',
    join(root, 'bench', 'minimal.mjs'),
  ];
  args.push(
    '--peer',
    'scratch',
    '--cases',
    cases.join(','),
    '--save',
    file,
    '--md',
    join(own, `${variant}.md`),
    ...options,
  );
  spawnSync(process.execPath, args, { cwd: bench, stdio: ['ignore', 2, 2] });
  if (!existsSync(file)) throw new Error('The bench broke off.');
  return JSON.parse(readFileSync(file, 'utf8'));
}

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => '-'.repeat(width + 1) + (column === 0 ? '-' : ':')).join('|')}|`;
  return [line(rows[0]), rule, ...rows.slice(1).map(line)].join('\n');
}

function verdict(figure, target) {
  if (figure === undefined || !Number.isFinite(figure)) return 'not measured';
  return figure <= target ? 'met' : 'not met';
}

function shown(figure) {
  if (figure === undefined || !Number.isFinite(figure)) return '–';
  return figure >= 10 ? figure.toFixed(0) : figure.toFixed(2);
}

function main() {
  const given = process.argv.slice(2);
  const at = given.indexOf('--cases');
  const cases = at < 0 ? ['P1', 'P2', 'P3', 'P4', 'P5', 'P6', 'P7'] : (given[at + 1] ?? '').split(',');
  const options = given.includes('--quick') ? ['--quick'] : [];
  prepare();
  const plain = cases.filter((name) => name !== 'P5');
  const none = { rows: [], peers: {} };
  const data = plain.length > 0 ? measure('defaults', plain, options) : none;
  // Our limit for tool results would send less than the others do: it is raised, so that the work is the same.
  const uncapped = cases.includes('P5') ? measure('uncapped', ['P5'], options) : none;
  const rows = [['case', 'best framework', 'oilcan', 'target', '']];
  for (const { name, cases: group, best, target, of } of TARGETS) {
    if (!cases.includes(group)) continue;
    const figure = of(data, uncapped);
    rows.push([name, best, shown(figure), `<= ${target}`, verdict(figure, target)]);
  }
  const bad = [...data.rows, ...uncapped.rows].filter((row) => row.peer === 'oilcan' && (row.error || row.invalid));
  for (const row of bad) process.stderr.write(`${row.case}: ${row.error ?? row.invalid}\n`);
  process.stdout.write(
    `\n${table(rows)}\n\nNode ${process.version}. Ratios of CPU time (P7: of memory) to \`floor\`, medians. Everything measured: ${own}/*.md\n`,
  );
  process.exitCode = bad.length === 0 ? 0 : 1;
}

try {
  main();
} catch (error) {
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
}
