import { assertNever } from '../core/assert.ts';
import type { RunEvent, RunEventOf } from '../core/event.ts';
import type { Failure, Owner } from '../core/failure.ts';
import type { Json } from '../core/json.ts';
import type { RunResult } from '../core/result.ts';
import { closingLines } from './trace-end.ts';
import type { Line, Look, Tone } from './trace-line.ts';
import { note, row } from './trace-line.ts';
import { callText, durationText, failureText } from './trace-words.ts';
import { clip, clipStart, singleLine } from './terminal-text.ts';

/** What the trace remembers between two events. */
export interface TraceState {
  readonly model: string;
  /** Requests made. */
  readonly requests: number;
  /** Failures so far, by owner. */
  readonly owned: Readonly<Record<Owner, number>>;
  /** Text streamed since the attempt began. */
  readonly streamed: string;
  /** True between a `text-void` and the line that says so. */
  readonly isVoid: boolean;
  /** A failure whose line waits for the event that says what was done about it. */
  readonly held: RunEventOf<'failure'> | undefined;
  readonly calls: ReadonlyMap<string, TracedCall>;
}

interface TracedCall {
  readonly input?: Json | undefined;
  readonly failure?: RunEventOf<'failure'> | undefined;
}

/** What one event adds to the trace. */
export interface TraceStep {
  readonly state: TraceState;
  /** Finished lines, to be appended. */
  readonly lines: readonly Line[];
  /** What is going on now, to be repainted; undefined: nothing to wait for. */
  readonly status: string | undefined;
}

/** The trace before the first event. */
export const emptyTrace: TraceState = {
  model: 'the model',
  requests: 0,
  owned: { model: 0, code: 0, nobody: 0 },
  streamed: '',
  isVoid: false,
  held: undefined,
  calls: new Map(),
};

/** What to do about a run that gave no answer. */
export type HintOf = (result: RunResult<unknown>) => string | undefined;

const failuresOwnHint: HintOf = (result) => (result.status === 'failed' ? result.failure.hint : undefined);

/** Adds one event to the trace. Pure: the same events give the same lines. */
export function traceEvent(
  before: TraceState,
  event: RunEvent,
  look: Look,
  hintOf: HintOf = failuresOwnHint,
): TraceStep {
  const { state, lines } = settleHeld(before, event, look);
  const step = (change: Partial<TraceState>, added: readonly Line[], status?: string): TraceStep => ({
    state: { ...state, ...change },
    lines: [...lines, ...added],
    status,
  });

  switch (event.type) {
    case 'run-start':
      return step({}, [], 'starting');
    case 'turn-start':
      return step({}, [[], [{ text: `turn ${event.turn}`, tone: 'heading' }]], `asking ${state.model}`);
    case 'attempt-start': {
      const again = event.attempt > 1 ? ` again (attempt ${event.attempt})` : '';
      const change = { model: event.model, requests: state.requests + 1, streamed: '', isVoid: false };
      return step(change, [], `asking ${event.model}${again}`);
    }
    case 'text-delta': {
      const streamed = state.streamed + event.text;
      return step({ streamed }, [], `writing: ${tail(streamed, look)}`);
    }
    case 'reasoning-delta':
      return step({}, [], 'thinking');
    case 'text-void':
      return step({ streamed: '', isVoid: state.streamed !== '' }, [], `asking ${state.model}`);
    case 'reply':
      return step(
        { streamed: '' },
        isOnScreen(state, look) ? [] : replyLines(event, look),
        event.toolCalls > 0 ? 'reading the reply' : undefined,
      );
    case 'failure':
      return step(...failureStep(state, event, look));
    case 'retry': {
      const again = `(${event.attempt} of ${event.maxAttempts})`;
      const wait = waitText(look, event.delayMs, event.failure.retryAfterMs);
      const done = `${state.isVoid ? 'voids the text, ' : ''}${wait}asks again ${again}`;
      const line = row(look, { symbol: 'bad', what: attemptText(event.failure, state.isVoid), owner: 'code', done });
      return step(
        { held: undefined, isVoid: false },
        line,
        `waiting ${durationText(event.delayMs)} before attempt ${event.attempt} of ${event.maxAttempts}`,
      );
    }
    case 'fall-back': {
      const isOneWire = event.to === event.from;
      const done = `asks ${isOneWire ? event.toModel : event.to} instead of ${isOneWire ? event.fromModel : event.from}`;
      const line = row(look, { symbol: 'bad', what: failureText(event.failure), owner: 'code', done });
      return step({ held: undefined, isVoid: false }, line, `asking ${event.to}`);
    }
    case 'call-mended': {
      const done = event.mends.map((mend) => (mend.path === '' ? mend.what : `${mend.path}: ${mend.what}`)).join('; ');
      return step({}, row(look, { symbol: 'mended', what: `${event.toolName}: call mended`, owner: 'code', done }));
    }
    case 'tool-start': {
      const calls = new Map(state.calls).set(event.toolCallId, { input: event.input });
      return step({ calls }, [], `running ${callText(event.toolName, event.input, look.symbols.ellipsis)}`);
    }
    case 'tool-retry': {
      const done = `${waitText(look, event.delayMs, undefined)}runs it again (${event.attempt} of ${event.maxAttempts})`;
      const what = failureText(
        event.failure,
        callText(event.toolName, state.calls.get(event.toolCallId)?.input, look.symbols.ellipsis),
      );
      return step(
        {},
        row(look, { symbol: 'bad', what, owner: 'code', done }),
        `waiting to run ${event.toolName} again`,
      );
    }
    case 'tool-end': {
      const call = state.calls.get(event.toolCallId);
      const calls = new Map(state.calls);
      calls.delete(event.toolCallId);
      return step({ calls }, toolEndLines(event, call, look), `asking ${state.model}`);
    }
    case 'rewind': {
      const done = 'forgets the failed exchange; a note in the system text says how the call is made';
      return step({}, row(look, { symbol: 'mended', what: `${event.toolName}: rewound`, owner: 'model', done }));
    }
    case 'history-repaired':
      return step({}, row(look, { symbol: 'mended', what: 'history repaired', done: event.changes.join('; ') }));
    case 'history-compacted': {
      const done = `${event.charsBefore} characters are now ${event.charsAfter}`;
      return step({}, row(look, { symbol: 'mended', what: 'history shortened', owner: 'code', done }));
    }
    case 'guard':
      // The call's own line, or the end of the run, says the same for a model and for a stop.
      if (event.action !== 'finish') return step({}, []);
      return step({}, row(look, { symbol: 'warning', what: `limit: ${event.guard}`, done: event.message }));
    case 'warning':
      return step({}, row(look, { symbol: 'warning', what: 'warning', done: event.message }));
    case 'breaker':
      return step({}, row(look, { symbol: 'warning', what: `breaker ${event.name}`, done: breakerText(event.state) }));
    case 'pending': {
      const { request } = event;
      const what =
        request.type === 'approval'
          ? callText(request.toolName, request.input, look.symbols.ellipsis)
          : request.toolName;
      const done = request.type === 'approval' ? 'waits for a person to approve it' : `asks: ${request.question}`;
      return step({}, row(look, { symbol: 'warning', what, done }));
    }
    case 'turn-end':
    case 'attempt-end':
    case 'recovered':
      return step({}, []);
    case 'run-end':
      return step(
        {},
        closingLines(event.result, { ...state, durationMs: event.durationMs }, look, hintOf(event.result)),
      );
    default:
      return assertNever(event);
  }
}

/** Failures of a model call that the loop acts on say what was done in their next event; all others are a line at once. */
function failureStep(
  state: TraceState,
  event: RunEventOf<'failure'>,
  look: Look,
): [Partial<TraceState>, readonly Line[], string | undefined] {
  const owned = { ...state.owned, [event.owner]: state.owned[event.owner] + 1 };
  const { toolCallId } = event;
  if (toolCallId !== undefined) {
    const calls = new Map(state.calls).set(toolCallId, { ...state.calls.get(toolCallId), failure: event });
    return [{ owned, calls }, [], undefined];
  }
  if (event.action === 'retry' || event.action === 'fall-back') return [{ owned, held: event }, [], undefined];
  return [{ owned, isVoid: false }, failureLine(event, state.isVoid, look), undefined];
}

/** A connection that breaks after some text is not one that could not be made. */
function attemptText(failure: Failure, isVoid: boolean): string {
  return isVoid && failure.kind === 'network' ? 'connection lost in a reply' : failureText(failure);
}

/** A held failure whose expected event did not come (the run was aborted in between) still gets its line. */
function settleHeld(state: TraceState, event: RunEvent, look: Look): { state: TraceState; lines: readonly Line[] } {
  const { held } = state;
  if (held === undefined) return { state, lines: [] };
  if (event.type === 'text-void' || event.type === 'retry' || event.type === 'fall-back') return { state, lines: [] };
  return { state: { ...state, held: undefined, isVoid: false }, lines: failureLine(held, state.isVoid, look) };
}

function failureLine(event: RunEventOf<'failure'>, isVoid: boolean, look: Look): Line[] {
  const { failure, owner } = event;
  const symbol = failure.kind === 'aborted' ? 'stopped' : 'bad';
  const done = isVoid ? `voids the text, ${actionText(event)}` : actionText(event);
  const line = row(look, { symbol, what: attemptText(failure, isVoid), owner, done });
  return look.isVerbose ? [...line, ...note(look, failure.message, 'quiet')] : line;
}

function actionText(event: RunEventOf<'failure'>): string {
  switch (event.action) {
    case 'retry':
      return 'asks again';
    case 'fall-back':
      return 'asks the next provider';
    case 'tell-model':
      return 'is told';
    case 'compact':
      return 'shortens the history and asks again';
    case 'stop':
      if (event.failure.kind === 'aborted') return 'goes on: it was stopped from outside';
      return event.owner === 'nobody' ? 'can mend it here: the run stops at once' : 'has no try left: the run stops';
    default:
      return assertNever(event.action);
  }
}

function toolEndLines(event: RunEventOf<'tool-end'>, call: TracedCall | undefined, look: Look): Line[] {
  const name = callText(event.toolName, call?.input, look.symbols.ellipsis);
  const slow = look.showDurations && event.durationMs >= 1000 ? ` (${durationText(event.durationMs)})` : '';
  if (!event.isError) {
    const done = `${singleLine(event.output)}${slow}`;
    if (!event.isCached) return row(look, { symbol: 'good', what: name, done, isQuiet: true });
    const what = `${name}: unavailable`;
    return row(look, { symbol: 'mended', what, owner: 'code', done: `answers from its fallback: ${done}` });
  }
  const failure = call?.failure?.failure;
  const what = failure === undefined ? name : failureText(failure, name);
  const owner = call?.failure?.owner ?? 'model';
  const output = withoutName(singleLine(event.output), event.toolName);
  const done = owner === 'nobody' ? `can mend it here: ${output}` : `reads: ${output}`;
  const lines = row(look, { symbol: 'bad', what, owner, done });
  // The model is told next to nothing about a bug in a tool; the author of the tool has to see it.
  if (failure?.kind === 'tool-bug') return [...lines, ...note(look, `for you: ${failure.message}`, 'nobody')];
  return look.isVerbose && failure !== undefined ? [...lines, ...note(look, failure.message, 'quiet')] : lines;
}

/** The row names the tool already: `use failed: The lock is rusted.` says it once more. */
function withoutName(text: string, toolName: string): string {
  const prefix = `${toolName} failed: `;
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

/** True where the text of the reply was shown while it came. */
function isOnScreen(state: TraceState, look: Look): boolean {
  return look.hasLiveText === true && state.streamed !== '';
}

/** What the model said beside its calls. The text of a reply without calls is the answer, which is not part of the trace. */
function replyLines(event: RunEventOf<'reply'>, look: Look): Line[] {
  const text = singleLine(event.text);
  if (text === '') return [];
  if (event.toolCalls === 0) return row(look, { symbol: 'good', what: 'answers', done: '' });
  const tone: Tone = 'quiet';
  return [[{ text: `  ${look.symbols.says} ${clip(text, look.columns - 4, look.symbols.ellipsis)}`, tone }]];
}

function waitText(look: Look, delayMs: number, askedMs: number | undefined): string {
  if (delayMs < 1) return '';
  const isAsked = askedMs !== undefined && askedMs > 0;
  // The jitter on top of it differs from run to run; what the server asked for does not.
  const shown = look.showDurations ? delayMs : askedMs;
  const time = shown === undefined ? 'a little' : durationText(shown);
  return `waits ${time}${isAsked ? ' as told' : ''}, `;
}

function breakerText(state: RunEventOf<'breaker'>['state']): string {
  switch (state) {
    case 'open':
      return 'open: not asked for a while';
    case 'half-open':
      return 'half open: one request tries it';
    case 'closed':
      return 'closed: it works again';
    default:
      return assertNever(state);
  }
}

function tail(text: string, look: Look): string {
  return clipStart(singleLine(text.slice(-2 * look.columns)), Math.max(10, look.columns - 30), look.symbols.ellipsis);
}
