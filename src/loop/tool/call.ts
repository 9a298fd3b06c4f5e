import type { Mend } from '../../core/event.ts';
import type { Failure } from '../../core/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ImagePart, TextPart } from '../../core/message.ts';
import type { Tool } from '../../core/tool.ts';
import type { Reowned } from '../hooks/hook-results.ts';
import type { CallSlot } from '../run/state.ts';
import type { CallSpending, TurnLedger } from './turn-ledger.ts';

/** A call on its way through the pipeline: its tool is found and its arguments are valid. */
export interface Call {
  readonly slot: CallSlot;
  readonly turn: number;
  readonly tool: Tool;
  readonly input: unknown;
  readonly wireInput: JsonObject;
  readonly rawInput: string | undefined;
  readonly mends: readonly Mend[];
  readonly key: string;
  readonly ledger: TurnLedger;
  readonly spending: CallSpending;
  /** The failures of tries that were followed by another one; filled as they happen. */
  readonly retried: Failure[];
}

/** What the model is told, before it becomes an outcome. */
export interface Told {
  readonly content: readonly (TextPart | ImagePart)[];
  readonly failure?: Failure | undefined;
  /** True where a fallback value stands in. */
  readonly isCached?: boolean;
  readonly hasRun?: boolean;
  /** What hooks said of the failure, where they were asked. */
  readonly asked?: { readonly say: Reowned } | undefined;
}
