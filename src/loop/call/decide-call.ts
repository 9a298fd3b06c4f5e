import type { CallRecord } from './record.ts';
import { checkRepetition } from './repetition.ts';
import type { EventBody } from '../run/event-body.ts';
import * as texts from '../words/for-models.ts';
import type { CallContext } from './apply-call.ts';
import { refused, toolRulesOf } from './apply-call.ts';
import type { CallAct, CallState } from './state.ts';

/** What a call needs next; undefined where it is over, or waits for a person or for the calls before it. */
export function decideCall(state: CallState, turn: number): CallAct | undefined {
  const { toolCallId } = state;
  const place = `t${turn}/${toolCallId}`;
  switch (state.at) {
    case 'read':
      return { key: place, toolCallId };
    case 'gate':
      return { key: `${place}/gate${state.round === 1 ? '' : `#${state.round}`}`, toolCallId };
    case 'try':
      return { key: `${place}#${state.attempt}`, toolCallId, hasEffect: true, dueAt: state.dueAt };
    case 'doubt':
      return { key: `${place}#${state.attempt}/verify`, toolCallId };
    case 'failed':
      return { key: `${place}#${state.attempt}/owner`, toolCallId };
    case 'stand-in':
      return { key: `${place}/stand-in`, toolCallId };
    case 'show':
      return { key: `${place}/show`, toolCallId };
    case 'own':
      return { key: `${place}/owner`, toolCallId };
    case 'ready':
    case 'place':
    case 'waiting':
    case 'done':
      return undefined;
  }
}

/** What the calls of a reply have in common. */
export interface TurnContext extends CallContext {
  /** The place of the call whose hook has ended the run: those before it go on. */
  readonly stoppedAt: number;
  /** Tools are over: the model was told that none can be called. */
  readonly isOff: boolean;
  /** How many calls of this reply may run under `limits.toolCalls`. */
  readonly placesLeft: number;
  readonly recentCalls: readonly CallRecord[];
  readonly toolFailures: Readonly<Record<string, number>>;
}

/** The calls as far as they get without the world, and what is to be told of it. */
export interface Advanced {
  readonly calls: readonly CallState[];
  readonly events: readonly EventBody[];
}

/**
 * Moves calls on that need nothing from outside, in call order: which of them a limit or the guard refuses depends on
 * their order in the reply, never on how quick a hook is. A call whose turn depends on earlier ones stays where it is.
 */
export function advance(given: readonly CallState[], context: TurnContext): Advanced {
  const calls = [...given];
  const events: EventBody[] = [];
  let taken = 0;
  let open = 0;
  let isRead = true;
  for (const [index, before] of calls.entries()) {
    let state = before;
    const isStopping = context.isStopping && index > context.stoppedAt;
    const isOver = taken >= context.placesLeft;
    if (state.at === 'ready' && isRead)
      state = afterReady(calls, index, state, isOver, { ...context, isStopping }, events);
    if (state.at === 'place') {
      const transition = isStopping
        ? refused(state, state.ready, texts.cancelledBeforeStart, 'end', context)
        : isOver
          ? refused(state, state.ready, texts.overToolLimit, 'limit', context)
          : undefined;
      if (transition !== undefined) {
        state = transition.state;
        events.push(...transition.events);
      } else if (taken + open < context.placesLeft) state = tryOf(state);
    }
    calls[index] = state;
    isRead &&= state.at !== 'read';
    const place = placeOf(state);
    if (place === 'taken') taken += 1;
    else if (place === 'open') open += 1;
  }
  return { calls, events };
}

function tryOf({ call, toolCallId, since, spent, ready }: Extract<CallState, { at: 'place' }>): CallState {
  return { call, toolCallId, since, spent, at: 'try', ready, attempt: 1, retried: [] };
}

/** Whether a call takes a place under the limit; open while that is not known. One that waits for a person keeps its place. */
function placeOf(state: CallState): 'taken' | 'free' | 'open' {
  switch (state.at) {
    case 'read':
    case 'ready':
    case 'place':
      return 'open';
    case 'gate':
      return state.answer === undefined ? 'open' : 'taken';
    case 'own':
    case 'done':
      return state.result.hasRun || (state.result.is === 'refused' && state.result.by === 'breaker') ? 'taken' : 'free';
    case 'waiting':
    case 'try':
    case 'doubt':
    case 'failed':
    case 'stand-in':
    case 'show':
      return 'taken';
  }
}

function afterReady(
  calls: readonly CallState[],
  index: number,
  state: Extract<CallState, { at: 'ready' }>,
  isOver: boolean,
  context: TurnContext,
  events: EventBody[],
): CallState {
  const { ready, round } = state;
  const { rules, turn } = context;
  const tool = toolRulesOf(rules, ready.toolName);
  const take = (transition: ReturnType<typeof refused>): CallState => {
    events.push(...transition.events);
    return transition.state;
  };
  if (context.isStopping) return take(refused(state, ready, texts.cancelledBeforeStart, 'end', context));
  if (context.isOff) return take(refused(state, ready, texts.toolsAreOver, 'end', context));
  if (isOver) return take(refused(state, ready, texts.overToolLimit, 'limit', context));
  const repeated = repetition(calls, index, ready.key, tool.polls, ready.toolName, context);
  if (repeated !== undefined) {
    if (repeated.by !== 'no-progress-again')
      events.push({ type: 'guard', turn, guard: 'repeated-call', action: 'tell-model', message: repeated.message });
    return take(refused(state, ready, () => repeated.text, repeated.by, context));
  }
  const isGated = rules.hooked.beforeTool || tool.asksPerson;
  const { call, toolCallId, since, spent } = state;
  return { call, toolCallId, since, spent, ...(isGated ? { at: 'gate', ready, round } : { at: 'place', ready }) };
}

interface Repetition {
  readonly by: 'failed-before' | 'no-progress' | 'no-progress-again';
  readonly text: string;
  readonly message: string;
}

function repetition(
  calls: readonly CallState[],
  index: number,
  key: string,
  polls: boolean,
  toolName: string,
  { recentCalls, toolFailures, rules }: TurnContext,
): Repetition | undefined {
  const failures = Object.hasOwn(toolFailures, toolName) ? (toolFailures[toolName] ?? 0) : 0;
  if (failures >= rules.limits.toolFailures)
    return {
      by: 'failed-before',
      text: texts.toolFailuresSpent(toolName, failures),
      message: `${toolName} was not run: it failed ${failures} times without a result in between (\`limits.toolFailures\`).`,
    };
  const before = (): (string | undefined)[] => calls.slice(0, index).map(keyOf);
  const verdict = checkRepetition(recentCalls, { key, before, polls }, rules.limits);
  if (verdict.type === 'run') return undefined;
  const what = verdict.why === 'failed-before' ? 'the same call failed' : 'the same call gave the same result';
  return {
    by: verdict.why === 'no-progress' && verdict.isLast ? 'no-progress-again' : verdict.why,
    text: texts.repeatedCall(toolName, verdict.why, verdict.times),
    message: `${toolName} was not run again: ${what} ${verdict.times} times.`,
  };
}

/** What a call is, as soon as its arguments are read. */
function keyOf(state: CallState): string | undefined {
  if (state.at === 'done' || state.at === 'own') return state.result.key;
  return state.at === 'read' ? undefined : state.ready.key;
}
