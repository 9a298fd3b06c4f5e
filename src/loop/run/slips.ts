import type { CallResult } from '../call/result.ts';
import type { SlipPolicy } from './rules.ts';
import type { SlipNote } from '../words/for-models.ts';
import { noteText } from '../words/for-models.ts';
import type { FailureTable } from '../../resilience/failure-table.ts';

/** What is known of slips: calls that could not be run, because the call itself was wrong. */
export interface SlipState {
  /** Exchanges in a row, up to the last one, in which every call was a slip. */
  readonly inARow: number;
  /** Those of them that are rewound. */
  readonly rewound: number;
  /** What the model has to know, by tool; '' for calls of tools that do not exist. Shown in the system text. */
  readonly notes: Notes;
  /** Replies that wrote about a call instead of making it. */
  readonly described: number;
}

/** A note that stands in the system text, and how often the model went by it. */
export interface StandingNote extends SlipNote {
  readonly misses: number;
}

/** Notes by tool, in the order in which they came up. */
export type Notes = readonly (readonly [toolName: string, note: StandingNote])[];

/** No slips yet. */
export const noSlips: SlipState = { inARow: 0, rewound: 0, notes: [], described: 0 };

/** Why exchanges are taken out of the next request. */
export interface Rewind {
  /** How many exchanges at the end of the transcript are rewound by now, this one included. */
  readonly exchanges: number;
  readonly toolName: string;
  readonly note: string;
}

/** The slips after one more exchange, and whether it is rewound. */
export function afterExchange(
  slips: SlipState,
  results: readonly CallResult[],
  policy: SlipPolicy,
  table: FailureTable,
): { readonly slips: SlipState; readonly rewind: Rewind | undefined } {
  const notes = withoutGoodTools(slips.notes, results, table);
  // An exchange that mixes slips with calls that ran keeps everything: calls that ran keep their results.
  if (results.length === 0 || !results.every((result) => isSlip(result, table))) {
    const isUnchanged = slips.inARow === 0 && notes === slips.notes;
    return { slips: isUnchanged ? slips : { ...slips, inARow: 0, rewound: 0, notes }, rewind: undefined };
  }
  const inARow = slips.inARow + 1;
  const isRewound = policy === 'rewind' || (policy === 'ladder' && inARow >= 2);
  if (!isRewound) return { slips: { ...slips, inARow, rewound: 0, notes }, rewind: undefined };
  let added = notes;
  for (const result of results) {
    if (result.is !== 'invalid' || result.note === undefined) continue;
    const key = noteKey(result);
    added = withNote(added, key, withEarlier(result.note, noteOf(slips.notes, key)));
  }
  return rewindTo({ ...slips, inARow, notes: added }, results[0]?.toolName ?? '');
}

/** A call that could not be run because it was wrong in itself, and that the model need not see again. */
function isSlip(result: CallResult, table: FailureTable): boolean {
  return result.is === 'invalid' && table[result.failure.kind].mayRewind;
}

function noteOf(notes: Notes, key: string): StandingNote | undefined {
  return notes.find(([name]) => name === key)?.[1];
}

function withNote(notes: Notes, key: string, note: StandingNote): Notes {
  const isThere = notes.some(([name]) => name === key);
  return isThere
    ? notes.map((entry): readonly [string, StandingNote] => (entry[0] === key ? [key, note] : entry))
    : [...notes, [key, note]];
}

/** The slips after a reply without calls. */
export function endOfRow(slips: SlipState): SlipState {
  return slips.inARow === 0 ? slips : { ...slips, inARow: 0, rewound: 0 };
}

/** The slips after a reply that wrote about a call of a tool: rewound at once, since nothing can be answered to it. */
export function afterDescribedCall(
  slips: SlipState,
  toolName: string,
  note: SlipNote,
): { readonly slips: SlipState; readonly rewind: Rewind } {
  const notes = withNote(slips.notes, toolName, withEarlier(note, noteOf(slips.notes, toolName)));
  return rewindTo({ ...slips, inARow: slips.inARow + 1, notes, described: slips.described + 1 }, toolName);
}

function rewindTo(slips: SlipState, toolName: string): { readonly slips: SlipState; readonly rewind: Rewind } {
  const exchanges = slips.inARow;
  return {
    slips: { ...slips, rewound: exchanges },
    rewind: { exchanges, toolName, note: textOfNotes(slips.notes) },
  };
}

/** Chosen: a model that breaks more rules of one tool keeps none of them. */
const MAX_NEEDS = 8;

/**
 * The note with what earlier ones about the same tool asked for: a model that mends one thing tends to break the other
 * again. It says that it stands there not for the first time, since the same words would bring the same call.
 */
function withEarlier(note: SlipNote, earlier: StandingNote | undefined): StandingNote {
  if (earlier === undefined) return { ...note, misses: 0 };
  const needs = [...new Set([...note.needs, ...earlier.needs])].slice(0, MAX_NEEDS);
  return { takes: note.takes, needs, misses: earlier.misses + 1 };
}

function textOfNotes(notes: Notes): string {
  return notes.map(([, note]) => noteText(note, note.misses)).join('\n');
}

/** A note stays until a call of its tool is good; notes about unknown tools, until any call is. */
function withoutGoodTools(notes: Notes, results: readonly CallResult[], table: FailureTable): Notes {
  if (notes.length === 0) return notes;
  const good = new Set(results.filter((result) => !isSlip(result, table)).map((result) => result.toolName));
  if (good.size === 0) return notes;
  const left = notes.filter(([name]) => name !== '' && !good.has(name));
  return left.length === notes.length ? notes : left;
}

function noteKey({ failure, toolName }: Extract<CallResult, { is: 'invalid' }>): string {
  return failure.kind === 'unknown-tool' ? '' : toolName;
}

/** The system text with the notes that stand in it. */
export function systemWithNotes(system: string | undefined, slips: SlipState): string | undefined {
  if (slips.notes.length === 0) return system;
  const notes = textOfNotes(slips.notes);
  return system === undefined || system === '' ? notes : `${system}\n\n${notes}`;
}
