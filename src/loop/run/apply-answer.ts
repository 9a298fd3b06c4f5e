import { userMessage } from '../../core/message.ts';
import type { EventBody } from './event-body.ts';
import type { RunRules } from './rules.ts';
import { askForValidAnswer } from '../words/nudges.ts';
import { endOfRow } from './slips.ts';
import type { RunState, Transition } from './state.ts';
import { firstAttempt } from './state.ts';
import { append } from './transcript.ts';
import { end, eventsOfTextCalls, toolsPhase } from './next-state.ts';

/** After an answer was checked against the output schema; `problem` says why it does not fit. */
export function applyAnswer(state: RunState, problem: string | undefined, rules: RunRules): Transition {
  const { phase } = state;
  if (phase.type !== 'answer') return { state, events: [] };
  const { text, asCalls } = phase;
  const { turn } = state;
  const events: EventBody[] = asCalls === undefined ? [] : [{ type: 'turn-end', turn }];
  if (problem === undefined) return { state: end(state, { status: 'completed', text }), events };
  if (asCalls === undefined || state.outputFailures > 0 || state.finishing !== undefined)
    return { state: withoutValidAnswer(state, problem, rules), events };
  // No answer, so the calls in it count: it leaves the transcript, into which they come with their results.
  const transcript = state.transcript?.previous;
  const next = { ...state, transcript, phase: toolsPhase(asCalls.reply, asCalls) };
  return { state: next, events: eventsOfTextCalls(asCalls, turn) };
}

/** The answer does not fit: asked once more, as often as the run allows. The last turn after a limit has no other try. */
export function withoutValidAnswer(state: RunState, problem: string, rules: RunRules): RunState {
  const outputFailures = state.outputFailures + 1;
  const maxAttempts = rules.outputAttempts ?? 1;
  if (outputFailures >= maxAttempts || state.finishing !== undefined) {
    const tries = outputFailures === 1 ? '1 try' : `${outputFailures} tries`;
    const message = `The answer did not fit \`output\` after ${tries}. ${problem}`;
    return end({ ...state, outputFailures }, { status: 'stopped', stopReason: 'invalid-output', message });
  }
  const transcript = append(state.transcript, userMessage(askForValidAnswer(problem)));
  return { ...state, outputFailures, transcript, slips: endOfRow(state.slips), phase: firstAttempt };
}
