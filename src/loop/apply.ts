import { assertNever } from '../core/assert.ts';
import type { FailureAction } from '../core/event.ts';
import type { Failure, Owner } from '../core/failure.ts';
import type { AssistantMessage, Message, ToolCallPart } from '../core/message.ts';
import { textOf, userMessage } from '../core/message.ts';
import type { ModelReply } from '../core/provider.ts';
import { addUsage } from '../core/usage.ts';
import { decideRetry } from '../resilience/retry.ts';
import type { CallOutcome } from './call-outcome.ts';
import type { RunConfig } from './config.ts';
import { remember } from './guards/call-record.ts';
import { noProgress, tooManyErrors, tooManyToolCalls } from './guards/limits.ts';
import { afterExchange } from './slips.ts';
import type { Spent } from './spent.ts';
import { addSpent, nothingSpent } from './spent.ts';
import type { CallSlot, Ending, EventBody, ModelPhase, Outcome, RunState, Transition } from './state.ts';
import { firstAttempt } from './state.ts';
import { askForValidAnswer, continueAfterFailure } from './nudges.ts';
import { append, compactedTo, markRewound } from './transcript.ts';

/** The state after an outcome. Pure: time and randomness come in with the outcome. */
export function apply(state: RunState, outcome: Outcome, config: RunConfig): Transition {
  switch (outcome.type) {
    case 'reply':
      return applyReply(state, outcome, config);
    case 'model-failure':
      return applyFailure(state, outcome, config);
    case 'calls':
      return applyCalls(state, outcome.results, config);
    case 'compacted':
      return applyCompaction(state, outcome, config);
    case 'answer-checked':
      return applyAnswer(state, outcome.check, config);
    case 'finish':
      return {
        state: { ...state, finishing: outcome.reached, reached: undefined },
        events: [
          {
            type: 'guard',
            turn: state.turn,
            guard: outcome.reached.stopReason,
            action: 'finish',
            message: outcome.reached.message,
          },
        ],
      };
    case 'end':
      return { state: end(state, outcome.ending), events: [] };
    default:
      return assertNever(outcome);
  }
}

/** What is spent so far, with something added. It only ever grows. */
function withSpent(state: RunState, spent: Spent): Pick<RunState, 'usage' | 'tokensSpent' | 'costUsd'> {
  return {
    usage: addUsage(state.usage, spent.usage),
    tokensSpent: state.tokensSpent + spent.tokens,
    costUsd: spent.costUsd === undefined ? state.costUsd : (state.costUsd ?? 0) + spent.costUsd,
  };
}

function end(state: RunState, ending: Ending): RunState {
  return { ...state, phase: { type: 'ended', ending } };
}

function applyReply(state: RunState, outcome: Extract<Outcome, { type: 'reply' }>, config: RunConfig): Transition {
  const { reply } = outcome;
  const next: RunState = {
    ...state,
    turn: state.turn + 1,
    requests: state.requests + 1,
    ...withSpent(state, outcome.spent),
    lastRequest: { tokens: outcome.spent.tokens, costUsd: outcome.spent.costUsd ?? 0 },
  };
  const calls = reply.content.filter((part) => part.type === 'tool-call');
  if (calls.length > 0) {
    const slots = calls.map((call): CallSlot => ({
      call,
      toolCallId: call.id ?? '',
      outcome: undefined,
      pending: undefined,
      answer: undefined,
    }));
    return { state: { ...next, phase: { type: 'tools', reply, calls: slots } }, events: [] };
  }
  const text = textOf(reply.content);
  const told = { ...next, transcript: append(next.transcript, assistantMessage(reply, [], issuerOf(state, config))) };
  const turnEnd: EventBody = { type: 'turn-end', turn: next.turn };
  if (reply.finishReason === 'pause') {
    const goesOn = state.finishing === undefined;
    return {
      state: goesOn ? { ...told, phase: firstAttempt } : end(told, { status: 'stopped', ...state.finishing }),
      events: [turnEnd],
    };
  }
  if (reply.finishReason === 'length') {
    const message =
      'The answer was cut by the output limit of the model. Raise `maxOutputTokens` of the provider, or ask for less.';
    return { state: end(told, { status: 'stopped', stopReason: 'output-limit', message }), events: [turnEnd] };
  }
  if (config.output !== undefined)
    return { state: { ...told, phase: { type: 'answer', reply, text } }, events: [turnEnd] };
  return { state: end(told, { status: 'completed', text }), events: [turnEnd] };
}

function applyFailure(
  state: RunState,
  outcome: Extract<Outcome, { type: 'model-failure' }>,
  config: RunConfig,
): Transition {
  const { failure } = outcome;
  const phase = state.phase.type === 'model' ? state.phase : firstAttempt;
  const row = config.table[failure.kind];
  const events: EventBody[] = [];
  const next: RunState = {
    ...state,
    requests: state.requests + 1,
    ...withSpent(state, outcome.spent),
    failures: [...state.failures, failure],
  };
  const turn = state.turn + 1;
  const tell = (owner: Owner, action: FailureAction): void => {
    events.push({ type: 'failure', turn, failure, owner, action });
    if (outcome.hasStreamed) events.push({ type: 'text-void', turn, reason: 'failed-attempt' });
  };
  if (outcome.reowned === 'stop') {
    tell('nobody', 'stop');
    return { state: end(next, { status: 'failed', failure }), events };
  }
  if (outcome.reowned === 'model' || (outcome.reowned === undefined && row.remedy === 'tell-model')) {
    tell('model', 'tell-model');
    // The last turn after a limit has no other one.
    if (state.finishing !== undefined) return { state: end(next, { status: 'stopped', ...state.finishing }), events };
    const transcript = append(next.transcript, userMessage(continueAfterFailure()));
    return { state: { ...next, transcript, turn, phase: firstAttempt }, events };
  }
  const emptyReplies = phase.emptyReplies + (failure.kind === 'empty-reply' ? 1 : 0);
  const effectiveRow = outcome.reowned === 'retry' ? ({ ...row, remedy: 'retry' } as const) : row;
  const situation = {
    attempt: phase.attempt,
    waitedMs: phase.waitedMs,
    remainingMs: state.startedAt + config.deadlines.runMs - outcome.at,
    emptyReplies,
  };
  const decision = decideRetry(failure, effectiveRow, situation, config.retry, () => outcome.random);
  if (decision.retry) {
    tell(effectiveRow.owner === 'nobody' ? 'code' : effectiveRow.owner, 'retry');
    const attempt = phase.attempt + 1;
    events.push({
      type: 'retry',
      turn,
      attempt,
      maxAttempts: config.retry.maxAttempts,
      delayMs: decision.delayMs,
      failure,
    });
    const waiting: ModelPhase = {
      ...phase,
      attempt,
      dueAt: decision.delayMs > 0 ? outcome.at + decision.delayMs : undefined,
      waitedMs: phase.waitedMs + decision.delayMs,
      emptyReplies,
      isNudged: decision.nudge,
    };
    return { state: { ...next, phase: waiting }, events };
  }
  if (effectiveRow.remedy === 'compact' && config.compactor !== undefined && !phase.isCompacted) {
    tell('code', 'compact');
    return { state: { ...next, phase: { ...phase, overflow: failure } }, events };
  }
  const fallBackTo = nextProvider(state, failure, config);
  if (fallBackTo !== undefined) {
    tell(row.owner, 'fall-back');
    events.push({
      type: 'fall-back',
      turn,
      from: config.providers[state.providerIndex]?.id ?? '',
      to: fallBackTo.id,
      failure,
    });
    const fresh = { ...firstAttempt, isCompacted: phase.isCompacted };
    return { state: { ...next, providerIndex: fallBackTo.index, phase: fresh }, events };
  }
  // A context that nobody can shorten is nobody's failure: the caller has to send less.
  tell(effectiveRow.remedy === 'compact' ? 'nobody' : row.owner, 'stop');
  return { state: end(next, { status: 'failed', failure }), events };
}

/** Where a fallback goes on: nothing of the failed reply goes with it, since nothing of it was kept. */
function nextProvider(state: RunState, failure: Failure, config: RunConfig): { index: number; id: string } | undefined {
  const mayFallBack =
    config.table[failure.kind].mayFallBack || (failure.kind === 'refused' && config.fallBackOnRefusal);
  const index = state.providerIndex + 1;
  const provider = config.providers[index];
  return mayFallBack && provider !== undefined ? { index, id: provider.id } : undefined;
}

function applyCalls(state: RunState, results: readonly CallSlot[], config: RunConfig): Transition {
  const { phase } = state;
  if (phase.type !== 'tools') return { state, events: [] };
  if (results.some((slot) => slot.outcome === undefined)) {
    return { state: { ...state, phase: { ...phase, calls: results } }, events: [] };
  }
  const outcomes = results.flatMap((slot) => slot.outcome ?? []);
  const exchange: Message[] = [
    assistantMessage(phase.reply, outcomes, issuerOf(state, config)),
    {
      role: 'tool',
      content: outcomes.map(({ toolCallId, toolName, content, isError }) => ({
        type: 'tool-result',
        toolCallId,
        toolName,
        content,
        isError,
      })),
    },
  ];
  const { slips, rewind } = afterExchange(state.slips, outcomes, config.slips);
  let transcript = append(state.transcript, ...exchange);
  const events: EventBody[] = [];
  const { turn } = state;
  if (rewind !== undefined) {
    transcript = markRewound(transcript, rewind.exchanges);
    events.push({ type: 'rewind', turn, ...rewind });
  }
  const failures = outcomes.flatMap((outcome) => outcome.failure ?? []);
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

/** Whether a failure of a call ends the run: a hook's word counts, else the table's. */
function endsRun({ failure, reowned }: CallOutcome, config: RunConfig): boolean {
  if (failure === undefined) return false;
  return reowned === undefined ? config.table[failure.kind].remedy === 'stop' : reowned === 'stop';
}

/** Letters to a token. Chosen: results are counted too low rather than too high, lest a run stops that had room. */
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

/** Who gave the reply: its reasoning and vendor fields go back to nobody else. */
function issuerOf(state: RunState, config: RunConfig): string {
  return config.providers[state.providerIndex]?.id ?? '';
}

/** The reply as it enters the history: its calls with the arguments that a server accepts. */
function assistantMessage(reply: ModelReply, outcomes: readonly CallOutcome[], issuer: string): AssistantMessage {
  let index = 0;
  const content = reply.content.map((part) => {
    if (part.type !== 'tool-call') return part;
    const outcome = outcomes[index];
    index += 1;
    const call: ToolCallPart = {
      type: 'tool-call',
      toolCallId: outcome?.toolCallId ?? part.id ?? '',
      toolName: outcome?.toolName ?? part.name,
      input: outcome?.wireInput ?? {},
      ...(outcome?.rawInput === undefined ? {} : { rawInput: outcome.rawInput }),
      ...(part.vendorData === undefined ? {} : { vendor: { issuer, data: part.vendorData } }),
    };
    return call;
  });
  return { role: 'assistant', content };
}

function applyCompaction(
  state: RunState,
  outcome: Extract<Outcome, { type: 'compacted' }>,
  config: RunConfig,
): Transition {
  const { phase } = state;
  if (phase.type !== 'model' || phase.overflow === undefined) return { state, events: [] };
  const { charsBefore, charsAfter, messages } = outcome;
  if (messages === undefined) {
    const fallBackTo = nextProvider(state, phase.overflow, config);
    if (fallBackTo !== undefined)
      return { state: { ...state, providerIndex: fallBackTo.index, phase: firstAttempt }, events: [] };
    return { state: end(state, { status: 'failed', failure: phase.overflow }), events: [] };
  }
  return {
    state: {
      ...state,
      transcript: compactedTo(state.transcript, messages),
      phase: { ...phase, overflow: undefined, isCompacted: true, attempt: phase.attempt + 1 },
    },
    events: [{ type: 'history-compacted', turn: state.turn + 1, charsBefore, charsAfter }],
  };
}

function applyAnswer(
  state: RunState,
  check: Extract<Outcome, { type: 'answer-checked' }>['check'],
  config: RunConfig,
): Transition {
  const { phase } = state;
  if (phase.type !== 'answer') return { state, events: [] };
  if (check.ok)
    return { state: end(state, { status: 'completed', text: phase.text, output: check.output }), events: [] };
  return { state: withoutValidAnswer(state, check.problem, config), events: [] };
}

/** The answer does not fit: asked once more, as often as the run allows. The last turn after a limit has no other try. */
function withoutValidAnswer(state: RunState, problem: string, config: RunConfig): RunState {
  const outputFailures = state.outputFailures + 1;
  const maxAttempts = config.output?.maxAttempts ?? 1;
  if (outputFailures >= maxAttempts || state.finishing !== undefined) {
    const tries = outputFailures === 1 ? '1 try' : `${outputFailures} tries`;
    const message = `The answer did not fit \`output\` after ${tries}. ${problem}`;
    return end({ ...state, outputFailures }, { status: 'stopped', stopReason: 'invalid-output', message });
  }
  const transcript = append(state.transcript, userMessage(askForValidAnswer(problem)));
  return { ...state, outputFailures, transcript, phase: firstAttempt };
}
