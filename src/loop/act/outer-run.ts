import { OilcanError } from '../../core/error.ts';
import { invalidOption } from '../../core/option-check.ts';
import type { ToolBudget } from '../../core/tool.ts';
import type { Limiter } from '../../resilience/limiter.ts';
import type { Left } from '../run/limits.ts';
import type { RunConfig } from './host.ts';
import type { Spent } from '../run/spent.ts';
import { spentByTool } from '../run/spent.ts';

/** Ends a reservation: the request is back, and this is what it spent. */
export type Release = (spent: Spent) => void;

/**
 * What the requests that are on their way will need of one budget. Runs side by side would else each find the same rest,
 * and all spend it. Where nothing is on its way a request is let through: whether it may be made was decided before.
 */
export class Reservations {
  #tokens = 0;
  #costUsd = 0;
  #count = 0;
  #largest: Left = { tokens: 0, costUsd: 0 };
  #waiting: (() => void)[] = [];

  /** Undefined where there is no room for it now. The first requests of a run count as the largest of the others. */
  take(need: Left, left: Left): Release | undefined {
    const tokens = Math.max(need.tokens, this.#largest.tokens);
    const costUsd = Math.max(need.costUsd, this.#largest.costUsd);
    const hasRoom = this.#tokens + tokens <= left.tokens && this.#costUsd + costUsd <= left.costUsd;
    if (this.#count > 0 && !hasRoom) return undefined;
    this.#count += 1;
    this.#tokens += tokens;
    this.#costUsd += costUsd;
    return (spent) => {
      this.#count -= 1;
      this.#tokens -= tokens;
      this.#costUsd -= costUsd;
      this.#largest = {
        tokens: Math.max(this.#largest.tokens, spent.tokens),
        costUsd: Math.max(this.#largest.costUsd, spent.costUsd ?? 0),
      };
      for (const wake of this.#waiting.splice(0)) wake();
    };
  }

  /** Resolves when a reservation ends. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** What is left beside what is reserved. */
  beside({ tokens, costUsd }: Left): Left {
    return { tokens: Math.max(0, tokens - this.#tokens), costUsd: Math.max(0, costUsd - this.#costUsd) };
  }
}

/** What a run that was started by a tool of another run keeps to. */
export interface OuterRun {
  /** How many runs stand around a run that this one starts: 1 for a run that nobody started in a tool. */
  readonly depth: number;
  /** What the outer run has left now, everything that its other tools spend taken off. */
  left(): Left;
  /** What is left beside the requests that are on their way. */
  free(): Left;
  /**
   * Keeps aside what a request will need, until it is back: gives what ends that, or a promise where there is no room now,
   * which resolves when something on its way has come back. `need` is asked only where there is a limit.
   */
  reserve(need: () => Left): Release | Promise<void>;
  /** Tells the outer run at once what was spent. */
  spend(spent: Spent): void;
  readonly limiter: Limiter | undefined;
  readonly price: RunConfig['price'];
}

/** The run behind a budget that a tool was handed. */
const outerRuns = new WeakMap<ToolBudget, OuterRun>();

/** Runs inside each other. Chosen: helpers of helpers go three or four deep; agents that call each other in a circle go on and on. */
const MAX_DEPTH = 16;

/** The budget that a tool is handed, for the run `outer`. */
export function toolBudget(outer: OuterRun): ToolBudget {
  const budget: ToolBudget = {
    get tokensLeft() {
      return outer.free().tokens;
    },
    get costUsdLeft() {
      return outer.free().costUsd;
    },
    spend: (usage, costUsd) => outer.spend(spentByTool(usage, costUsd)),
  };
  outerRuns.set(budget, outer);
  return budget;
}

/** The run that a tool belongs to, by the budget that it was handed; undefined for a tool that is called by hand. */
export function outerRunOf(budget: ToolBudget | undefined): OuterRun | undefined {
  return budget === undefined ? undefined : outerRuns.get(budget);
}

/**
 * The options of a run that belongs to another one: where it has no limiter and no prices of its own, the outer run's hold.
 * @throws OilcanError `invalid-option` where the outer run has a limit on the cost and the price of a model is not known;
 * `nested-too-deep` beyond 16 runs inside each other.
 */
export function withinOuter(config: RunConfig, outer: OuterRun | undefined): RunConfig {
  if (outer === undefined) return config;
  if (outer.depth >= MAX_DEPTH)
    throw new OilcanError(
      'nested-too-deep',
      `Runs can stand inside each other ${MAX_DEPTH} deep (\`asTool\`, \`within\`), and this one would be one more. Do agents call each other in a circle?`,
    );
  const price: RunConfig['price'] = (provider) => config.price?.(provider) ?? outer.price?.(provider);
  if (outer.left().costUsd !== Infinity) {
    const unknown = config.providers.find((provider) => price(provider) === undefined);
    if (unknown !== undefined)
      throw invalidOption(
        `The outer run has \`limits.costUsd\`, but the price of \`${unknown.model}\` is not known: the limit could never trip. Give it in \`prices\` of one of the two agents.`,
      );
  }
  return { ...config, limiter: config.limiter ?? outer.limiter, price };
}
