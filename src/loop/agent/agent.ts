import type { RunEventType } from '../../core/event.ts';
import type { CompletedRun, RunResult, SuspendedRun, WaitingRun } from '../../core/result.ts';
import type { InferOutput, StandardSchema } from '../../core/schema.ts';
import type { Tool, ToolContext, ToolEffect } from '../../core/tool.ts';
import type { Listener } from '../events/event-hub.ts';
import type { InputMessage } from '../history/read-messages.ts';
import type { RunHandle } from '../events/run-handle.ts';

/**
 * What a run begins with: a question, or a conversation so far (repaired where it is broken, never changed). System text
 * is no message: it is `system` of the agent.
 */
export type RunInput = string | readonly InputMessage[];

/** Options of one run. */
export interface RunOptions<S extends StandardSchema | undefined = undefined> {
  /** Names the run. @defaultValue a random one */
  readonly id?: string | undefined;
  /** Aborts the run. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The tool call that starts this run, as its `execute` was handed it: the outer run's abort, its budget and its limiter
   * (where the agent has none of its own) hold here too, and what this run spends counts there.
   */
  readonly within?: ToolContext | undefined;
  /** The answer is to fit this schema; it is asked for again where it does not. */
  readonly output?: S | undefined;
  /** Answers in all, the first one included, until one fits `output`. @defaultValue 3 */
  readonly outputAttempts?: number | undefined;
}

/** What a person said to a suspended run. */
export interface ResumeOptions {
  /** By tool call id: `'approve'`, `'deny'`, or a denial with its reason, which the model is told. */
  readonly decisions?: Readonly<Record<string, 'approve' | 'deny' | { readonly deny: string }>> | undefined;
  /** By tool call id: the answer to the question of a tool that threw `NeedsUser`. */
  readonly answers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How an agent shows itself to another agent. */
export interface AsToolOptions {
  readonly name: string;
  readonly description: string;
  /** @defaultValue 'write': it is not known what the agent's own tools do */
  readonly effect?: ToolEffect | undefined;
  /** Longest run. @defaultValue the outer agent's `deadlines.toolMs`, which is short for an agent: give it more */
  readonly timeoutMs?: number | undefined;
}

/** The type of the structured answer. */
export type OutputOf<S> = S extends StandardSchema ? InferOutput<S> : undefined;

/** Runs a model with tools until it answers, although things fail. */
export interface Agent {
  readonly name: string | undefined;
  /**
   * Runs to the answer. Resolves only for a completed run, so that a stop can't be mistaken for an answer.
   * @throws OilcanError `run-stopped`, `run-failed`, `run-aborted` or `run-suspended`, with the work done so far in `run`;
   * `invalid-option` for an input that is none.
   */
  run<S extends StandardSchema | undefined = undefined>(
    input: RunInput,
    options?: RunOptions<S>,
  ): Promise<CompletedRun<OutputOf<S>>>;
  /** Starts a run and gives a handle to watch it with, by any number of readers; its `result` never rejects. */
  stream<S extends StandardSchema | undefined = undefined>(
    input: RunInput,
    options?: RunOptions<S>,
  ): RunHandle<OutputOf<S>>;
  /**
   * Goes on with a suspended run of this agent, named by its id or by its result, which keeps the type of the answer.
   * Suspended runs live in the agent object: another process has none of them, each is kept for `deadlines.suspendedMs`,
   * and of more than 1,000 the oldest is dropped, which a `warning` event tells.
   * @throws OilcanError as `run`; `unknown-run` where no such run is suspended, `unknown-call` for a call that does not
   * wait, `invalid-decision` for what is no decision or answer.
   */
  resume<Output = unknown>(run: string | SuspendedRun<Output>, options: ResumeOptions): Promise<CompletedRun<Output>>;
  /** As `resume`, but gives a handle. */
  resumeStream<Output = unknown>(run: string | SuspendedRun<Output>, options: ResumeOptions): RunHandle<Output>;
  /** The runs of this agent that wait for a person, the oldest first. */
  suspended(): readonly WaitingRun[];
  /**
   * Ends a suspended run that nobody will decide about. Its result is `aborted` with `reason`; the calls that waited were
   * not run, and its messages say so. Never rejects for how the run ended.
   * @throws OilcanError `unknown-run`
   */
  giveUp<Output = unknown>(run: string | SuspendedRun<Output>, reason?: unknown): Promise<RunResult<Output>>;
  /**
   * Hears events of all runs of this agent, of one type or all (`'*'`). The returned function takes the listener away.
   * @throws OilcanError `invalid-option` for an event that is none.
   */
  on<T extends RunEventType | '*'>(type: T, listener: Listener<T>): () => void;
  /** This agent as a tool of another one: abort and limits pass through, and its failure is a tool result. */
  asTool(options: AsToolOptions): Tool;
}
