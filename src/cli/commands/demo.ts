import type { DemoName } from '../demo-names.ts';
import type { ExitCode } from '../exit-code.ts';
import type { ProviderFlags } from '../find-provider.ts';
import { unsentKeyVariable } from '../find-provider.ts';
import { startDemo } from '../start-demo.ts';
import { readableEnvironment } from '../surroundings.ts';
import { watchRun } from '../watch-run.ts';

/** The flags of `oilcan demo`. */
export interface DemoFlags extends ProviderFlags {
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  readonly debug?: boolean | undefined;
}

/** `oilcan demo`: one of the examples, played to its end. */
export async function demo(name: DemoName, flags: DemoFlags): Promise<ExitCode> {
  const { run, agent, provider, choice, header, close } = await startDemo(name, flags);
  try {
    const { json, quiet, debug } = flags;
    return await watchRun(run, {
      provider: provider.id,
      model: provider.model,
      header,
      json,
      quiet,
      debug,
      asked: {
        choice,
        apiKeyEnv: flags.apiKeyEnv,
        unsentKeyVariable: unsentKeyVariable(flags, readableEnvironment),
        maxTurns: undefined,
        hasMaxTurns: false,
        canAsk: false,
      },
      resume: (runId, options) => agent.resumeStream(runId, options),
    });
  } finally {
    await close();
  }
}
