import type { ToolBudget } from '../../core/tool.ts';
import { Reservations, toolBudget } from '../run/outer-run.ts';
import type { Left, Release } from '../run/outer-run.ts';
import { CallGrants } from './call-grants.ts';
import type { RunContext } from '../run/run-context.ts';
import type { Spent } from '../run/spent.ts';
import { addSpent, nothingSpent } from '../run/spent.ts';
import type { CallSlot, RunState } from '../run/state.ts';

/** What the calls of one turn share while they run side by side. */
export interface TurnLedger {
  /** Which calls may run under the limit of tool calls. */
  readonly grants: CallGrants;
  /** What the calls of this turn have spent themselves so far. */
  spent: Spent;
  /** What the requests that are on their way will need: those of runs that calls of this turn have started. */
  readonly reservations: Reservations;
  /** What the calls are, by id, as soon as their arguments are read. */
  readonly keys: Map<string, string>;
  /** What hooks threw. The run ends by the first of them, as soon as every call has its result. */
  readonly errors: unknown[];
}

/** The ledger of a turn, with what its finished calls have used already (a turn may go on after a pause). */
export function turnLedger(context: RunContext, state: RunState, calls: readonly CallSlot[]): TurnLedger {
  let spent = nothingSpent;
  for (const { outcome } of calls) {
    if (outcome?.spent !== undefined) spent = addSpent(spent, outcome.spent);
  }
  const grants = new CallGrants(calls, context.config.limits.toolCalls - state.toolCalls);
  return { grants, spent, reservations: new Reservations(), keys: new Map(), errors: [] };
}

/** Follows what one call spends: in the ledger of its turn, and further out where its run was itself started by a tool. */
export class CallSpending {
  readonly #context: RunContext;
  readonly #state: RunState;
  readonly #ledger: TurnLedger;
  #spent: Spent | undefined;
  #budget: ToolBudget | undefined;

  constructor(context: RunContext, state: RunState, ledger: TurnLedger) {
    this.#context = context;
    this.#state = state;
    this.#ledger = ledger;
  }

  /** What the tool said it spent; undefined where it said nothing: most tools never do. */
  get spent(): Spent | undefined {
    return this.#spent;
  }

  /** What the tool is handed. Made when it asks. */
  get budget(): ToolBudget {
    this.#budget ??= toolBudget({
      depth: (this.#context.outer?.depth ?? 0) + 1,
      left: () => this.#left(this.#own(), this.#context.outer?.left()),
      free: () => this.#left(this.#ledger.reservations.beside(this.#own()), this.#context.outer?.free()),
      reserve: (need) => this.#reserve(need),
      spend: (more) => this.#spend(more),
      limiter: this.#context.config.limiter,
      price: this.#context.config.price,
    });
    return this.#budget;
  }

  #spend(more: Spent): void {
    this.#spent = addSpent(this.#spent ?? nothingSpent, more);
    this.#ledger.spent = addSpent(this.#ledger.spent, more);
    this.#context.outer?.spend(more);
  }

  /** What the run itself has left, without the runs around it. */
  #own(): Left {
    const { limits } = this.#context.config;
    return {
      tokens: limits.totalTokens - this.#state.tokensSpent - this.#ledger.spent.tokens,
      costUsd: limits.costUsd - (this.#state.costUsd ?? 0) - (this.#ledger.spent.costUsd ?? 0),
    };
  }

  #left(own: Left, outer: Left | undefined): Left {
    return {
      tokens: Math.max(0, Math.min(own.tokens, outer?.tokens ?? Infinity)),
      costUsd: Math.max(0, Math.min(own.costUsd, outer?.costUsd ?? Infinity)),
    };
  }

  #reserve(need: () => Left): Release | Promise<void> {
    const outer = this.#context.outer?.reserve(need);
    if (outer instanceof Promise) return outer;
    const own = this.#own();
    if (own.tokens === Infinity && own.costUsd === Infinity) return outer ?? (() => {});
    const { reservations } = this.#ledger;
    const release = reservations.take(need(), own);
    if (release === undefined) {
      outer?.(nothingSpent);
      return reservations.changed();
    }
    return (spent) => {
      outer?.(spent);
      release(spent);
    };
  }
}
