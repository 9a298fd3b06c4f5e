import type { Mend } from '../../core/event.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { ReplyToolCall } from '../../core/provider.ts';
import type { Tool } from '../../core/tool.ts';
import { cutArguments, unreadableArguments } from '../texts.ts';
import { cloneJson, MAX_DEPTH } from './clone-json.ts';
import { readJson } from './lenient-json.ts';
import type { RefusedInput } from './prepared-input.ts';
import { isJsonObject, nodeOf, propertiesOf, requiredOf, takesNothing } from './schema-view.ts';

/** Arguments as read, not yet checked. */
export interface WrittenInput {
  readonly ok: true;
  /** Nobody else's object: it may become `wireInput`. */
  readonly value: Json;
  readonly mends: readonly Mend[];
  /** What the model wrote, as text; made only when it is needed. */
  readonly raw: () => string;
  /** True where `value` says something else than what the model wrote. */
  readonly isChanged: boolean;
}

/** Chosen: enough to see what a model wrote; the journal is not the place for megabytes of broken JSON. */
const MAX_RAW_CHARS = 100_000;

/** Reads the arguments of a call, whatever form they have. What was cut or can't be read is refused. */
export function readArguments(tool: Tool, call: ReplyToolCall): WrittenInput | RefusedInput {
  const { arguments: given } = call;
  const text = 'text' in given ? given.text : typeof given.value === 'string' ? given.value : undefined;
  if (text === undefined) {
    const value = 'value' in given ? given.value : undefined;
    const raw = (): string => rawOf(value);
    if (!call.isComplete) return cut(tool, raw);
    return value === undefined || value === null
      ? empty(tool, raw)
      : own(tool, value, { raw, mends: [], isOurs: false, isChanged: false });
  }
  const raw = (): string => text;
  if (!call.isComplete) return cut(tool, raw);
  if (text.trim() === '') return empty(tool, raw);
  const parsed = readJson(text);
  if (!parsed.ok)
    return parsed.isCut ? cut(tool, raw, parsed.problem) : unreadable(tool, raw, parsed.problem, parsed.near);
  if (parsed.value === null) return empty(tool, raw);
  const mends = parsed.repairs.map((what): Mend => ({ kind: 'json', path: '', what }));
  return own(tool, parsed.value, { raw, mends, isOurs: !needsCopy(text), isChanged: text.includes('__proto__') });
}

/** Arguments as an object that is ours alone. */
function own(
  tool: Tool,
  value: unknown,
  from: {
    readonly raw: () => string;
    readonly mends: readonly Mend[];
    readonly isOurs: boolean;
    readonly isChanged: boolean;
  },
): WrittenInput | RefusedInput {
  const { raw, mends, isChanged } = from;
  const cloned = from.isOurs ? ({ ok: true, value: value as Json } as const) : cloneJson(value);
  if (!cloned.ok) {
    const problem =
      cloned.problem === 'too-deep' ? 'it is nested too deeply' : 'it holds a value that JSON does not have';
    return unreadable(tool, raw, problem, '');
  }
  const unwrapped = unwrapCall(tool, cloned.value);
  if (unwrapped === undefined) {
    return { ok: true, value: cloned.value, mends, raw, isChanged: isChanged || mends.length > 0 };
  }
  const what = 'took the arguments out of a whole call';
  return { ok: true, value: unwrapped, mends: [...mends, { kind: 'json', path: '', what }], raw, isChanged: true };
}

/**
 * What was just parsed is ours already and is JSON; a copy is only made to drop keys named `__proto__` (`_` may be
 * written as an escape) or to find out that it is too deep, which takes many brackets.
 */
function needsCopy(text: string): boolean {
  if (text.includes('__proto__') || text.includes('\\u005')) return true;
  return text.length > 2 * MAX_DEPTH && text.split(/[[{]/, MAX_DEPTH + 1).length > MAX_DEPTH;
}

/** Words under which models put all arguments of a call. */
const WRAPPINGS: ReadonlySet<string> = new Set(['arguments', 'parameters', 'input', 'args', 'params', 'kwargs']);

/** Some models write the whole call, name and all, where its arguments belong, or wrap the arguments once more. */
function unwrapCall(tool: Tool, value: Json): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  const keys = Object.keys(value);
  const isNamed = keys.length === 2 && value['name'] === tool.name;
  if (keys.length !== 1 && !isNamed) return undefined;
  const properties = propertiesOf(nodeOf(tool.inputSchema, tool.inputSchema));
  const key = keys.find((candidate) => WRAPPINGS.has(candidate));
  if (key === undefined || Object.hasOwn(properties, key)) return undefined;
  const inner = objectIn(value[key]);
  if (inner === undefined || isNamed) return inner;
  // Without the name, only declared keys tell a wrapping from a wrong key.
  const innerKeys = Object.keys(inner);
  return innerKeys.length > 0 && innerKeys.every((innerKey) => Object.hasOwn(properties, innerKey)) ? inner : undefined;
}

function objectIn(value: Json | undefined): JsonObject | undefined {
  if (typeof value !== 'string') return isJsonObject(value) ? value : undefined;
  const parsed = readJson(value);
  const cloned = parsed.ok ? cloneJson(parsed.value) : undefined;
  return cloned?.ok === true && isJsonObject(cloned.value) ? cloned.value : undefined;
}

/** No arguments at all: right for a tool that takes none, missing keys for one that needs some, and too little to act on for the rest. */
function empty(tool: Tool, raw: () => string): WrittenInput | RefusedInput {
  const { inputSchema } = tool;
  if (takesNothing(inputSchema) || requiredOf(nodeOf(inputSchema, inputSchema)).length > 0) {
    return { ok: true, value: {}, mends: [], raw, isChanged: false };
  }
  return unreadable(tool, raw, 'it is empty (send {} to mean that you want to give none)', '');
}

function unreadable(tool: Tool, raw: () => string, problem: string, near: string): RefusedInput {
  return {
    ok: false,
    kind: 'unreadable-arguments',
    text: unreadableArguments(tool.name, problem, near),
    advice: { holes: new Map(), needs: ['Write them as one JSON object.'] },
    wireInput: {},
    rawInput: clipRaw(raw),
    detail: `The arguments of ${tool.name} are not JSON: ${problem}${near === '' ? '' : `, near ${JSON.stringify(near)}`}.`,
  };
}

function cut(tool: Tool, raw: () => string, problem?: string): RefusedInput {
  return {
    ok: false,
    kind: 'cut-arguments',
    text: cutArguments(tool.name),
    advice: { holes: new Map(), needs: ['Write them as one whole JSON object.'] },
    wireInput: {},
    rawInput: clipRaw(raw),
    detail: `The arguments of ${tool.name} were cut${problem === undefined ? '' : `: ${problem}`}.`,
  };
}

function rawOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

/** What the model wrote, at most so much of it as is worth keeping. */
export function clipRaw(raw: () => string): string {
  const text = raw();
  return text.length <= MAX_RAW_CHARS ? text : `${text.slice(0, MAX_RAW_CHARS)}…`;
}
