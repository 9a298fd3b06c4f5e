import type { Tool } from '../../core/tool.ts';
import type { CallOutcome } from '../tool/call-outcome.ts';
import type { SlipNote } from '../texts.ts';
import { describedCallNote, noteText } from '../texts.ts';

/**
 * What a call that can't be run leaves in the next request (measured in docs/error-texts.md):
 * `result` an error result, every time; `ladder` the first time an error result, from the second in a row on a rewind;
 * `rewind` a rewind at once: the better choice for small local models, which repeat what they read.
 */
export type SlipPolicy = 'ladder' | 'result' | 'rewind';

/** What is known of slips: calls that could not be run, because the call itself was wrong. */
export interface SlipState {
  /** Exchanges in a row, up to the last one, in which every call was a slip. */
  readonly inARow: number;
  /** Those of them that are rewound. */
  readonly rewound: number;
  /** What the model has to know, by tool; '' for calls of tools that do not exist. Shown in the system text. */
  readonly notes: ReadonlyMap<string, StandingNote>;
  /** Replies that wrote about a call instead of making it. */
  readonly described: number;
}

/** A note that stands in the system text, and how often the model went by it. */
export interface StandingNote extends SlipNote {
  readonly misses: number;
}

/** No slips yet. */
export const noSlips: SlipState = { inARow: 0, rewound: 0, notes: new Map(), described: 0 };

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
  outcomes: readonly CallOutcome[],
  policy: SlipPolicy,
): { readonly slips: SlipState; readonly rewind: Rewind | undefined } {
  const notes = withoutGoodTools(slips.notes, outcomes);
  // An exchange that mixes slips with calls that ran keeps everything: calls that ran keep their results.
  if (outcomes.length === 0 || !outcomes.every((outcome) => outcome.isSlip)) {
    const isUnchanged = slips.inARow === 0 && notes === slips.notes;
    return { slips: isUnchanged ? slips : { ...slips, inARow: 0, rewound: 0, notes }, rewind: undefined };
  }
  const inARow = slips.inARow + 1;
  const isRewound = policy === 'rewind' || (policy === 'ladder' && inARow >= 2);
  if (!isRewound) return { slips: { ...slips, inARow, rewound: 0, notes }, rewind: undefined };
  const added = new Map(notes);
  for (const outcome of outcomes) {
    if (outcome.slipNote === undefined) continue;
    const key = noteKey(outcome);
    added.set(key, withEarlier(outcome.slipNote, slips.notes.get(key)));
  }
  return rewindTo({ ...slips, inARow, notes: added }, outcomes[0]?.toolName ?? '');
}

/** The slips after a reply without calls. */
export function endOfRow(slips: SlipState): SlipState {
  return slips.inARow === 0 ? slips : { ...slips, inARow: 0, rewound: 0 };
}

/** The slips after a reply that wrote about a call of a tool: rewound at once, since nothing can be answered to it. */
export function afterDescribedCall(
  slips: SlipState,
  tool: Tool,
): { readonly slips: SlipState; readonly rewind: Rewind } {
  const notes = new Map(slips.notes);
  notes.set(tool.name, withEarlier(describedCallNote(tool), slips.notes.get(tool.name)));
  return rewindTo({ ...slips, inARow: slips.inARow + 1, notes, described: slips.described + 1 }, tool.name);
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

function textOfNotes(notes: ReadonlyMap<string, StandingNote>): string {
  return Array.from(notes.values(), (note) => noteText(note, note.misses)).join('\n');
}

/** A note stays until a call of its tool is good; notes about unknown tools, until any call is. */
function withoutGoodTools(
  notes: ReadonlyMap<string, StandingNote>,
  outcomes: readonly CallOutcome[],
): ReadonlyMap<string, StandingNote> {
  if (notes.size === 0) return notes;
  const left = new Map(notes);
  for (const outcome of outcomes) {
    if (outcome.isSlip) continue;
    left.delete(outcome.toolName);
    left.delete('');
  }
  return left.size === notes.size ? notes : left;
}

function noteKey(outcome: CallOutcome): string {
  return outcome.failure?.kind === 'unknown-tool' ? '' : outcome.toolName;
}

/** The system text with the notes that stand in it. */
export function systemWithNotes(system: string | undefined, slips: SlipState): string | undefined {
  if (slips.notes.size === 0) return system;
  const notes = textOfNotes(slips.notes);
  return system === undefined || system === '' ? notes : `${system}\n\n${notes}`;
}
