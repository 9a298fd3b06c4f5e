import type { Tool } from '../../core/tool.ts';
import { prepareInput } from '../input/prepare-input.ts';
import type { CallState } from '../call/state.ts';
import type { RunContext } from './context.ts';
import { untilAborted } from './until-aborted.ts';

/**
 * What the calls of a run have in memory and no journal keeps: values that are no JSON. All of it can be made again from
 * the state, so a process that takes the run over misses nothing.
 */
export class LiveCalls {
  /** The validated arguments, by tool call id: what was shown to a person is what runs. */
  readonly #inputs = new Map<string, unknown>();
  /** What tools threw, for their `fallback`. */
  readonly #errors = new Map<string, unknown>();

  /** Calls whose tool has been called. */
  readonly #begun = new Set<string>();

  begin(toolCallId: string): void {
    this.#begun.add(toolCallId);
  }

  /** Those of the calls whose tool has been called. */
  begunOf(calls: readonly CallState[]): readonly string[] {
    return calls.flatMap(({ toolCallId }) => (this.#begun.has(toolCallId) ? [toolCallId] : []));
  }

  has(toolCallId: string): boolean {
    return this.#inputs.has(toolCallId);
  }

  get(toolCallId: string): unknown {
    return this.#inputs.get(toolCallId);
  }

  keepInput(toolCallId: string, input: unknown): void {
    this.#inputs.set(toolCallId, input);
  }

  keepError(toolCallId: string, error: unknown): void {
    this.#errors.set(toolCallId, error);
  }

  /** What the tool threw; a process that did not see it has its words. */
  errorOf(toolCallId: string, message: string): unknown {
    return this.#errors.get(toolCallId) ?? new Error(message);
  }

  /** The validated arguments of a call; read again where another process had read them. */
  async inputOf({ abort }: RunContext, tool: Tool, { call, toolCallId }: CallState): Promise<unknown> {
    if (this.#inputs.has(toolCallId)) return this.#inputs.get(toolCallId);
    const prepared = await untilAborted(prepareInput(tool, call), abort);
    if (!prepared.ok) throw new Error(`The arguments of ${tool.name} were valid when the run began, and are not now.`);
    this.#inputs.set(toolCallId, prepared.input);
    return prepared.input;
  }

  /** The calls of the turn are over. */
  clear(): void {
    this.#inputs.clear();
    this.#errors.clear();
    this.#begun.clear();
  }
}
