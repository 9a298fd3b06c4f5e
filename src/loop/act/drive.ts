import { assertNever } from '../../core/assert.ts';
import type { Entry } from '../../core/journal.ts';
import { failureOf } from '../call/result.ts';
import type { CallAct, CallOutcome, CallState } from '../call/state.ts';
import { apply } from '../run/apply.ts';
import { decide } from '../run/decide.ts';
import type { EventBody } from '../run/event-body.ts';
import type { RunContext } from './context.ts';
import type { Effect, Ending, Outcome, RunState } from '../run/state.ts';
import { messagesOf } from '../run/transcript.ts';
import { findTool } from '../input/find-tool.ts';
import { askAfterTurn } from './after-turn.ts';
import { askModel, reserve, spentIn } from './ask-model.ts';
import type { Spent } from '../run/spent.ts';
import { nothingSpent } from '../run/spent.ts';
import { askOwner, hookedCall, showResult } from './call-hooks.ts';
import { checkAnswer } from './check-answer.ts';
import { askGate } from './gate.ts';
import { readCall } from './read-call.ts';
import type { RunMemory } from './run-memory.ts';
import { shorten } from './shorten.ts';
import { CallSpending, TurnBook } from './spending.ts';
import { reasonOf, stoppingOf } from './stopping.ts';
import { standIn, tryTool, verifyEffect } from './try-tool.ts';

/** The reason of an abort by a run's own deadline. It names the run: a subagent's run follows the abort of the outer one. */
export class RunDeadlinePassed extends Error {
  override readonly name = 'RunDeadlinePassed';
  readonly runId: string;

  constructor(runId: string, runMs: number) {
    super(`The run took longer than \`deadlines.runMs\` (${runMs} ms)`);
    this.runId = runId;
  }
}

/** A run that has ended, and how. */
export interface EndedRun {
  readonly state: RunState;
  readonly ending: Ending;
}

/**
 * Drives a run to its end: decide, act, apply, tell. `first` is what a person said to a run that had waited. Rejects only
 * where the library itself is broken, or the journal.
 *
 * 1. The state is the fold of the entries: nothing but `apply` makes a new one.
 * 2. Whatever is not in the journal speaks only through an outcome.
 * 3. An abort ends the run at the next moment at which its history is valid: every act hears it.
 */
export function drive(
  context: RunContext,
  memory: RunMemory,
  initial: RunState,
  first?: Extract<Outcome, { type: 'person' }>,
): Promise<EndedRun> {
  return new Driver(context, memory, initial).run(first);
}

/** What came of the act of a call, or why nothing did. */
type Landed = { readonly toolCallId: string } & (
  | { readonly entry: Entry<Outcome> }
  | { readonly error: unknown; readonly spent: Spent | undefined }
);

class Driver {
  readonly #context: RunContext;
  readonly #memory: RunMemory;
  #state: RunState;
  /** The acts of calls that are on their way, by tool call id. */
  readonly #inFlight = new Map<string, CallSpending>();
  /** Calls that were begun in this stretch of the run. */
  readonly #begun = new Set<string>();
  #landed: Landed[] = [];
  #wake: (() => void) | undefined;
  #book: TurnBook | undefined;
  /** The calls whose act was cut off, and what it had spent by then. */
  readonly #cut = new Map<string, Spent | undefined>();

  constructor(context: RunContext, memory: RunMemory, initial: RunState) {
    this.#context = context;
    this.#memory = memory;
    this.#state = initial;
  }

  async run(first: Extract<Outcome, { type: 'person' }> | undefined): Promise<EndedRun> {
    const { abort, journal } = this.#context;
    if (first === undefined) {
      for (const entry of journal.recorded) this.#take(entry);
      if (journal.recorded.length === 0) {
        const { transcript, startedAt } = this.#state;
        const outcome: Outcome = { type: 'began', messages: messagesOf(transcript), startedAt };
        this.#take(await journal.act({ key: 'begin', perform: () => Promise.resolve(outcome) }));
      }
    } else {
      const key = `t${this.#state.turn}/person#${this.#state.pauses + 1}`;
      this.#take(await journal.act({ key, perform: () => Promise.resolve(first) }));
    }
    for (;;) {
      if (journal.lost.aborted) throw journal.lost.reason;
      if (this.#context.said.length > 0) await this.#hear();
      const effect = decide(this.#state, this.#context.config);
      if (effect.type === 'calls') {
        this.#start(effect.acts);
        if (this.#inFlight.size > 0) {
          await this.#land();
          continue;
        }
      }
      if (abort.aborted && this.#state.phase.type !== 'ended') await this.#cutOff();
      else if (effect.type === 'end') return { state: this.#state, ending: effect.ending };
      else if (effect.type !== 'calls') await this.#one(effect);
    }
  }

  /** Applies an entry and tells what it led to. */
  #take(entry: Entry<Outcome>): void {
    const { state, events } = apply(this.#state, entry, this.#context.config);
    this.#state = state;
    this.#context.journal.applied?.(state);
    const { redactor } = this.#context.config;
    if (!entry.isReplay) for (const event of events) this.#context.emit(forListeners(event, redactor), entry.at);
  }

  /** One act alone: everything but the calls of a reply. */
  async #one(effect: Exclude<Effect, { type: 'end' | 'calls' }>): Promise<void> {
    const { journal, abort } = this.#context;
    try {
      if (effect.type === 'ask-model') return await this.#ask(effect);
      this.#take(await journal.act({ key: effect.key, perform: () => this.#perform(effect) }));
    } catch (error) {
      // To be cut off is no outcome: what the abort means for the run is one.
      if (!abort.aborted) throw error;
    }
  }

  async #ask(effect: Extract<Effect, { type: 'ask-model' }>): Promise<void> {
    const { journal, abort, outer } = this.#context;
    const { key, dueAt } = effect;
    if (dueAt !== undefined) await journal.sleepUntil(`${key}/wait`, dueAt, abort);
    const { limit, release } = await reserve(this.#context, this.#memory, this.#state);
    if (limit !== undefined) return this.#one({ type: 'limit', key: `${key}/outer-limit`, ...limit });
    if (effect.isFirst) this.#context.emit({ type: 'turn-start', turn: this.#state.turn + 1 });
    let spent: Spent | undefined;
    try {
      const entry = await journal.act({ key, perform: () => this.#perform(effect) });
      if (!entry.isReplay) spent = spentIn(entry.outcome);
      this.#take(entry);
    } finally {
      if (spent !== undefined) outer?.spend(spent);
      release?.(spent ?? nothingSpent);
    }
  }

  async #perform(effect: Exclude<Effect, { type: 'end' | 'calls' }>): Promise<Outcome> {
    const context = this.#context;
    const memory = this.#memory;
    const state = this.#state;
    try {
      switch (effect.type) {
        case 'ask-model':
          return await askModel(context, memory, state, effect);
        case 'shorten':
          return await shorten(context, state, effect.failure);
        case 'check-answer':
          return await checkAnswer(context, memory, effect.text);
        case 'after-turn':
          return await askAfterTurn(context, state);
        case 'limit':
          return { type: 'limit', reached: effect.reached, mayFinish: effect.mayFinish };
        default:
          return assertNever(effect);
      }
    } catch (error) {
      return { type: 'stopped', stopping: stoppingOf(context, error) };
    }
  }

  /** Begins what calls need next, in call order: at most `toolConcurrency` side by side, an `exclusive` one alone. */
  #start(acts: readonly CallAct[]): void {
    const { phase } = this.#state;
    if (phase.type !== 'tools') return;
    const next = new Map(acts.map((act) => [act.toolCallId, act]));
    let active = 0;
    for (const call of phase.calls) {
      const { toolCallId } = call;
      const act = next.get(toolCallId);
      const isSettled = call.at === 'done' || call.at === 'waiting';
      if (isSettled) continue;
      const isExclusive = findTool(call.call.name, this.#context.config.tools).tool?.options.exclusive === true;
      if (!this.#begun.has(toolCallId)) {
        if (active >= this.#context.config.toolConcurrency || (isExclusive && active > 0)) return;
        this.#begun.add(toolCallId);
      }
      active += 1;
      if (act !== undefined && !this.#inFlight.has(toolCallId) && this.#mayBegin(call)) this.#begin(call, act);
      if (isExclusive) return;
    }
  }

  /** After an abort only hooks are asked about results that are there. */
  #mayBegin({ at, toolCallId }: CallState): boolean {
    if (!this.#context.abort.aborted) return true;
    return (at === 'show' || at === 'own' || at === 'failed') && !this.#cut.has(toolCallId);
  }

  #begin(call: CallState, act: CallAct): void {
    const { journal, abort } = this.#context;
    this.#book ??= new TurnBook(this.#state);
    const spending = new CallSpending(this.#context, this.#state, this.#book);
    const { toolCallId } = act;
    this.#inFlight.set(toolCallId, spending);
    const perform = async (): Promise<Outcome> => {
      const outcome = await this.#performCall(call, spending);
      const { spent } = spending;
      return { type: 'call', toolCallId, outcome: spent === undefined ? outcome : { ...outcome, spent } };
    };
    const land = (landed: Landed): void => {
      this.#landed.push(landed);
      this.#wake?.();
    };
    const run = async (): Promise<Entry<Outcome>> => {
      if (act.dueAt !== undefined) await journal.sleepUntil(`${act.key}/wait`, act.dueAt, abort);
      const entry = await journal.act({ key: act.key, hasEffect: act.hasEffect, perform });
      return entry.outcome.type === 'interrupted'
        ? { ...entry, outcome: { type: 'call', toolCallId, outcome: entry.outcome } }
        : entry;
    };
    run().then(
      (entry) => land({ toolCallId, entry }),
      (error: unknown) => land({ toolCallId, error, spent: spending.spent }),
    );
  }

  async #performCall(call: CallState, spending: CallSpending): Promise<CallOutcome> {
    const context = this.#context;
    const { live } = this.#memory;
    const { turn } = this.#state;
    try {
      switch (call.at) {
        case 'read':
          return await readCall(context, call, live);
        case 'gate':
          return await askGate(context, turn, call, live);
        case 'try':
          return await tryTool({ context, turn, live, spending }, call);
        case 'doubt':
          return await verifyEffect({ context, turn, live, spending }, call);
        case 'failed':
          return await askOwner(context, turn, call.failure, call.attempt);
        case 'stand-in':
          return await standIn({ context, turn, live, spending }, call);
        case 'show':
          return await showResult(context, turn, call, await hookedCall(context, call, live));
        case 'own': {
          const failure = failureOf(call.result);
          return failure === undefined ? { type: 'owned', say: undefined } : await askOwner(context, turn, failure, 1);
        }
        default:
          throw new Error(`Nothing is to be done for a call that is ${call.at}.`);
      }
    } catch (error) {
      // A bug of ours, at a place that is not known: the tool may have run.
      return { type: 'lost', stopping: stoppingOf(context, error) };
    }
  }

  /** Waits until an act of a call has come to something, and applies what has. */
  async #land(): Promise<void> {
    if (this.#landed.length === 0 && this.#inFlight.size > 0)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.#wake = undefined;
    for (const landed of this.#landed.splice(0)) {
      this.#inFlight.delete(landed.toolCallId);
      if ('entry' in landed) this.#take(landed.entry);
      else if (!this.#context.abort.aborted) throw landed.error;
      else this.#cut.set(landed.toolCallId, landed.spent);
    }
    const { phase } = this.#state;
    if (phase.type === 'tools') return;
    this.#book = undefined;
    this.#begun.clear();
    this.#memory.live.clear();
  }

  /** What somebody said meanwhile is an outcome like any other. */
  async #hear(): Promise<void> {
    const { said, journal } = this.#context;
    for (let text = said.shift(); text !== undefined; text = said.shift()) {
      const outcome: Outcome = { type: 'said', text };
      this.#take(await journal.act({ key: `said/${this.#state.heard + 1}`, perform: () => Promise.resolve(outcome) }));
    }
  }

  /** A cancel and a passed deadline are outcomes of the run. */
  async #cutOff(): Promise<void> {
    const { abort, journal, runId, partial } = this.#context;
    const { reason } = abort;
    const isDeadline = reason instanceof RunDeadlinePassed && reason.runId === runId;
    const { phase } = this.#state;
    const begun = phase.type === 'tools' ? this.#memory.live.begunOf(phase.calls) : [];
    const spent = [...this.#cut].flatMap(([toolCallId, sum]) =>
      sum === undefined ? [] : [{ toolCallId, spent: sum }],
    );
    const known = { type: 'cut-off', text: partial.text, begun, spent } as const;
    const outcome: Outcome = isDeadline
      ? { ...known, by: 'deadline', message: reason.message }
      : { ...known, by: 'caller', reason: reasonOf(this.#context, reason) };
    this.#take(await journal.act({ key: 'cut-off', perform: () => Promise.resolve(outcome) }));
  }
}

/** What the model said in a call that was not run is shown to the model alone as it is. */
function forListeners(event: EventBody, redactor: { redact(text: string): string }): EventBody {
  if (event.type === 'rewind') return { ...event, note: redactor.redact(event.note) };
  const isSlip = event.type === 'tool-end' && event.failureKind !== undefined;
  return isSlip ? { ...event, output: redactor.redact(event.output) } : event;
}
