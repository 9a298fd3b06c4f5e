import type { ModelReply, ReplyToolCall } from '../../core/provider.ts';
import type { Tool } from '../../core/tool.ts';
import { propertiesOf, rootNode } from '../input/schema-view.ts';
import * as texts from '../words/for-models.ts';
import { holdsArguments } from './json-call.ts';
import { AROUND, MARKUPS, NAME_SPACE } from './markups.ts';
import { scanCalls } from './scanner.ts';
import type { FoundCall, FoundCalls, ScannedCalls, WrittenCall } from './scanner.ts';
import { openFence, unreadableCall } from './unreadable-call.ts';

/**
 * Local models often write a tool call as text: as bare JSON, in a JSON fence, in a markup. What such a text may do:
 *
 * 1. A text that is nothing but calls is those calls, where the provider trusts texts (`textCalls: 'run'`).
 * 2. With words or a fence around the call it may be a quotation, of a web page as well: then only a tool with
 *    `effect: 'read'` runs. Every other call is told to the model, and not run.
 * 3. Words on both sides explain a call to the user: the text is an answer.
 * 4. A call that is still open when the reply was cut is a cut call: never run, and not an answer either. So is the last
 *    call of a reply that its limit ended, unless white space follows it: models pad up to their limit.
 * 5. The same call written several times is one call. What the model makes up as the tool's answer is dropped.
 * 6. `{"name": …, "arguments": {…}}` and nothing else is a call although no tool has that name: the model has to hear
 *    so. As an answer it would be a success without anything done. The same holds for a markup that can't be read.
 */
export function readTextCalls(reply: ModelReply, rules: TextCallRules): ModelReply | undefined {
  let text = '';
  for (const part of reply.content) {
    if (part.type === 'tool-call') return undefined;
    if (part.type === 'text') text += part.text;
  }
  // Most answers have none of the signs that a call has.
  if (!/[{[<`(]|Action/.test(text)) return undefined;
  const body = withoutTemplate(text);
  const calls = findCalls(body, rules);
  const found = calls === 'none' ? unreadableCall(body, rules) : calls;
  if (found === undefined || found.calls.length === 0) return undefined;
  const { before } = found;
  const made = found.calls.map((call) => replyCall(call, rules));
  // White space behind the last call says that the limit did not fall into it.
  const last = made.at(-1);
  if (reply.finishReason === 'length' && last !== undefined && !found.endsInRepeat && !/\s{16}$/.test(text.slice(-16)))
    made[made.length - 1] = { ...last, isComplete: false };
  const rest: ModelReply['content'][number][] = reply.content.filter((part) => part.type !== 'text');
  if (before !== '') rest.push({ type: 'text', text: before });
  return { ...reply, content: [...rest, ...made], finishReason: 'tool-calls' };
}

/** What is known of the run. */
export interface TextCallRules {
  /** The tool that a name means, if there is one. */
  readonly toolOf: (name: string) => Tool | undefined;
  /** What the provider lets calls in texts do: see `ProviderCapabilities.textCalls`. */
  readonly textCalls: 'run' | 'read' | 'tell';
  /** An answer may be any JSON object here, so only one that names a tool is a call. */
  readonly isAnswerJson: boolean;
  /** True where a tool has been called already: then JSON beside words is an example. */
  readonly hasCalled: boolean;
  /** Whether a call counts that may be an example, since other things stand around it: it can do no harm. */
  readonly isExplained: (call: Pick<ReplyToolCall, 'name' | 'arguments'>) => boolean;
}

/**
 * Where calls may begin: at the begin of a line, with a markup, JSON or a fence; and right behind a sentence, with what
 * nothing but a call begins with: templates put no line break there (DeepSeek, Kimi).
 */
const PLACE = new RegExp(
  String.raw`(?:^|\n)[ \t]*(?=${MARKUPS.join('|')}|\{|\[\s{0,9}\{|${'```'})|(?<=[.!?…]) ?(?=<[|｜]tool|<${NAME_SPACE}(?:${AROUND})>|\[TOOL_CALLS\])`,
  'g',
);
/** Chosen: explanations are short; a text with more blocks than this is about JSON. */
const MAX_PLACES = 8;

/** The first calls in a text; 'none' where there are none, undefined where they are part of an answer. */
function findCalls(body: string, rules: TextCallRules): FoundCalls | 'none' | undefined {
  let start = 0;
  PLACE.lastIndex = 0;
  for (let places = 0; places <= MAX_PLACES; places += 1) {
    const scanned = scanCalls(body, start, rules.toolOf);
    const at = found(body, start, scanned, rules);
    if (at !== 'none') return at;
    PLACE.lastIndex = Math.max(PLACE.lastIndex, scanned.reached - 1, 0);
    const place = PLACE.exec(body);
    if (place === null) return 'none';
    start = place.index + place[0].length;
  }
  return 'none';
}

/** The opening of a fence. */
const FENCE = /^[ \t]*```[\w-]*/;
/** A fence that calls are written in; any other quotes the markup in it. */
const CALL_FENCE = /^[ \t]*```tool/;
/** A fence with code for a person. */
const CODE_FENCE = /^[ \t]*```(?!xml|html|text|plain|json)\w/i;
/** Words before a fence that say: this is how it looks. */
const EXPLAINS =
  /\b(?:would|could|looks?|like this|formats?|syntax|example|e\.g\.|such as|templates?|markup|written?|means?|shows?)\b[^\n]*$/i;

/** The calls at a place. */
function found(
  body: string,
  start: number,
  scanned: ScannedCalls,
  rules: TextCallRules,
): FoundCalls | 'none' | undefined {
  const { endsInRepeat } = scanned;
  if (scanned.calls.length === 0) return 'none';
  const lead = body.slice(0, start).trim();
  // The fence that the calls stand in was opened before them, or begins where they do.
  const opened = openFence(lead);
  const fence = FENCE.exec(opened === undefined ? body.slice(start, start + 40) : lead.slice(opened))?.[0] ?? '';
  const before = lead.slice(0, opened).trimEnd();
  const after = body.slice(scanned.end).replace(/^[\s`]+/, '');
  const isFenced = scanned.isMarked && fence !== '' && !CALL_FENCE.test(fence);
  const isAlone = before === '' && after === '';
  // In the middle of a line, words behind it go on with the sentence that it is a part of.
  if (after !== '' && /[.!?…] ?$/.test(body.slice(0, start))) return undefined;
  if (!scanned.calls.every((call) => isNamed(call, scanned, isAlone, rules))) return 'none';
  const calls = scanned.calls.map((call) => withProblem(call, scanned.isMarked, rules));
  const isOdd = calls.some((call) => call.beside.length > 0 && call.problem === undefined);
  if (isAlone && !isFenced && !isOdd) return { before, calls, endsInRepeat };
  const asExample = calls.every((call) => rules.isExplained(call))
    ? { before: scanned.isMarked ? before : '', calls, endsInRepeat }
    : undefined;
  const isBetween = before !== '' && after !== '';
  // A fence may also open at the end of the sentence that explains it.
  const said = before
    .slice(-200)
    .replace(/```[\w-]*\s*$/, '')
    .trimEnd();
  const explains = (fence !== '' || said !== before.slice(-200)) && EXPLAINS.test(said);
  if (!scanned.isMarked) {
    if (asExample !== undefined || isBetween || isOdd || explains || rules.hasCalled) return asExample;
  } else if (isBetween) {
    if (isFenced || before.endsWith(':')) return undefined;
  } else if (isFenced) {
    const hasMore = opened !== undefined && lead.length > opened + fence.length;
    const isCode = CODE_FENCE.test(fence) && (before !== '' || hasMore);
    if (asExample !== undefined || isCode || explains || calls.every((call) => isRead(call, rules))) return asExample;
  }
  return {
    before,
    calls: calls.map((call) => (isRead(call, rules) ? call : { ...call, isQuoted: true })),
    endsInRepeat,
  };
}

/** A tool's name, with whatever name space a model puts before it. */
const ANY_NAME = /^[\w.:/-]*[A-Za-z][\w.:/-]*$/;

/** A call has to name a tool; alone, in a form that nothing else has, it may name one that does not exist. */
function isNamed(call: WrittenCall, { isMarked }: ScannedCalls, isAlone: boolean, rules: TextCallRules): boolean {
  if (rules.toolOf(call.name) !== undefined) return true;
  if (!isAlone) return false;
  return isMarked ? ANY_NAME.test(call.name) : !rules.isAnswerJson && (call.isPlain || !call.isComplete);
}

/** Keys beside the arguments: one that is an argument, or any in a markup, would be dropped in silence. */
function withProblem(call: WrittenCall, isMarked: boolean, rules: TextCallRules): WrittenCall {
  const tool = rules.toolOf(call.name);
  const declared = tool === undefined ? {} : propertiesOf(rootNode(tool.inputSchema));
  const key = call.beside.find((name) => isMarked || holdsArguments(name) || Object.hasOwn(declared, name));
  if (key === undefined || call.problem !== undefined) return call;
  return { ...call, problem: `the key "${key.slice(0, 80)}" stands beside them, not among them` };
}

function isRead(call: WrittenCall, { toolOf }: TextCallRules): boolean {
  return toolOf(call.name)?.options.effect === 'read';
}

/** The call as part of a reply, with what the model is told where it is not to be run. */
function replyCall(call: FoundCall, rules: TextCallRules): ReplyToolCall {
  const { name, arguments: given, isComplete, problem, isQuoted } = call;
  const isTrusted = rules.textCalls === 'run' || (rules.textCalls === 'read' && isRead(call, rules));
  const tool = rules.toolOf(name)?.name ?? name;
  const refusal = !isComplete
    ? undefined
    : problem !== undefined
      ? texts.unreadableTextCall(tool, problem)
      : isQuoted === true
        ? texts.quotedCall(tool)
        : isTrusted
          ? undefined
          : texts.untrustedTextCall(tool);
  return {
    type: 'tool-call',
    id: undefined,
    name,
    arguments: given,
    isComplete,
    ...(refusal === undefined ? {} : { refusal }),
  };
}

/** The text without the control tokens that end it, and without what a server left of a tag. */
function withoutTemplate(text: string): string {
  // Ollama takes a tag apart that is not quite its template's, and leaves its last character (seen with 0.17.4). With a
  // blank behind it, it quotes what stands on its line.
  let body = text
    .replace(BLANK_HEAD, '')
    .trim()
    .replace(/^[>=](?![ \t])\s*(?=[{[])/, '');
  for (;;) {
    const token = CONTROL_TAIL.exec(body.slice(-MAX_TOKEN_CHARS))?.[0];
    if (token === undefined) return body;
    body = body.slice(0, -token.length).trimEnd();
  }
}

/** What a reader does not see at the begin, and the tokens of templates that are no `<|…|>`: no words before a call. */
const BLANK_HEAD = /^(?:[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]|<\/?s>|<(?:bos|eos|end_of_turn)>)+/u;

/** `<|im_end|>`, `<|eot_id|>`, `</s>`, `<end_of_turn>` ... at the end; not those that end a call. */
const CONTROL_TAIL = /(?:<[|｜](?!tool|call\|)[^|｜<>\s]{1,60}[|｜]>|<\/s>|<end_of_turn>)$/;
const MAX_TOKEN_CHARS = 64;
