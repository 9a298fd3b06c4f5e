import type { Failure } from './failure.ts';
import type { UnfinishedRun } from './result.ts';
import { isError } from './thrown-words.ts';

/** Every code that an `OilcanError` can carry. */
export type OilcanErrorCode =
  /** An option, a tool or an input is not what was expected. */
  | 'invalid-option'
  /** `agent.run` ended by a limit: see `run.stopReason`. */
  | 'run-stopped'
  /** `agent.run` ended by a failure that nobody in the run could mend: see `failure`. */
  | 'run-failed'
  /** The caller's signal ended the run. */
  | 'run-aborted'
  /** The run waits for a person: see `run.pending`. */
  | 'run-suspended'
  /** No such run is suspended in this agent: it never was, somebody has resumed it, or it has expired. */
  | 'unknown-run'
  /** A decision or an answer is about a call that does not wait. */
  | 'unknown-call'
  /** What was said to a call that waits is no decision, or no answer. */
  | 'invalid-decision'
  /** A run was started inside 16 others. */
  | 'nested-too-deep'
  /** A bug in oilcan itself. */
  | 'internal';

/** The one error class of the library. Test with {@link isOilcanError}, which also knows a second installed copy. */
export class OilcanError extends Error {
  override readonly name = 'OilcanError';
  readonly code: OilcanErrorCode;
  /** What went wrong, where a failure of the table ended the run. */
  readonly failure?: Failure | undefined;
  /** The run that ended, to find its events by. */
  readonly runId?: string | undefined;
  /** The run as far as it came: transcript, partial text, usage, failures, id. */
  readonly run?: UnfinishedRun | undefined;

  constructor(
    code: OilcanErrorCode,
    message: string,
    options: { cause?: unknown; failure?: Failure | undefined; run?: UnfinishedRun | undefined } = {},
  ) {
    super(message, options);
    this.code = code;
    if (options.failure !== undefined) this.failure = options.failure;
    // Not enumerable: a logger that prints every field of an error should not print a whole transcript.
    if (options.run === undefined) return;
    this.runId = options.run.runId;
    Object.defineProperty(this, 'run', { value: options.run, enumerable: false });
  }
}

/** True for an `OilcanError` of any installed copy of the library. */
export function isOilcanError(value: unknown): value is OilcanError {
  return isError(value) && value.name === 'OilcanError' && 'code' in value;
}

/** What a tool throws to tell the model something, word for word. */
export class ToolError extends Error {
  override readonly name: string = 'ToolError';
  /** What the model should do instead, as one sentence. */
  readonly hint?: string | undefined;
  /** Whether the same call may work later. Unknown when left out. */
  readonly retryable?: boolean | undefined;

  constructor(message: string, options: { hint?: string; retryable?: boolean; cause?: unknown } = {}) {
    super(message, options);
    this.hint = options.hint;
    this.retryable = options.retryable;
  }
}

/** What a tool throws when what it stands on is down: told apart from "you asked wrongly", and answered by its `fallback`. */
export class ToolUnavailableError extends ToolError {
  override readonly name = 'ToolUnavailableError';
}

/** What a tool throws when it needs a person's word: the run is suspended, and the answer becomes the call's result. */
export class NeedsUser extends Error {
  override readonly name = 'NeedsUser';
  readonly question: string;

  constructor(question: string) {
    super(question);
    this.question = question;
  }
}
