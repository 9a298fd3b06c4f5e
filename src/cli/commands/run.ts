import { text as readAll } from 'node:stream/consumers';
import { createAgent } from '../../index.ts';
import { buildProvider } from '../build-provider.ts';
import type { ExitCode } from '../exit-code.ts';
import type { ProviderFlags } from '../find-provider.ts';
import { findProvider, unsentKeyVariable } from '../find-provider.ts';
import { loadTools } from '../load-tools.ts';
import { slipPolicyFor } from '../slip-policy.ts';
import { readableEnvironment, realSurroundings } from '../surroundings.ts';
import type { Line } from '../trace-line.ts';
import { UserError } from '../user-error.ts';
import { watchRun } from '../watch-run.ts';

/** The flags of `oilcan run`. */
export interface RunFlags extends ProviderFlags {
  readonly tools?: string | undefined;
  readonly system?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly slips?: 'ladder' | 'result' | 'rewind' | undefined;
  readonly stream: boolean;
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  readonly debug?: boolean | undefined;
}

/** `oilcan run "question"`: asks a model, with the tools of a file. */
export async function run(words: readonly string[], flags: RunFlags): Promise<ExitCode> {
  const question = oneQuestion(words);
  const input = question === '-' ? await readAll(process.stdin) : question;
  if (input.trim() === '') throw new UserError('The question is empty.', 'oilcan run "What is the capital of France?"');
  const tools = flags.tools === undefined ? [] : await loadTools(flags.tools);
  const choice = await findProvider(flags, realSurroundings());
  const provider = buildProvider(choice, flags.stream);
  const agent = createAgent({
    provider,
    tools,
    ...(flags.system === undefined ? {} : { system: flags.system }),
    ...(flags.maxTurns === undefined ? {} : { maxTurns: flags.maxTurns }),
    slips: flags.slips ?? slipPolicyFor(provider),
    // A person at a prompt wants the best answer that there is; the trace and the exit code tell how it came.
    onLimit: 'finish',
  });
  const where = provider.origin === undefined ? '' : ` at ${provider.origin}`;
  const reason = choice.reason === undefined ? '' : `. ${choice.reason}`;
  const header: Line[] = [[{ text: `${choice.model}${where}${reason}`, tone: 'quiet' }]];
  return watchRun(agent.stream(input), {
    provider: provider.id,
    model: choice.model,
    header,
    json: flags.json,
    quiet: flags.quiet,
    debug: flags.debug,
    asked: {
      choice,
      apiKeyEnv: flags.apiKeyEnv,
      unsentKeyVariable: unsentKeyVariable(flags, readableEnvironment),
      maxTurns: flags.maxTurns,
      hasMaxTurns: true,
      canAsk: false,
    },
    resume: (runId, options) => agent.resumeStream(runId, options),
  });
}

/** A question without quotes reaches us as one argument for each word; the shell may have changed some of them. */
function oneQuestion(words: readonly string[]): string {
  if (words.length <= 1) return words[0] ?? '';
  const joined = words.join(' ');
  const example = joined.length <= 60 && /^[\w ,.:?-]+$/.test(joined) ? joined : 'your whole question';
  throw new UserError(`The question is ${words.length} arguments.`, `put it in quotes: oilcan run "${example}"`);
}
