// Writes docs/cli.md from what the built command says with --help. With --check it only tells whether the file is
// still true, and exits 1 if not.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const file = join(root, 'docs', 'cli.md');

/** @param {string[]} command */
function help(...command) {
  const { FORCE_COLOR: _color, ...environment } = process.env;
  const env = { ...environment, NO_COLOR: '1' };
  const { stdout, status, stderr } = spawnSync(
    process.execPath,
    [join(root, 'dist', 'cli', 'main.js'), ...command, '--help'],
    { env, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`oilcan ${command.join(' ')} --help failed: ${stderr}`);
  return `\`\`\`text\n$ oilcan ${[...command, '--help'].join(' ')}\n${stdout.trimEnd()}\n\`\`\``;
}

const text = `<!-- Written by scripts/write-cli-docs.mjs from what the command says. Change the command, not this file. -->

# The command

${help()}

## run

${help('run')}

Without \`--provider\` and \`--base-url\` it looks for a model in this order: an Ollama on this machine (\`OLLAMA_HOST\`, or port 11434; its first model that can talk), then a key in the environment (\`OPENAI_API_KEY\`, \`ANTHROPIC_API_KEY\`) together with \`--model\`. It says what it found. A key from the environment goes to its own vendor only; for another server name the variable: \`--base-url https://api.example.test/v1 --api-key-env EXAMPLE_KEY\`.

A tools file is a module whose default export is an array of tools (or one tool), or that exports tools by name:

\`\`\`js
import { tool } from 'oilcan';
import { z } from 'zod';

export default [
  tool({
    name: 'roll_dice',
    description: 'Roll a die with so many sides.',
    schema: z.object({ sides: z.number().int().min(2) }),
    effect: 'read',
    execute: ({ sides }) => 1 + Math.floor(Math.random() * sides),
  }),
];
\`\`\`

[examples/tools.mjs](../examples/tools.mjs) is one to begin with: \`oilcan run "What is the weather in London?" --tools examples/tools.mjs\`.

A call that needs approval (\`approve\`), or a tool that asks a question (\`NeedsUser\`), makes the run wait for a person. On a terminal you are asked, and only \`y\` or \`yes\` approves. Without one the command ends with exit code 4: a run does not outlive the command, so decide in code, with [\`agent.resume\`](api.md#human-approval).

Ctrl+C once ends the run in order: the request is given up, tools hear their signal, and the trace shows what was done. Ctrl+C once more ends the process at once.

\`--json\` prints one document: the result (\`status\` is \`completed\`, \`stopped\`, \`failed\`, \`aborted\` or \`suspended\`; \`text\` or \`partialText\`; \`messages\`, \`usage\`, \`failures\`, \`turns\`, \`runId\`) and beside it \`provider\`, \`model\`, \`requests\`, \`durationMs\` and, where the run gave no answer and something can be done about it, \`hint\`. Where nothing could be run it is \`{ "status": "error", "error": { "message", "hint" } }\`.

## demo

${help('demo')}

## Reading the trace

Each failure is one line: what failed, who owns it, what was done.

\`\`\`text
  ✗ 503 server overloaded             code    waits 0.4 s, asks again (2 of 4)
  ✗ use(item: key, target: door)      model   reads: The lock is rusted shut. Oil it first: use oil_can with lock.
  ✗ 401 key refused                   nobody  can mend it here: the run stops at once
\`\`\`

\`code\`: the library waits and asks again; the model never knows. \`model\`: the model reads the error and goes on. \`nobody\`: the run stops. \`~\` marks what was mended without a turn. Where text had been shown and its reply then broke off, the line says that the text is void.
`;

if (process.argv.includes('--check')) {
  let written = '';
  try {
    written = readFileSync(file, 'utf8');
  } catch {
    // A missing file is out of date as well.
  }
  if (written !== text) {
    process.stderr.write('docs/cli.md is out of date. Write it anew with: node scripts/write-cli-docs.mjs\n');
    process.exitCode = 1;
  }
} else {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
