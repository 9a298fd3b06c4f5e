import { isJsonObject, isRecord } from '../../core/json.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { ReplyToolCall } from '../../core/provider.ts';
import type { StandardIssue } from '../../core/schema.ts';
import type { Tool } from '../../core/tool.ts';
import { invalidArguments, toolBug } from '../words/for-models.ts';
import { explain, explainNoObject } from './explain.ts';
import { distortedPlaces } from './faithful.ts';
import { isAsDeclared } from './fits.ts';
import type { Explanation } from './explain.ts';
import { mendInput } from './mend-input.ts';
import type { MendedInput } from './mend-input.ts';
import { mendListed } from './mend-listed.ts';
import { keysOf, pathOf } from './path.ts';
import type { BuggyInput, PreparedInput, ReadyInput, RefusedInput } from './prepared-input.ts';
import { clipRaw, readArguments, refused } from './read-arguments.ts';
import type { KeptInput, WrittenInput } from './read-arguments.ts';
import { declaredKeys, itemNode, propertyNode, rootNode, takesOtherKeys } from './schema-view.ts';
import type { SchemaNode } from './schema-view.ts';
import { suggest } from './suggest.ts';
import { validateCopy, whenReady } from './validate.ts';

/**
 * Reads, mends and checks the arguments of a call. Never throws. A promise only where the tool's schema is asynchronous.
 * `mask` takes secrets out of what the schema's own messages say.
 *
 * 1. What was cut or can't be read is never run, least of all with `{}`.
 * 2. What is valid is not changed, but for keys that the schema would drop in silence although they are declared in another spelling.
 * 3. What is mended is checked again.
 */
export function prepareInput(
  tool: Tool,
  call: ReplyToolCall,
  mask: (words: string) => string = (words) => words,
): PreparedInput | Promise<PreparedInput> {
  const written = readArguments(tool, call);
  if (!written.ok) return written;
  const { value } = written;
  if (isJsonObject(value)) return check(tool, { ...written, value, mask }, MENDERS);
  const explanation = explainNoObject(tool.inputSchema, value);
  const detail = `The arguments of ${tool.name} are not an object.`;
  return invalid(tool, { ...written, value: {}, isChanged: true }, explanation, detail);
}

/** Arguments on their way through the checks. */
interface Candidate extends WrittenInput {
  readonly value: JsonObject;
  /** Takes secrets out of a validator's words. */
  readonly mask: (words: string) => string;
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
        return respell(tool, candidate, validation.value);
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
 * A key in another spelling that the schema drops in silence, at the root or below: the tool would run without it, as if
 * the model had not said it. It is put right, or told where the value under it is wrong.
 */
function respell(tool: Tool, candidate: Candidate, value: unknown): PreparedInput | Promise<PreparedInput> {
  if (isAsDeclared(candidate.value, rootNode(tool.inputSchema))) return ready(candidate, value);
  const mended = mendedBy(candidate, mendInput(candidate.value, tool.inputSchema, 'keys'));
  return mended === undefined ? meant(tool, candidate, value) : check(tool, mended, MENDERS);
}

/** Refused where the validator has made another value of what was said: `"false"` is no true. */
function meant(tool: Tool, candidate: Candidate, value: unknown): PreparedInput | Promise<PreparedInput> {
  const places = distortedPlaces(candidate.value, value, rootNode(tool.inputSchema));
  if (places.length === 0) return heard(tool, candidate, value);
  const mended = mendedBy(candidate, mendInput(candidate.value, tool.inputSchema));
  if (mended !== undefined) return check(tool, mended, []);
  return explained(
    tool,
    candidate,
    places.map((path) => ({ path, message: 'Invalid input' })),
  );
}

/**
 * Ready, unless an object holds nothing that is declared: the schema drops it all in silence, and the tool would run as
 * if with `{}`. A key too many beside a right one is dropped, as the schema wants it.
 */
function heard(tool: Tool, candidate: Candidate, value: unknown): PreparedInput {
  const issues = unheard(candidate.value, value, rootNode(tool.inputSchema), []);
  if (issues.length === 0) return ready(candidate, value);
  // The call without those keys is not what was meant, so it is not shown.
  const explanation = { ...explain(issues, tool.inputSchema, candidate.value), template: undefined };
  const names = issues.flatMap(({ keys }) => keys.slice(0, 20)).join(', ');
  return invalid(tool, candidate, explanation, `The arguments of ${tool.name} hold none of its keys: ${names}`);
}

/** An issue about keys that nothing declares, in Zod's form. */
interface StrayIssue extends StandardIssue {
  readonly keys: readonly string[];
}

/** The objects of which nothing was declared and nothing is left. */
function unheard(value: Json, output: unknown, node: SchemaNode, path: readonly (string | number)[]): StrayIssue[] {
  if (typeof value !== 'object' || value === null) return [];
  const members = Object.entries(value);
  if (!Array.isArray(value)) {
    const keys = members.map(([key]) => key);
    const declared = declaredKeys(node);
    const isKept = isRecord(output) && path.length > 0 && keys.some((key) => Object.hasOwn(output, key));
    const isLost = keys.length > 0 && declared.length > 0 && !declared.some((key) => Object.hasOwn(value, key));
    if (isLost && !isKept && !takesOtherKeys(node)) return [{ message: 'Unrecognized keys', path: [...path], keys }];
  }
  if (typeof output !== 'object' || output === null) return [];
  return members.flatMap(([key, member]) => {
    const index = Array.isArray(value) ? Number(key) : key;
    const below = typeof index === 'number' ? itemNode(node, index) : propertyNode(node, index);
    const made: unknown = Reflect.get(output, index);
    return below === undefined || made === undefined ? [] : unheard(member, made, below, [...path, index]);
  });
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
  // A validator's words may hold anything; what the model said and what the schema declares is shown as it is.
  const safe = issues.map((issue) => ({ ...issue, message: candidate.mask(issue.message) }));
  const explanation = explain(safe, tool.inputSchema, candidate.value, suggest(tool, candidate.value, safe));
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
