import { parseArgs } from 'node:util';
import { anthropic, isOilcanError, ollama, openai, openaiResponses, type Agent, type Provider } from 'oilcan';
import { startLoopbackServer, type LoopbackScript, type LoopbackWire } from 'oilcan/testing';

/** A model to ask: a real one, or a scripted one behind a real HTTP server on this machine. */
export interface Model {
  readonly provider: Provider;
  /** For people: which model, and where. */
  readonly about: string;
  close(): Promise<void>;
}

const wires: readonly LoopbackWire[] = ['openai', 'openai-responses', 'anthropic', 'ollama'];

/**
 * Reads the flags that all examples share:
 *
 *     (none)                                   offline: the scripted model, on the wire that the example is about
 *     --wire anthropic                         offline, on another wire
 *     --provider ollama --model qwen3:8b       a real model; --base-url for a server that is not the vendor's,
 *                                              --api-key-env for the name of the variable that holds its key
 */
export async function openModel(
  flags: readonly string[],
  offline: { readonly script: LoopbackScript; readonly wire: LoopbackWire },
): Promise<Model> {
  const text = { type: 'string' } as const;
  const options = { provider: text, model: text, 'base-url': text, 'api-key-env': text, wire: text };
  const { values } = parseArgs({ args: [...flags], options });
  const { provider, model, 'base-url': baseURL, 'api-key-env': keyVariable, wire } = values;

  if (provider !== undefined || baseURL !== undefined) {
    if (model === undefined) throw new Error('A real model needs its name: --model NAME.');
    const apiKey = keyVariable === undefined ? undefined : process.env[keyVariable];
    const real = connect(wireNamed(provider ?? 'openai'), { model, baseURL, apiKey });
    return { provider: real, about: `${model} at ${real.origin ?? 'its vendor'}`, close: async () => {} };
  }
  const spoken = wireNamed(wire ?? offline.wire);
  const server = await startLoopbackServer({ script: offline.script });
  const version = spoken === 'ollama' ? '' : '/v1';
  const scripted = connect(spoken, { model: 'demo', baseURL: server.origin + version, apiKey: 'offline' });
  return {
    provider: scripted,
    about: `a scripted model, ${spoken} wire, at ${server.origin}`,
    close: () => server.close(),
  };
}

function connect(
  wire: LoopbackWire,
  options: { readonly model: string; readonly baseURL?: string | undefined; readonly apiKey?: string | undefined },
): Provider {
  switch (wire) {
    case 'openai':
      return openai(options);
    case 'openai-responses':
      return openaiResponses(options);
    case 'anthropic':
      return anthropic(options);
    case 'ollama':
      return ollama(options);
  }
}

function wireNamed(name: string): LoopbackWire {
  const found = wires.find((wire) => wire === name);
  if (found === undefined) throw new Error(`There is no wire ${name}. Choose one of ${wires.join(', ')}.`);
  return found;
}

/** Prints what happens in the agent's runs: each tool call, each failure with its owner, each wait. */
export function trace(agent: Agent, print: (line: string) => void): void {
  agent.on('failure', ({ failure, owner, action }) =>
    print(`  ! ${failure.kind}, owned by ${owner}: ${action}. ${failure.message}`),
  );
  agent.on('retry', ({ delayMs, attempt, maxAttempts }) =>
    print(`    waiting ${delayMs} ms, then attempt ${attempt} of ${maxAttempts}`),
  );
  agent.on('text-void', () => print('    (the text so far is void)'));
  agent.on('call-mended', ({ toolName, mends }) =>
    print(`  ~ ${toolName}: ${mends.map((mend) => mend.what).join(', ')}`),
  );
  agent.on('tool-end', ({ toolName, isError, output }) => print(`${isError ? '  x' : '  -'} ${toolName} -> ${output}`));
}

/** Runs an example as a command: its answer goes to standard output, an error is its message and what to do about it. */
export async function play(main: (flags: readonly string[]) => Promise<string>): Promise<void> {
  try {
    console.log(await main(process.argv.slice(2)));
  } catch (error) {
    const failure = isOilcanError(error) ? error.failure : undefined;
    console.error(`error: ${failure?.message ?? (error instanceof Error ? error.message : String(error))}`);
    if (failure?.hint !== undefined) console.error(`hint: ${failure.hint}`);
    process.exitCode = 1;
  }
}
