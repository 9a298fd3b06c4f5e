import { cutWords } from '../../core/cut-words.ts';
import type { OilcanError } from '../../core/error.ts';
import { isRecord } from '../../core/json.ts';
import type { Tool } from '../../core/tool.ts';
import { describeValue, hasMethod, invalidOption } from '../../core/option-check.ts';
import type { Hooks, ModelRequestChanges, StopRun } from './hooks.ts';
import { HookFailure } from './hooks.ts';

/** What `beforeTool` says against a call. */
interface Denial {
  readonly deny: string;
}

/** What `afterTool` may change. */
export interface ResultChanges {
  readonly output?: string | undefined;
  readonly isError?: boolean | undefined;
}

/** What `onFailure` says: who is to own a failure, for this once. */
export type Reowned = 'model' | 'retry' | 'stop' | undefined;

/** What may come back from each hook, in the words of an error text. */
const MAY_GIVE: Readonly<Record<keyof Hooks, string>> = {
  beforeModel: '{ messages?, system?, provider?, toolChoice? } or { stop: reason }',
  beforeTool: '{ deny: reason } or { stop: reason }',
  afterTool: '{ output?: text, isError?: true or false } or { stop: reason }',
  onFailure: "'model', 'retry' or 'stop'",
  afterTurn: '{ stop: reason }',
};

/** As {@link read}; messages are looked at where they are put into the request. */
export function readBeforeModel(said: unknown): ModelRequestChanges | StopRun | undefined {
  return read('beforeModel', said, (given) => isStop(given) || isRequestChange(given));
}

/** As {@link read}. */
export function readBeforeTool(said: unknown): Denial | StopRun | undefined {
  return read('beforeTool', said, (given) => isStop(given) || isDenial(given));
}

/** As {@link read}. */
export function readAfterTool(said: unknown): ResultChanges | StopRun | undefined {
  return read('afterTool', said, (given) => isStop(given) || isResultChange(given));
}

/** As {@link read}. */
export function readOnFailure(said: unknown): Reowned {
  return read('onFailure', said, (given) => given === 'model' || given === 'retry' || given === 'stop');
}

/** As {@link read}. */
export function readAfterTurn(said: unknown): StopRun | undefined {
  return read('afterTurn', said, isStop);
}

/**
 * Reads what a hook gave. Nothing (`undefined`, `null`) changes nothing; whatever is not understood ends the run as the
 * user's bug, since a `false` may have been meant as a "no".
 */
function read<T>(hook: keyof Hooks, said: unknown, isRight: (given: unknown) => given is T): T | undefined {
  if (said === undefined || said === null) return undefined;
  const given = isRecord(said) ? withoutOpenStop(said) : said;
  if (isRight(given)) return given;
  throw misread(hook, `The hook \`${hook}\` gave ${describeGiven(said)}. It may give nothing, ${MAY_GIVE[hook]}.`);
}

/** `{ messages, stop: reason }` where there was no reason to stop. A `stop` or `deny` alone without one stays a mistake. */
function withoutOpenStop(said: Readonly<Record<string, unknown>>): object {
  const { stop, ...rest } = said;
  return stop === undefined && 'stop' in said && Object.keys(rest).length > 0 ? rest : said;
}

/** What `approve` of a tool says: anything but a yes or a no could let a call through by mistake. */
export function readApprove(said: unknown, toolName: string): boolean {
  if (typeof said === 'boolean') return said;
  throw misread(
    'approve',
    `\`approve\` of ${toolName} gave ${describeGiven(said)}. It may give true (ask a person) or false.`,
  );
}

function isStop(value: unknown): value is StopRun {
  return hasOnly(value, { stop: isText });
}

function isDenial(value: unknown): value is Denial {
  return hasOnly(value, { deny: isText });
}

function isResultChange(value: unknown): value is ResultChanges {
  return hasOnly(value, { output: orNothing(isText), isError: orNothing((field) => typeof field === 'boolean') });
}

function isRequestChange(value: unknown): value is ModelRequestChanges {
  return hasOnly(value, {
    messages: orNothing(Array.isArray),
    system: orNothing(isText),
    provider: orNothing((field) => hasMethod(field, 'stream')),
    toolChoice: orNothing(isToolChoice),
  });
}

type Test = (field: unknown) => boolean;

/** True for an object that has no other fields than those that are tested, and these are right. */
function hasOnly(value: unknown, tests: Readonly<Record<string, Test>>): boolean {
  return (
    isRecord(value) &&
    Object.keys(value).every((name) => Object.hasOwn(tests, name)) &&
    Object.entries(tests).every(([name, isRight]) => isRight(value[name]))
  );
}

function orNothing(isRight: Test): Test {
  return (field) => field === undefined || isRight(field);
}

const isText: Test = (field) => typeof field === 'string';

/** True for a word or a name that `toolChoice` takes. */
export function isToolChoice(value: unknown): boolean {
  if (isRecord(value)) return isText(value['toolName']);
  return value === 'auto' || value === 'required' || value === 'none';
}

function misread(hook: string, message: string): HookFailure {
  return new HookFailure(hook, invalidOption(message), message);
}

/** The names of an object, never what they hold. */
function describeGiven(said: unknown): string {
  if (!isRecord(said)) return describeValue(said);
  const names = Object.keys(said).slice(0, 8);
  return names.length === 0 ? 'an empty object' : `an object with ${cutWords(names.join(', '), 200)}`;
}

/** The error of a `toolChoice` that names no tool. */
export function noSuchToolToForce(toolName: string, tools: ReadonlyMap<string, Tool>): OilcanError {
  const names = [...tools.keys()].join(', ');
  return invalidOption(`\`toolChoice\` names \`${toolName.slice(0, 60)}\`, which is not one of the tools (${names}).`);
}
