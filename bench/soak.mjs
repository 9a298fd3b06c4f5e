// Many runs in one process: does anything stay behind? Heap after a collection in ten tenths, and at the end the timers, the
// listeners on a signal that all runs share, and the sockets.
//
//     node --expose-gc bench/soak.mjs               200,000 turns: 2,060 runs of up to 100, ten at a time
//     node --expose-gc bench/soak.mjs --turns 20000
import { fork } from 'node:child_process';
import { getEventListeners, setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { createAgent, openai, tool } from '../dist/index.js';

if (globalThis.gc === undefined) throw new Error('Run it with: node --expose-gc bench/soak.mjs');

const RUN_TURNS = 100;
const AT_ONCE = 10;
const TENTHS = 10;
const at = process.argv.indexOf('--turns');
const turnsWanted = at < 0 ? 200_000 : Number(process.argv[at + 1]);
// One run in twenty is aborted at half of its turns.
const runs = Math.ceil(turnsWanted / (RUN_TURNS * 0.975) / TENTHS) * TENTHS;

const server = fork(fileURLToPath(new URL('soak-server.mjs', import.meta.url)));
const port = await new Promise((resolve) => server.once('message', resolve));

const schema = z.object({ place: z.string(), count: z.number() });
const look = tool({
  name: 'look',
  description: 'Looks at a place.',
  schema,
  effect: 'read',
  execute: async ({ place }) => ({ place, seen: 'nothing', at: [1, 2, 3] }),
});
const fail = tool({
  name: 'fail',
  description: 'Fails.',
  schema,
  execute: ({ place }) => {
    throw new Error(`There is nothing at ${place}.`);
  },
});

const shared = new AbortController();
setMaxListeners(AT_ONCE * 4, shared.signal);
const counts = { completed: 0, aborted: 0, other: 0, turns: 0, retries: 0, mends: 0, texts: 0 };

/** One run. Every third is read as a stream, every twentieth is aborted on its way. */
async function oneRun(index) {
  const provider = openai({
    model: 'soak',
    baseURL: `http://127.0.0.1:${port}/v1`,
    apiKey: `soak.${index}.${RUN_TURNS - 1}`,
  });
  const agent = createAgent({ provider, tools: [look, fail], maxTurns: RUN_TURNS + 5, retry: { baseDelayMs: 0 } });
  agent.on('retry', () => (counts.retries += 1));
  agent.on('call-mended', () => (counts.mends += 1));
  agent.on('turn-end', () => (counts.turns += 1));
  const handle = agent.stream('Look at everything.', { signal: shared.signal });
  if (index % 20 === 7) agent.on('turn-end', ({ turn }) => turn === 50 && handle.abort());
  if (index % 3 === 0) for await (const piece of handle.textStream) counts.texts += piece.length;
  const { status } = await handle.result;
  counts[status === 'completed' || status === 'aborted' ? status : 'other'] += 1;
}

async function someRuns(first, count) {
  let next = first;
  const lane = async () => {
    while (next < first + count) await oneRun(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

async function heapAfterCollection() {
  for (let pass = 0; pass < 4; pass += 1) {
    await setImmediate();
    globalThis.gc();
  }
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

const started = performance.now();
const cpuBefore = process.cpuUsage();
const heaps = [];
for (let tenth = 0; tenth < TENTHS; tenth += 1) {
  await someRuns((tenth * runs) / TENTHS, runs / TENTHS);
  heaps.push(await heapAfterCollection());
  process.stderr.write(`${tenth + 1}/${TENTHS}: ${counts.turns} turns, ${heaps.at(-1).toFixed(2)} MB\n`);
}
const { user, system } = process.cpuUsage(cpuBefore);
const seconds = (performance.now() - started) / 1000;
const listeners = getEventListeners(shared.signal, 'abort').length;
const resources = process.getActiveResourcesInfo();
const timers = resources.filter((name) => name === 'Timeout').length;
const growth = heaps.at(-1) / heaps[1];

process.stdout.write(
  [
    `runs: ${counts.completed} completed, ${counts.aborted} aborted, ${counts.other} other; ${counts.turns} turns, ${counts.retries} retries, ${counts.mends} mended calls`,
    `heap after collection, MB: ${heaps.map((heap) => heap.toFixed(2)).join(' ')}`,
    `last tenth to second: ${growth.toFixed(3)} (<= 1.05)`,
    `left: ${listeners} listeners on the shared signal, ${timers} timers; ${[...new Set(resources)].map((name) => `${resources.filter((other) => other === name).length} ${name}`).join(', ')}`,
    `${seconds.toFixed(0)} s, ${((user + system) / 1000 / counts.turns).toFixed(3)} ms CPU a turn, peak RSS ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`,
    '',
  ].join('\n'),
);
server.disconnect();
process.exitCode = growth <= 1.05 && listeners === 0 && timers === 0 && counts.other === 0 ? 0 : 1;
