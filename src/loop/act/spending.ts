import type { ToolBudget } from '../../core/tool.ts';
import type { Left } from '../run/limits.ts';
import type { Release } from './outer-run.ts';
import { Reservations, toolBudget } from './outer-run.ts';
import type { RunContext } from './context.ts';
import type { Spent } from '../run/spent.ts';
import { addSpent, nothingSpent } from '../run/spent.ts';
import type { RunState } from '../run/state.ts';

/** What the calls of one turn spend side by side, while it is not yet part of the state. */
export class TurnBook {
  /** What the calls of this turn have spent themselves so far. */
  spent: Spent;
  /** What the requests that are on their way will need: those of runs that calls of this turn have started. */
  readonly reservations: Reservations = new Reservations();

  /** A turn that goes on after a pause begins with what its calls have spent already. */
  constructor(state: RunState) {
    const calls = state.phase.type === 'tools' ? state.phase.calls : [];
    this.spent = calls.reduce(
      (sum, call) => (call.spent === undefined ? sum : addSpent(sum, call.spent)),
      nothingSpent,
    );
  }
}

/** Follows what one act of a call spends: in the book of its turn, and further out where its run was started by a tool. */
export class CallSpending {
  readonly #context: RunContext;
  readonly #state: RunState;
  readonly #book: TurnBook;
  #spent: Spent | undefined;
  #budget: ToolBudget | undefined;

  constructor(context: RunContext, state: RunState, book: TurnBook) {
    this.#context = context;
    this.#state = state;
    this.#book = book;
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
      free: () => this.#left(this.#book.reservations.beside(this.#own()), this.#context.outer?.free()),
      reserve: (need) => this.#reserve(need),
      spend: (more) => this.#spend(more),
      limiter: this.#context.config.limiter,
      price: this.#context.config.price,
    });
    return this.#budget;
  }

  #spend(more: Spent): void {
    this.#spent = addSpent(this.#spent ?? nothingSpent, more);
    this.#book.spent = addSpent(this.#book.spent, more);
    this.#context.outer?.spend(more);
  }

  /** What the run itself has left, without the runs around it. */
  #own(): Left {
    const { limits } = this.#context.config;
    return {
      tokens: limits.totalTokens - this.#state.tokensSpent - this.#book.spent.tokens,
      costUsd: limits.costUsd - (this.#state.costUsd ?? 0) - (this.#book.spent.costUsd ?? 0),
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
    const { reservations } = this.#book;
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
