import type { ModelRequest, Provider } from '../core/provider.ts';
import type { Usage } from '../core/usage.ts';
import { addUsage } from '../core/usage.ts';
import { costOf } from '../resilience/price.ts';
import type { RunConfig } from './config.ts';

/** What something cost: counted against the limits of a run. */
export interface Spent {
  /** What servers told. */
  readonly usage: Usage;
  /** What counts against `limits.totalTokens`: what servers told, and an estimate where they did not. */
  readonly tokens: number;
  /** US dollars; undefined where no price is known. */
  readonly costUsd: number | undefined;
}

/** Nothing at all. */
export const nothingSpent: Spent = { usage: {}, tokens: 0, costUsd: undefined };

/** Adds two. */
export function addSpent(a: Spent, b: Spent): Spent {
  if (a === nothingSpent) return b;
  const costUsd = b.costUsd === undefined ? a.costUsd : (a.costUsd ?? 0) + b.costUsd;
  return { usage: addUsage(a.usage, b.usage), tokens: a.tokens + b.tokens, costUsd };
}

/** Letters of plain text to a token. Chosen: too few rather than too many, since a budget is kept to with the result. */
const CHARS_PER_TOKEN = 3;

/** What one attempt brought, as far as it tells of its cost. */
export interface AttemptCost {
  /** What the server told; empty where the attempt broke off before it could. */
  readonly usage: Usage;
  /** Characters of the reply, whole or not; asked only where an estimate is needed. */
  readonly outputChars: () => number;
}

/** What one attempt spent. Where the server does not say it and a limit depends on it, an estimate stands in. */
export function spentOn(
  config: Pick<RunConfig, 'limits' | 'price'>,
  provider: Provider,
  request: ModelRequest,
  attempt: AttemptCost,
  isMetered: boolean,
): Spent {
  const { usage } = attempt;
  const { limits } = config;
  const needsFigures = isMetered || limits.totalTokens !== Infinity || limits.costUsd !== Infinity;
  const counted = needsFigures ? estimated(usage, request, attempt.outputChars) : usage;
  const price = config.price?.(provider);
  return {
    usage,
    tokens: (counted.inputTokens ?? 0) + (counted.outputTokens ?? 0),
    costUsd: price === undefined ? undefined : costOf(counted, price),
  };
}

function estimated(usage: Usage, request: ModelRequest, outputChars: () => number): Usage {
  if (usage.inputTokens !== undefined && usage.outputTokens !== undefined) return usage;
  const inputChars = (): number => JSON.stringify([request.system, request.messages, request.tools]).length;
  return {
    ...usage,
    inputTokens: usage.inputTokens ?? Math.ceil(inputChars() / CHARS_PER_TOKEN),
    outputTokens: usage.outputTokens ?? Math.ceil(outputChars() / CHARS_PER_TOKEN),
  };
}
