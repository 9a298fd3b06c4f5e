// Shows that the tests of the wires hold: takes ten handlings of `docs/wires.md` out of the code, one at a time, and names
// the tests that notice. Works on a copy in the temporary folder, so the checkout is never touched.
//
//   node scripts/mutate-wires.mjs
//
// Not part of `npm test`: it runs the tests of the providers eleven times, which takes minutes. Exit code 1 where no test
// notices, where a text that is to be replaced is not there exactly once, or where the tests fail as they are.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** What the tests read. */
const COPIED = ['src', 'test', 'package.json', 'tsconfig.json', 'vitest.config.ts'];

/** A configuration of the copy: by default vitest cuts long names of rows. */
const CONFIG = 'whole-names.config.ts';
const CONFIG_TEXT = `import config from './vitest.config.ts';
export default { ...config, test: { ...config.test, chaiConfig: { truncateThreshold: 0 } } };
`;

/** Chosen: enough names to see what a handling is for; the rest is counted. */
const SHOWN_TESTS = 3;

/** Chosen: ten times what a run takes on two busy cores. A mutation may make a decoder loop for ever. */
const MAX_RUN_MS = 300_000;

/** @typedef {{ file: string, name: string }} FailedTest */

/** @type {readonly { handling: string, file: string, text: string, replacement: string }[]} */
const mutations = [
  {
    handling: 'Chat: calls that all have index 0 are told apart by their ids',
    file: 'src/providers/openai-chat/tool-calls.ts',
    text: "return this.#byId.get(id) ?? (name === '' ? last : this.#open(index));",
    replacement: 'return last;',
  },
  {
    handling: 'Chat: a stream without any end is cut, never an answer',
    file: 'src/providers/openai-chat/assembler.ts',
    text: "if (this.#end.kind === undefined && !isPlain && this.phase !== 'closed') {",
    replacement: 'if (false) {',
  },
  {
    handling: 'Chat: an error inside a choice voids the reply',
    file: 'src/providers/openai-chat/assembler.ts',
    text: 'if (isError(error)) return reported(payload);',
    replacement: '',
  },
  {
    handling: 'all: the last call of a reply that hit its limit is not complete',
    file: 'src/providers/reply-end.ts',
    text: ' && !(wasCut && part === last)',
    replacement: '',
  },
  {
    handling: "Messages: the whole input in the block's start",
    file: 'src/providers/anthropic/assembler.ts',
    text: '(isWhole || (pieces.isEmpty && Object.keys(input).length > 0))',
    replacement: 'isWhole',
  },
  {
    handling: 'Messages: a signature refused once is left out, once',
    file: 'src/providers/anthropic/index.ts',
    text: 'isRefusedSignature(error) && refused.note(messages)',
    replacement: 'false',
  },
  {
    handling: 'Ollama: a reply is whole only at done: true',
    file: 'src/providers/ollama/assembler.ts',
    text: "    if (this.phase === 'open') {\n      if (!this.#sawMessage && isPlain)",
    replacement: '    if (false) {\n      if (!this.#sawMessage && isPlain)',
  },
  {
    handling: 'all: cumulative arguments',
    file: 'src/providers/argument-pieces.ts',
    text: 'if (this.#isGrowing && (this.#count > 2 || isJson(last))) return last;',
    replacement: '',
  },
  {
    handling: 'all: CRLF whose CR and LF come in two chunks',
    file: 'src/providers/sse.ts',
    text: 'this.#skipsLineFeed && chunk.charCodeAt(0) === LINE_FEED ? chunk.slice(1) : chunk;',
    replacement: 'chunk;',
  },
  {
    handling: 'all: no lone surrogate leaves',
    file: 'src/providers/well-formed.ts',
    text: 'return mayHaveLone ? JSON.stringify(replaceLone(value)) : json;',
    replacement: 'return json;',
  },
];

/** Puts the replacement in the place of the text, which must be there exactly once. */
function mutated(source, { text, replacement, file }) {
  const [before, after, ...more] = source.split(text);
  if (after === undefined || more.length > 0) throw new Error(`Expected once in ${file}: ${text}`);
  return before + replacement + after;
}

/**
 * Runs the tests of the providers in `folder`.
 * @param {string} folder
 * @returns {Promise<FailedTest[]>} those that failed
 */
async function failedTests(folder) {
  const report = join(folder, 'report.json');
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const output = ['--reporter=json', `--outputFile=${report}`];
  const args = [vitest, 'run', 'test/wire/providers', '--config', CONFIG, ...output];
  rmSync(report, { force: true });
  await new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore', timeout: MAX_RUN_MS });
    child.on('error', reject);
    child.on('close', resolve);
  });
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  return testResults.flatMap(({ name: file, status, message, assertionResults }) => {
    // A file that can't be loaded has no tests in it: the mutation broke the syntax, and that proves nothing.
    if (status === 'failed' && assertionResults.length === 0) throw new Error(`${file} could not be run: ${message}`);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    return failed.map((test) => ({ file: basename(file, '.test.ts'), name: test.fullName }));
  });
}

/**
 * One line of the table: the first test of each file, since those of one file say much the same.
 * @param {string} handling @param {readonly FailedTest[]} failed
 */
function row(handling, failed) {
  const firsts = failed.filter(({ file }, at) => failed.findIndex((other) => other.file === file) === at);
  const shown = firsts.slice(0, SHOWN_TESTS).map(({ file, name }) => `${file}: ${name.replaceAll('|', '\\|')}`);
  const rest = failed.length - shown.length;
  const names = failed.length === 0 ? '**none: it survived**' : shown.join('<br>');
  return `| ${handling} | ${names}${rest > 0 ? `<br>and ${rest} more` : ''} |\n`;
}

const folder = mkdtempSync(join(tmpdir(), 'oilcan-mutate-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
try {
  for (const name of COPIED) cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  writeFileSync(join(folder, CONFIG), CONFIG_TEXT);
  const broken = await failedTests(folder);
  if (broken.length > 0) throw new Error(`The tests fail as they are: ${broken.map(({ name }) => name).join(', ')}`);
  process.stdout.write('| handling taken out | tests that fail |\n| --- | --- |\n');
  for (const mutation of mutations) {
    const path = join(folder, mutation.file);
    const source = readFileSync(path, 'utf8');
    writeFileSync(path, mutated(source, mutation));
    const failed = await failedTests(folder);
    writeFileSync(path, source);
    process.stdout.write(row(mutation.handling, failed));
    if (failed.length === 0) process.exitCode = 1;
  }
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
