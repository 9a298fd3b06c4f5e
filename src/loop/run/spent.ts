import type { ModelRequest, Provider } from '../../core/provider.ts';
import type { Usage } from '../../core/usage.ts';
import { addUsage, countOf } from '../../core/usage.ts';
import type { Price } from '../../resilience/price.ts';
import { costOf, usd } from '../../resilience/price.ts';
import type { Limits } from './rules.ts';

/** What something cost: counted against the limits of a run. */
export interface Spent {
  /** What servers told. */
  readonly usage: Usage;
  /** What counts against `limits.totalTokens`: what servers told, and an estimate where they did not. */
  readonly tokens: number;
  /** US dollars; undefined where no price is known. */
  readonly costUsd: number | undefined;
  /** True where an estimate is part of `tokens`. */
  readonly isEstimated?: true | undefined;
}

/** Nothing at all. */
export const nothingSpent: Spent = { usage: {}, tokens: 0, costUsd: undefined };

/** Adds two. The second may come from a tool: what is no count there counts as not told. */
export function addSpent(a: Spent, b: Spent): Spent {
  const usage = toldUsage(b.usage);
  const more = countOf(b.costUsd);
  return {
    usage: addUsage(a.usage, usage),
    tokens: a.tokens + (countOf(b.tokens) ?? tokensOf(usage)),
    costUsd: more === undefined ? a.costUsd : usd((a.costUsd ?? 0) + more),
    ...(a.isEstimated === true || b.isEstimated === true ? { isEstimated: true } : {}),
  };
}

/** What a tool says that it spent. */
export function spentByTool(usage: Usage, costUsd: number | undefined): Spent {
  const told = toldUsage(usage);
  return { usage: told, tokens: tokensOf(told), costUsd: countOf(costUsd) };
}

/** The counts of a usage that are some: with NaN in a sum no limit would ever trip, and a negative one would give back. */
function toldUsage(usage: Usage): Usage {
  return {
    inputTokens: countOf(usage.inputTokens),
    outputTokens: countOf(usage.outputTokens),
    cachedInputTokens: countOf(usage.cachedInputTokens),
    reasoningTokens: countOf(usage.reasoningTokens),
  };
}

function tokensOf({ inputTokens = 0, outputTokens = 0 }: Usage): number {
  return inputTokens + outputTokens;
}

/** Characters of plain text to a token. Chosen: rather too few, so that an estimate is too high and a budget is kept to. */
const CHARS_PER_TOKEN = 3;

/** The tokens of so many characters, by estimate. */
export function tokensOfChars(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/** What one attempt brought, as far as it tells of its cost. */
export interface AttemptCost {
  /** What the server told; empty where the attempt broke off before it could. */
  readonly usage: Usage;
  /** Characters of the reply, whole or not; asked only where an estimate is needed. */
  readonly outputChars: () => number;
}

/** What figures are needed for, and what they cost. */
export interface SpendingRules {
  readonly limits: Limits;
  readonly price: ((provider: Provider) => Price | undefined) | undefined;
}

/** What one attempt spent. Where the server does not say it and a limit depends on it, an estimate stands in. */
export function spentOn(
  config: SpendingRules,
  provider: Provider,
  request: ModelRequest,
  attempt: AttemptCost,
  isMetered: boolean,
): Spent {
  const usage = toldUsage(attempt.usage);
  const { limits } = config;
  const needsFigures = isMetered || limits.totalTokens !== Infinity || limits.costUsd !== Infinity;
  const counted = needsFigures ? estimated(usage, request, attempt.outputChars) : usage;
  const price = knownPrice(config.price, provider);
  return {
    usage,
    tokens: tokensOf(counted),
    costUsd: price === undefined ? undefined : costOf(counted, price),
    ...(counted === usage ? {} : { isEstimated: true }),
  };
}

/** With a limit on the cost, the price was found before the request. Without one, a reply is not lost for a price that is not right. */
function knownPrice(price: SpendingRules['price'], provider: Provider): Price | undefined {
  try {
    return price?.(provider);
  } catch {
    return undefined;
  }
}

function estimated(usage: Usage, request: ModelRequest, outputChars: () => number): Usage {
  if (usage.inputTokens !== undefined && usage.outputTokens !== undefined) return usage;
  const inputChars = (): number => JSON.stringify([request.system, request.messages, request.tools]).length;
  return {
    ...usage,
    inputTokens: usage.inputTokens ?? tokensOfChars(inputChars()),
    outputTokens: usage.outputTokens ?? tokensOfChars(outputChars()),
  };
}
