import type { FailureKind, Owner } from '../core/failure.ts';
import { checkNames, checkOptions, describeValue, didYouMean, invalidOption } from '../core/option-check.ts';

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
  'described-call': model,
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

const OWNERS: readonly unknown[] = ['model', 'code', 'nobody'] satisfies readonly Owner[];

const ROW_NAMES = { owner: true, remedy: true, mayFallBack: true, keepsDistance: true } satisfies Record<
  keyof FailureRow,
  true
>;

/** A 400 may be an overflow in words that are not known, and a 413 often is one. */
const MAY_COMPACT: readonly FailureKind[] = ['context-overflow', 'too-large', 'bad-request'];

/** The remedies that a kind may be given; none where no request and no result is left to be decided on. */
function remediesOf(kind: FailureKind): readonly FailureRemedy[] {
  if (kind === 'aborted' || kind === 'bug' || kind === 'not-run') return [];
  if (failureTable[kind].owner === 'model') return ['tell-model', 'stop'];
  const remedies: FailureRemedy[] = ['retry', 'tell-model', 'stop'];
  if (kind === 'empty-reply') remedies.push('ask-again');
  if (MAY_COMPACT.includes(kind)) remedies.push('compact');
  return remedies;
}

/**
 * The table with some rows changed.
 * @throws OilcanError `invalid-option` for a kind that is no row, for a remedy that the kind can't have, and for rows that
 * stand as they are (`aborted`, `bug`, `not-run`).
 */
export function withOverrides(overrides: FailureTableOverrides | undefined): FailureTable {
  if (overrides === undefined) return failureTable;
  checkOptions('`failures`', overrides, "{ 'tool-bug': { remedy: 'stop' } }");
  const table: Record<FailureKind, FailureRow> = { ...failureTable };
  for (const kind of Object.keys(overrides) as FailureKind[]) {
    if (!Object.hasOwn(failureTable, kind)) {
      const fix = didYouMean(kind, Object.keys(failureTable), (kinds) => `Kinds are ${kinds}.`);
      throw invalidOption(`There is no failure \`${kind.slice(0, 60)}\` to change in \`failures\`. ${fix}`);
    }
    const change = overrides[kind];
    if (change === undefined) continue;
    checkRow(kind, change);
    table[kind] = { ...table[kind], ...change };
  }
  return table;
}

function checkRow(kind: FailureKind, change: Partial<FailureRow>): void {
  const name = `\`failures['${kind}']\``;
  const remedies = remediesOf(kind);
  const [first] = remedies;
  if (first === undefined) {
    throw invalidOption(`The row \`${kind}\` of the failure table stands as it is: leave ${name} out.`);
  }
  checkOptions(name, change, `{ remedy: '${first}' }`);
  checkNames(name, change, ROW_NAMES, { action: 'remedy' });
  const { remedy, owner } = change;
  if (remedy !== undefined && !remedies.includes(remedy))
    throw invalidOption(
      `Expected the remedy of \`${kind}\` to be one of ${remedies.join(', ')}, got ${describeValue(remedy)}.`,
    );
  if (owner !== undefined && !OWNERS.includes(owner))
    throw invalidOption(
      `Expected the owner of \`${kind}\` to be one of ${OWNERS.join(', ')}, got ${describeValue(owner)}.`,
    );
  for (const flag of ['mayFallBack', 'keepsDistance'] as const) {
    const value = change[flag];
    if (value !== undefined && typeof value !== 'boolean')
      throw invalidOption(`Expected \`${flag}\` of \`${kind}\` to be true or false, got ${describeValue(value)}.`);
  }
}
