import { Abort } from '../../core/abort.ts';
import type { RunEvent } from '../../core/event.ts';
import type { Journal } from '../../core/journal.ts';
import { isRecord } from '../../core/json.ts';
import { describeValue, expected } from '../../core/option-check.ts';
import type { Outcome } from '../run/state.ts';
import type { CompletedRun, RunResult, SuspendedRun } from '../../core/result.ts';
import type { StandardSchema } from '../../core/schema.ts';
import type { Agent, OutputOf, ResumeOptions, RunInput, RunOptions } from './agent.ts';
import { agentAsTool } from './agent-as-tool.ts';
import { configOf } from './agent-config.ts';
import type { AgentOptions } from './agent-options.ts';
import type { Listener } from '../events/event-hub.ts';
import { EventHub } from '../events/event-hub.ts';
import { eventResponse } from '../events/event-response.ts';
import { EventStream } from '../events/event-stream.ts';
import { LiveJournal } from '../act/live-journal.ts';
import { outerRunOf } from '../act/outer-run.ts';
import type { RunContext } from '../act/context.ts';
import type { RunHandle } from '../events/run-handle.ts';
import { textOfEvents } from '../events/run-handle.ts';
import { drive as driveRun, RunDeadlinePassed } from '../act/drive.ts';
import { brokenRun, completedOrThrow, resultOf } from './run-result.ts';
import type { RunStart } from './run-start.ts';
import { newRun, resumedRun } from './run-start.ts';
import { SuspendedRuns } from './suspended-runs.ts';

/**
 * Makes an agent. Checks everything that it can at once.
 * @throws OilcanError `invalid-option`, in one sentence that says what was expected.
 * @example
 * const agent = createAgent({ provider: openai({ model: 'qwen3', baseURL: 'http://127.0.0.1:11434/v1' }), tools: [use] });
 * const { text } = await agent.run('Open the temple door.');
 */
export function createAgent(options: AgentOptions): Agent {
  const agentConfig = configOf(options);
  const hub = new EventHub((text) => agentConfig.redactor.redact(text));
  const suspended = new SuspendedRuns(agentConfig.clock, agentConfig.deadlines.suspendedMs);

  /** Runs from a start to an end; never rejects. */
  async function drive(
    start: RunStart,
    abort: Abort,
    signal: AbortSignal | undefined,
    sink: EventStream | undefined,
    said: string[] = [],
  ): Promise<RunResult<unknown>> {
    const { runId, config, within, state, memory } = start;
    const { clock, deadlines } = config;
    const began = clock.monotonic();
    let lastTurn = 0;
    let isOver = false;
    let hasWarned = false;
    let lastAt = state.now;
    /** A clock of the caller's that throws must not keep the end of the run from being told. */
    function timeNow(): number {
      try {
        lastAt = clock.now();
      } catch {
        // The time of the event before is as good as any.
      }
      return lastAt;
    }
    const wants: RunContext['wants'] = (type) => sink !== undefined || hub.wants(type);
    const context: Omit<RunContext, 'journal'> = {
      runId,
      config,
      abort,
      wants,
      emit(body, at = timeNow()) {
        if (isOver) return;
        lastTurn = body.turn;
        isOver = body.type === 'run-end';
        memory.seq += 1;
        if (!wants(body.type)) return;
        // Failures are numbered where they are applied; nothing else has a number.
        const event = { v: 1, seq: memory.seq, at, runId, ...body } as RunEvent;
        sink?.push(event);
        hub.emit(event, () => isOver);
      },
      backpressure: () =>
        sink?.isFull === true ? sink.drained({ clock, idleMs: deadlines.idleMs, onGivenUp }) : undefined,
      said,
      partial: { text: '' },
      outer: outerRunOf(within?.budget),
    };
    function onGivenUp(): void {
      if (hasWarned) return;
      hasWarned = true;
      const message = `A reader of this run's events has read nothing for ${deadlines.idleMs} ms (\`deadlines.idleMs\`) and holds the run back: the run goes on, and the reader loses the oldest of the events that wait for it. Read on, or leave the loop.`;
      context.emit({ type: 'warning', turn: lastTurn, message });
    }
    const unfollow = abort.follow(signal);
    const unfollowOuter = abort.follow(within?.signal);
    let result: RunResult<unknown>;
    try {
      result = await reachEnd(context, start);
    } catch (error) {
      suspended.end(runId);
      result = brokenRun(state, runId, error, config.redactor);
    }
    unfollow();
    unfollowOuter();
    // Nobody hears what is said from here on.
    Object.freeze(said);
    try {
      context.emit({
        type: 'run-end',
        turn: Math.max(lastTurn, result.turns),
        result,
        durationMs: clock.monotonic() - began,
      });
    } finally {
      sink?.end();
    }
    return result;
  }

  /** The run itself. Rejects only where the library is broken, or a clock or a getter of the user's. */
  async function reachEnd(bare: Omit<RunContext, 'journal'>, start: RunStart): Promise<RunResult<unknown>> {
    const { runId, config, abort } = bare;
    const { state: initial, memory, said, input, changes } = start;
    const opened = (memory.journal ??= openJournal(start));
    const context: RunContext = { ...bare, journal: opened instanceof Promise ? await opened : opened };
    memory.journal = context.journal;
    const { clock } = config;
    const { runMs } = config.deadlines;
    const left = initial.startedAt + (said?.pausedMs ?? 0) + runMs - clock.now();
    const cancelDeadline =
      runMs === Infinity ? () => {} : clock.after(left, () => abort.abort(new RunDeadlinePassed(runId, runMs)));
    try {
      context.emit({ type: 'run-start', turn: initial.turn + 1, agentName: config.name, input });
      if (changes.length > 0) context.emit({ type: 'history-repaired', turn: initial.turn + 1, changes });
      const ended = await driveRun(context, memory, initial, said);
      const live = { cutOffText: context.partial.text, reason: abort.reason, output: memory.output };
      const result = resultOf(ended, runId, live);
      suspended.end(runId);
      const { state, ending } = ended;
      if (ending.status === 'suspended') {
        const message = suspended.keep(runId, { state, config, memory, since: clock.now() });
        if (message !== undefined) context.emit({ type: 'warning', turn: state.turn, message });
      }
      return result;
    } finally {
      cancelDeadline();
    }
  }

  async function answerOf(start: RunStart, signal: AbortSignal | undefined): Promise<CompletedRun<unknown>> {
    return completedOrThrow(await drive(start, new Abort(), signal, undefined));
  }

  function handleOf<Output>(start: RunStart, signal: AbortSignal | undefined): RunHandle<Output> {
    const abort = new Abort();
    const sink = new EventStream();
    const said: string[] = [];
    // The schema of the run decides `Output`; what it validated is what the result carries.
    const result = drive(start, abort, signal, sink, said) as Promise<RunResult<Output>>;
    /** Responses that are read. */
    const clients = new Set<object>();
    const abortRun = (reason: unknown): void => abort.abort(reason ?? new Error('The run was aborted.'));
    return {
      runId: start.runId,
      result,
      [Symbol.asyncIterator]: () => sink[Symbol.asyncIterator](),
      get textStream() {
        return textOfEvents(sink);
      },
      say(text) {
        if (typeof text !== 'string' || text.trim() === '')
          throw expected('what is said to a run', 'a text', describeValue(text));
        if (Object.isFrozen(said)) return false;
        said.push(text);
        return true;
      },
      abort: abortRun,
      toResponse(init) {
        const client = {};
        clients.add(client);
        const left = (reason?: Error): void => {
          if (clients.delete(client) && clients.size === 0 && reason !== undefined) abortRun(reason);
        };
        return eventResponse(sink, left, init);
      },
    };
  }

  const agent: Agent = {
    name: agentConfig.name,
    async run<S extends StandardSchema | undefined>(input: RunInput, runOptions: RunOptions<S> = {}) {
      const completed = await answerOf(newRun(suspended, agentConfig, input, runOptions), runOptions.signal);
      return completed as CompletedRun<OutputOf<S>>;
    },
    stream<S extends StandardSchema | undefined>(input: RunInput, runOptions: RunOptions<S> = {}) {
      return handleOf<OutputOf<S>>(newRun(suspended, agentConfig, input, runOptions), runOptions.signal);
    },
    async resume<Output>(run: string | SuspendedRun<Output>, resumeOptions: ResumeOptions) {
      const completed = await answerOf(resumedRun(suspended, idOf(run), resumeOptions), resumeOptions.signal);
      return completed as CompletedRun<Output>;
    },
    resumeStream: <Output>(run: string | SuspendedRun<Output>, resumeOptions: ResumeOptions) =>
      handleOf<Output>(resumedRun(suspended, idOf(run), resumeOptions), resumeOptions.signal),
    suspended: () => suspended.list(),
    async giveUp<Output>(run: string | SuspendedRun<Output>, reason?: unknown) {
      const abort = new Abort();
      abort.abort(reason ?? new Error('The run was given up.'));
      const result = await drive(resumedRun(suspended, idOf(run), {}), abort, undefined, undefined);
      return result as RunResult<Output>;
    },
    on: (type, listener: Listener<typeof type>) => hub.on(type, listener),
    asTool: (toolOptions) =>
      agentAsTool(
        agent,
        agentConfig.table,
        toolOptions,
        (runId) => suspended.drop(runId),
        (text) => agentConfig.redactor.redact(text, 'words'),
      ),
  };
  return agent;
}

/** The journal of a run; one that keeps nothing where the agent has none. */
function openJournal({ runId, config }: RunStart): Journal<Outcome> | Promise<Journal<Outcome>> {
  return config.journals?.open(runId) ?? new LiveJournal(config.clock);
}

/** A suspended run may be named by its id or by its result. */
function idOf(run: string | SuspendedRun): string {
  const id: unknown = isRecord(run) ? run.runId : run;
  return String(id);
}
