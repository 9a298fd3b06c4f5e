import type { Message } from '../../core/message.ts';
import { textOf, userMessage } from '../../core/message.ts';
import type { CallContext } from '../call/apply-call.ts';
import { applyCall, closeCall, endsRun } from '../call/apply-call.ts';
import type { TurnContext } from '../call/decide-call.ts';
import { advance } from '../call/decide-call.ts';
import type { CallResult } from '../call/result.ts';
import { failureOf } from '../call/result.ts';
import type { CallState } from '../call/state.ts';
import { remember } from '../call/record.ts';
import { callsLeftOut } from '../words/nudges.ts';
import { noProgress, tooManyErrors, tooManyToolCalls } from './limits.ts';
import { append, markRewound } from './transcript.ts';
import { withoutValidAnswer } from './apply-answer.ts';
import type { EventBody } from './event-body.ts';
import { assistantMessage, end, endedBy, withSpent } from './next-state.ts';
import type { RunRules } from './rules.ts';
import { afterExchange } from './slips.ts';
import { addSpent, nothingSpent } from './spent.ts';
import type { Outcome, RunState, ToolsPhase, Transition } from './state.ts';
import { firstAttempt } from './state.ts';

/** After an act of a call: the call goes on, and with the last result the exchange is whole and enters the transcript. */
export function applyCallOutcome(
  state: RunState,
  { toolCallId, outcome }: Extract<Outcome, { type: 'call' }>,
  rules: RunRules,
): Transition {
  const { phase } = state;
  if (phase.type !== 'tools') return { state, events: [] };
  const index = phase.calls.findIndex((call) => call.toolCallId === toolCallId);
  const before = phase.calls[index];
  if (before === undefined) return { state, events: [] };
  const isNew = phase.stopping === undefined && outcome.stopping !== undefined;
  const stops: Pick<ToolsPhase, 'stopping' | 'stoppedAt'> = isNew
    ? { stopping: outcome.stopping, stoppedAt: index }
    : { stopping: phase.stopping, stoppedAt: phase.stoppedAt };
  const isStopping = stops.stopping !== undefined && index >= (stops.stoppedAt ?? 0);
  const { state: after, events } = applyCall(before, outcome, { ...contextOf(state, rules), isStopping });
  const calls = phase.calls.with(index, after);
  return goOn({ ...state, phase: { ...phase, ...stops, calls } }, rules, events);
}

/** After a person's words: the calls that they are about go on. */
export function applyPerson(state: RunState, { answers, pausedMs }: Extract<Outcome, { type: 'person' }>): Transition {
  const { phase } = state;
  // The time of the pause is the person's, not the run's.
  const next = { ...state, startedAt: state.startedAt + pausedMs, pauses: state.pauses + 1 };
  if (phase.type !== 'tools') return { state: next, events: [] };
  const calls = phase.calls.map((call): CallState => {
    const answer = Object.hasOwn(answers, call.toolCallId) ? answers[call.toolCallId] : undefined;
    if (call.at !== 'waiting' || answer === undefined) return call;
    const { pending, ready, round } = call;
    const isQuestion = pending.type === 'question';
    const { call: made, toolCallId, spent } = call;
    const bare = { call: made, toolCallId, spent, since: state.now };
    return { ...bare, at: 'gate', ready, round: round + 1, answer, ...(isQuestion ? { isQuestion } : {}) };
  });
  return { state: { ...next, phase: { ...phase, calls } }, events: [] };
}

/** Gives every call that has no result one that says what is known of its effect: the run ends. */
export function closeCalls(
  state: RunState,
  rules: RunRules,
  cut: Pick<Extract<Outcome, { type: 'cut-off' }>, 'spent' | 'begun'> | undefined,
): Transition {
  const { phase } = state;
  if (phase.type !== 'tools') return { state, events: [] };
  const context: CallContext = { ...contextOf(state, rules), isStopping: true, isClosing: true };
  const events: EventBody[] = [];
  const calls = phase.calls.map((call) => {
    const more = cut?.spent?.find(({ toolCallId }) => toolCallId === call.toolCallId)?.spent;
    const transition = closeCall(
      more === undefined ? call : { ...call, spent: addSpent(call.spent ?? nothingSpent, more) },
      context,
      cut === undefined || cut.begun.includes(call.toolCallId),
    );
    events.push(...transition.events);
    return transition.state;
  });
  const whole = wholeExchange(state, { ...phase, calls }, rules);
  return { state: whole.state, events: [...events, ...whole.events] };
}

function contextOf(state: RunState, rules: RunRules): TurnContext {
  const { turn, now, phase, recentCalls, toolFailures } = state;
  return {
    turn,
    now,
    rules,
    isStopping: phase.type === 'tools' && phase.stopping !== undefined,
    stoppedAt: (phase.type === 'tools' ? phase.stoppedAt : undefined) ?? 0,
    isOff: (phase.type === 'tools' && !phase.mayRun) || state.finishing !== undefined || state.outputFailures > 0,
    placesLeft: rules.limits.toolCalls - state.toolCalls,
    recentCalls,
    toolFailures,
  };
}

function goOn(state: RunState, rules: RunRules, before: readonly EventBody[]): Transition {
  const { phase } = state;
  if (phase.type !== 'tools') return { state, events: before };
  const { stopping } = phase;
  const advanced = advance(phase.calls, contextOf(state, rules));
  const next: ToolsPhase = { ...phase, calls: advanced.calls };
  const events = [...before, ...advanced.events];
  const isOver = advanced.calls.every(
    (call) => call.at === 'done' || (stopping !== undefined && call.at === 'waiting'),
  );
  if (!isOver) return { state: { ...state, phase: next }, events };
  if (stopping === undefined) {
    const whole = wholeExchange(state, next, rules);
    const after = whole.state;
    return {
      state: rules.hooked.afterTurn ? { ...after, phase: { type: 'after-turn', next: after.phase } } : after,
      events: [...events, ...whole.events],
    };
  }
  const closed = closeCalls({ ...state, phase: next }, rules, undefined);
  const ended = endedBy(closed.state, stopping, rules);
  return { state: ended.state, events: [...events, ...closed.events, ...ended.events] };
}

function wholeExchange(state: RunState, phase: ToolsPhase, rules: RunRules): Transition {
  const results = phase.calls.flatMap((call) => (call.at === 'done' ? [call.result] : []));
  const { slips, rewind } = afterExchange(state.slips, results, rules.slips, rules.table);
  let transcript = append(state.transcript, ...exchangeOf(phase, results));
  const events: EventBody[] = [];
  const { turn } = state;
  if (phase.leftOut !== undefined) {
    const message = callsLeftOut(results.length, phase.leftOut);
    transcript = append(transcript, userMessage(message));
    events.push({ type: 'warning', turn, message });
  }
  if (rewind !== undefined) {
    transcript = markRewound(transcript, rewind.exchanges);
    events.push({ type: 'rewind', turn, ...rewind });
  }
  const failures = results.flatMap((result) => [...result.retried, ...listOf(failureOf(result))]);
  const errorTurns = results.every((result) => failureOf(result) !== undefined) ? state.errorTurns + 1 : 0;
  const spent = results.reduce(
    (sum, result) => (result.spent === undefined ? sum : addSpent(sum, result.spent)),
    nothingSpent,
  );
  const next: RunState = {
    ...state,
    ...(spent === nothingSpent ? {} : withSpent(state, spent)),
    lastRequest: rules.limits.totalTokens === Infinity ? state.lastRequest : withResults(state.lastRequest, results),
    phase: firstAttempt,
    transcript,
    toolFailures: toolFailuresAfter(state.toolFailures, results, rules),
    toolCalls: state.toolCalls + results.filter((result) => result.hasRun).length,
    failures: failures.length === 0 ? state.failures : [...state.failures, ...failures],
    errorTurns,
    recentCalls: remember(state.recentCalls, results),
    slips,
  };
  events.push({ type: 'turn-end', turn });
  const stopping = results.find((result) => endsRun(result, rules));
  const failure = stopping === undefined ? undefined : failureOf(stopping);
  if (failure !== undefined) return { state: end(next, { status: 'failed', failure }), events };
  if (state.finishing !== undefined) return { state: end(next, { status: 'stopped', ...state.finishing }), events };
  // Calls where an answer was asked for are a wrong answer.
  if (state.outputFailures > 0) return { state: withoutValidAnswer(next, 'It called a tool instead.', rules), events };
  const reached = limitOfCalls(results, errorTurns, rules);
  return { state: reached === undefined ? next : { ...next, reached }, events };
}

function toolFailuresAfter(
  before: RunState['toolFailures'],
  results: readonly CallResult[],
  { table }: RunRules,
): RunState['toolFailures'] {
  const ran = results.filter(({ hasRun }) => hasRun);
  const mayChange = ran.some((result) => failureOf(result) !== undefined || Object.hasOwn(before, result.toolName));
  if (!mayChange) return before;
  const after = new Map(Object.entries(before));
  for (const result of ran) {
    const failure = failureOf(result);
    if (failure === undefined) after.delete(result.toolName);
    // Failures of the tool itself, not of a call that was wrong or not let through.
    else if (table[failure.kind].isOfTool) after.set(result.toolName, (after.get(result.toolName) ?? 0) + 1);
  }
  return Object.fromEntries(after);
}

/** A reply with calls and their results, as they enter the transcript. */
export function exchangeOf({ reply, issuer }: ToolsPhase, results: readonly CallResult[]): Message[] {
  const content = results.map(
    (result) =>
      ({
        type: 'tool-result',
        toolCallId: result.toolCallId,
        toolName: result.toolName,
        content: result.content,
        isError: failureOf(result) !== undefined,
      }) as const,
  );
  return [assistantMessage(reply, results, issuer), { role: 'tool', content }];
}

/** Characters to a token. Chosen: results are counted too low rather than too high, lest a run stops that had room. */
const CHARS_PER_TOKEN = 5;

/** The next request holds the last one, its reply and the results. */
function withResults(lastRequest: RunState['lastRequest'], results: readonly CallResult[]): RunState['lastRequest'] {
  let chars = 0;
  for (const { content } of results) chars += textOf(content).length;
  return { ...lastRequest, tokens: lastRequest.tokens + Math.floor(chars / CHARS_PER_TOKEN) };
}

function limitOfCalls(results: readonly CallResult[], errorTurns: number, rules: RunRules): RunState['reached'] {
  const isRefusedBy = (by: string): boolean => results.some((result) => result.is === 'refused' && result.by === by);
  if (isRefusedBy('no-progress-again')) return noProgress(rules);
  if (isRefusedBy('limit')) return tooManyToolCalls(rules);
  return tooManyErrors(errorTurns, rules);
}

function listOf<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value];
}
