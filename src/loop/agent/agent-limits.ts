import { isRecord } from '../../core/json.ts';
import { describeValue, expected, invalidOption } from '../../core/option-check.ts';
import type { OptionGroup, OptionRule } from '../../core/option-rules.ts';
import { checkGroup, notNegative, withDefaults } from '../../core/option-rules.ts';
import type { Provider } from '../../core/provider.ts';
import type { Price } from '../../resilience/price.ts';
import type { AgentOptions, LimitOptions } from './agent-options.ts';
import type { Limits } from '../run/rules.ts';
import type { RunConfig } from '../act/host.ts';
import { thrownWords } from '../../core/thrown-words.ts';

/** Chosen: see docs/limits.md, which gives the reason for each. */
const DEFAULTS: Omit<Limits, 'turns'> = {
  toolCalls: Infinity,
  errorsInARow: 5,
  sameCallFailures: 2,
  toolFailures: 10,
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
    toolFailures: LIMIT,
    repeats: LIMIT,
    totalTokens: LIMIT,
    costUsd: LIMIT,
  } satisfies Record<keyof LimitOptions, OptionRule>,
  otherNames: { turns: '`maxTurns` of createAgent', maxTurns: '`maxTurns` of createAgent', maxTokens: 'totalTokens' },
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
 * What knows the price of a provider's model, if anything does. It checks each price that it gives, those of the
 * agent's providers at once: a figure that is missing would count as none, and with one that is no number no limit
 * would ever trip.
 * @throws OilcanError `invalid-option`, as what it gives does.
 */
export function priceOf(prices: AgentOptions['prices'], providers: readonly Provider[]): RunConfig['price'] {
  if (prices === undefined) return undefined;
  const priced: RunConfig['price'] = (provider) => checkedPrice(prices, provider);
  for (const provider of providers) priced(provider);
  return priced;
}

/**
 * The prices of one run: each is asked for once, those of the agent's providers now. So one that is not right is found
 * before anything was spent, and what was found is what the limits go by to the end of the run.
 * @throws OilcanError `invalid-option`
 */
export function pricesOfRun(price: RunConfig['price'], providers: readonly Provider[]): RunConfig['price'] {
  if (price === undefined) return undefined;
  const known = new WeakMap<Provider, { readonly price: Price | undefined }>();
  const priced: RunConfig['price'] = (provider) => {
    const found = known.get(provider) ?? { price: price(provider) };
    known.set(provider, found);
    return found.price;
  };
  for (const provider of providers) priced(provider);
  return priced;
}

function checkedPrice(prices: NonNullable<AgentOptions['prices']>, provider: Provider): Price | undefined {
  const { model } = provider;
  let price: unknown;
  try {
    if (typeof prices === 'function') price = prices(provider);
    else if (Object.hasOwn(prices, model)) price = prices[model];
  } catch (cause) {
    throw invalidOption(`\`prices\` threw ${thrownWords(cause)} when it was asked for the price of \`${model}\`.`, {
      cause,
    });
  }
  // Not every model needs one.
  if (price === undefined || isPrice(price)) return price;
  throw expected(
    `the price of \`${model}\` in \`prices\``,
    '{ input, output, cachedInput? }, each a number >= 0 in US dollars for a million tokens (undefined where it is not known)',
    isRecord(price) ? figuresOf(price) : describeValue(price),
  );
}

function figuresOf(price: Readonly<Record<string, unknown>>): string {
  return `{ ${['input', 'output', 'cachedInput'].map((name) => `${name}: ${describeValue(price[name])}`).join(', ')} }`;
}

function isPrice(price: unknown): price is Price {
  if (!isRecord(price)) return false;
  const { input, output, cachedInput = 0 } = price;
  return [input, output, cachedInput].every(notNegative.fits);
}
