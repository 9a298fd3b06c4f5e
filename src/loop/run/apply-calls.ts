import type { FailureKind } from '../../core/failure.ts';
import type { Message } from '../../core/message.ts';
import { textOf } from '../../core/message.ts';
import type { CallOutcome } from '../tool/call-outcome.ts';
import type { RunConfig } from './run-config.ts';
import { remember } from '../guards/call-record.ts';
import { noProgress, tooManyErrors, tooManyToolCalls } from '../guards/limits.ts';
import { withoutValidAnswer } from './apply-answer.ts';
import { afterExchange } from './slips.ts';
import { addSpent, nothingSpent } from './spent.ts';
import type { CallSlot, EventBody, Phase, RunState, Transition } from './state.ts';
import { firstAttempt } from './state.ts';
import { append, markRewound } from '../history/transcript.ts';
import { assistantMessage, end, withSpent } from './next-state.ts';

/** After calls were run, refused or left waiting. With the last outcome the exchange is whole and enters the transcript. */
export function applyCalls(state: RunState, results: readonly CallSlot[], config: RunConfig): Transition {
  const { phase } = state;
  if (phase.type !== 'tools') return { state, events: [] };
  if (results.some((slot) => slot.outcome === undefined)) {
    return { state: { ...state, phase: { ...phase, calls: results } }, events: [] };
  }
  const outcomes = results.flatMap((slot) => slot.outcome ?? []);
  const exchange = exchangeOf(phase, outcomes);
  const { slips, rewind } = afterExchange(state.slips, outcomes, config.slips);
  let transcript = append(state.transcript, ...exchange);
  const events: EventBody[] = [];
  const { turn } = state;
  if (rewind !== undefined) {
    transcript = markRewound(transcript, rewind.exchanges);
    events.push({ type: 'rewind', turn, ...rewind });
  }
  const failures = outcomes.flatMap(({ retried, failure }) =>
    failure === undefined ? retried : [...retried, failure],
  );
  const errorTurns = outcomes.every((outcome) => outcome.isError) ? state.errorTurns + 1 : 0;
  const spent = outcomes.reduce(
    (sum, outcome) => (outcome.spent === undefined ? sum : addSpent(sum, outcome.spent)),
    nothingSpent,
  );
  const next: RunState = {
    ...state,
    ...(spent === nothingSpent ? {} : withSpent(state, spent)),
    lastRequest: config.limits.totalTokens === Infinity ? state.lastRequest : withResults(state.lastRequest, outcomes),
    phase: firstAttempt,
    transcript,
    toolFailures: toolFailuresAfter(state.toolFailures, outcomes),
    toolCalls: state.toolCalls + outcomes.filter((outcome) => outcome.hasRun).length,
    failures: failures.length === 0 ? state.failures : [...state.failures, ...failures],
    errorTurns,
    recentCalls: remember(state.recentCalls, outcomes),
    slips,
  };
  events.push({ type: 'turn-end', turn });
  const stopping = outcomes.find((outcome) => endsRun(outcome, config))?.failure;
  if (stopping !== undefined) return { state: end(next, { status: 'failed', failure: stopping }), events };
  if (state.finishing !== undefined) return { state: end(next, { status: 'stopped', ...state.finishing }), events };
  // Calls where an answer was asked for are a wrong answer.
  if (state.outputFailures > 0) return { state: withoutValidAnswer(next, 'It called a tool instead.', config), events };
  const reached = limitOfCalls(outcomes, errorTurns, config);
  return { state: reached === undefined ? next : { ...next, reached }, events };
}

/** Failures of the tool itself, not of a call that was wrong or not let through. */
const FAILURES_OF_TOOLS: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'tool-failed',
  'tool-unavailable',
  'tool-timeout',
  'tool-bug',
  'bad-output',
]);

function toolFailuresAfter(
  before: RunState['toolFailures'],
  outcomes: readonly CallOutcome[],
): RunState['toolFailures'] {
  const ran = outcomes.filter(({ hasRun }) => hasRun);
  const mayChange = ran.some(({ toolName, failure }) => failure !== undefined || Object.hasOwn(before, toolName));
  if (!mayChange) return before;
  const after = new Map(Object.entries(before));
  for (const { toolName, failure } of ran) {
    if (failure === undefined) after.delete(toolName);
    else if (FAILURES_OF_TOOLS.has(failure.kind)) after.set(toolName, (after.get(toolName) ?? 0) + 1);
  }
  return Object.fromEntries(after);
}

/** A reply with calls and their results, as they enter the transcript. */
export function exchangeOf(
  { reply, issuer }: Extract<Phase, { type: 'tools' }>,
  outcomes: readonly CallOutcome[],
): Message[] {
  const content = outcomes.map(
    ({ toolCallId, toolName, content: parts, isError }) =>
      ({ type: 'tool-result', toolCallId, toolName, content: parts, isError }) as const,
  );
  return [assistantMessage(reply, outcomes, issuer), { role: 'tool', content }];
}

/** Whether a failure of a call ends the run: a hook's word counts, else the table's. */
function endsRun({ failure, reowned }: CallOutcome, config: RunConfig): boolean {
  if (failure === undefined) return false;
  return reowned === undefined ? config.table[failure.kind].remedy === 'stop' : reowned === 'stop';
}

/** Characters to a token. Chosen: results are counted too low rather than too high, lest a run stops that had room. */
const CHARS_PER_TOKEN = 5;

/** The next request holds the last one, its reply and the results. */
function withResults(lastRequest: RunState['lastRequest'], outcomes: readonly CallOutcome[]): RunState['lastRequest'] {
  let chars = 0;
  for (const { content } of outcomes) chars += textOf(content).length;
  return { ...lastRequest, tokens: lastRequest.tokens + Math.floor(chars / CHARS_PER_TOKEN) };
}

function limitOfCalls(outcomes: readonly CallOutcome[], errorTurns: number, config: RunConfig): RunState['reached'] {
  if (outcomes.some((outcome) => outcome.isLast)) return noProgress(config);
  if (outcomes.some((outcome) => outcome.isOverLimit)) return tooManyToolCalls(config);
  return tooManyErrors(errorTurns, config);
}
