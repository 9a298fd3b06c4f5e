import { userMessage } from '../../core/message.ts';
import type { RunConfig } from './run-config.ts';
import { askForValidAnswer } from '../nudges.ts';
import { endOfRow } from './slips.ts';
import type { EventBody, Outcome, RunState, Transition } from './state.ts';
import { firstAttempt } from './state.ts';
import { append } from '../history/transcript.ts';
import { end, eventsOfTextCalls, toolsPhase } from './next-state.ts';

/** After an answer was checked against the output schema. */
export function applyAnswer(
  state: RunState,
  check: Extract<Outcome, { type: 'answer-checked' }>['check'],
  config: RunConfig,
): Transition {
  const { phase } = state;
  if (phase.type !== 'answer') return { state, events: [] };
  const { text, asCalls } = phase;
  const { turn } = state;
  const events: EventBody[] = asCalls === undefined ? [] : [{ type: 'turn-end', turn }];
  if (check.ok) return { state: end(state, { status: 'completed', text, output: check.output }), events };
  if (asCalls === undefined || state.outputFailures > 0 || state.finishing !== undefined)
    return { state: withoutValidAnswer(state, check.problem, config), events };
  // No answer, so the calls in it count: it leaves the transcript, into which they come with their results.
  const transcript = state.transcript?.previous;
  const next = { ...state, transcript, phase: toolsPhase(asCalls.reply, asCalls) };
  return { state: next, events: eventsOfTextCalls(asCalls, turn) };
}

/** The answer does not fit: asked once more, as often as the run allows. The last turn after a limit has no other try. */
export function withoutValidAnswer(state: RunState, problem: string, config: RunConfig): RunState {
  const outputFailures = state.outputFailures + 1;
  const maxAttempts = config.output?.maxAttempts ?? 1;
  if (outputFailures >= maxAttempts || state.finishing !== undefined) {
    const tries = outputFailures === 1 ? '1 try' : `${outputFailures} tries`;
    const message = `The answer did not fit \`output\` after ${tries}. ${problem}`;
    return end({ ...state, outputFailures }, { status: 'stopped', stopReason: 'invalid-output', message });
  }
  const transcript = append(state.transcript, userMessage(askForValidAnswer(problem)));
  return { ...state, outputFailures, transcript, slips: endOfRow(state.slips), phase: firstAttempt };
}
