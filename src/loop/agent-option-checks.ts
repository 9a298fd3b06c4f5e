import { isRecord } from '../core/json.ts';
import { checkOptions, describeValue, invalidOption, kindOf } from '../core/option-check.ts';
import type { Provider } from '../core/provider.ts';
import type { AgentOptions } from './agent-options.ts';
import { isToolChoice } from './hook-results.ts';

/**
 * Checks the kinds of those options of an agent that no other module reads first.
 * @throws OilcanError `invalid-option`
 */
export function checkKinds(options: AgentOptions): void {
  const { limits, limiter, compact, secrets, prices, toolChoice, parallelToolCalls } = options;
  if (limits !== undefined) checkOptions('`limits`', limits, '{ toolCalls: 60 }');
  if (limiter !== undefined && !(isRecord(limiter) && typeof limiter['acquire'] === 'function'))
    throw invalidOption(`Expected \`limiter\` to be made with createLimiter({ … }), got ${kindOf(limiter)}.`);
  if (compact !== undefined && compact !== 'shorten' && typeof compact !== 'function')
    throw invalidOption(
      `Expected \`compact\` to be 'shorten' or a function ({ messages }) => messages, got ${describeValue(compact)}.`,
    );
  if (secrets !== undefined) checkSecrets(secrets);
  if (prices !== undefined && typeof prices !== 'function')
    checkOptions('`prices`', prices, "{ 'gpt-small': { input: 0.15, output: 0.6 } }, or a function");
  if (toolChoice !== undefined && !isToolChoice(toolChoice))
    throw invalidOption(
      `Expected \`toolChoice\` to be 'auto', 'required', 'none' or { toolName: '…' }, got ${describeValue(toolChoice)}.`,
    );
  if (parallelToolCalls !== undefined && typeof parallelToolCalls !== 'boolean')
    throw invalidOption(`Expected \`parallelToolCalls\` to be true or false, got ${describeValue(parallelToolCalls)}.`);
}

/** What they hold is not repeated. */
function checkSecrets(secrets: unknown): void {
  if (!Array.isArray(secrets))
    throw invalidOption(`Expected \`secrets\` to be an array of texts, got ${kindOf(secrets)}.`);
  const wrong = secrets.findIndex((secret) => typeof secret !== 'string');
  if (wrong >= 0) throw invalidOption(`Expected \`secrets[${wrong}]\` to be a text, got ${kindOf(secrets[wrong])}.`);
}

/**
 * Checks the price of a model that the agent uses: a figure that is missing would count as none.
 * @throws OilcanError `invalid-option`
 */
export function checkPrice({ model }: Provider, price: unknown): void {
  if (price === undefined) return;
  const isRight = isRecord(price) && isAmount(price['input']) && isAmount(price['output']);
  if (isRight && (price['cachedInput'] === undefined || isAmount(price['cachedInput']))) return;
  throw invalidOption(
    `Expected the price of \`${model}\` in \`prices\` to be { input, output, cachedInput? } in US dollars for a million tokens.`,
  );
}

function isAmount(figure: unknown): boolean {
  return typeof figure === 'number' && figure >= 0;
}
