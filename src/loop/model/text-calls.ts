import { isRecord } from '../../core/json.ts';
import type { ModelReply, ReplyToolCall } from '../../core/provider.ts';
import { callIn, hasKeysOfCallsOnly, isNothingButACall } from './json-call.ts';
import { readMarkedCalls } from './marked-calls.ts';
import type { MarkedCalls } from './marked-calls.ts';

/**
 * Local models often write a tool call as text: in a JSON fence, as bare JSON, between tags. It is understood
 * where the whole text is nothing but such calls and the tools exist; a text that talks about a call stays text.
 *
 * 1. What follows a closed call may only be white space: models pad up to their output limit, so such a call is
 *    whole although the finish reason says `length`.
 * 2. A call that is still open when the reply was cut is a cut call: never run, and not an answer either.
 * 3. The same call written several times is one call.
 * 4. A model that goes on to play the tool's part, too (`<tool_response>`, a further object), is cut short there: what
 *    the tool says comes from the tool.
 * 5. A call with other things around or in it (an explanation, a key that no call has) may be an example. It is a call
 *    where its tool only reads: as an answer it would be none. Once a tool has been run it is an example, unless the
 *    model is a small one (`slips: 'rewind'`) and says something new.
 * 6. `{"name": …, "arguments": {…}}` and nothing else is a call although no tool has that name: the model has to hear
 *    so. As an answer it would be a success without anything done.
 */

interface Wrapper {
  readonly open: RegExp;
  readonly close: string | undefined;
}

/** Openings of the forms in use: Qwen and Hermes tags, Mistral's marker, Markdown fences. */
const WRAPPERS: readonly Wrapper[] = [
  { open: /^<(tool_call|tools|function_call|tool_calls|response)>/, close: '</' },
  { open: /^\[TOOL_CALLS\]/, close: undefined },
  { open: /^```[\w-]*[ \t]*\r?\n?/, close: '```' },
];

/** The calls that a reply wrote as text, or undefined where its text is an answer. */
export function readTextCalls(reply: ModelReply, rules: TextCallRules): ModelReply | undefined {
  let text = '';
  for (const part of reply.content) {
    if (part.type === 'tool-call') return undefined;
    if (part.type === 'text') text += part.text;
  }
  // All that such a text or a block in it can begin with, or a mark in it; most answers have none of it.
  if (!/^[>=]?\s*[{[`]/.test(text.trimStart()) && !/\n[ \t]*[{`]|[<[]/.test(text)) return undefined;
  const body = withoutTemplate(text);
  if (body === undefined) return undefined;
  const bare = parseCalls(body, rules) ?? explainedCalls(body, rules);
  const { before, calls } =
    bare === undefined ? (readMarkedCalls(body, rules) ?? nothing) : { before: '', calls: bare };
  if (calls.length === 0) return undefined;
  const rest: ModelReply['content'][number][] = reply.content.filter((part) => part.type !== 'text');
  if (before !== '') rest.push({ type: 'text', text: before });
  return { ...reply, content: [...rest, ...withoutRepeats(calls)], finishReason: 'tool-calls' };
}

/** What is known of the run. */
export interface TextCallRules {
  /** Whether a tool has that name. */
  readonly isTool: (name: string) => boolean;
  /** An answer may be any JSON object here, so only one that names a tool is a call. */
  readonly isAnswerJson: boolean;
  /** Whether a call counts that may be an example, since other things stand around it: it can do no harm. */
  readonly isExplained: (call: ReplyToolCall) => boolean;
}

/** Where a block may begin behind an explanation. */
const LINE_OF_BLOCK = /(?:^|\n)[ \t]*(?=\{|```)/g;
/** Chosen: explanations are short; a text with more blocks than this is about JSON. */
const MAX_BLOCKS = 8;

/**
 * A call in a fence or alone, with an explanation of it before or behind: small models do that. It may also be an
 * example, so it is taken for a call only where running it can do no harm. The explanation is dropped: it tends to hold
 * a made-up result.
 */
function explainedCalls(text: string, rules: TextCallRules): ReplyToolCall[] | undefined {
  let blocks = 0;
  for (const { index, 0: lead } of text.matchAll(LINE_OF_BLOCK)) {
    blocks += 1;
    if (blocks > MAX_BLOCKS) break;
    const block = takeBlock(text.slice(index + lead.length), undefined);
    const calls = block.isOpen ? undefined : callsOf(block.body, { ...rules, isAnswerJson: true });
    if (calls === undefined || calls.length === 0) continue;
    return calls.every(rules.isExplained) ? calls : undefined;
  }
  return undefined;
}

const nothing: MarkedCalls = { before: '', calls: [] };

/**
 * The text without what a template puts around it: the thoughts before it, the control tokens that end it. Undefined where
 * the thoughts never end: what is only thought of is not called.
 */
function withoutTemplate(text: string): string | undefined {
  // Ollama takes a tag apart that is not quite its template's, and leaves its last character (seen with 0.17.4).
  // Phi writes `functools` before its list of calls.
  let body = text.trim().replace(/^(?:[>=]\s*(?=[{[])|functools(?=\[))/, '');
  if (body.startsWith('<think>')) {
    const end = body.indexOf('</think>');
    if (end < 0) return undefined;
    body = body.slice(end + '</think>'.length).trimStart();
  }
  for (;;) {
    const token = CONTROL_TAIL.exec(body.slice(-MAX_TOKEN_CHARS))?.[0];
    if (token === undefined) return body;
    body = body.slice(0, -token.length).trimEnd();
  }
}

/** `<|im_end|>`, `<|eot_id|>`, `</s>` ... at the end. */
const CONTROL_TAIL = /(?:<[|｜][^|｜<>\s]{1,60}[|｜]>|<\/s>)$/;
const MAX_TOKEN_CHARS = 64;

function parseCalls(text: string, rules: TextCallRules): ReplyToolCall[] | undefined {
  const first = text.charCodeAt(0);
  // `{`, `[`, `<` and a backtick are the only ways in which such a text can begin.
  if (first !== 0x7b && first !== 0x5b && first !== 0x3c && first !== 0x60) return undefined;
  const calls: ReplyToolCall[] = [];
  let rest = text;
  let within: Wrapper | undefined;
  while (rest !== '') {
    const block = takeBlock(rest, within);
    if (block.isOpen) return cutCall(block.body, rules, calls);
    const found = callsOf(block.body, rules);
    if (found === undefined) {
      if (calls.length > 0) return rest.startsWith('{') ? calls : undefined;
      // Markup of its own is read elsewhere, down to its arguments.
      return first === 0x3c ? undefined : brokenCall(block.body, rules.isTool);
    }
    calls.push(...found);
    rest = block.rest.startsWith('<tool_response>') ? '' : block.rest;
    within = block.within;
  }
  return calls.length === 0 ? undefined : calls;
}

/** A small model that has lost its thread writes the same call until its limit: it means one. */
function withoutRepeats(calls: readonly ReplyToolCall[]): ReplyToolCall[] {
  const seen = new Set<string>();
  return calls.filter((call) => {
    const key = `${call.name} ${JSON.stringify(call.arguments)}`;
    return !seen.has(key) && seen.add(key);
  });
}

interface Block {
  readonly body: string;
  readonly rest: string;
  /** True where the end of the text came before the end of the block. */
  readonly isOpen: boolean;
  /** Set where the rest goes on inside the same wrapper. */
  readonly within?: Wrapper;
}

/** Splits the first block off: a wrapper with what is in it, or a bare JSON value. `within` is a wrapper already open. */
function takeBlock(text: string, within: Wrapper | undefined): Block {
  const wrapper = within ?? WRAPPERS.find(({ open }) => open.test(text));
  if (wrapper === undefined) {
    const end = endOfJson(text);
    if (end === undefined) return { body: text, rest: '', isOpen: text.startsWith('{') || text.startsWith('[') };
    return { body: text.slice(0, end), rest: text.slice(end).trimStart(), isOpen: false };
  }
  const { open, close } = wrapper;
  const inside = within === undefined ? text.slice(open.exec(text)?.[0].length).trimStart() : text;
  const end = endOfJson(inside);
  if (end === undefined) return { body: inside, rest: '', isOpen: true };
  const body = inside.slice(0, end);
  const after = inside.slice(end).trimStart();
  if (close === undefined) return { body, rest: after, isOpen: false };
  // Several objects in one pair of tags, one after the other.
  if (after.startsWith('{')) return { body, rest: after, isOpen: false, within: wrapper };
  // Some models forget the closing tag; the object itself is whole.
  if (!after.startsWith(close)) return { body, rest: after, isOpen: false };
  const closing = close === '</' ? /^<\/\w+>/.exec(after)?.[0] : close;
  if (closing === undefined) return { body: inside, rest: '', isOpen: true };
  return { body, rest: after.slice(closing.length).trimStart(), isOpen: false };
}

/** Where the JSON object or array at the beginning of `text` ends, or undefined where it does not. */
function endOfJson(text: string): number | undefined {
  if (!text.startsWith('{') && !text.startsWith('[')) return undefined;
  let depth = 0;
  let isString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (isString) {
      if (code === 0x5c) index += 1;
      else if (code === 0x22) isString = false;
    } else if (code === 0x22) isString = true;
    else if (code === 0x7b || code === 0x5b) depth += 1;
    else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return undefined;
}

/** The calls in one JSON value, or undefined where it is anything else. */
function callsOf(body: string, rules: TextCallRules): ReplyToolCall[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  const calls: ReplyToolCall[] = [];
  const entries = isRecord(value) && Object.keys(value).join() === 'tool_calls' ? value['tool_calls'] : value;
  for (const entry of Array.isArray(entries) ? entries : [entries]) {
    const call = callOf(entry, rules);
    if (call === undefined) return undefined;
    calls.push(call);
  }
  return calls;
}

function callOf(value: unknown, { isTool, isAnswerJson, isExplained }: TextCallRules): ReplyToolCall | undefined {
  const given = callIn(value);
  if (given === undefined) return undefined;
  const call: ReplyToolCall = { type: 'tool-call', id: undefined, ...given, isComplete: true };
  if (!isTool(given.name)) return !isAnswerJson && isNothingButACall(value) ? call : undefined;
  // With more in it than a call needs (a risk, a comment) it may be an answer about a call.
  return hasKeysOfCallsOnly(value) || isExplained(call) ? call : undefined;
}

/** What is begun as a call of a known tool and is no JSON: never run, but told, since it is no answer either. */
function brokenCall(body: string, isTool: (name: string) => boolean): ReplyToolCall[] | undefined {
  const name = BEGINNING.exec(body)?.[1];
  if (name === undefined || !isTool(name) || isJson(body)) return undefined;
  return [{ type: 'tool-call', id: undefined, name, arguments: { text: body }, isComplete: true }];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The beginning of a call, up to the end of its tool's name. */
const BEGINNING = /^\s*[{[][\s{[]*"(?:name|function)"\s*:\s*(?:\{\s*"name"\s*:\s*)?"([^"\\]{1,64})"/;

/** A call that is still open at the end of the reply: it counts as a cut call where it says what it was to be. */
function cutCall(
  body: string,
  { isTool, isAnswerJson }: TextCallRules,
  before: readonly ReplyToolCall[],
): ReplyToolCall[] | undefined {
  const name = BEGINNING.exec(body)?.[1];
  // Too little of it to say what it was to be: what was said whole before it counts, if anything.
  if (name === undefined) return before.length === 0 ? undefined : [...before];
  if (!isTool(name) && (isAnswerJson || !/"arguments"\s*:/.test(body))) return undefined;
  return [...before, { type: 'tool-call', id: undefined, name, arguments: { text: body }, isComplete: false }];
}
