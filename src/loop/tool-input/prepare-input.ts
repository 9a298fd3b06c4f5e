import type { Mend } from '../../core/event.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { ReplyToolCall } from '../../core/provider.ts';
import type { StandardIssue } from '../../core/schema.ts';
import type { Tool } from '../../core/tool.ts';
import { cutArguments, invalidArguments, toolBug, unreadableArguments } from '../texts.ts';
import { cloneJson, MAX_DEPTH } from './clone-json.ts';
import { explain, explainNoObject } from './explain.ts';
import type { Explanation } from './explain.ts';
import { readJson } from './lenient-json.ts';
import { mendInput } from './mend-input.ts';
import { mendListed } from './mend-listed.ts';
import { keysOf, pathOf } from './path.ts';
import { isJsonObject, nodeOf, propertiesOf, requiredOf, takesNothing, takesOtherKeys } from './schema-view.ts';
import { validate, whenReady } from './validate.ts';
import type { Validation } from './validate.ts';

/** Arguments that a tool can be run with. */
export interface ReadyInput {
  readonly ok: true;
  /** What `execute` gets: shares no object with `wireInput`. */
  readonly input: unknown;
  /** What goes back into the history: as the model wrote it, or mended. */
  readonly wireInput: JsonObject;
  readonly mends: readonly Mend[];
  /** What the model wrote, where that differs from `wireInput`. */
  readonly rawInput?: string | undefined;
}

/** What a model that does not see its mistake any more has to know to get it right. */
export interface SlipAdvice {
  /** Better words than the schema's for what a key has to hold, by path. */
  readonly holes: ReadonlyMap<string, string>;
  /** Whole sentences. */
  readonly needs: readonly string[];
}

/** Arguments that nothing is run with. */
export interface RefusedInput {
  readonly ok: false;
  readonly kind: 'unreadable-arguments' | 'cut-arguments' | 'invalid-arguments';
  /** For the model. */
  readonly text: string;
  /** What the model has to know, for a note that stands alone. */
  readonly advice: SlipAdvice;
  /** `{}` where the arguments could not be read. */
  readonly wireInput: JsonObject;
  readonly rawInput?: string | undefined;
  /** For the developer: may hold values. */
  readonly detail: string;
}

/** The schema itself threw: a bug in the user's code. */
export interface BuggyInput {
  readonly ok: false;
  readonly kind: 'bug';
  readonly error: unknown;
  readonly text: string;
  readonly advice: SlipAdvice;
  readonly wireInput: JsonObject;
  readonly rawInput?: string | undefined;
  readonly detail: string;
}

export type PreparedInput = ReadyInput | RefusedInput | BuggyInput;

/** Chosen: enough to see what a model wrote; the journal is not the place for megabytes of broken JSON. */
const MAX_RAW_CHARS = 100_000;

/**
 * Reads, mends and checks the arguments of a call. Never throws. A promise only where the tool's schema is asynchronous.
 *
 * 1. What was cut or can't be read is never run, least of all with `{}`.
 * 2. What is valid is not changed, but for keys that the schema would drop in silence although they are declared in another spelling.
 * 3. What is mended is checked again.
 */
export function prepareInput(tool: Tool, call: ReplyToolCall): PreparedInput | Promise<PreparedInput> {
  const written = read(tool, call);
  if (!written.ok) return written;
  const { value } = written;
  if (!isJsonObject(value)) {
    const explanation = explainNoObject(tool.inputSchema, value);
    return invalid(
      tool,
      { ...written, wireInput: {} },
      explanation,
      `The arguments of ${tool.name} are not an object.`,
    );
  }
  return check(tool, { ...written, value, isMended: false });
}

/** Arguments as read, on their way. */
interface Written {
  readonly ok: true;
  /** Nobody else's object: it may become `wireInput`. */
  readonly value: Json;
  readonly mends: readonly Mend[];
  /** What the model wrote, as text; made only when it is needed. */
  readonly raw: () => string;
  /** True where `value` says something else than what the model wrote. */
  readonly isChanged: boolean;
}

interface Candidate extends Written {
  readonly value: JsonObject;
  readonly isMended: boolean;
}

function read(tool: Tool, call: ReplyToolCall): Written | RefusedInput {
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
): Written | RefusedInput {
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

/** Some models write the whole call, name and all, where its arguments belong. */
function unwrapCall(tool: Tool, value: Json): JsonObject | undefined {
  if (!isJsonObject(value) || value['name'] !== tool.name || Object.keys(value).length !== 2) return undefined;
  const inner = value['arguments'] ?? value['parameters'];
  const properties = propertiesOf(nodeOf(tool.inputSchema, tool.inputSchema));
  return isJsonObject(inner) && !('arguments' in properties) && !('parameters' in properties) ? inner : undefined;
}

/** No arguments at all: right for a tool that takes none, missing keys for one that needs some, and too little to act on for the rest. */
function empty(tool: Tool, raw: () => string): Written | RefusedInput {
  const { inputSchema } = tool;
  if (takesNothing(inputSchema) || requiredOf(nodeOf(inputSchema, inputSchema)).length > 0) {
    return { ok: true, value: {}, mends: [], raw, isChanged: false };
  }
  return unreadable(tool, raw, 'it is empty (send {} to mean that you want to give none)', '');
}

function check(tool: Tool, candidate: Candidate): PreparedInput | Promise<PreparedInput> {
  return whenReady(validateCopy(tool, candidate.value), (validation) => {
    if (validation.status === 'bug') return bug(tool, candidate, validation.error);
    if (validation.status === 'valid')
      return candidate.isMended ? ready(candidate, validation.value) : respell(tool, candidate, validation.value);
    const mended = candidate.isMended ? undefined : mendedBy(candidate, mendInput(candidate.value, tool.inputSchema));
    if (mended !== undefined) return check(tool, mended);
    return checkListed(tool, candidate, validation.issues);
  });
}

/**
 * A key in another spelling that the schema drops in silence: the tool would run without it, as if the model had not
 * said it. It is put right where the schema takes the result as well.
 */
function respell(tool: Tool, candidate: Candidate, value: unknown): PreparedInput | Promise<PreparedInput> {
  if (!hasStrayKeys(candidate.value, tool)) return ready(candidate, value);
  const mended = mendedBy(candidate, mendInput(candidate.value, tool.inputSchema));
  // Whatever else could be mended is fine as it is: the schema has said so.
  if (mended === undefined || mended.mends.length !== candidate.mends.length + keyMends(mended).length)
    return ready(candidate, value);
  return whenReady(validateCopy(tool, mended.value), (validation) =>
    validation.status === 'valid' ? ready(mended, validation.value) : ready(candidate, value),
  );
}

function keyMends({ mends }: Candidate): Mend[] {
  return mends.filter((mend) => mend.kind === 'key');
}

function hasStrayKeys(value: JsonObject, tool: Tool): boolean {
  const node = nodeOf(tool.inputSchema, tool.inputSchema);
  const properties = propertiesOf(node);
  if (takesOtherKeys(node)) return false;
  return Object.keys(value).some((key) => !Object.hasOwn(properties, key));
}

/** The last resort: words that only the validator's own messages list. */
function checkListed(
  tool: Tool,
  candidate: Candidate,
  issues: readonly StandardIssue[],
): PreparedInput | Promise<PreparedInput> {
  const mended = mendedBy(candidate, mendListed(candidate.value, issues));
  if (mended === undefined) return explained(tool, candidate, issues);
  return whenReady(validateCopy(tool, mended.value), (validation) => {
    switch (validation.status) {
      case 'bug':
        return bug(tool, mended, validation.error);
      case 'valid':
        return ready(mended, validation.value);
      case 'invalid':
        return explained(tool, mended, validation.issues);
    }
  });
}

function mendedBy(
  candidate: Candidate,
  { value, mends }: { readonly value: Json; readonly mends: readonly Mend[] },
): Candidate | undefined {
  if (mends.length === 0 || !isJsonObject(value)) return undefined;
  return { ...candidate, value, mends: [...candidate.mends, ...mends], isMended: true, isChanged: true };
}

/** A validator may hand its input on, or change it: it gets a copy, and the tool can do no harm to the history. */
function validateCopy(tool: Tool, value: JsonObject): Validation | Promise<Validation> {
  const copy = cloneJson(value);
  if (!copy.ok) return { status: 'invalid', issues: [{ message: 'The arguments are nested too deeply' }] };
  return validate(tool.options.schema, copy.value);
}

function ready(candidate: Candidate, input: unknown): ReadyInput {
  const { value, mends, isChanged, raw } = candidate;
  return { ok: true, input, wireInput: value, mends, rawInput: isChanged ? clip(raw) : undefined };
}

function explained(tool: Tool, candidate: Candidate, issues: readonly StandardIssue[]): RefusedInput {
  const explanation = explain(issues, tool.inputSchema, candidate.value);
  const detail = issues.slice(0, 20).map((issue) => `${pathOf(keysOf(issue)) || 'arguments'}: ${issue.message}`);
  return invalid(
    tool,
    { ...candidate, wireInput: candidate.value },
    explanation,
    `The arguments of ${tool.name} do not fit its schema: ${detail.join('; ')}`,
  );
}

function invalid(
  tool: Tool,
  written: Written & { readonly wireInput: JsonObject },
  explanation: Explanation,
  detail: string,
): RefusedInput {
  const isRawLost = written.isChanged || written.wireInput !== written.value;
  return {
    ok: false,
    kind: 'invalid-arguments',
    text: invalidArguments(tool.name, explanation),
    advice: explanation,
    wireInput: written.wireInput,
    rawInput: isRawLost ? clip(written.raw) : undefined,
    detail: detail.slice(0, 2000),
  };
}

function unreadable(tool: Tool, raw: () => string, problem: string, near: string): RefusedInput {
  return {
    ok: false,
    kind: 'unreadable-arguments',
    text: unreadableArguments(tool.name, problem, near),
    advice: { holes: new Map(), needs: ['Write them as one JSON object.'] },
    wireInput: {},
    rawInput: clip(raw),
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
    rawInput: clip(raw),
    detail: `The arguments of ${tool.name} were cut${problem === undefined ? '' : `: ${problem}`}.`,
  };
}

function bug(tool: Tool, candidate: Candidate, error: unknown): BuggyInput {
  return {
    ok: false,
    kind: 'bug',
    error,
    text: toolBug(tool.name, ''),
    advice: { holes: new Map(), needs: [] },
    wireInput: candidate.value,
    rawInput: candidate.isChanged ? clip(candidate.raw) : undefined,
    detail: `The schema of ${tool.name} threw.`,
  };
}

function rawOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

function clip(raw: () => string): string {
  const text = raw();
  return text.length <= MAX_RAW_CHARS ? text : `${text.slice(0, MAX_RAW_CHARS)}…`;
}
