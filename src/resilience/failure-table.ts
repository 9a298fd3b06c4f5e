import type { FailureKind, Owner } from '../core/failure.ts';

/**
 * What is done about a kind of failure:
 * `tell-model` a tool result marked as an error; `retry` wait and send the same request again;
 * `ask-again` resend once, then once more with a nudge; `compact` shorten the history once and resend, where the agent
 * can; `stop` end the run.
 */
export type FailureRemedy = 'tell-model' | 'retry' | 'ask-again' | 'compact' | 'stop';

/** One row of the failure table. */
export interface FailureRow {
  readonly owner: Owner;
  readonly remedy: FailureRemedy;
  /** True where another provider may succeed: a `fallback` goes on to the next one when the remedy is used up. */
  readonly mayFallBack: boolean;
  /** How the failure is recognised, one sentence. */
  readonly seenAs: string;
  /** What happens, one sentence. */
  readonly done: string;
}

/** The whole table: every failure that the library knows. */
export type FailureTable = Readonly<Record<FailureKind, FailureRow>>;

const model = (seenAs: string, done: string): FailureRow => ({
  owner: 'model',
  remedy: 'tell-model',
  mayFallBack: false,
  seenAs,
  done,
});

const code = (seenAs: string, done: string, remedy: FailureRemedy = 'retry'): FailureRow => ({
  owner: 'code',
  remedy,
  mayFallBack: true,
  seenAs,
  done,
});

const nobody = (seenAs: string, done: string, mayFallBack = false): FailureRow => ({
  owner: 'nobody',
  remedy: 'stop',
  mayFallBack,
  seenAs,
  done,
});

/**
 * The failure table: who owns each failure, and what is done about it. The documentation is generated from it
 * (`docs/failures.md`), `createAgent({ failures })` overrides a row, `onFailure` hooks one occurrence.
 */
export const failureTable: FailureTable = {
  'unknown-tool': model(
    'The call names no tool, after prefixes such as `functions.` and case are resolved.',
    'Not run. The result gives the nearest name first, then the valid names.',
  ),
  'unreadable-arguments': model(
    'The arguments are not JSON, and no lossless repair makes them so.',
    'Not run, never with `{}`. The result says what could not be read.',
  ),
  'cut-arguments': model(
    'The reply was cut by the output limit inside the call, or the arguments are incomplete.',
    'Not run. The result says that the call was cut, and to send less or in parts.',
  ),
  'invalid-arguments': model(
    'The arguments do not match the schema, after lossless coercion and mending.',
    'Not run. One sentence for each issue: where, what is wanted, what kind of value came.',
  ),
  'tool-failed': model('The tool threw an error.', 'Its message goes to the model, without secrets, paths or stack.'),
  'tool-unavailable': model(
    'The tool threw `ToolUnavailableError`, its network failed, or its breaker is open.',
    'The fallback value, tagged `[cached]`, or "temporarily unavailable": the request itself was right.',
  ),
  'tool-timeout': model(
    'The tool did not finish before its deadline.',
    'Its signal aborts. For a tool with effects the result says: outcome unknown, check before repeating.',
  ),
  'tool-bug': model(
    "A TypeError, a ReferenceError, a system error and the like from the tool's own code.",
    'The model gets one safe sentence with a reference; the developer gets the whole error.',
  ),
  'bad-output': model(
    "The tool's value breaks its declared output schema.",
    'The value is withheld. The result says so, and that the tool did run.',
  ),
  'repeated-call': model(
    'The same call failed as often as allowed, or repeats without progress.',
    'Not run. The result says so; if it happens again, the run stops.',
  ),
  denied: model('A hook or a person refused the call.', 'Not run. The result gives the reason.'),
  'not-run': model(
    'The run ended before the call could start or finish.',
    'The result says whether the call was never started or its outcome is unknown: the history stays valid.',
  ),
  'rate-limited': code(
    'Status 429, in any wrapping, that is not a quota.',
    'Wait at least what the server says, with jitter on top; send the same request again.',
  ),
  overloaded: code('Status 503 or 529, or an overload error inside a reply.', 'Back off, send the same request again.'),
  'server-error': code(
    'Status 408, 409, 425 or 5xx, or a server error inside a reply of status 200.',
    'Back off, send the same request again.',
  ),
  network: code(
    'Connection refused or reset, a DNS or TLS failure, a body shorter than announced.',
    'Back off, send the same request again.',
  ),
  timeout: code(
    'No first byte, no further byte, or no end in time.',
    'The request is cut off and sent again. The error names the deadline.',
  ),
  'cut-reply': code(
    'The stream ended without its terminal marker.',
    'Nothing of it is run or kept, text already streamed is declared void; send the same request again.',
  ),
  'malformed-reply': code(
    'Not JSON, broken events, no choices, HTML.',
    'Nothing of it is run or kept, text already streamed is declared void; send the same request again.',
  ),
  'empty-reply': code(
    'The reply has neither text nor a call.',
    'Send the same request again, then once more with a nudge; then stop.',
    'ask-again',
  ),
  'context-overflow': code(
    "The request is longer than the model's context, in any vendor's words.",
    'Where the agent has a `compact` function: shorten the history once and send again. Else stop.',
    'compact',
  ),
  unauthorized: nobody('Status 401 or 403.', 'One request, then stop with what the server said and a hint.', true),
  'not-found': nobody('Status 404: no such model, or no such address.', 'One request, then stop with a hint.', true),
  'bad-request': nobody('Status 400, 422 and the like.', 'One request, then stop with what the server said.'),
  'too-large': nobody('Status 413.', 'One request, then stop.'),
  'quota-exhausted': nobody(
    'Status 402, or a 429 that waiting will not cure.',
    'One request, then stop; a fallback provider takes over where there is one.',
    true,
  ),
  refused: nobody('A content filter or a refusal.', 'Stop, typed. A fallback only where the caller opted in.'),
  aborted: nobody("The caller's signal.", 'Stop at once. Every wait, every read and every tool hears it.'),
  bug: nobody(
    "A hook or a decision of the user's code threw, or oilcan itself has a bug.",
    'Stop with the cause. Listeners are different: what they throw is reported and changes nothing.',
  ),
};

/** Changes to single rows of the table. */
export type FailureTableOverrides = Partial<Readonly<Record<FailureKind, Partial<Pick<FailureRow, 'owner' | 'remedy' | 'mayFallBack'>>>>>;

/** The table with some rows changed. */
export function withOverrides(overrides: FailureTableOverrides | undefined): FailureTable {
  if (overrides === undefined) return failureTable;
  const table: Record<FailureKind, FailureRow> = { ...failureTable };
  for (const kind of Object.keys(overrides) as FailureKind[]) table[kind] = { ...table[kind], ...overrides[kind] };
  return table;
}
