import { isRecord } from '../core/json.ts';
import { OilcanError } from '../core/error.ts';
import { describeValue } from '../core/option-check.ts';
import type { ModelRequestChanges, StopRun } from './hooks.ts';
import { HookFailure } from './hooks.ts';

/** What `afterTool` may change. */
export interface ResultChanges {
  readonly output?: string | undefined;
  readonly isError?: boolean | undefined;
}

/** What may come back from each hook, in the words of an error text. */
const MAY_RETURN = {
  beforeModel: '{ messages?, system?, provider?, toolChoice? } or { stop: reason }',
  beforeTool: '{ deny: reason } or { stop: reason }',
  afterTool: '{ output?: text, isError?: true or false } or { stop: reason }',
  onFailure: "'model', 'retry' or 'stop'",
  afterTurn: '{ stop: reason }',
} as const;

/**
 * Reads what a hook gave. Nothing (`undefined`, `null`) changes nothing; whatever is not understood ends the run as the
 * user's bug, since a `false` may have been meant as a "no".
 */
export function readBeforeTool(said: unknown): { readonly deny: string } | StopRun | undefined {
  if (said === undefined || said === null) return undefined;
  if (isStop(said)) return said;
  if (isRecord(said) && typeof said['deny'] === 'string' && hasOnly(said, ['deny'])) return { deny: said['deny'] };
  throw notUnderstood('beforeTool', said);
}

/** As {@link readBeforeTool}. */
export function readAfterTool(said: unknown): ResultChanges | StopRun | undefined {
  if (said === undefined || said === null) return undefined;
  if (isStop(said)) return said;
  if (isRecord(said) && hasOnly(said, ['output', 'isError'])) {
    const { output, isError } = said;
    const isRight =
      (output === undefined || typeof output === 'string') && (isError === undefined || typeof isError === 'boolean');
    if (isRight) return { output, isError };
  }
  throw notUnderstood('afterTool', said);
}

/** As {@link readBeforeTool}. */
export function readOnFailure(said: unknown): 'model' | 'retry' | 'stop' | undefined {
  if (said === undefined || said === null) return undefined;
  if (said === 'model' || said === 'retry' || said === 'stop') return said;
  throw notUnderstood('onFailure', said);
}

/** As {@link readBeforeTool}. */
export function readAfterTurn(said: unknown): StopRun | undefined {
  if (said === undefined || said === null) return undefined;
  if (isStop(said)) return said;
  throw notUnderstood('afterTurn', said);
}

/** As {@link readBeforeTool}; messages are looked at where they are put into the request. */
export function readBeforeModel(said: unknown): ModelRequestChanges | StopRun | undefined {
  if (said === undefined || said === null) return undefined;
  if (isStop(said)) return said;
  if (isRecord(said) && hasOnly(said, ['messages', 'system', 'provider', 'toolChoice']) && isRequestChange(said))
    return said;
  throw notUnderstood('beforeModel', said);
}

function isRequestChange(
  said: Readonly<Record<string, unknown>>,
): said is Readonly<Record<string, unknown>> & ModelRequestChanges {
  const { messages, system, provider, toolChoice } = said;
  if (messages !== undefined && !Array.isArray(messages)) return false;
  if (system !== undefined && typeof system !== 'string') return false;
  if (provider !== undefined && !(isRecord(provider) && typeof provider['stream'] === 'function')) return false;
  return toolChoice === undefined || isToolChoice(toolChoice);
}

/** True for a word or a name that `toolChoice` takes. */
export function isToolChoice(value: unknown): boolean {
  if (isRecord(value)) return typeof value['toolName'] === 'string';
  return value === 'auto' || value === 'required' || value === 'none';
}

/** What `approve` of a tool says: anything but a yes or a no could let a call through by mistake. */
export function readApprove(said: unknown, toolName: string): boolean {
  if (typeof said === 'boolean') return said;
  throw misread(
    `\`approve\` of ${toolName} gave ${describeGiven(said)}. It may give true (ask a person) or false.`,
    'approve',
  );
}

/** True for `{ stop: reason }`. */
function isStop(value: unknown): value is StopRun {
  return isRecord(value) && typeof value['stop'] === 'string' && hasOnly(value, ['stop']);
}

function hasOnly(value: object, names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name));
}

function notUnderstood(hook: keyof typeof MAY_RETURN, said: unknown): HookFailure {
  return misread(`The hook \`${hook}\` gave ${describeGiven(said)}. It may give nothing, ${MAY_RETURN[hook]}.`, hook);
}

function misread(message: string, hook: string): HookFailure {
  return new HookFailure(hook, new OilcanError('invalid-option', message), message);
}

/** The names of an object, never what they hold. */
function describeGiven(said: unknown): string {
  if (!isRecord(said)) return describeValue(said);
  const names = Object.keys(said).slice(0, 8);
  return names.length === 0 ? 'an empty object' : `an object with ${names.join(', ').slice(0, 200)}`;
}
