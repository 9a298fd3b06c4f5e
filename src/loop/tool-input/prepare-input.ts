import type { Mend } from '../../core/event.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { ReplyToolCall } from '../../core/provider.ts';
import type { StandardIssue } from '../../core/schema.ts';
import type { Tool } from '../../core/tool.ts';
import { invalidArguments, toolBug } from '../texts.ts';
import { cloneJson } from './clone-json.ts';
import { explain, explainNoObject } from './explain.ts';
import type { Explanation } from './explain.ts';
import { mendInput } from './mend-input.ts';
import { mendListed } from './mend-listed.ts';
import { keysOf, pathOf } from './path.ts';
import type { BuggyInput, PreparedInput, ReadyInput, RefusedInput } from './prepared-input.ts';
import { clipRaw, readArguments } from './read-arguments.ts';
import type { WrittenInput } from './read-arguments.ts';
import { isJsonObject, nodeOf, propertiesOf, takesOtherKeys } from './schema-view.ts';
import { suggest } from './suggest.ts';
import { validate, whenReady } from './validate.ts';
import type { Validation } from './validate.ts';

/**
 * Reads, mends and checks the arguments of a call. Never throws. A promise only where the tool's schema is asynchronous.
 *
 * 1. What was cut or can't be read is never run, least of all with `{}`.
 * 2. What is valid is not changed, but for keys that the schema would drop in silence although they are declared in another spelling.
 * 3. What is mended is checked again.
 */
export function prepareInput(tool: Tool, call: ReplyToolCall): PreparedInput | Promise<PreparedInput> {
  const written = readArguments(tool, call);
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

/** Arguments on their way through the checks. */
interface Candidate extends WrittenInput {
  readonly value: JsonObject;
  readonly isMended: boolean;
}

function check(tool: Tool, candidate: Candidate): PreparedInput | Promise<PreparedInput> {
  return whenReady(validateCopy(tool, candidate.value), (validation) => {
    if (validation.status === 'bug') return bug(tool, candidate, validation.error);
    if (validation.status === 'valid')
      return candidate.isMended ? heard(tool, candidate, validation.value) : respell(tool, candidate, validation.value);
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
    return heard(tool, candidate, value);
  return whenReady(validateCopy(tool, mended.value), (validation) =>
    validation.status === 'valid' ? ready(mended, validation.value) : heard(tool, candidate, value),
  );
}

/**
 * Ready, unless nothing that the model said is declared: the schema drops it all in silence, and the tool would run as
 * if with `{}`. A key too many beside a right one is dropped, as the schema wants it.
 */
function heard(tool: Tool, candidate: Candidate, value: unknown): PreparedInput {
  const node = nodeOf(tool.inputSchema, tool.inputSchema);
  const declared = propertiesOf(node);
  const keys = Object.keys(candidate.value);
  const isUnheard = keys.length > 0 && !keys.some((key) => Object.hasOwn(declared, key));
  if (!isUnheard || takesOtherKeys(node) || Object.keys(declared).length === 0) return ready(candidate, value);
  const issue: StandardIssue & { readonly keys: readonly string[] } = { message: 'Unrecognized keys', path: [], keys };
  // The call without those keys is not what was meant, so it is not shown.
  const explanation = { ...explain([issue], tool.inputSchema, candidate.value), template: undefined };
  const detail = `The arguments of ${tool.name} hold none of its keys: ${keys.slice(0, 20).join(', ')}`;
  return invalid(tool, { ...candidate, wireInput: candidate.value }, explanation, detail);
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
  return { ok: true, input, wireInput: value, mends, rawInput: isChanged ? clipRaw(raw) : undefined };
}

function explained(tool: Tool, candidate: Candidate, issues: readonly StandardIssue[]): RefusedInput {
  const explanation = explain(issues, tool.inputSchema, candidate.value, suggest(tool, candidate.value, issues));
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
  written: WrittenInput & { readonly wireInput: JsonObject },
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
    rawInput: isRawLost ? clipRaw(written.raw) : undefined,
    detail: detail.slice(0, 2000),
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
    rawInput: candidate.isChanged ? clipRaw(candidate.raw) : undefined,
    detail: `The schema of ${tool.name} threw.`,
  };
}
