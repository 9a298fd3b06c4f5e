import type { Mend } from '../../core/event.ts';
import type { Failure, ModelFailureKind } from '../../core/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ImagePart, TextPart } from '../../core/message.ts';
import type { ReplyToolCall } from '../../core/provider.ts';
import { isRecord } from '../../core/json.ts';
import { wireToolName } from '../history/history.ts';
import type { Spent } from '../run/spent.ts';
import type { SlipNote } from '../words/for-models.ts';

/** What is told to a model. */
export type Parts = readonly (TextPart | ImagePart)[];

/** A call whose tool was found and whose arguments are valid. */
export interface Ready {
  readonly toolName: string;
  /** What goes back into the history: as the model wrote it, or mended. */
  readonly wireInput: JsonObject;
  /** What the model wrote, where that differs. */
  readonly rawInput?: string | undefined;
  readonly mends: readonly Mend[];
  /** Tells calls apart that mean the same. */
  readonly key: string;
}

/** Why a valid call was not run. */
export type RefusedBy =
  | 'person'
  | 'hook'
  | 'limit'
  | 'breaker'
  /** The same call had failed before. */
  | 'failed-before'
  /** The same calls give the same results again and again. */
  | 'no-progress'
  /** The same, and the model had been told: the run stops. */
  | 'no-progress-again'
  /** Tools are over, or the run is. */
  | 'end';

/** What came of a call, whatever happened: there is exactly one for each. */
export type CallResult = {
  readonly toolCallId: string;
  /** The tool's declared name, or the model's word where there is no such tool. */
  readonly toolName: string;
  /** What goes back into the history as the call's arguments. */
  readonly input: JsonObject;
  /** What the model wrote, where that differs. */
  readonly rawInput?: string | undefined;
  /** What the model is told. */
  readonly content: Parts;
  readonly key: string;
  readonly mends: readonly Mend[];
  /** The failures of tries that were followed by another one. */
  readonly retried: readonly Failure[];
  /** True where the tool ran, or may have run. */
  readonly hasRun: boolean;
  readonly polls: boolean;
  readonly spent?: Spent | undefined;
  /** Who is to own the failure, where a hook gave it to another than the table does. */
  readonly override?: 'model' | 'stop' | undefined;
} & (
  | { readonly is: 'good' }
  /** A tagged stored value stands in. */
  | { readonly is: 'cached' }
  | { readonly is: 'failed'; readonly failure: Failure }
  /** The call itself was wrong: it may be rewound. */
  | { readonly is: 'invalid'; readonly failure: Failure; readonly note?: SlipNote | undefined }
  | { readonly is: 'refused'; readonly failure: Failure; readonly by: RefusedBy }
);

/** The failure in a result, if it is one. */
export function failureOf(result: CallResult): Failure | undefined {
  return 'failure' in result ? result.failure : undefined;
}

/** What every result of a call says that was found and read. */
export function resultBase(
  toolCallId: string,
  ready: Ready,
  more: { readonly polls: boolean; readonly hasRun: boolean; readonly retried?: readonly Failure[] },
): Omit<CallResult & { readonly is: 'good' }, 'is' | 'content'> {
  return {
    toolCallId,
    toolName: ready.toolName,
    input: ready.wireInput,
    rawInput: ready.rawInput,
    key: ready.key,
    mends: ready.mends,
    retried: more.retried ?? [],
    hasRun: more.hasRun,
    polls: more.polls,
  };
}

/** The one text of a result. */
export function oneText(text: string): Parts {
  return [{ type: 'text', text }];
}

/** A call that has no result of its own: the end of the run came before it was read. */
export function unreadResult(toolCallId: string, call: ReplyToolCall, text: (name: string) => string): CallResult {
  const toolName = wireToolName(call.name);
  return {
    toolCallId,
    toolName,
    input: readableArguments(call),
    content: oneText(text(toolName)),
    key: toolName,
    mends: [],
    retried: [],
    hasRun: false,
    polls: false,
    is: 'refused',
    by: 'end',
    failure: notRun(toolName),
  };
}

/** The failure of a call that the end of the run left without a result. */
export function notRun(toolName: string, message = 'The run ended before this call had a result.'): Failure {
  return { kind: 'not-run' satisfies ModelFailureKind, message, toolName };
}

/** The arguments as they go back to the server, where nobody has read them yet. */
function readableArguments(call: ReplyToolCall): JsonObject {
  const written = call.arguments;
  try {
    const value: unknown = 'text' in written ? JSON.parse(written.text) : written.value;
    return isRecord(value) ? (JSON.parse(JSON.stringify(value)) as JsonObject) : {};
  } catch {
    return {};
  }
}
