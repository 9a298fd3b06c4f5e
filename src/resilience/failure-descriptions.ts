import type { FailureKind } from '../core/failure.ts';

/** A row of the failure table in words. */
export interface FailureDescription {
  /** How the failure is recognised, one sentence. */
  readonly seenAs: string;
  /** What happens, one sentence. */
  readonly done: string;
}

/**
 * The failure table in words, for people: the documentation is made of it (`docs/failures.md`). Apart from the table, so
 * that an application which only runs agents does not carry it.
 */
export const failureDescriptions: Readonly<Record<FailureKind, FailureDescription>> = {
  'unknown-tool': {
    seenAs: 'The call names no tool, after prefixes such as `functions.` and case are resolved.',
    done: 'Not run. The result gives the nearest name first, then the valid names.',
  },
  'unreadable-arguments': {
    seenAs: 'The arguments are not JSON, and no lossless repair makes them so.',
    done: 'Not run, never with `{}`. The result says what could not be read.',
  },
  'cut-arguments': {
    seenAs: 'The reply was cut by the output limit inside the call, or the arguments are incomplete.',
    done: 'Not run. The result says that the call was cut, and to send less or in parts.',
  },
  'invalid-arguments': {
    seenAs: 'The arguments do not match the schema, after lossless coercion and mending.',
    done: 'Not run. One sentence for each issue: where, what is wanted, what kind of value came.',
  },
  'described-call': {
    seenAs: "With `slips: 'rewind'`: an answer names a tool, and no tool has been run.",
    done: 'The reply is taken out of the request, twice at most; a note tells the model to call the tool. The third such answer counts.',
  },
  'tool-failed': {
    seenAs: 'The tool threw an error.',
    done: 'Its message goes to the model, without secrets, paths or stack.',
  },
  'tool-unavailable': {
    seenAs:
      'The tool threw `ToolUnavailableError` or an error with an HTTP status of 408, 425, 429 or 5xx, its network failed, or its breaker is open.',
    done: 'The fallback value, tagged `[cached]`, or "temporarily unavailable" with the error\'s own words: the request itself was right.',
  },
  'tool-timeout': {
    seenAs: 'The tool did not finish before its deadline.',
    done: 'Its signal aborts.',
  },
  'outcome-unknown': {
    seenAs:
      'A tool with effects did not finish in time, or its connection, its wait or its process ended before it had an answer; and `verify` could not say what became of it.',
    done: 'The result says neither that it failed nor that it was cancelled: outcome unknown, check before repeating.',
  },
  'tool-bug': {
    seenAs: "A TypeError, a ReferenceError, a system error and the like from the tool's own code.",
    done: 'The model gets one safe sentence with a reference; the developer gets the whole error.',
  },
  'bad-output': {
    seenAs: "The tool's value breaks its declared output schema.",
    done: 'The value is withheld. The result says so, and that the tool did run.',
  },
  'repeated-call': {
    seenAs: 'The same call, or the same tool, failed as often as allowed; or calls repeat without progress.',
    done: 'Not run. The result says so; calls that go on without progress stop the run.',
  },
  denied: {
    seenAs: 'A hook or a person refused the call.',
    done: 'Not run. The result gives the reason.',
  },
  'not-run': {
    seenAs: 'The run ended before the call could start or finish.',
    done: 'The result says whether the call was never started or its outcome is unknown: the history stays valid.',
  },
  'rate-limited': {
    seenAs: 'Status 429, in any wrapping, that is not a quota.',
    done: 'Wait at least what the server says, with jitter on top; send the same request again.',
  },
  overloaded: {
    seenAs: 'Status 503 or 529, or an overload error inside a reply.',
    done: 'Back off, send the same request again.',
  },
  'server-error': {
    seenAs: 'Status 408, 409, 425 or 5xx, or a server error inside a reply of status 200.',
    done: 'Back off, send the same request again.',
  },
  network: {
    seenAs: 'Connection refused or reset, a DNS or TLS failure, a body shorter than announced.',
    done: 'Back off, at least half of the time each time; send the same request again.',
  },
  timeout: {
    seenAs: 'No first byte, no further byte, or no end in time.',
    done: 'The request is cut off and sent again. The error names the deadline.',
  },
  'cut-reply': {
    seenAs: 'The stream ended without its terminal marker.',
    done: 'Nothing of it is run or kept, text already streamed is declared void; send the same request again.',
  },
  'malformed-reply': {
    seenAs: 'Not JSON, broken events, no choices, HTML.',
    done: 'Nothing of it is run or kept, text already streamed is declared void; send the same request again.',
  },
  'empty-reply': {
    seenAs: 'The reply has neither text nor a call.',
    done: 'Send the same request again, then once more with a nudge; then stop.',
  },
  'repeating-reply': {
    seenAs:
      'The model writes one block again and again, in text, thoughts or arguments: a stream that does so for 10 seconds or 256 KiB, or a reply that does so at its limit.',
    done: 'The stream is cut. What is a call counts once; otherwise nothing of the reply is kept, and the same request is sent again.',
  },
  'context-overflow': {
    seenAs: "The request is longer than the model's context, in any vendor's words.",
    done: 'Where the agent has a `compact` function: shorten the history once and send again. Else stop.',
  },
  'not-asked': {
    seenAs: 'A breaker is open: nothing was sent.',
    done: 'The next provider, where there is one; else wait for the breaker and ask then.',
  },
  unauthorized: {
    seenAs: 'Status 401 or 403.',
    done: 'One request, then stop with what the server said and a hint.',
  },
  'not-found': {
    seenAs: 'Status 404: no such model, or no such address.',
    done: 'One request, then stop with a hint.',
  },
  'bad-request': {
    seenAs: 'Status 400, 422 and the like.',
    done: 'One request, then stop with what the server said.',
  },
  'too-large': {
    seenAs: 'Status 413, or one request over the limit of a minute.',
    done: 'One request, then stop.',
  },
  'quota-exhausted': {
    seenAs: 'Status 402, or the words of a spent account, a cap or a limit of the day, whatever the status.',
    done: 'One request, then stop; a fallback provider takes over where there is one.',
  },
  refused: {
    seenAs: 'A content filter or a refusal.',
    done: 'Stop, typed. A fallback only where the caller opted in.',
  },
  aborted: {
    seenAs: "The caller's signal.",
    done: 'Stop at once. Every wait, every read and every tool hears it.',
  },
  bug: {
    seenAs: "A hook or a decision of the user's code threw, or oilcan itself has a bug.",
    done: 'Stop with the cause. Listeners are different: what they throw is reported and changes nothing.',
  },
};
