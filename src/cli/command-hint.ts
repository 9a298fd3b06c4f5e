import type { Advice, AdviceCode } from '../core/advice.ts';
import { assertNever } from '../core/assert.ts';
import type { Failure } from '../core/failure.ts';
import type { RunResult, StoppedRun } from '../core/result.ts';
import type { ProviderChoice } from './find-provider.ts';
import { shownAddress } from './shown-address.ts';

/** What the person at the command line asked for, as far as hints depend on it. */
export interface Asked {
  readonly choice: ProviderChoice | undefined;
  /** The option that named the key, if one did. */
  readonly apiKeyEnv: string | undefined;
  /** The vendor's own variable where it holds a key that was not sent, since the server is another one. */
  readonly unsentKeyVariable: string | undefined;
  readonly maxTurns: number | undefined;
  /** False where the command has no `--max-turns`. */
  readonly hasMaxTurns: boolean;
  /** True where a person can be asked: the run is suspended only because they left. */
  readonly canAsk: boolean;
}

/** What to do about a run that gave no answer, in words of the command; undefined where there is nothing to say. */
export function commandHint(result: RunResult<unknown>, asked: Asked): string | undefined {
  switch (result.status) {
    case 'completed':
    case 'aborted':
      return undefined;
    case 'failed':
      return failureHint(result.failure, asked);
    case 'stopped':
      return stopHint(result, asked);
    case 'suspended':
      return asked.canAsk
        ? 'Nothing was decided, and a run does not outlive the command: start it again.'
        : 'A person has to decide. Run it on a terminal to be asked, or use `agent.resume` in code.';
    default:
      return assertNever(result);
  }
}

/** Advice in the words of the command, where it has others than the library. */
const SENTENCES: Partial<Record<AdviceCode, (advice: Advice, baseURL: string | undefined) => string>> = {
  'check-host': ({ origin }) => `Check the host in --base-url (${origin}).`,
  'use-http': () => 'Does the server speak plain http? Then --base-url must begin with http://.',
  'follow-redirect': () =>
    'Redirects are not followed, since they would lose the request. Set --base-url to the new address.',
  'check-address': ({ url }) =>
    `The request went to ${url}: check --base-url (for most compatible servers it ends in /v1).`,
  'check-wire': ({ url }) => `The request went to ${url}. Most servers speak Chat: --provider openai.`,
  'take-wire': ({ wire }) => `Ask it with --provider ${PROVIDERS[wire ?? ''] ?? 'openai'}.`,
  'check-model': ({ model }, baseURL) =>
    `Does the server offer the model ${model}? ${baseURL === undefined ? 'Name another with --model.' : `Its list is at ${baseURL.replace(/\/+$/, '')}/models.`}`,
};

/** The providers of the command by their wires. */
const PROVIDERS: Readonly<Record<string, string>> = {
  'openai-responses': 'openai',
  anthropic: 'anthropic',
  ollama: 'ollama',
};

function failureHint(failure: Failure, asked: Asked): string | undefined {
  const given = asked.choice?.baseURL;
  const baseURL = given === undefined ? undefined : shownAddress(given);
  const { kind, status, advice, hint } = failure;
  const own = advice === undefined ? hint : (SENTENCES[advice.code]?.(advice, baseURL) ?? hint);
  if (kind === 'unauthorized') return status === 403 ? own : (keyHint(failure, asked) ?? own);
  if (kind === 'context-overflow')
    return 'Send fewer tools or a shorter question, or give the model a larger context (Ollama: OLLAMA_CONTEXT_LENGTH=16384 ollama serve; llama.cpp: llama-server -c 16384).';
  if (kind === 'malformed-reply' && advice === undefined && baseURL !== undefined)
    return `Is ${baseURL} the base URL of a model's server? Check --base-url (for most servers it ends in /v1).`;
  return own;
}

/** What the command knows better than the library: where the key was to come from. */
function keyHint({ advice }: Failure, { choice, apiKeyEnv, unsentKeyVariable }: Asked): string | undefined {
  if (apiKeyEnv !== undefined) return `Check the key in the environment variable ${apiKeyEnv}.`;
  if (choice === undefined || choice.apiKey !== undefined || choice.baseURL === undefined) return undefined;
  // The base URL is the vendor's own after all: its key was sent.
  const isSent = advice?.code === 'check-key' && advice.variable !== undefined;
  if (isSent && advice.variable === unsentKeyVariable) return undefined;
  return unsentKeyVariable === undefined
    ? 'No key was sent. Name the environment variable that holds it: --api-key-env NAME.'
    : `No key was sent: ${unsentKeyVariable} goes to its own vendor only. If it is meant for this server, say so: --api-key-env ${unsentKeyVariable}.`;
}

function stopHint({ stopReason }: StoppedRun, { maxTurns, hasMaxTurns }: Asked): string | undefined {
  if (stopReason !== 'max-turns' || !hasMaxTurns) return undefined;
  // chosen: twice as many is a step that can be seen; 25 is the default of the library.
  return `Allow more turns: --max-turns ${2 * (maxTurns ?? 25)}.`;
}
