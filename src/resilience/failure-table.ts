import type { FailureKind, Owner } from '../core/failure.ts';
import { checkOptions, invalidOption, noSuch } from '../core/option-check.ts';
import type { OptionGroup, OptionRule } from '../core/option-rules.ts';
import { checkGroup, oneOf, trueOrFalse } from '../core/option-rules.ts';

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
  /** True where it says that the other side is down: breakers count it. */
  readonly isOutage: boolean;
  /** True where the tool itself failed, and not a call that was wrong or not let through. */
  readonly isOfTool: boolean;
  /** True where a tool that has tries left is run again. */
  readonly mayRetryTool: boolean;
  /** True where a tool's `fallback` may stand in. */
  readonly mayStandIn: boolean;
  /** True where the call may be taken out of the request: the model need not see it again. */
  readonly mayRewind: boolean;
}

/** The whole table: every failure that the library knows. */
export type FailureTable = Readonly<Record<FailureKind, FailureRow>>;

/** What is not the case unless a row says so. */
const PLAIN = {
  mayFallBack: false,
  keepsDistance: false,
  isOutage: false,
  isOfTool: false,
  mayRetryTool: false,
  mayStandIn: false,
  mayRewind: false,
};

const model: FailureRow = { ...PLAIN, owner: 'model', remedy: 'tell-model' };
const slip: FailureRow = { ...model, mayRewind: true };
const ofTool: FailureRow = { ...model, isOfTool: true };

const code = (remedy: FailureRemedy): FailureRow => ({
  ...PLAIN,
  owner: 'code',
  remedy,
  mayFallBack: true,
  isOutage: true,
});

const nobody = (mayFallBack: boolean): FailureRow => ({ ...PLAIN, owner: 'nobody', remedy: 'stop', mayFallBack });

/**
 * The failure table: who owns each failure, and what is done about it. `createAgent({ failures })`
 * overrides a row, an `onFailure` hook one occurrence; `failureDescriptions` says each row in words.
 */
export const failureTable: FailureTable = {
  'unknown-tool': slip,
  'unreadable-arguments': slip,
  // The model has to hear that its call was too long.
  'cut-arguments': model,
  'invalid-arguments': slip,
  'described-call': model,
  'tool-failed': { ...ofTool, mayRetryTool: true },
  'tool-unavailable': { ...ofTool, mayRetryTool: true, mayStandIn: true, isOutage: true },
  'tool-timeout': { ...ofTool, mayRetryTool: true, mayStandIn: true, isOutage: true },
  'outcome-unknown': { ...ofTool, mayRetryTool: true, isOutage: true },
  'tool-bug': ofTool,
  'bad-output': ofTool,
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
  'repeating-reply': code('retry'),
  'context-overflow': { ...code('compact'), isOutage: false },
  'not-asked': { ...code('retry'), isOutage: false },
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
    if (!Object.hasOwn(failureTable, kind))
      throw noSuch('failure', kind, Object.keys(failureTable), (kinds) => `Kinds are ${kinds}.`, ' in `failures`');
    const change = overrides[kind];
    if (change === undefined) continue;
    const remedies = remediesOf(kind);
    if (remedies.length === 0)
      throw invalidOption(`The row \`${kind}\` of the failure table stands as it is: leave it out of \`failures\`.`);
    checkGroup(`failures['${kind}']`, change, rowWith(remedies));
    table[kind] = { ...table[kind], ...change };
  }
  return table;
}

function rowWith(remedies: readonly FailureRemedy[]): OptionGroup {
  return {
    example: `{ remedy: '${remedies[0]}' }`,
    rules: {
      remedy: oneOf(...remedies),
      owner: oneOf('model', 'code', 'nobody'),
      mayFallBack: trueOrFalse,
      keepsDistance: trueOrFalse,
    } satisfies Record<keyof NonNullable<FailureTableOverrides[FailureKind]>, OptionRule>,
    otherNames: { action: 'remedy' },
  };
}
