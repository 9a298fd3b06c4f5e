import { Abort } from '../core/abort.ts';
import type { RunEvent } from '../core/event.ts';
import type { Message } from '../core/message.ts';
import { textOf, toolCallsOf, userMessage } from '../core/message.ts';
import { invalidOption } from '../core/option-check.ts';
import type { CompletedRun, RunResult } from '../core/result.ts';
import type { StandardSchema } from '../core/schema.ts';
import type { Tool, ToolContext } from '../core/tool.ts';
import type { Agent, OutputOf, ResumeOptions, RunInput, RunOptions } from './agent.ts';
import type { AsToolOptions } from './agent-as-tool.ts';
import { agentAsTool } from './agent-as-tool.ts';
import type { AgentOptions } from './agent-options.ts';
import { runConfig } from './agent-options.ts';
import { withAnswers } from './answers.ts';
import type { OutputConfig, RunConfig } from './config.ts';
import type { Listener } from './event-hub.ts';
import { EventHub } from './event-hub.ts';
import { EventStream } from './event-stream.ts';
import { repairHistory } from './history.ts';
import { MemorySteps } from './memory-steps.ts';
import type { ModelStepMemory } from './model-step.ts';
import { outerRunOf, withinOuter } from './outer-run.ts';
import { outputConfig } from './output-config.ts';
import { hasContent, readMessages } from './read-messages.ts';
import type { RunContext } from './run-context.ts';
import type { RunHandle } from './run-handle.ts';
import { eventResponse, textOfEvents } from './run-handle.ts';
import type { EndedRun } from './run-loop.ts';
import { runDeadlinePassed, runLoop } from './run-loop.ts';
import { checkResumeOptions, checkRunOptions } from './run-options.ts';
import { completedOrThrow, resultOf } from './run-result.ts';
import { noSlips } from './slips.ts';
import type { RunState } from './state.ts';
import { firstAttempt } from './state.ts';
import { append, SentHistory } from './transcript.ts';

/** A run that waits for a person, in this process. */
interface Suspended {
  readonly state: RunState;
  readonly config: RunConfig;
  readonly memory: ModelStepMemory;
  readonly since: number;
}

/** Suspended runs that an agent keeps. Chosen: more than people decide on in a day; each holds its whole transcript. */
const MAX_SUSPENDED = 1000;

/** What a run starts from. */
interface Start {
  readonly runId: string;
  readonly config: RunConfig;
  readonly state: RunState;
  readonly memory: ModelStepMemory;
  readonly input: string;
  readonly changes: readonly string[];
  /** The tool call that the run was started in, where it was. */
  readonly within: ToolContext | undefined;
}

/**
 * Makes an agent. Checks everything that it can at once.
 * @throws OilcanError `invalid-option`, in one sentence that says what was expected.
 * @example
 * const agent = createAgent({ provider: openai({ model: 'qwen3', baseURL: 'http://127.0.0.1:11434/v1' }), tools: [use] });
 * const { text } = await agent.run('Open the temple door.');
 */
export function createAgent(options: AgentOptions): Agent {
  const config = runConfig(options);
  const hub = new EventHub((text) => config.redactor.redact(text));
  const suspended = new Map<string, Suspended>();

  /** Runs from a start to an end; never rejects. */
  async function drive(
    start: Start,
    abort: Abort,
    signal: AbortSignal | undefined,
    sink: EventStream | undefined,
  ): Promise<RunResult<unknown>> {
    const { runId, state: initial } = start;
    const { clock } = start.config;
    const began = clock.monotonic();
    const emit = (event: RunEvent): void => {
      sink?.push(event);
      hub.emit(event);
    };
    const context: RunContext = {
      runId,
      config: start.config,
      abort,
      steps: new MemorySteps(runId, abort, clock, start.config.random),
      wants: (type) => sink !== undefined || hub.wants(type),
      emit: (body) => {
        if (sink !== undefined || hub.wants(body.type)) emit({ runId, ...body });
      },
      backpressure: () => (sink?.isFull === true ? sink.drained() : undefined),
      partial: { text: '' },
      outer: outerRunOf(start.within?.budget),
    };
    const unfollow = abort.follow(signal);
    const unfollowOuter = abort.follow(start.within?.signal);
    const { runMs } = start.config.deadlines;
    const left = initial.startedAt + runMs - clock.now();
    const cancelDeadline = runMs === Infinity ? () => {} : clock.after(left, () => abort.abort(runDeadlinePassed));
    if (context.wants('run-start'))
      context.emit({ type: 'run-start', turn: initial.turn + 1, agentName: config.name, input: start.input });
    if (start.changes.length > 0)
      context.emit({ type: 'history-repaired', turn: initial.turn + 1, changes: start.changes });
    const ended: EndedRun = await runLoop(context, start.memory, initial);
    cancelDeadline();
    unfollow();
    unfollowOuter();
    if (ended.ending.status === 'suspended') {
      suspended.set(runId, { state: ended.state, config: start.config, memory: start.memory, since: clock.now() });
      const dropped = dropOldest(suspended);
      if (dropped !== undefined)
        context.emit({ type: 'warning', turn: ended.state.turn, message: tooManySuspended(dropped) });
    }
    const result = resultOf(ended, runId, context.partial.text);
    if (context.wants('run-end'))
      context.emit({ type: 'run-end', turn: ended.state.turn, result, durationMs: clock.monotonic() - began });
    sink?.end();
    return result;
  }

  function begin(input: RunInput, runOptions: RunOptions<StandardSchema | undefined>): Start {
    checkRunOptions(runOptions);
    const { messages, changes } = conversationOf(input);
    const output: OutputConfig | undefined = outputConfig(runOptions.output, runOptions.outputAttempts);
    const runId = runOptions.id ?? randomRunId(config);
    const usedIds = new Set<string>();
    for (const message of messages) {
      if (message.role === 'assistant') for (const call of toolCallsOf(message)) usedIds.add(call.toolCallId);
    }
    const { within } = runOptions;
    const ownConfig = withinOuter(config, outerRunOf(within?.budget));
    return {
      runId,
      config: output === undefined ? ownConfig : { ...ownConfig, output },
      within,
      state: beginning(messages, config.clock.now()),
      memory: { history: new SentHistory(), usedIds },
      input: lastUserText(messages),
      changes,
    };
  }

  function goOn(runId: string, resumeOptions: ResumeOptions): Start {
    const waiting = suspended.get(runId);
    if (waiting === undefined) {
      throw invalidOption(
        `No run \`${String(runId).slice(0, 100)}\` of this agent is suspended. Resume with the \`runId\` of a result whose status is 'suspended', once, and on the same agent: suspended runs live in the agent object of this process, the last ${MAX_SUSPENDED} of them.`,
      );
    }
    checkResumeOptions(resumeOptions);
    const { config: runsConfig, memory } = waiting;
    const state = withAnswers(waiting.state, resumeOptions);
    suspended.delete(runId);
    const pausedMs = runsConfig.clock.now() - waiting.since;
    return {
      runId,
      config: runsConfig,
      state: { ...state, startedAt: state.startedAt + pausedMs },
      memory,
      input: '',
      changes: [],
      within: undefined,
    };
  }

  function handleOf<Output>(start: Start, signal: AbortSignal | undefined): RunHandle<Output> {
    const abort = new Abort();
    const sink = new EventStream();
    // The schema of the run decides `Output`; what it validated is what the result carries.
    const result = drive(start, abort, signal, sink) as Promise<RunResult<Output>>;
    const abortRun = (reason: unknown): void => abort.abort(reason ?? new Error('The run was aborted.'));
    return {
      runId: start.runId,
      result,
      [Symbol.asyncIterator]: () => sink[Symbol.asyncIterator](),
      get textStream() {
        return textOfEvents(sink);
      },
      abort: abortRun,
      toResponse: (init) => eventResponse(sink, abortRun, init?.headers),
    };
  }

  const agent: Agent = {
    name: config.name,
    async run<S extends StandardSchema | undefined>(input: RunInput, runOptions: RunOptions<S> = {}) {
      const result = await drive(begin(input, runOptions), new Abort(), runOptions.signal, undefined);
      return completedOrThrow(result) as CompletedRun<OutputOf<S>>;
    },
    stream<S extends StandardSchema | undefined>(input: RunInput, runOptions: RunOptions<S> = {}) {
      return handleOf<OutputOf<S>>(begin(input, runOptions), runOptions.signal);
    },
    async resume(runId, resumeOptions) {
      const result = await drive(goOn(runId, resumeOptions), new Abort(), resumeOptions.signal, undefined);
      return completedOrThrow(result);
    },
    resumeStream: (runId, resumeOptions) => handleOf<unknown>(goOn(runId, resumeOptions), resumeOptions.signal),
    on: (type, listener: Listener<typeof type>) => hub.on(type, listener),
    asTool: (toolOptions: AsToolOptions): Tool => agentAsTool(agent, toolOptions),
  };
  return agent;
}

/** The messages that a run begins with, repaired. */
function conversationOf(input: unknown): ReturnType<typeof repairHistory> {
  if (typeof input === 'string') {
    if (input.trim() === '') throw invalidOption('Expected the input of a run to be a question, got an empty text.');
    return { messages: [userMessage(input)], changes: [] };
  }
  const repaired = repairHistory(readMessages(input, 'input'));
  if (hasContent(repaired.messages)) return repaired;
  throw invalidOption('Expected the input of a run to hold a question, got messages with nothing in them to send.');
}

/** Drops the run that has waited longest where there are too many, and gives its id. */
function dropOldest(suspended: Map<string, Suspended>): string | undefined {
  if (suspended.size <= MAX_SUSPENDED) return undefined;
  const [oldest] = suspended.keys();
  if (oldest !== undefined) suspended.delete(oldest);
  return oldest;
}

function tooManySuspended(dropped: string): string {
  return `More than ${MAX_SUSPENDED} runs of this agent are suspended: \`${dropped}\`, the oldest, was dropped and can't be resumed.`;
}

function beginning(messages: readonly Message[], startedAt: number): RunState {
  return {
    phase: firstAttempt,
    turn: 0,
    requests: 0,
    transcript: append(undefined, ...messages),
    usage: {},
    tokensSpent: 0,
    costUsd: undefined,
    failures: [],
    toolCalls: 0,
    errorTurns: 0,
    recentCalls: [],
    slips: noSlips,
    providerIndex: 0,
    startedAt,
    lastRequest: { tokens: 0, costUsd: 0 },
    reached: undefined,
    finishing: undefined,
    outputFailures: 0,
  };
}

function lastUserText(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message.role === 'user');
  return last === undefined ? '' : textOf(last.content);
}

function randomRunId(config: RunConfig): string {
  const part = (): string => config.random().toString(36).slice(2, 10).padEnd(8, '0');
  return `run_${part()}${part()}`;
}
