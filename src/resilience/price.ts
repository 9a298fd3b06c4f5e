import type { Usage } from '../core/usage.ts';

/** What a model costs, in US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Input read from the server's cache. @defaultValue `input` */
  readonly cachedInput?: number | undefined;
}

/** What a reply cost, in US dollars. Tokens that the server did not tell count as none. */
export function costOf(usage: Usage, price: Price): number {
  const cached = Math.min(usage.cachedInputTokens ?? 0, usage.inputTokens ?? 0);
  const fresh = (usage.inputTokens ?? 0) - cached;
  const perMillion =
    fresh * price.input + cached * (price.cachedInput ?? price.input) + (usage.outputTokens ?? 0) * price.output;
  return usd(perMillion / 1_000_000);
}

/** A sum in US dollars without what floating-point arithmetic adds to it: 12 digits are kept. */
export function usd(sum: number): number {
  return Number(sum.toPrecision(12));
}
