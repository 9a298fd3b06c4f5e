import { OilcanError } from '../core/error.ts';
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
  /** True where asking again at once is wasted: half of the backoff's ceiling is waited at least. */
  readonly keepsDistance: boolean;
}

/** The whole table: every failure that the library knows. */
export type FailureTable = Readonly<Record<FailureKind, FailureRow>>;

const model: FailureRow = { owner: 'model', remedy: 'tell-model', mayFallBack: false, keepsDistance: false };

const code = (remedy: FailureRemedy): FailureRow => ({
  owner: 'code',
  remedy,
  mayFallBack: true,
  keepsDistance: false,
});

const nobody = (mayFallBack: boolean): FailureRow => ({
  owner: 'nobody',
  remedy: 'stop',
  mayFallBack,
  keepsDistance: false,
});

/**
 * The failure table: who owns each failure, and what is done about it. `createAgent({ failures })`
 * overrides a row, an `onFailure` hook one occurrence; `failureDescriptions` says each row in words.
 */
export const failureTable: FailureTable = {
  'unknown-tool': model,
  'unreadable-arguments': model,
  'cut-arguments': model,
  'invalid-arguments': model,
  'tool-failed': model,
  'tool-unavailable': model,
  'tool-timeout': model,
  'tool-bug': model,
  'bad-output': model,
  'repeated-call': model,
  denied: model,
  'not-run': model,
  'rate-limited': code('retry'),
  overloaded: code('retry'),
  'server-error': code('retry'),
  network: { ...code('retry'), keepsDistance: true },
  timeout: code('retry'),
  'cut-reply': code('retry'),
  'malformed-reply': code('retry'),
  'empty-reply': code('ask-again'),
  'context-overflow': code('compact'),
  unauthorized: nobody(true),
  'not-found': nobody(true),
  'bad-request': nobody(false),
  'too-large': nobody(false),
  'quota-exhausted': nobody(true),
  refused: nobody(false),
  aborted: nobody(false),
  bug: nobody(false),
};

/** Changes to single rows of the table. */
export type FailureTableOverrides = Partial<
  Readonly<Record<FailureKind, Partial<Pick<FailureRow, 'owner' | 'remedy' | 'mayFallBack' | 'keepsDistance'>>>>
>;

const REMEDIES: readonly string[] = [
  'tell-model',
  'retry',
  'ask-again',
  'compact',
  'stop',
] satisfies readonly FailureRemedy[];

/**
 * The table with some rows changed.
 * @throws OilcanError `invalid-option` for a kind that is no row, and for a remedy that is none.
 */
export function withOverrides(overrides: FailureTableOverrides | undefined): FailureTable {
  if (overrides === undefined) return failureTable;
  const table: Record<FailureKind, FailureRow> = { ...failureTable };
  for (const kind of Object.keys(overrides) as FailureKind[]) {
    if (!Object.hasOwn(failureTable, kind))
      throw invalid(
        `There is no failure \`${kind}\` to change in \`failures\`. Kinds are ${Object.keys(failureTable).join(', ')}.`,
      );
    const remedy = overrides[kind]?.remedy;
    if (remedy !== undefined && !REMEDIES.includes(remedy))
      throw invalid(`Expected the remedy of \`${kind}\` to be one of ${REMEDIES.join(', ')}, got ${String(remedy)}.`);
    table[kind] = { ...table[kind], ...overrides[kind] };
  }
  return table;
}

function invalid(message: string): OilcanError {
  return new OilcanError('invalid-option', message);
}
