import type { Abort } from '../../core/abort.ts';
import type { CallSlot } from '../run/state.ts';

/** Whether a call takes one of the places under `limits.toolCalls`; `open` while nobody knows yet. */
type Place = 'open' | 'taken' | 'free';

/**
 * Who of a reply's calls may still run under the limit of tool calls: those that come first in the reply, however long
 * their hooks take. A call that may depend on an earlier one waits until that one is decided.
 */
export class CallGrants {
  readonly #places = new Map<string, Place>();
  readonly #left: number;
  #waiting: (() => void)[] = [];

  constructor(calls: readonly CallSlot[], left: number) {
    this.#left = left;
    for (const { toolCallId, outcome, pending, answer } of calls) {
      // A tool that asked a question has run; a call that waits for a person keeps its place.
      const waits = pending !== undefined && (answer === undefined || pending.type === 'question');
      const hasRun = outcome === undefined ? waits : outcome.hasRun;
      this.#places.set(toolCallId, hasRun ? 'taken' : outcome === undefined ? 'open' : 'free');
    }
  }

  /** True where calls before this one have taken every place: nobody needs to be asked about it. */
  isOver(toolCallId: string): boolean {
    return this.#left !== Infinity && this.#before(toolCallId).taken >= this.#left;
  }

  /** Takes a place, if one is left for this call. Waits for earlier calls where it depends on them, until an abort. */
  async take(toolCallId: string, abort: Abort): Promise<boolean> {
    while (this.#left !== Infinity) {
      const { taken, open } = this.#before(toolCallId);
      if (taken >= this.#left) return false;
      if (taken + open < this.#left || abort.aborted) break;
      await this.#change(abort);
    }
    this.settle(toolCallId, 'taken');
    return true;
  }

  /** Says what became of a call: the first word counts. */
  settle(toolCallId: string, place: 'taken' | 'free'): void {
    if (this.#places.get(toolCallId) !== 'open') return;
    this.#places.set(toolCallId, place);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #before(toolCallId: string): { readonly taken: number; readonly open: number } {
    let taken = 0;
    let open = 0;
    for (const [id, place] of this.#places) {
      if (id === toolCallId) break;
      if (place === 'taken') taken += 1;
      else if (place === 'open') open += 1;
    }
    return { taken, open };
  }

  #change(abort: Abort): Promise<void> {
    return new Promise((resolve) => {
      const unsubscribe = abort.subscribe(() => resolve());
      this.#waiting.push(() => {
        unsubscribe();
        resolve();
      });
    });
  }
}
