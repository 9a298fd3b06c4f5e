import { isJsonObject } from '../../core/json.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { ReplyToolCall } from '../../core/provider.ts';
import type { StandardIssue } from '../../core/schema.ts';
import type { Tool } from '../../core/tool.ts';
import { invalidArguments, toolBug } from '../texts.ts';
import { explain, explainNoObject } from './explain.ts';
import type { Explanation } from './explain.ts';
import { mendInput } from './mend-input.ts';
import type { MendedInput } from './mend-input.ts';
import { mendListed } from './mend-listed.ts';
import { keysOf, pathOf } from './path.ts';
import type { BuggyInput, PreparedInput, ReadyInput, RefusedInput } from './prepared-input.ts';
import { clipRaw, readArguments, refused } from './read-arguments.ts';
import type { KeptInput, WrittenInput } from './read-arguments.ts';
import { propertiesOf, rootNode, takesOtherKeys } from './schema-view.ts';
import { suggest } from './suggest.ts';
import { validateCopy, whenReady } from './validate.ts';

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
  if (isJsonObject(value)) return check(tool, { ...written, value }, MENDERS);
  const explanation = explainNoObject(tool.inputSchema, value);
  const detail = `The arguments of ${tool.name} are not an object.`;
  return invalid(tool, { ...written, value: {}, isChanged: true }, explanation, detail);
}

/** Arguments on their way through the checks. */
interface Candidate extends WrittenInput {
  readonly value: JsonObject;
}

/** Ways to mend what a validator refused: by the JSON Schema, then by words that only the validator's messages list. */
const MENDERS: readonly ((tool: Tool, value: Json, issues: readonly StandardIssue[]) => MendedInput)[] = [
  (tool, value) => mendInput(value, tool.inputSchema),
  (_tool, value, issues) => mendListed(value, issues),
];

/** Checks the arguments, mended in the ways that are left until they pass. */
function check(tool: Tool, candidate: Candidate, menders: typeof MENDERS): PreparedInput | Promise<PreparedInput> {
  return whenReady(validateCopy(tool.options.schema, candidate.value), (validation) => {
    switch (validation.status) {
      case 'bug':
        return bug(tool, candidate, validation.error);
      case 'valid':
        // All ways are left: nothing has been mended.
        return menders === MENDERS
          ? respell(tool, candidate, validation.value)
          : heard(tool, candidate, validation.value);
      case 'invalid':
        for (const [index, mend] of menders.entries()) {
          const mended = mendedBy(candidate, mend(tool, candidate.value, validation.issues));
          if (mended !== undefined) return check(tool, mended, menders.slice(index + 1));
        }
        return explained(tool, candidate, validation.issues);
    }
  });
}

/**
 * A key in another spelling that the schema drops in silence: the tool would run without it, as if the model had not
 * said it. It is put right where the schema takes the result as well.
 */
function respell(tool: Tool, candidate: Candidate, value: unknown): PreparedInput | Promise<PreparedInput> {
  const node = rootNode(tool.inputSchema);
  const declared = propertiesOf(node);
  if (takesOtherKeys(node) || Object.keys(candidate.value).every((key) => Object.hasOwn(declared, key)))
    return ready(candidate, value);
  const found = mendInput(candidate.value, tool.inputSchema);
  const mended = mendedBy(candidate, found);
  // Whatever else could be mended is fine as it is: the schema has said so.
  if (mended === undefined || found.mends.some((mend) => mend.kind !== 'key')) return heard(tool, candidate, value);
  return whenReady(validateCopy(tool.options.schema, mended.value), (validation) =>
    validation.status === 'valid' ? ready(mended, validation.value) : heard(tool, candidate, value),
  );
}

/**
 * Ready, unless nothing that the model said is declared: the schema drops it all in silence, and the tool would run as
 * if with `{}`. A key too many beside a right one is dropped, as the schema wants it.
 */
function heard(tool: Tool, candidate: Candidate, value: unknown): PreparedInput {
  const node = rootNode(tool.inputSchema);
  const declared = Object.keys(propertiesOf(node));
  const keys = Object.keys(candidate.value);
  const isUnheard = keys.length > 0 && !declared.some((key) => Object.hasOwn(candidate.value, key));
  if (!isUnheard || takesOtherKeys(node) || declared.length === 0) return ready(candidate, value);
  const issue: StandardIssue & { readonly keys: readonly string[] } = { message: 'Unrecognized keys', path: [], keys };
  // The call without those keys is not what was meant, so it is not shown.
  const explanation = { ...explain([issue], tool.inputSchema, candidate.value), template: undefined };
  const detail = `The arguments of ${tool.name} hold none of its keys: ${keys.slice(0, 20).join(', ')}`;
  return invalid(tool, candidate, explanation, detail);
}

function mendedBy(candidate: Candidate, { value, mends }: MendedInput): Candidate | undefined {
  if (mends.length === 0 || !isJsonObject(value)) return undefined;
  return { ...candidate, value, mends: [...candidate.mends, ...mends], isChanged: true };
}

function ready(candidate: Candidate, input: unknown): ReadyInput {
  const { value, mends, isChanged, raw } = candidate;
  return { ok: true, input, wireInput: value, mends, rawInput: isChanged ? clipRaw(raw) : undefined };
}

function explained(tool: Tool, candidate: Candidate, issues: readonly StandardIssue[]): RefusedInput {
  const explanation = explain(issues, tool.inputSchema, candidate.value, suggest(tool, candidate.value, issues));
  const found = issues.slice(0, 20).map((issue) => `${pathOf(keysOf(issue)) || 'arguments'}: ${issue.message}`);
  const detail = `The arguments of ${tool.name} do not fit its schema: ${found.join('; ')}`;
  return invalid(tool, candidate, explanation, detail);
}

function invalid(tool: Tool, kept: KeptInput, advice: Explanation, detail: string): RefusedInput {
  return refused('invalid-arguments', kept, { text: invalidArguments(tool.name, advice), advice, detail });
}

function bug(tool: Tool, candidate: Candidate, error: unknown): BuggyInput {
  const advice = { holes: new Map<string, string>(), needs: [] };
  const detail = `The schema of ${tool.name} threw.`;
  return { ...refused('bug', candidate, { text: toolBug(tool.name, ''), advice, detail }), error };
}
