import { expected, checkNames, checkOptions, hasMethod, invalidOption, kindOf } from '../core/option-check.ts';
import type { OptionRule } from '../core/option-rules.ts';
import { aFunction, aString, checkRules, integerFrom, oneOf, trueOrFalse } from '../core/option-rules.ts';
import { isRecord } from '../core/json.ts';
import type { AgentOptions } from './agent-options.ts';
import { isToolChoice } from './hook-results.ts';

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
  clock: { wanted: 'a clock: { now, monotonic, after }', fits: (value) => hasMethod(value, 'monotonic') },
  random: aFunction,
} satisfies Record<keyof AgentOptions, OptionRule | true>;

/** What other libraries call them. */
const OTHER_NAMES = {
  model: 'provider',
  instructions: 'system',
  systemPrompt: 'system',
  maxSteps: 'maxTurns',
  maxRetries: '`retry: { maxAttempts }`, which is one more: the first try counts',
  timeoutMs: '`deadlines: { runMs }`',
  signal: '`signal` of `run`',
  output: '`output` of `run`',
};

/**
 * Checks the options of an agent that no other module reads first.
 * @throws OilcanError `invalid-option`
 */
export function checkAgentOptions(options: AgentOptions): void {
  checkOptions('the options of `createAgent`', options, '{ provider, tools }');
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
