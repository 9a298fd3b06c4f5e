import { textOf, userMessage } from '../../core/message.ts';
import { invalidOption } from '../../core/option-check.ts';
import type { StandardSchema } from '../../core/schema.ts';
import type { ToolContext } from '../../core/tool.ts';
import type { ResumeOptions, RunInput, RunOptions } from './agent.ts';
import { pricesOfRun } from './agent-limits.ts';
import { answersOf } from './answers.ts';
import type { RunConfig } from '../act/host.ts';
import { repairHistory } from '../history/history.ts';
import { RunMemory } from '../act/run-memory.ts';
import { outerRunOf, withinOuter } from '../act/outer-run.ts';
import { outputConfig } from './output-config.ts';
import { hasContent, readMessages } from '../history/read-messages.ts';
import { checkResumeOptions, checkRunOptions } from './run-options.ts';
import { begin } from '../run/begin.ts';
import type { Outcome, RunState } from '../run/state.ts';
import type { SuspendedRuns } from './suspended-runs.ts';
import { sentMessages } from '../run/transcript.ts';

/** What a run starts from, its first time or after a pause. */
export interface RunStart {
  readonly runId: string;
  readonly config: RunConfig;
  readonly state: RunState;
  readonly memory: RunMemory;
  /** What a person said to a run that had waited. */
  readonly said?: Extract<Outcome, { type: 'person' }> | undefined;
  /** The text that is asked; none after a pause. */
  readonly input: string;
  /** What was repaired in the messages given. */
  readonly changes: readonly string[];
  /** The tool call that the run was started in, where it was. */
  readonly within: ToolContext | undefined;
}

/**
 * The start of a new run.
 * @throws OilcanError `invalid-option`, also for the `id` of a run that runs or is suspended.
 */
export function newRun(
  suspended: SuspendedRuns,
  agentConfig: RunConfig,
  input: RunInput,
  options: RunOptions<StandardSchema | undefined>,
): RunStart {
  checkRunOptions(options);
  const { messages, changes } = conversationOf(input);
  const output = outputConfig(options.output, options.outputAttempts);
  const { within, id = freeRunId(agentConfig, suspended) } = options;
  const bare = withinOuter(agentConfig, outerRunOf(within?.budget));
  const config = { ...bare, price: pricesOfRun(bare.price, bare.providers) };
  const question = messages.findLast((message) => message.role === 'user');
  suspended.begin(id);
  return {
    runId: id,
    config: output === undefined ? config : { ...config, output, outputAttempts: output.maxAttempts },
    state: begin(messages, agentConfig.clock.now()),
    memory: new RunMemory(),
    input: question === undefined ? '' : textOf(question.content),
    changes,
    within,
  };
}

/**
 * The start of the rest of a suspended run, which is then no longer suspended.
 * @throws OilcanError `unknown-run`, `unknown-call`, `invalid-decision`, `invalid-option`
 */
export function resumedRun(suspended: SuspendedRuns, runId: string, options: ResumeOptions): RunStart {
  const { state, config, memory, since } = suspended.find(runId);
  checkResumeOptions(options);
  const answers = answersOf(state, options);
  suspended.goOn(runId);
  const said = { type: 'person', answers, pausedMs: Math.max(0, config.clock.now() - since) } as const;
  return { runId, config, state, memory, said, input: '', changes: [], within: undefined };
}

/** The messages that a run begins with, repaired. */
function conversationOf(input: unknown): ReturnType<typeof repairHistory> {
  if (typeof input === 'string') {
    if (input.trim() === '') throw invalidOption('Expected the input of a run to be a question, got an empty text.');
    return { messages: [userMessage(input)], changes: [] };
  }
  const repaired = repairHistory(readMessages(input, 'input'));
  if (hasContent(sentMessages(repaired.messages))) return repaired;
  throw invalidOption(
    'Expected the input of a run to hold a question, got messages with nothing in them to send (what is `rewound` is not sent).',
  );
}

/** A random id, with a number behind it where it is taken: a source that repeats itself must not keep runs from beginning. */
function freeRunId({ random }: RunConfig, suspended: SuspendedRuns): string {
  const part = (): string => random().toString(36).slice(2, 10).padEnd(8, '0');
  const drawn = `run_${part()}${part()}`;
  let id = drawn;
  for (let number = 2; suspended.has(id); number += 1) id = `${drawn}_${number}`;
  return id;
}
