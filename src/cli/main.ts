#!/usr/bin/env node
import { CommanderError } from 'commander';
import { ExitCode } from './exit-code.ts';
import { createProgram } from './program.ts';
import { errorDocumentText } from './run-document.ts';
import { errorText, isUserError } from './user-error.ts';
import { multiLine } from './terminal-text.ts';

const args = process.argv.slice(2);
const isJson = args.includes('--json');

/** Ends the process when everything written has left it: a tool that forgot a timer must not keep it alive. */
function exit(code: number): void {
  process.exitCode = code;
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}

// The reader of the output has closed it (`| head`). That is no error, and nobody is left to tell.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? (process.exitCode ?? ExitCode.completed) : ExitCode.failed);
});
process.stderr.on('error', () => {});

try {
  const program = createProgram(exit);
  if (args.length === 0) program.outputHelp();
  else await program.parseAsync(args, { from: 'user' });
} catch (error) {
  report(error);
}

function report(error: unknown): void {
  // Commander has printed what it was asked for, help or the version.
  if (error instanceof CommanderError) return exit(ExitCode.completed);
  if (isJson) process.stdout.write(`${errorDocumentText(error)}\n`);
  process.stderr.write(`${multiLine(errorText(error, args.includes('--debug')))}\n`);
  exit(isUserError(error) ? ExitCode.usage : ExitCode.failed);
}
