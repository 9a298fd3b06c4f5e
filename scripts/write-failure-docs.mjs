// Writes docs/failures.md from the failure table in the code. `--check` only compares, and exits 1 on a drift.
import { readFileSync, writeFileSync } from 'node:fs';
import { failureDescriptions, failureTable } from '../dist/index.js';

const file = new URL('../docs/failures.md', import.meta.url);

const OWNERS = {
  model:
    'The model asked wrongly, or a tool has something to tell it. It reads the error as a tool result, in words it can act on. One turn is spent, not the run.',
  code: "The model's server or the network failed. We wait, ask again, fall back. The model never knows, and no turn is spent.",
  nobody: 'Nobody in the run can mend it. It stops at once, typed: nothing is hidden, nothing retried, nothing lost.',
};

const REMEDIES = {
  'tell-model': 'the model reads the error as a tool result',
  retry: 'wait, then send the same request again',
  'ask-again': 'send it again, then once more with a nudge',
  compact: 'shorten the history with `compact`, then send it; without it, stop',
  stop: 'end the run, typed',
};

function section(owner) {
  const rows = Object.entries(failureTable).filter(([, row]) => row.owner === owner);
  const lines = rows.map(
    ([kind, row]) =>
      `| \`${kind}\` | ${failureDescriptions[kind].seenAs} | ${failureDescriptions[kind].done} | \`${row.remedy}\` | ${row.mayFallBack ? 'yes' : ''} |`,
  );
  return [
    `## ${owner[0].toUpperCase()}${owner.slice(1)}`,
    '',
    OWNERS[owner],
    '',
    '| kind | seen as | what is done | remedy | falls back |',
    '| --- | --- | --- | --- | --- |',
    ...lines,
    '',
  ];
}

export function failureDocs() {
  return [
    '# The failure table',
    '',
    '<!-- Written by scripts/write-failure-docs.mjs from src/resilience/failure-table.ts and failure-descriptions.ts: change those, not this page. -->',
    '',
    'Every failure that oilcan knows, who owns it, and what is done about it. A `Failure` in an event, in `result.failures` or in `error.failure` has one of these kinds. *Falls back*: with `fallback([…])`, the next provider is asked when the remedy is used up.',
    '',
    'The remedy is the word that the option `failures` takes:',
    '',
    '| remedy | what it does |',
    '| --- | --- |',
    ...Object.entries(REMEDIES).map(([word, meaning]) => `| \`${word}\` | ${meaning} |`),
    '',
    ...['model', 'code', 'nobody'].flatMap(section),
    '## Change a row',
    '',
    'For all runs of an agent, by kind:',
    '',
    '```ts',
    "import { createAgent, scripted } from 'oilcan';",
    '',
    'const agent = createAgent({',
    "  provider: scripted(['Hello.']),",
    "  failures: { 'tool-bug': { remedy: 'stop' } }, // a bug in a tool ends the run instead of being told to the model",
    '});',
    "console.log((await agent.run('Say hello.')).text);",
    '```',
    '',
    'For one occurrence, by a hook:',
    '',
    '```ts',
    "import { createAgent, scripted } from 'oilcan';",
    '',
    'const agent = createAgent({',
    "  provider: scripted(['Hello.']),",
    "  hooks: [{ onFailure: ({ failure }) => (failure.vendorCode === 'maintenance' ? 'retry' : undefined) }],",
    '});',
    "console.log((await agent.run('Say hello.')).text);",
    '```',
    '',
    "A hook's `'model'` gives the failure to the model, `'retry'` asks again within the limits of `retry`, `'stop'` ends the run.",
    '',
  ].join('\n');
}

if (process.argv.includes('--check')) {
  const isSame = readFileSync(file, 'utf8') === failureDocs();
  if (!isSame) console.error('docs/failures.md does not match the table. Run: node scripts/write-failure-docs.mjs');
  process.exitCode = isSame ? 0 : 1;
} else writeFileSync(file, failureDocs());
