import type { Mend } from '../../core/event.ts';
import type { JsonObject } from '../../core/json.ts';

/** Arguments that a tool can be run with. */
export interface ReadyInput {
  readonly ok: true;
  /** What `execute` gets: shares no object with `wireInput`. */
  readonly input: unknown;
  /** What goes back into the history: as the model wrote it, or mended. */
  readonly wireInput: JsonObject;
  readonly mends: readonly Mend[];
  /** What the model wrote, where that differs from `wireInput`. */
  readonly rawInput?: string | undefined;
}

/** What a model that does not see its mistake any more has to know to get it right. */
export interface SlipAdvice {
  /** Better words than the schema's for what a key has to hold, by path. */
  readonly holes: ReadonlyMap<string, string>;
  /** Whole sentences. */
  readonly needs: readonly string[];
  /** The whole arguments, where a right form is known for everything that was wrong. */
  readonly example?: string | undefined;
}

/** Arguments that nothing is run with. */
export interface RefusedInput {
  readonly ok: false;
  readonly kind: 'unreadable-arguments' | 'cut-arguments' | 'invalid-arguments';
  /** For the model. */
  readonly text: string;
  /** What the model has to know, for a note that stands alone. */
  readonly advice: SlipAdvice;
  /** `{}` where the arguments could not be read. */
  readonly wireInput: JsonObject;
  readonly rawInput?: string | undefined;
  /** For the developer: may hold values. */
  readonly detail: string;
}

/** The schema itself threw: a bug in the user's code. */
export interface BuggyInput extends Omit<RefusedInput, 'kind'> {
  readonly kind: 'bug';
  readonly error: unknown;
}

/** Arguments on the way to a tool: ready, refused, or stopped by a schema that threw. */
export type PreparedInput = ReadyInput | RefusedInput | BuggyInput;
