import type { Mend } from '../../core/event.ts';
import { isJsonObject } from '../../core/json.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { ReplyToolCall } from '../../core/provider.ts';
import type { Tool } from '../../core/tool.ts';
import { cutArguments, unreadableArguments } from '../words/for-models.ts';
import { cloneJson, MAX_DEPTH } from './clone-json.ts';
import type { ClonedJson } from './clone-json.ts';
import { hasTooMany, readJson, TOO_MANY_VALUES } from './lenient-json.ts';
import { mayHaveLostDigits, TOO_MANY_DIGITS } from './lenient-reader.ts';
import type { RefusedInput } from './prepared-input.ts';
import { declaredKeys, requiredOf, rootNode, takesNothing, takesOtherKeys } from './schema-view.ts';

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

/** Chosen: enough to see what a model wrote; a history is not the place for megabytes of broken JSON. */
const MAX_RAW_CHARS = 100_000;

/** Reads the arguments of a call, whatever form they have. What was cut or can't be read is refused. */
export function readArguments(tool: Tool, call: ReplyToolCall): WrittenInput | RefusedInput {
  const { arguments: given } = call;
  const written: unknown = 'text' in given ? given.text : given.value;
  const raw = (): string => (typeof written === 'string' ? written : rawOf(written));
  if (!call.isComplete) return cut(tool, raw);
  if (call.refusal !== undefined) {
    const { text, need } = call.refusal;
    const advice = { holes: new Map<string, string>(), needs: [need] };
    return refused('unreadable-arguments', unread(raw), { text, advice, detail: text });
  }
  if (written === undefined || written === null) return empty(tool, raw);
  if (typeof written !== 'string') {
    if (hasTooMany(written)) return unreadable(tool, raw, TOO_MANY_VALUES, '');
    const cloned = cloneJson(written);
    // The wire has parsed it: what such a number was before can't be known any more.
    return cloned.ok && holdsLostDigits(cloned.value)
      ? unreadable(tool, raw, TOO_MANY_DIGITS, '')
      : own(tool, raw, cloned);
  }
  if (written.trim() === '') return empty(tool, raw);
  const parsed = readJson(written);
  if (!parsed.ok) {
    const { isCut, problem, near } = parsed;
    return isCut ? cut(tool, raw, problem) : unreadable(tool, raw, problem, near);
  }
  if (parsed.value === null) return empty(tool, raw);
  const cloned = needsCopy(written) ? cloneJson(parsed.value) : { ok: true as const, value: parsed.value as Json };
  return own(tool, raw, cloned, { repairs: parsed.repairs, isChanged: written.includes('__proto__') });
}

/** Arguments as an object that is ours alone. */
function own(
  tool: Tool,
  raw: () => string,
  cloned: ClonedJson,
  from: { readonly repairs: readonly string[]; readonly isChanged: boolean } = { repairs: [], isChanged: false },
): WrittenInput | RefusedInput {
  if (!cloned.ok) {
    const problem =
      cloned.problem === 'too-deep' ? 'it is nested too deeply' : 'it holds a value that JSON does not have';
    return unreadable(tool, raw, problem, '');
  }
  const unwrapped = unwrapCall(tool, cloned.value);
  const wrapping = unwrapped === undefined ? wrappingKey(tool, cloned.value) : undefined;
  if (wrapping !== undefined)
    return unreadable(tool, raw, `they came as text inside a key ${JSON.stringify(wrapping.slice(0, 40))}`, '');
  const repairs = unwrapped === undefined ? from.repairs : [...from.repairs, 'took the arguments out of a whole call'];
  const mends = repairs.map((what): Mend => ({ kind: 'json', path: '', what }));
  return { ok: true, value: unwrapped ?? cloned.value, mends, raw, isChanged: from.isChanged || mends.length > 0 };
}

/**
 * What was just parsed is ours already and is JSON; a copy is only made to drop keys named `__proto__` (`_` may be
 * written as an escape) or to find out that it is too deep, which takes many brackets.
 */
function needsCopy(text: string): boolean {
  if (text.includes('__proto__') || text.includes('\\u005')) return true;
  return text.length > 2 * MAX_DEPTH && text.split(/[[{]/, MAX_DEPTH + 1).length > MAX_DEPTH;
}

/** True where a whole number is too large to be the one that was written for certain. */
function holdsLostDigits(value: Json): boolean {
  if (typeof value === 'number') return mayHaveLostDigits(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsLostDigits);
}

/** Words under which models put all arguments of a call. */
const WRAPPINGS: ReadonlySet<string> = new Set(['arguments', 'parameters', 'input', 'args', 'params', 'kwargs']);

/** What stands beside the arguments in a whole call, in the forms of the vendors. */
const CALL_KEYS: ReadonlySet<string> = new Set(['name', 'type', 'id', 'call_id', 'tool_call_id', 'index', 'status']);

/**
 * Some models write the whole call, name and all, where its arguments belong (in the form of any vendor), wrap the
 * arguments once more, or put them into a list.
 */
function unwrapCall(tool: Tool, value: Json): JsonObject | undefined {
  if (Array.isArray(value)) {
    const [only, ...others] = value as readonly Json[];
    return others.length === 0 && only !== undefined && isJsonObject(only)
      ? (unwrapCall(tool, only) ?? only)
      : undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const declared = declaredKeys(rootNode(tool.inputSchema));
  const { function: inner, ...beside } = value;
  const isOuter = inner !== undefined && isJsonObject(inner) && inner['name'] === tool.name;
  if (isOuter)
    return Object.keys(beside).every((key) => CALL_KEYS.has(key)) ? namedArguments(tool, inner, declared) : undefined;
  const named = namedArguments(tool, value, declared);
  if (named !== undefined) return named;
  const [key, ...more] = Object.keys(value);
  if (key === undefined || more.length > 0 || !WRAPPINGS.has(key) || declared.includes(key)) return undefined;
  // Without the name, only declared keys tell a wrapping from a wrong key.
  const found = objectIn(value[key]);
  const keys = Object.keys(found ?? {});
  return keys.length > 0 && keys.every((innerKey) => declared.includes(innerKey)) ? found : undefined;
}

/** The arguments in `{ name, arguments }`, where the name is the tool's. */
function namedArguments(tool: Tool, value: JsonObject, declared: readonly string[]): JsonObject | undefined {
  const key = Object.keys(value).find((candidate) => WRAPPINGS.has(candidate));
  if (key === undefined || value['name'] !== tool.name || declared.includes(key)) return undefined;
  const { [key]: written, ...beside } = value;
  if (!Object.keys(beside).every((other) => CALL_KEYS.has(other))) return undefined;
  return written === '' ? {} : objectIn(written);
}

function objectIn(value: Json | undefined): JsonObject | undefined {
  if (typeof value !== 'string') return isJsonObject(value) ? value : undefined;
  const parsed = readJson(value);
  const cloned = parsed.ok ? cloneJson(parsed.value) : undefined;
  return cloned?.ok === true && isJsonObject(cloned.value) ? cloned.value : undefined;
}

/**
 * The key under which a gateway has put arguments that it could not read (`{"text":"{\"city\":…"}`). Such an object may pass
 * the checks of a tool whose keys are all optional, and what the model said would be lost.
 */
function wrappingKey(tool: Tool, value: Json): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const node = rootNode(tool.inputSchema);
  const declared = declaredKeys(node);
  if (declared.length === 0 || declared.some((key) => Object.hasOwn(value, key))) return undefined;
  const [key, text] = Object.entries(value).find(isObjectText) ?? [];
  // Where other keys mean something, only the tool's own keys tell a wrapping from a value that happens to be JSON.
  const isMeant = takesOtherKeys(node) && !declared.some((name) => text?.includes(`"${name}"`));
  return isMeant ? undefined : key;
}

/** True for a text that begins as an object does: written as a text once more, in a list or in a fence, cut or whole. */
function isObjectText(entry: readonly [string, Json | undefined]): entry is [string, string] {
  const [, value] = entry;
  return typeof value === 'string' && /^[\s"'`\\[]*(?:json\s*)?\{/i.test(value);
}

/** No arguments at all: right for a tool that takes none, missing keys for one that needs some, and too little to act on for the rest. */
function empty(tool: Tool, raw: () => string): WrittenInput | RefusedInput {
  const { inputSchema } = tool;
  if (takesNothing(inputSchema) || requiredOf(rootNode(inputSchema)).length > 0) {
    return { ok: true, value: {}, mends: [], raw, isChanged: false };
  }
  return unreadable(tool, raw, 'it is empty (send {} to mean that you want to give none)', '');
}

function unreadable(tool: Tool, raw: () => string, problem: string, near: string): RefusedInput {
  const place = near === '' ? '' : `, near ${JSON.stringify(near)}`;
  return refused('unreadable-arguments', unread(raw), {
    text: unreadableArguments(tool.name, problem, near),
    advice: { holes: new Map(), needs: ['Write them as one JSON object.'] },
    detail: `The arguments of ${tool.name} are not JSON: ${problem}${place}.`,
  });
}

function cut(tool: Tool, raw: () => string, problem?: string): RefusedInput {
  return refused('cut-arguments', unread(raw), {
    text: cutArguments(tool.name),
    advice: { holes: new Map(), needs: ['Write them as one whole JSON object.'] },
    detail: `The arguments of ${tool.name} were cut${problem === undefined ? '' : `: ${problem}`}.`,
  });
}

/** In the history, `{}` stands for arguments that could not be read. */
function unread(raw: () => string): KeptInput {
  return { value: {}, raw, isChanged: true };
}

/** What stays of a call in the history, and what the model wrote where that is another thing. */
export type KeptInput = Pick<WrittenInput, 'raw' | 'isChanged'> & { readonly value: JsonObject };

/** Arguments that nothing is run with. */
export function refused<K extends RefusedInput['kind'] | 'bug'>(
  kind: K,
  { value, raw, isChanged }: KeptInput,
  { text, advice, detail }: Pick<RefusedInput, 'text' | 'advice' | 'detail'>,
): Omit<RefusedInput, 'kind'> & { readonly kind: K } {
  const rawInput = isChanged ? clipRaw(raw) : undefined;
  return { ok: false, kind, text, advice, wireInput: value, rawInput, detail };
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
