import { isRecord } from '../core/json.ts';
import { invalidOption } from '../core/option-check.ts';
import type { OptionGroup, OptionRule } from '../core/option-rules.ts';
import { checkGroup, withDefaults } from '../core/option-rules.ts';
import type { Provider } from '../core/provider.ts';
import type { AgentOptions, LimitOptions } from './agent-options.ts';
import type { Limits, RunConfig } from './config.ts';

/** Chosen: see docs/limits.md, which gives the reason for each. */
const DEFAULTS: Omit<Limits, 'turns'> = {
  toolCalls: Infinity,
  errorsInARow: 5,
  sameCallFailures: 2,
  repeats: 4,
  totalTokens: Infinity,
  costUsd: Infinity,
};

const LIMIT: OptionRule = {
  wanted: 'a number > 0 (Infinity for none)',
  fits: (value) => typeof value === 'number' && value > 0,
};

const LIMITS: OptionGroup = {
  example: '{ toolCalls: 60 }',
  rules: {
    toolCalls: LIMIT,
    errorsInARow: LIMIT,
    sameCallFailures: LIMIT,
    repeats: LIMIT,
    totalTokens: LIMIT,
    costUsd: LIMIT,
  } satisfies Record<keyof LimitOptions, OptionRule>,
  otherNames: { turns: '`maxTurns` of createAgent' },
};

/**
 * The limits of an agent's runs, with every default filled in.
 * @throws OilcanError `invalid-option`, also for a limit on the cost where a price is not known.
 */
export function limitsOf(
  { limits, maxTurns = 25 }: AgentOptions,
  providers: readonly Provider[],
  price: RunConfig['price'],
): Limits {
  checkGroup('limits', limits, LIMITS);
  const filled: Limits = { turns: maxTurns, ...withDefaults(DEFAULTS, limits) };
  if (filled.costUsd === Infinity) return filled;
  for (const provider of providers) {
    if (price?.(provider) === undefined)
      throw invalidOption(
        `\`limits.costUsd\` is set, but the price of \`${provider.model}\` is not known: the limit could never trip. Give it in \`prices\`: { '${provider.model}': { input: …, output: … } } (US dollars for a million tokens).`,
      );
  }
  return filled;
}

/**
 * What knows the price of a provider's model, if anything does.
 * @throws OilcanError `invalid-option` for half a price: a figure that is missing would count as none.
 */
export function priceOf(prices: AgentOptions['prices'], providers: readonly Provider[]): RunConfig['price'] {
  if (prices === undefined || typeof prices === 'function') return prices;
  for (const { model } of providers) {
    if (!isPrice(prices[model]))
      throw invalidOption(
        `Expected the price of \`${model}\` in \`prices\` to be { input, output, cachedInput? } in US dollars for a million tokens.`,
      );
  }
  return ({ model }) => prices[model];
}

/** A price that is right, or none: not every model needs one. */
function isPrice(price: unknown): boolean {
  if (price === undefined) return true;
  if (!isRecord(price)) return false;
  const { input, output, cachedInput = 0 } = price;
  return [input, output, cachedInput].every((figure) => typeof figure === 'number' && figure >= 0);
}
