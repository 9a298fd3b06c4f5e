import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The built command. `npm test` builds it before. */
export const main: string = join(fileURLToPath(import.meta.url), '..', '..', '..', 'dist', 'cli', 'main.js');

/** A folder of modules that tests hand to `--tools`. */
export const fixtures: string = join(fileURLToPath(import.meta.url), '..', 'fixtures');

/** How a command ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command on its way. */
export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when what was written so far, on either stream, has this in it; rejects where the command ends before. */
  shows(pattern: RegExp): Promise<void>;
}

/** A machine with nothing on it: no key, and no Ollama where one would be looked for (port 1 is closed). */
const BARE_ENVIRONMENT = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  OLLAMA_HOST: '127.0.0.1:1',
  LANG: 'C.UTF-8',
};

/** Starts `oilcan` with these arguments. */
export function start(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Started {
  return watch(spawn(process.execPath, [main, ...args], { env: { ...BARE_ENVIRONMENT, ...environment } }));
}

/** Starts `oilcan` on a terminal, as a person would. Write `\u0003` to its input for Ctrl+C. */
export function startOnTerminal(args: readonly string[]): Started {
  const program = 'import os, pty, sys; status = pty.spawn(sys.argv[1:]); sys.exit(os.waitstatus_to_exitcode(status))';
  return watch(
    spawn('python3', ['-c', program, process.execPath, main, ...args], { env: { ...BARE_ENVIRONMENT, TERM: 'xterm' } }),
  );
}

/** Runs `oilcan` to its end. */
export function run(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input = '',
): Promise<Ended> {
  const { child, ended } = start(args, environment);
  child.stdin?.end(input);
  return ended;
}

function watch(child: ChildProcess): Started {
  let stdout = '';
  let stderr = '';
  let isOver = false;
  const waiting = new Set<() => void>();
  const wake = (): void => waiting.forEach((check) => check());
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
    wake();
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
    wake();
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      isOver = true;
      wake();
      resolve({ code, stdout, stderr });
    });
  });
  const shows = (pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (pattern.test(stdout) || pattern.test(stderr)) resolve();
        else if (isOver) reject(new Error(`It ended without ${String(pattern)}:\n${stdout}\n${stderr}`));
        else return;
        waiting.delete(check);
      };
      waiting.add(check);
      check();
    });
  return { child, ended, shows };
}
