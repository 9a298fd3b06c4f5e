import type { Failure, FailureKind } from '../core/failure.ts';
import type { Json } from '../core/json.ts';
import { isRecord } from '../core/json.ts';
import type { Ellipsis } from './terminal-text.ts';
import { clip, singleLine } from './terminal-text.ts';

/** What a failure of a model call is called in the trace; for a failure of a tool call, what stands behind the call. */
const NAMES: Readonly<Record<FailureKind, string>> = {
  'unknown-tool': 'no such tool',
  'unreadable-arguments': 'broken JSON',
  'cut-arguments': 'arguments cut off',
  'invalid-arguments': 'arguments do not fit',
  'described-call': 'call only described',
  'tool-failed': '',
  'tool-unavailable': 'unavailable',
  'tool-timeout': 'timed out',
  'outcome-unknown': 'outcome unknown',
  'tool-bug': 'bug in the tool',
  'bad-output': 'output does not fit',
  'repeated-call': 'same failing call',
  denied: 'denied',
  'not-run': 'not run',
  'rate-limited': 'too many requests',
  overloaded: 'server overloaded',
  'server-error': 'server error',
  network: 'connection failed',
  timeout: 'no answer in time',
  'cut-reply': 'reply cut off',
  'malformed-reply': 'unreadable reply',
  'empty-reply': 'empty reply',
  'not-asked': 'not asked',
  'repeating-reply': 'repeating reply',
  'context-overflow': 'history too long',
  unauthorized: 'key refused',
  'not-found': 'not found',
  'bad-request': 'request refused',
  'too-large': 'request too large',
  'quota-exhausted': 'quota used up',
  refused: 'refused to answer',
  aborted: 'stopped by the caller',
  bug: 'bug in a hook',
};

/** A failure in two to four words, led by its HTTP status where it has one; of a tool call, led by the call. */
export function failureText(failure: Failure, call?: string): string {
  const name = NAMES[failure.kind];
  if (call !== undefined) return name === '' ? call : `${call}: ${name}`;
  const deadline = failure.deadline === undefined ? '' : ` (${failure.deadline})`;
  return `${failure.status === undefined ? '' : `${failure.status} `}${name}${deadline}`;
}

/** Columns of one argument that the trace shows. chosen: a word or two. */
const MAX_ARGUMENT_COLUMNS = 24;

/** A call as people write it: `use(item: key, target: door)`. Long values are shortened. */
export function callText(name: string, input: Json | undefined, ellipsis: Ellipsis): string {
  if (!isRecord(input)) return singleLine(name);
  const parts = Object.entries(input).map(([key, value]) => `${key}: ${argumentText(value, ellipsis)}`);
  return singleLine(`${name}(${parts.join(', ')})`);
}

function argumentText(value: unknown, ellipsis: Ellipsis): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const short = clip(text, MAX_ARGUMENT_COLUMNS, ellipsis);
  // A bare word reads better without quotes; anything else would run into its neighbours.
  return typeof value === 'string' && !/^[\p{L}\p{N}_.\-/@ …]+$/u.test(short) ? `"${short}"` : short;
}

/** A duration for people: `40 ms`, `1.2 s`, `3 min 5 s`. */
export function durationText(durationMs: number): string {
  if (durationMs < 100) return `${Math.round(durationMs)} ms`;
  if (durationMs < 10_000) return `${(durationMs / 1000).toFixed(1)} s`;
  const seconds = Math.round(durationMs / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `1 turn`, `2 turns`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
