// Everything that must hold: format, lint, types, tests. Prints `N passed, N failed` as its last line:
// each test is one, and format, lint and types are one each. With arguments (`npm test -- test/unit/retry.test.ts`)
// only vitest runs, on what they name.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const scratch = mkdtempSync(join(tmpdir(), 'oilcan-test-'));
const filters = process.argv.slice(2);

/** @type {{ name: string, bin: string, args: string[] }[]} */
const checks = [
  {
    name: 'format',
    bin: 'oxfmt/bin/oxfmt',
    args: ['--check', 'src', 'test', 'bench', 'scripts', 'examples', '--no-error-on-unmatched-pattern'],
  },
  { name: 'lint', bin: 'oxlint/bin/oxlint', args: ['--type-aware', '--deny-warnings'] },
  { name: 'types', bin: 'typescript/bin/tsc', args: ['-p', 'tsconfig.json'] },
];

/** @param {string} bin @param {string[]} args @param {'inherit' | 'pipe'} output @returns {Promise<{ code: number, text: string }>} */
function run(bin, args, output) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(root, 'node_modules', bin), ...args], {
      cwd: root,
      stdio: ['ignore', output, output],
    });
    let text = '';
    child.stdout?.on('data', (chunk) => (text += chunk));
    child.stderr?.on('data', (chunk) => (text += chunk));
    child.on('error', (error) => resolve({ code: 1, text: String(error) }));
    child.on('close', (code) => resolve({ code: code ?? 1, text }));
  });
}

/**
 * Counts a vitest JSON report. A file that could not be loaded has no tests in it, and an error outside of any
 * test is in none of them: each still counts as one failure.
 * @param {string} file @param {number} code
 */
function countTests(file, code) {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    const brokenFiles = report.testResults.filter(
      (suite) => suite.status === 'failed' && suite.assertionResults.length === 0,
    );
    const passed = report.numPassedTests;
    const failed = report.numFailedTests + brokenFiles.length;
    if (code !== 0 && failed === 0) return { passed, failed: 1 };
    return { passed, failed };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

let passed = 0;
let failed = 0;

if (filters.length === 0) {
  const outcomes = await Promise.all(
    checks.map(async (check) => ({ check, ...(await run(check.bin, check.args, 'pipe')) })),
  );
  for (const { check, code, text } of outcomes) {
    if (code === 0) passed += 1;
    else failed += 1;
    process.stdout.write(code === 0 ? `${check.name}: ok\n` : `${check.name}: FAILED\n${text}\n`);
  }
}

const report = join(scratch, 'report.json');
const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...filters];
const { code } = await run('vitest/vitest.mjs', args, 'inherit');
const tests = countTests(report, code);
rmSync(scratch, { recursive: true, force: true });
if (tests.passed + tests.failed === 0) {
  process.stdout.write('No test ran.\n');
  failed += 1;
}
passed += tests.passed;
failed += tests.failed;

process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
