import { assertNever } from '../core/assert.ts';
import type { Owner } from '../core/failure.ts';
import type { RunResult } from '../core/result.ts';
import type { Line, Look, Span, Tone } from './trace-line.ts';
import { note } from './trace-line.ts';
import { countText, durationText } from './trace-words.ts';
import { displayWidth, singleLine, wrap } from './terminal-text.ts';

/** What the trace has counted by the end of a run. */
export interface TraceTotals {
  readonly requests: number;
  readonly owned: Readonly<Record<Owner, number>>;
  readonly durationMs: number;
  /** Text of a reply that had not ended. */
  readonly streamed: string;
}

/** The end of the trace: how the run ended, what to do about it, and what it took. The answer itself stands elsewhere. */
export function closingLines(
  result: RunResult<unknown>,
  totals: TraceTotals,
  look: Look,
  hint: string | undefined,
): Line[] {
  const isDone = result.status === 'completed';
  const summary = paragraph(
    look,
    isDone ? { text: `${look.symbols.good} `, tone: 'good' } : { text: '  ', tone: 'plain' },
    summaryText(result, totals, look),
  );
  return [[], ...endingLines(result, totals, look, hint), ...summary];
}

function endingLines(
  result: RunResult<unknown>,
  { streamed }: TraceTotals,
  look: Look,
  hint: string | undefined,
): Line[] {
  const hints = hint === undefined ? [] : note(look, `hint: ${hint}`, 'quiet');
  const ending = (tone: Tone, word: string, text: string): Line[] =>
    paragraph(look, { text: `${look.symbols.stopped} ${word} `, tone }, text);
  switch (result.status) {
    case 'completed':
      return [];
    case 'stopped':
      return [
        ...ending('warning', 'stopped', `${result.stopReason}: ${result.message}`),
        ...hints,
        ...textSoFar(result.partialText, look),
      ];
    case 'failed':
      return [...ending('nobody', 'failed', result.failure.message), ...hints, ...textSoFar(result.partialText, look)];
    case 'aborted':
      return [
        ...ending('warning', 'stopped', 'by you'),
        ...textSoFar(streamed === '' ? result.partialText : streamed, look),
      ];
    case 'suspended': {
      const calls = `for a person to decide on ${countText(result.pending.length, 'call')}`;
      return [...ending('warning', 'waiting', calls), ...hints, ...textSoFar(result.partialText, look)];
    }
    default:
      return assertNever(result);
  }
}

/** How a run without an answer ended, in one sentence; undefined for an answer, and for what the person did themselves. */
export function endingText(result: RunResult<unknown>): string | undefined {
  switch (result.status) {
    case 'completed':
    case 'aborted':
      return undefined;
    case 'stopped':
      return `stopped by ${result.stopReason}: ${result.message}`;
    case 'failed':
      return result.failure.message;
    case 'suspended':
      return `the run waits for a person to decide on ${countText(result.pending.length, 'call')}.`;
    default:
      return assertNever(result);
  }
}

/** chosen: a server's message of some sentences is kept whole on a narrow terminal. */
const MAX_PARAGRAPH_LINES = 8;

function paragraph(look: Look, lead: Span, text: string): Line[] {
  const indent = displayWidth(lead.text);
  const columns = Math.max(4, look.columns - indent);
  const [first = '', ...others] = wrap(singleLine(text), columns, MAX_PARAGRAPH_LINES, look.symbols.ellipsis);
  return [
    [lead, { text: first, tone: 'plain' }],
    ...others.map((line): Line => [{ text: ' '.repeat(indent) + line, tone: 'plain' }]),
  ];
}

function textSoFar(partialText: string, look: Look): Line[] {
  return partialText.trim() === '' || look.hasLiveText === true
    ? []
    : note(look, `it had written: ${partialText}`, 'quiet');
}

function summaryText(result: RunResult<unknown>, { requests, owned, durationMs }: TraceTotals, look: Look): string {
  const took = `${countText(result.turns, 'turn')}, ${countText(requests, 'request')}`;
  const time = look.showDurations ? `, ${durationText(durationMs)}` : '';
  return `${took}${time}${failuresText(owned, result.status === 'completed')}`;
}

function failuresText(owned: Readonly<Record<Owner, number>>, isDone: boolean): string {
  const total = owned.model + owned.code + owned.nobody;
  if (total === 0) return '; nothing failed';
  const verdict = isDone
    ? `; ${countText(total, 'failure')} on the way, all survived`
    : `; ${countText(total, 'failure')}`;
  const parts = (['code', 'model', 'nobody'] as const).filter((owner) => owned[owner] > 0);
  return `${verdict}: ${parts.map((owner) => `${owned[owner]} ${owner}`).join(', ')}`;
}
