import { OilcanError } from '../../core/error.ts';
import { invalidOption } from '../../core/option-check.ts';
import type { ToolBudget } from '../../core/tool.ts';
import type { Limiter } from '../../resilience/limiter.ts';
import type { RunConfig } from './run-config.ts';
import type { Spent } from './spent.ts';
import { spentByTool } from './spent.ts';

/** What is left of a budget at one moment. */
export interface Left {
  readonly tokens: number;
  readonly costUsd: number;
}

/** No budget at all. */
export const unlimited: Left = { tokens: Infinity, costUsd: Infinity };

/** What a run that was started by a tool of another run keeps to. */
export interface OuterRun {
  /** How many runs stand around a run that this one starts: 1 for a run that nobody started in a tool. */
  readonly depth: number;
  /** What the outer run has left now, everything that its other tools spend taken off. */
  left(): Left;
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
      return outer.left().tokens;
    },
    get costUsdLeft() {
      return outer.left().costUsd;
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
