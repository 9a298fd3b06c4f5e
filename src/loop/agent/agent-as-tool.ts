import { isOilcanError, ToolError, ToolUnavailableError } from '../../core/error.ts';
import type { OilcanError } from '../../core/error.ts';
import { cutWords } from '../../core/cut-words.ts';
import { maskedHead } from '../../core/error-data.ts';
import { isRecord } from '../../core/json.ts';
import { checkNames, checkOptions } from '../../core/option-check.ts';
import type { StandardSchema } from '../../core/schema.ts';
import type { Tool } from '../../core/tool.ts';
import { tool } from '../../core/define-tool.ts';
import type { FailureTable } from '../../resilience/failure-table.ts';
import type { Agent, AsToolOptions } from './agent.ts';

const OPTIONS = {
  name: true,
  description: true,
  effect: true,
  timeoutMs: true,
} satisfies Record<keyof AsToolOptions, true>;

interface Task {
  readonly task: string;
}

/** `{ task: string }`, without a schema library. */
const taskSchema: StandardSchema<Task, Task> = {
  '~standard': {
    version: 1,
    vendor: 'oilcan',
    validate: (value) => {
      const task = isRecord(value) ? value['task'] : undefined;
      if (typeof task === 'string' && task.trim() !== '') return { value: { task } };
      return { issues: [{ message: 'Expected a text', path: ['task'] }] };
    },
    jsonSchema: {
      input: () => ({
        type: 'object',
        properties: {
          task: { type: 'string', description: 'What to do, with everything that one needs to know for it.' },
        },
        required: ['task'],
      }),
    },
  },
};

/**
 * An agent as a tool: its answer is the result. The outer run's abort, budget and limiter hold for it, what it spends
 * counts there, and its failure is a tool result that says who owns it. Its events go to the listeners of the agent
 * itself, under a run id that begins with the outer one's. Where it waits for a person nobody can go on with it, and
 * `drop` is told its run id, which another call may need: of a run with an `id` of its own the calls' ids come again.
 * @throws OilcanError `invalid-option`
 */
export function agentAsTool(
  agent: Agent,
  table: FailureTable,
  options: AsToolOptions,
  drop: (runId: string) => void,
  mask: (text: string) => string,
): Tool {
  checkOptions('the options of `asTool`', options, "{ name: 'research', description: 'Looks facts up.' }");
  checkNames('asTool', options, OPTIONS, { timeout: 'timeoutMs' });
  return tool({
    ...options,
    schema: taskSchema,
    execute: async ({ task }, context) => {
      try {
        const { text } = await agent.run(task, { within: context, id: `${context.idempotencyKey}#${context.attempt}` });
        return text;
      } catch (error) {
        if (isOilcanError(error) && error.run?.status === 'suspended') drop(error.run.runId);
        if (context.signal.aborted || !isOilcanError(error)) throw error;
        throw childFailure(error, table, mask);
      }
    },
  });
}

/** Chosen: enough to go on from. */
const MAX_PARTIAL_CHARS = 300;

/** What the outer model is told: the agent's own table says who owns its failure. The whole error stays in `cause`, for the developer. */
function childFailure(error: OilcanError, table: FailureTable, mask: (text: string) => string): ToolError {
  const { run, failure } = error;
  const text = cutWords(maskedHead(run?.partialText ?? '', 20_000, mask), MAX_PARTIAL_CHARS);
  const partial = text === '' ? '' : ` It had come to: ${text}`;
  if (error.code === 'run-suspended')
    return new ToolError('The helper waits for a person and can not go on now.', { retryable: false, cause: error });
  if (error.code === 'nested-too-deep')
    return new ToolError('The helper was not started: too many helpers have called each other.', {
      hint: 'Do it yourself.',
      retryable: false,
      cause: error,
    });
  if (error.code === 'run-stopped') {
    return new ToolError(`The helper could not finish: it reached a limit.${partial}`, {
      hint: 'Give it a smaller task, or do it yourself.',
      cause: error,
    });
  }
  if (failure !== undefined && table[failure.kind].owner === 'code') {
    return new ToolUnavailableError(`The helper can't be reached: its own model does not answer.${partial}`, {
      cause: error,
    });
  }
  return new ToolError(`The helper failed for a technical reason that is not yours.${partial}`, {
    hint: 'Do it in another way.',
    retryable: false,
    cause: error,
  });
}
