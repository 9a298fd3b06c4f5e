import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { ExitCode } from './exit-code.ts';
import { PROVIDER_NAMES } from './find-provider.ts';
import type { DemoFlags } from './commands/demo.ts';
import type { RunFlags } from './commands/run.ts';
import { DEMO_NAMES } from './demo-names.ts';
import type { DemoName } from './demo-names.ts';
import { UserError } from './user-error.ts';
import { packageVersion } from './version.ts';

const SLIP_POLICIES = ['ladder', 'result', 'rewind'] as const;

const EXIT_CODES = `
Exit codes:
  0    completed: the answer is on standard output
  1    failed: something that nobody in the run could mend
  2    called wrongly, or nothing to run with: nothing was run
  3    stopped by a limit: the answer, if there is one, is what the model could say
       without more tools; the work so far is in --json
  4    waits for a person; on a terminal you are asked, and the run goes on
  130  stopped by Ctrl+C

The trace goes to standard error, the answer to standard output. NO_COLOR and FORCE_COLOR are respected.`;

/**
 * The command line. `finish` gets the exit code of the command that ran: nothing ends the process in here.
 */
export function createProgram(finish: (code: ExitCode) => void): Command {
  const program = new Command('oilcan')
    .description('Run LLM agents that finish the job even when things fail.')
    .version(packageVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', EXIT_CODES)
    // The error is reported where it is caught.
    .configureOutput({ outputError: () => {} });
  // Many CLIs accept -V.
  program.version(packageVersion(), '-V').options.at(-1)?.hideHelp();
  throwUserErrors(program, 'oilcan --help');

  const run = program
    .command('run')
    .description('ask a model a question, with tools if you have some, and see how it copes')
    // Several words are taken too, so that a missing pair of quotes can be explained.
    .usage('[options] <question>')
    .argument('<question...>', 'what to do, in quotes; - reads it from standard input')
    .option('-t, --tools <file>', 'a module that exports tools (.js, .mjs; .ts where Node can)')
    .option('-s, --system <text>', 'the system text')
    .option('--max-turns <count>', 'replies that the model may use', positiveInteger)
    .addOption(
      new Option(
        '--slips <policy>',
        'what a call that could not be run leaves for the model to read (default: rewind for a model on this machine, else ladder)',
      ).choices(SLIP_POLICIES),
    )
    .option('--no-stream', 'ask for replies in one piece')
    .addHelpText('after', EXIT_CODES)
    .action(async (words: string[], flags: RunFlags) => {
      const command = await import('./commands/run.ts');
      finish(await command.run(words, flags));
    });

  const demo = program
    .command('demo')
    .description('watch an agent survive: a server on this machine plays a model, and breaks on the way')
    .addArgument(new Argument('[name]', 'which story').choices(DEMO_NAMES).default('temple'))
    .action(async (name: DemoName, flags: DemoFlags) => {
      const command = await import('./commands/demo.ts');
      finish(await command.demo(name, flags));
    });

  for (const command of [run, demo]) {
    addSharedOptions(command);
    throwUserErrors(command, `oilcan ${command.name()} --help`);
  }
  return program;
}

/** Makes what Commander finds wrong an error as every other at the command line. Help and version end as Commander ends them. */
function throwUserErrors(command: Command, hint: string): void {
  command.exitOverride((error) => {
    if (error.exitCode === 0) throw error;
    // Instead of an error Commander prints the help where it is asked for the help of no command.
    if (error.code === 'commander.help') throw new UserError('There is no such command.', hint);
    throw new UserError(error.message.replace(/^error: /, '').replaceAll('\n', ' '), hint);
  });
}

function addSharedOptions(command: Command): void {
  command
    .addOption(new Option('-p, --provider <wire>', 'how to talk to the server').choices(PROVIDER_NAMES))
    .option('-m, --model <name>', 'the model, as its server knows it')
    .option('-u, --base-url <url>', 'another server that speaks the same wire')
    .option('--api-key-env <name>', 'the environment variable that holds the key')
    .option('--json', 'print the whole result as one JSON document')
    .option('-q, --quiet', 'no trace; an error and its hint are still told')
    .option('--debug', "show the developer's side of each failure, with stacks");
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number of 1 or more.');
  return value;
}
