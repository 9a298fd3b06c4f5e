import { isRecord } from '../../core/json.ts';
import { checkNames, checkOptions, checkSignal } from '../../core/option-check.ts';
import type { OptionRule } from '../../core/option-rules.ts';
import { checkRules } from '../../core/option-rules.ts';
import type { StandardSchema } from '../../core/schema.ts';
import type { ResumeOptions, RunOptions } from './agent.ts';
import { AGENT_NAMES, PROVIDER_NAMES } from './agent-option-checks.ts';

/** Those that are `true` are looked at by the module that they are for. */
const RUN_OPTIONS = {
  id: { wanted: 'a text that is not empty', fits: (value) => typeof value === 'string' && value !== '' },
  signal: true,
  within: { wanted: "the context that a tool's `execute` was handed", fits: isRecord },
  output: true,
  outputAttempts: true,
} satisfies Record<keyof RunOptions, OptionRule | true>;

/** What other libraries call them, and what stands in another place. */
const OTHER_RUN_NAMES = {
  ...PROVIDER_NAMES,
  ...AGENT_NAMES,
  abortSignal: 'signal',
  schema: 'output',
  outputSchema: 'output',
  runId: 'id',
  context: 'within',
  timeout: '`deadlines.runMs` of createAgent',
  timeoutMs: '`deadlines.runMs` of createAgent',
};

const RESUME_OPTIONS = { decisions: true, answers: true, signal: true } satisfies Record<keyof ResumeOptions, true>;

const OTHER_RESUME_NAMES = {
  abortSignal: 'signal',
  approvals: 'decisions',
  approve: 'decisions',
  deny: 'decisions',
  answer: 'answers',
};

/**
 * Checks the options of one run.
 * @throws OilcanError `invalid-option`
 */
export function checkRunOptions(options: RunOptions<StandardSchema | undefined>): void {
  checkOptions('the options of a run', options, '{ signal }');
  checkNames('a run', options, RUN_OPTIONS, OTHER_RUN_NAMES);
  checkSignal(options.signal);
  checkRules(options, RUN_OPTIONS, (option) => `\`${option}\` of a run`);
}

/**
 * Checks what a person is said to have said.
 * @throws OilcanError `invalid-option`
 */
export function checkResumeOptions(options: ResumeOptions): void {
  checkOptions('the options of `resume`', options, "{ decisions: { [toolCallId]: 'approve' } }");
  checkNames('resume', options, RESUME_OPTIONS, OTHER_RESUME_NAMES);
  checkSignal(options.signal);
  checkById('decisions', options.decisions, "{ [toolCallId]: 'approve' }");
  checkById('answers', options.answers, "{ [toolCallId]: 'The window.' }");
}

function checkById(name: keyof ResumeOptions, given: unknown, example: string): void {
  if (given !== undefined) checkOptions(`\`${name}\``, given, example);
}
