import {
  expected,
  checkNames,
  checkOptions,
  hasMethod,
  invalidOption,
  kindOf,
  namesElsewhere,
} from '../../core/option-check.ts';
import type { OtherNames } from '../../core/option-check.ts';
import type { OptionRule } from '../../core/option-rules.ts';
import { aFunction, aString, checkRules, integerFrom, oneOf, trueOrFalse } from '../../core/option-rules.ts';
import { isRecord } from '../../core/json.ts';
import type { AgentOptions } from './agent-options.ts';
import { isToolChoice } from '../act/hook-results.ts';
import { HOOK_NAMES } from '../act/hooks.ts';

const atLeastOne = integerFrom(1);

/** Infinity is a bound as well: none. */
const count: OptionRule = { ...atLeastOne, fits: (value) => value === Infinity || atLeastOne.fits(value) };

/** Those that are `true` are looked at by the module that they are for. */
const OPTIONS = {
  name: aString,
  provider: true,
  tools: true,
  system: aString,
  maxTurns: count,
  toolChoice: { wanted: "'auto', 'required', 'none' or { toolName: '…' }", fits: isToolChoice },
  parallelToolCalls: trueOrFalse,
  toolConcurrency: count,
  retry: true,
  deadlines: true,
  limits: true,
  onLimit: oneOf('stop', 'finish'),
  slips: oneOf('ladder', 'result', 'rewind'),
  hooks: true,
  failures: true,
  compact: {
    wanted: "'shorten' or a function ({ messages }) => messages",
    fits: (value) => value === 'shorten' || typeof value === 'function',
  },
  limiter: { wanted: 'made with createLimiter({ … })', fits: (value) => hasMethod(value, 'acquire') },
  breaker: true,
  prices: {
    wanted: "an object such as { 'gpt-small': { input: 0.15, output: 0.6 } }, or a function",
    fits: (value) => isRecord(value) || typeof value === 'function',
  },
  redact: oneOf('all', 'errors'),
  secrets: true,
  maxOutputChars: count,
  journals: { wanted: 'an object with `open(runId)`', fits: (value) => hasMethod(value, 'open') },
  clock: { wanted: 'a clock: { now, monotonic, after }', fits: (value) => hasMethod(value, 'monotonic') },
  random: aFunction,
} satisfies Record<keyof AgentOptions, OptionRule | true>;

/** What a provider takes and people look for elsewhere, each with where it stands. */
export const PROVIDER_NAMES: OtherNames = {
  ...namesElsewhere(
    ['model', 'apiKey', 'baseURL', 'headers', 'body', 'temperature', 'maxOutputTokens', 'fetch'],
    '`NAME` of the provider',
  ),
  maxTokens: '`maxOutputTokens` of the provider, or `limits.totalTokens`',
  ...namesElsewhere(
    ['topP', 'topK', 'seed'],
    '`body` of the provider (`options` of `ollama`), in the words of its server',
  ),
};

/** What an agent takes and people look for elsewhere, each with where it stands. */
export const AGENT_NAMES: OtherNames = {
  ...namesElsewhere(Object.keys(OPTIONS), '`NAME` of createAgent'),
  ...namesElsewhere(HOOK_NAMES, '`hooks: [{ NAME }]` of createAgent'),
  instructions: '`system` of createAgent',
  systemPrompt: '`system` of createAgent',
  maxSteps: '`maxTurns` of createAgent',
  retries: '`retry` of createAgent',
  maxRetries: '`retry` of createAgent',
};

/** What other libraries call them, and what stands in another place. */
const OTHER_NAMES: OtherNames = {
  ...PROVIDER_NAMES,
  ...namesElsewhere(HOOK_NAMES, '`hooks: [{ NAME }]`'),
  ...namesElsewhere(['signal', 'output', 'outputAttempts', 'within'], '`NAME` of `run`'),
  abortSignal: '`signal` of `run`',
  messages: 'the first argument of `run`',
  stream: '`agent.stream(…)`, or `stream` of the provider',
  instructions: 'system',
  systemPrompt: 'system',
  turns: 'maxTurns',
  steps: 'maxTurns',
  maxSteps: 'maxTurns',
  retries: '`retry: { maxAttempts }`, which is one more: the first try counts',
  maxRetries: '`retry: { maxAttempts }`, which is one more: the first try counts',
  timeout: '`deadlines: { runMs }`',
  timeoutMs: '`deadlines: { runMs }`',
};

/**
 * Checks the options of an agent that no other module reads first.
 * @throws OilcanError `invalid-option`
 */
export function checkAgentOptions(options: AgentOptions): void {
  checkOptions('the options of `createAgent`', options, '{ provider, tools }');
  if (hasMethod(options, 'stream'))
    throw invalidOption('Expected an object of options, got a provider. Write `createAgent({ provider })`.');
  checkNames('createAgent', options, OPTIONS, OTHER_NAMES);
  const { provider, secrets } = options;
  for (const candidate of provider?.candidates ?? [provider]) {
    if (!hasMethod(candidate, 'stream'))
      throw invalidOption(
        "Expected `provider` to be a provider such as openai({ model: '…' }), ollama('…') or fallback([…]).",
      );
  }
  checkRules(options, OPTIONS);
  if (secrets !== undefined) checkSecrets(secrets);
}

/** What they hold is not repeated. */
function checkSecrets(secrets: unknown): void {
  if (!Array.isArray(secrets)) throw expected('`secrets`', 'an array of texts', kindOf(secrets));
  for (const [index, secret] of secrets.entries()) {
    if (typeof secret !== 'string') throw expected(`\`secrets[${index}]\``, 'a text', kindOf(secret));
  }
}
