import { assertNever } from '../../core/assert.ts';
import type { FailureAction } from '../../core/event.ts';
import type { Failure } from '../../core/failure.ts';
import { textOf } from '../../core/message.ts';
import { decideRetry } from '../../resilience/retry.ts';
import type { EventBody } from '../run/event-body.ts';
import type { RunRules, ToolRules } from '../run/rules.ts';
import { addSpent, nothingSpent } from '../run/spent.ts';
import * as texts from '../words/for-models.ts';
import type { CallResult, Parts, Ready } from './result.ts';
import { failureOf, notRun, oneText, resultBase, unreadResult } from './result.ts';
import type { CallOutcome, CallState, CallWord, FailedTry, Override } from './state.ts';

/** What a call's next state depends on beside the outcome. */
export interface CallContext {
  readonly turn: number;
  /** The time of the outcome, in milliseconds since 1970. */
  readonly now: number;
  readonly rules: RunRules;
  /** A hook has ended the run: nothing is begun any more. */
  readonly isStopping: boolean;
  /** The run ends at this moment. */
  readonly isClosing?: boolean | undefined;
}

/** A call's next state, and what is to be told about the way there. */
export interface CallTransition {
  readonly state: CallState;
  readonly events: readonly EventBody[];
}

/** However often a hook says "retry". Chosen: far beyond what helps. */
const MAX_ATTEMPTS = 20;

/** The rules of a tool that is not known: of a call that names none. */
const NO_RULES: ToolRules = {
  effect: 'write',
  maxAttempts: 1,
  backoff: { baseDelayMs: 200, maxDelayMs: 5000 },
  polls: false,
  verifies: false,
  fallsBack: false,
  asksPerson: false,
};

/** The rules of the tool with this name. */
export function toolRulesOf(rules: RunRules, toolName: string): ToolRules {
  return rules.toolRules.get(toolName) ?? NO_RULES;
}

/** The state of a call after an outcome. Pure. */
export function applyCall(before: CallState, outcome: CallOutcome, context: CallContext): CallTransition {
  const spent = outcome.spent === undefined ? before.spent : addSpent(before.spent ?? nothingSpent, outcome.spent);
  const state: CallState = spent === before.spent ? before : { ...before, spent };
  switch (state.at) {
    case 'read':
      return afterRead({ ...state, since: context.now }, outcome, context);
    case 'gate':
      return afterGate(state, outcome, context);
    case 'try':
      return afterTry(state, outcome, context);
    case 'doubt':
      return afterDoubt(state, outcome, context);
    case 'failed':
      return afterFailure(state, outcome.type === 'owned' ? outcome.say : undefined, context);
    case 'stand-in':
      return afterStandIn(state, outcome, context);
    case 'show':
      return afterShow(state, outcome, context);
    case 'own':
      return done(state, state.result, outcome.type === 'owned' ? outcome.say : undefined, context);
    case 'ready':
    case 'place':
    case 'waiting':
    case 'done':
      return { state, events: [] };
    default:
      return assertNever(state);
  }
}

type At<Stage extends CallState['at']> = Extract<CallState, { readonly at: Stage }>;

function afterRead(state: At<'read'>, outcome: CallWord, context: CallContext): CallTransition {
  if (outcome.type === 'unfit') return settle(state, outcome.result, 'not-asked', context);
  if (outcome.type !== 'ready') return lost(state, context);
  const { ready } = outcome;
  const { toolCallId } = state;
  const { toolName, mends } = ready;
  const { turn } = context;
  return {
    state: { ...state, at: 'ready', ready, round: 1 },
    events: mends.length === 0 ? [] : [{ type: 'call-mended', turn, toolCallId, toolName, mends }],
  };
}

function afterGate(state: At<'gate'>, outcome: CallOutcome, context: CallContext): CallTransition {
  const { ready, round } = state;
  if (outcome.stopping !== undefined) return refused(state, ready, texts.cancelledBeforeStart, 'end', context);
  switch (outcome.type) {
    case 'go':
      return { state: { ...bare(state), at: 'place', ready }, events: [] };
    case 'denied': {
      const failure: Failure = { kind: 'denied', message: outcome.text, toolName: ready.toolName };
      return settle(state, refusal(state, ready, outcome.text, failure, outcome.by, context), 'not-asked', context);
    }
    case 'pending': {
      const { pending } = outcome;
      return {
        state: { ...bare(state), at: 'waiting', ready, round, pending },
        events: [{ type: 'pending', turn: context.turn, request: pending }],
      };
    }
    // The answer to a question: the tool has run, and does not run again.
    case 'value':
      return show(state, ready, good(state, ready, outcome.content, [], context), 'not-asked', context);
    case 'bad-value':
      return show(state, ready, failed(state, ready, outcome, [], context), 'not-asked', context);
    default:
      return lost(state, context);
  }
}

function afterTry(state: At<'try'>, outcome: CallWord, context: CallContext): CallTransition {
  const { ready, attempt, retried } = state;
  switch (outcome.type) {
    case 'value':
      return show(state, ready, good(state, ready, outcome.content, retried, context), 'not-asked', context);
    case 'bad-value':
      return show(state, ready, failed(state, ready, outcome, retried, context), 'not-asked', context);
    case 'pending':
      return {
        state: { ...bare(state), at: 'waiting', ready, round: 1, pending: outcome.pending },
        events: [{ type: 'pending', turn: context.turn, request: outcome.pending }],
      };
    case 'barred': {
      const { failure, text } = outcome;
      const barred = { failure, text, random: 0 };
      if (toolRulesOf(context.rules, ready.toolName).fallsBack)
        return {
          state: { ...bare(state), at: 'stand-in', ready, attempt: attempt - 1, retried, ...barred, say: undefined },
          events: [],
        };
      return show(state, ready, unavailable(state, ready, barred, attempt > 1, retried, context), 'not-asked', context);
    }
    case 'failed':
      return failedTry(state, outcome, context);
    case 'interrupted':
      return failedTry(state, interruptedTry(ready), context);
    default:
      return lost(state, context);
  }
}

/** A try that another process had begun: nobody knows how it ended. */
function interruptedTry({ toolName }: Ready): FailedTry {
  const unknown = texts.cancelledUnknown(toolName);
  const message = `${toolName} was running when its process ended.`;
  return {
    failure: { kind: 'outcome-unknown', message, toolName },
    text: unknown,
    doubt: { unknown, notDone: unknown },
    random: 0,
  };
}

function failedTry(state: At<'try'>, tried: FailedTry, context: CallContext): CallTransition {
  const { ready, attempt, retried } = state;
  const { failure, text, random } = tried;
  const { effect, verifies, maxAttempts } = toolRulesOf(context.rules, ready.toolName);
  const doubt = effect === 'read' ? undefined : tried.doubt;
  const next = { ...bare(state), ready, attempt, retried, failure, text, random, doubt };
  // A write is asked after before anybody may have it run again.
  if (doubt !== undefined && verifies && (effect === 'write' || attempt >= maxAttempts))
    return { state: { ...next, at: 'doubt' }, events: [] };
  return ownedTry({ ...next, at: 'doubt' }, doubt === undefined ? 'clear' : 'unknown', context);
}

function afterDoubt(state: At<'doubt'>, outcome: CallWord, context: CallContext): CallTransition {
  const { ready, retried } = state;
  switch (outcome.type) {
    case 'value':
      return show(state, ready, good(state, ready, outcome.content, retried, context), 'not-asked', context);
    case 'bad-value':
      return show(state, ready, failed(state, ready, outcome, retried, context), 'not-asked', context);
    case 'verified':
      return ownedTry(state, outcome.is, context);
    default:
      return ownedTry(state, 'unknown', context);
  }
}

/** Asks hooks who owns a failed try, with what is known of its effect by now. */
function ownedTry(state: At<'doubt'>, effect: 'clear' | 'not-done' | 'unknown', context: CallContext): CallTransition {
  const { doubt, ...rest } = state;
  const mayRepeat = toolRulesOf(context.rules, state.ready.toolName).effect !== 'write';
  let known: At<'failed'> = { ...rest, at: 'failed' };
  if (effect === 'not-done' && doubt !== undefined) known = { ...known, text: doubt.notDone };
  if (effect === 'unknown' && doubt !== undefined) {
    // What may be repeated is tried again for its own reason; only at last its outcome is unknown.
    known = mayRepeat ? { ...known, doubt } : unknownOutcome(known, doubt);
  }
  if (context.rules.hooked.onFailure) return { state: known, events: [] };
  return afterFailure(known, undefined, context);
}

function unknownOutcome(state: At<'failed'>, doubt: NonNullable<FailedTry['doubt']>): At<'failed'> {
  const { doubt: _doubt, ...rest } = state;
  return { ...rest, text: doubt.unknown, failure: { ...state.failure, kind: 'outcome-unknown' } };
}

/** Tries again, or tells. */
function afterFailure(before: At<'failed'>, say: Override, context: CallContext): CallTransition {
  const { rules, turn, now, isStopping } = context;
  const { ready, attempt, retried, toolCallId } = before;
  const { toolName } = ready;
  const tool = toolRulesOf(rules, toolName);
  if (attempt < MAX_ATTEMPTS && !isStopping) {
    const { failure, random } = before;
    const again = decideRetry(
      say === 'retry' ? { ...failure, remedy: undefined } : failure,
      { ...rules.table[failure.kind], remedy: isRetried(failure, say, rules) ? 'retry' : 'tell-model' },
      { attempt, waitedMs: 0, remainingMs: Infinity, emptyReplies: 0 },
      { ...tool.backoff, maxAttempts: say === 'retry' ? MAX_ATTEMPTS : tool.maxAttempts, budgetMs: Infinity },
      () => random,
    );
    if (again.retry) {
      const { delayMs } = again;
      const next = attempt + 1;
      const told = { turn, toolCallId, failure };
      return {
        state: {
          ...bare(before),
          at: 'try',
          ready,
          attempt: next,
          dueAt: delayMs > 0 ? now + delayMs : undefined,
          retried: [...retried, failure],
        },
        events: [
          { ...told, type: 'failure', owner: 'code', action: 'retry' },
          { ...told, type: 'tool-retry', toolName, attempt: next, maxAttempts: tool.maxAttempts, delayMs },
        ],
      };
    }
  }
  const state = before.doubt === undefined ? before : unknownOutcome(before, before.doubt);
  const asked = rules.hooked.onFailure ? say : 'not-asked';
  const mayStandIn = tool.fallsBack && rules.table[state.failure.kind].mayStandIn;
  if (mayStandIn && (state.failure.kind !== 'tool-timeout' || tool.effect === 'read'))
    return { state: { ...state, at: 'stand-in', say }, events: [] };
  return show(state, ready, failed(state, ready, state, retried, context), asked, context);
}

function isRetried(failure: Failure, say: Override, rules: RunRules): boolean {
  return say === undefined ? rules.table[failure.kind].mayRetryTool : say === 'retry';
}

function afterStandIn(state: At<'stand-in'>, outcome: CallWord, context: CallContext): CallTransition {
  const { ready, retried, attempt, say } = state;
  const asked = context.rules.hooked.onFailure && attempt > 0 ? say : 'not-asked';
  const content = outcome.type === 'stood-in' ? outcome.content : undefined;
  const hasRun = attempt > 0;
  if (content === undefined)
    return show(state, ready, unavailable(state, ready, state, hasRun, retried, context), asked, context);
  const base = resultBase(state.toolCallId, ready, { ...basics(ready, context), hasRun, retried });
  return show(state, ready, { ...base, content, is: 'cached' }, asked, context);
}

function afterShow(state: At<'show'>, outcome: CallWord, context: CallContext): CallTransition {
  const { result, ready } = state;
  if (outcome.type !== 'shown') return settle(state, result, state.say, context);
  const content = outcome.content ?? result.content;
  const failure = failureOf(result);
  if (outcome.isError === false && failure !== undefined) {
    const base = { ...resultBase(state.toolCallId, ready, result), spent: result.spent };
    return settle(state, { ...base, content, is: 'good' }, 'not-asked', context);
  }
  if (outcome.isError === true && failure === undefined) {
    const message = `A hook marked the result of ${result.toolName} as an error.`;
    const marked: Failure = { kind: 'tool-failed', message, toolName: result.toolName };
    const base = resultBase(state.toolCallId, ready, result);
    return settle(state, { ...base, content, is: 'failed', failure: marked }, 'not-asked', context);
  }
  return settle(state, content === result.content ? result : { ...result, content }, state.say, context);
}

/** A result that hooks may look at and change before the model is told. */
function show(
  state: CallState,
  ready: Ready,
  result: CallResult,
  say: Override | 'not-asked',
  context: CallContext,
): CallTransition {
  if (!context.rules.hooked.afterTool) return settle(state, result, say, context);
  return { state: { ...bare(state), at: 'show', ready, result, say }, events: [] };
}

/** The result stands; hooks that were not asked yet are asked whose failure it is. */
function settle(
  state: CallState,
  result: CallResult,
  say: Override | 'not-asked',
  context: CallContext,
): CallTransition {
  const failure = failureOf(result);
  if (say !== 'not-asked') return done(state, result, say, context);
  // What the end of the run left undone concerns no hook.
  if (failure === undefined || failure.kind === 'not-run' || !context.rules.hooked.onFailure)
    return done(state, result, undefined, context);
  return { state: { ...bare(state), at: 'own', result }, events: [] };
}

/** The call is over: what became of it, and of the failure in it, is told. */
function done(state: CallState, before: CallResult, say: Override, context: CallContext): CallTransition {
  const override = say === 'stop' || say === 'model' ? say : undefined;
  const { spent } = state;
  const result: CallResult =
    override === undefined && spent === undefined ? before : { ...before, spent, ...(override && { override }) };
  const failure = failureOf(result);
  const { rules, turn, now } = context;
  const { toolCallId, toolName } = result;
  const events: EventBody[] = [];
  if (failure !== undefined) {
    const row = rules.table[failure.kind];
    const owner = override === undefined ? row.owner : override === 'stop' ? 'nobody' : 'model';
    const action: FailureAction = endsRun(result, rules) || context.isClosing === true ? 'stop' : 'tell-model';
    events.push({ type: 'failure', turn, failure, owner, action, toolCallId });
  }
  events.push({
    type: 'tool-end',
    turn,
    toolCallId,
    toolName,
    isError: failure !== undefined,
    output: textOf(result.content),
    durationMs: Math.max(0, now - (state.since ?? now)),
    failureKind: failure?.kind,
    isCached: result.is === 'cached',
  });
  return { state: { ...bare(state), at: 'done', result }, events };
}

/** Whether a failure of a call ends the run: a hook's word counts, else the table's. */
export function endsRun(result: CallResult, rules: RunRules): boolean {
  const failure = failureOf(result);
  if (failure === undefined) return false;
  return result.override === undefined ? rules.table[failure.kind].remedy === 'stop' : result.override === 'stop';
}

function good(
  state: CallState,
  ready: Ready,
  content: Parts,
  retried: readonly Failure[],
  context: CallContext,
): CallResult {
  const more = { ...basics(ready, context), hasRun: true, retried };
  return { ...resultBase(state.toolCallId, ready, more), content, is: 'good' };
}

function failed(
  state: CallState,
  ready: Ready,
  tried: Pick<FailedTry, 'failure' | 'text'>,
  retried: readonly Failure[],
  context: CallContext,
): CallResult {
  const more = { ...basics(ready, context), hasRun: true, retried };
  const content = oneText(tried.text);
  return { ...resultBase(state.toolCallId, ready, more), content, is: 'failed', failure: tried.failure };
}

function unavailable(
  state: CallState,
  ready: Ready,
  tried: Pick<FailedTry, 'failure' | 'text'>,
  hasRun: boolean,
  retried: readonly Failure[],
  context: CallContext,
): CallResult {
  if (hasRun) return failed(state, ready, tried, retried, context);
  return refusal(state, ready, tried.text, tried.failure, 'breaker', context);
}

/** A valid call that is not run. */
export function refusal(
  state: CallState,
  ready: Ready,
  text: string,
  failure: Failure,
  by: Extract<CallResult, { is: 'refused' }>['by'],
  context: CallContext,
): CallResult {
  const more = { ...basics(ready, context), hasRun: false };
  return { ...resultBase(state.toolCallId, ready, more), content: oneText(text), is: 'refused', failure, by };
}

/** A call that is right, and is not run for a reason of the run's. */
export function refused(
  state: CallState,
  ready: Ready,
  text: (toolName: string) => string,
  by: Extract<CallResult, { is: 'refused' }>['by'],
  context: CallContext,
): CallTransition {
  const words = text(ready.toolName);
  const kind =
    by === 'failed-before' || by === 'no-progress' || by === 'no-progress-again' ? 'repeated-call' : 'not-run';
  const failure: Failure = { kind, message: words, toolName: ready.toolName };
  return settle(state, refusal(state, ready, words, failure, by, context), 'not-asked', context);
}

function basics({ toolName }: Ready, { rules }: CallContext): { readonly polls: boolean } {
  return { polls: toolRulesOf(rules, toolName).polls };
}

/** The library itself is broken at this place: the tool may have run. */
function lost(state: CallState, context: CallContext): CallTransition {
  return done(state, { ...unreadResult(state.toolCallId, state.call, texts.cancelledUnknown) }, undefined, context);
}

/**
 * The end of the run comes: a call that has no result yet gets one that says what is known of its effect. `hasBegun`:
 * its tool has been called.
 */
export function closeCall(state: CallState, context: CallContext, hasBegun: boolean): CallTransition {
  const { toolCallId, call } = state;
  switch (state.at) {
    case 'done':
      return { state, events: [] };
    case 'own':
      return done(state, state.result, undefined, context);
    case 'show':
      return done(state, state.result, state.say === 'not-asked' ? undefined : state.say, context);
    case 'read':
      return done(state, unreadResult(toolCallId, call, texts.cancelledBeforeStart), undefined, context);
    case 'ready':
    case 'gate':
    case 'place':
      return notBegun(state, state.ready, texts.cancelledBeforeStart, context);
    case 'waiting':
      return state.pending.type === 'question'
        ? notBegun(state, state.ready, texts.cancelledUnknown, context)
        : notBegun(state, state.ready, texts.cancelledBeforeStart, context);
    case 'try': {
      const { ready, retried, attempt } = state;
      if (attempt === 1 && !hasBegun) return notBegun(state, ready, texts.cancelledBeforeStart, context);
      const { toolName } = ready;
      const text = texts.cancelledInFlight(toolName, toolRulesOf(context.rules, toolName).effect);
      const failure = notRun(toolName, `The run ended before ${toolName} had a result.`);
      return done(state, failed(state, ready, { text, failure }, retried, context), undefined, context);
    }
    case 'doubt':
    case 'failed':
    case 'stand-in': {
      const known: At<'failed'> = { ...state, at: 'failed' };
      const told = known.doubt === undefined ? known : unknownOutcome(known, known.doubt);
      return done(state, failed(state, state.ready, told, state.retried, context), undefined, context);
    }
    default:
      return assertNever(state);
  }
}

function notBegun(
  state: CallState,
  ready: Ready,
  text: (toolName: string) => string,
  context: CallContext,
): CallTransition {
  const failure = notRun(ready.toolName);
  return done(state, refusal(state, ready, text(ready.toolName), failure, 'end', context), undefined, context);
}

/** What stays of a call from stage to stage. */
function bare(state: CallState): Pick<CallState, 'call' | 'toolCallId' | 'since' | 'spent'> {
  const { call, toolCallId, since, spent } = state;
  return { call, toolCallId, since, spent };
}
