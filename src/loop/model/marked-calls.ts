import { isRecord } from '../../core/json.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { ReplyToolCall } from '../../core/provider.ts';
import { callIn } from './json-call.ts';
import { readLenient } from '../tool-input/lenient-reader.ts';

/**
 * Calls in a markup of their own, which a server passed on as text because it does not know the model's template: tags
 * (Hermes, Qwen, GLM, Anthropic's old form), control tokens (Llama, DeepSeek, Kimi, Granite, gpt-oss), Mistral's marker,
 * Python calls (Llama 4, LFM2, Gemma). Nobody answers like that, so the markup itself says that a call is meant:
 *
 * 1. Everything from the first mark to the end of the text has to be calls; one word more, and it is an answer.
 * 2. Words may stand before the mark where it begins a line of its own and every call names a tool. Words and a fence
 *    quote it: that may be an example.
 * 3. A call that can't be read but names its tool is a call: what is wrong with it is told to the model.
 */
export interface MarkedCalls {
  /** What the model said before it began to call. */
  readonly before: string;
  readonly calls: readonly ReplyToolCall[];
}

/** What is known of the run. */
interface MarkedCallRules {
  readonly isTool: (name: string) => boolean;
  /** Whether a call counts that may be an example. */
  readonly isExplained: (call: ReplyToolCall) => boolean;
}

/** Where a markup begins, at the begin of a line. */
const MARK =
  /(?:^|\n)[ \t]*(?=<(?:tool_calls?|tools|function_calls?)>|<function=|<invoke name=|\[TOOL_CALLS\]|<[|｜][^|｜<>\s]{1,60}[|｜]>|```tool_c(?:ode|all)\b|\[[\w.]{1,80}\()/;

/** Between calls and their parts; carries nothing. */
const SEPARATOR =
  /(?:\s+|<\/?(?:tool_calls?|tools|function_calls?)>|<\/(?:function|invoke|s)>|<[|｜][^|｜<>\s]{1,60}[|｜]>|\[(?:\/?TOOL_CALLS|ARGS)\]|\[CALL_ID\]\w{1,80}|```(?:json|tool_code|tool_call)?)/y;

/** `<function=name>` (Qwen), `<invoke name="name">` (Anthropic). */
const NAMED = /<(?:function=|invoke name=)["']?([^\s"'<>]{1,100})["']?>/y;
const PARAMETER = /<parameter(?:=| name=)["']?([^\s"'<>]{1,100})["']?[^<>]{0,100}>/y;
const ARGUMENT = /<arg_key>([^<>]{1,100})<\/arg_key>\s{0,10}<arg_value>/y;
const PYTHON_CALL = /\[?([A-Za-z_][\w.]{0,100})\(/y;
const KEYWORD = /\s{0,10}([A-Za-z_]\w{0,100})\s{0,3}=\s{0,3}/y;
const COMMA = /\s{0,10},?/y;
const END_OF_PYTHON = /\s{0,10}\)\s{0,10}[,\]]?/y;
const JSON_VALUE = /(?=[{[])/y;
const WORD = /(?:to=)?([\w.:/-]{1,100})/y;

/** Ends the call that is open. */
const CLOSING = /^<\/(?:function|invoke|tool_call)>$/;

/** The opening of a fence that a mark stands in. */
const FENCE = /```[\w-]*$/;

/** Words of templates that name no tool: roles, channels, types. */
const TEMPLATE_WORD = /^(?:assistant|analysis|commentary|function|tool|json)$/;

/** A tool's name, with whatever name space a model puts before it. */
const ANY_NAME = /^[\w.:/-]*[A-Za-z][\w.:/-]*$/;

/** Reads a text that ends in marked calls; undefined where it is an answer. */
export function readMarkedCalls(text: string, { isTool, isExplained }: MarkedCallRules): MarkedCalls | undefined {
  const mark = MARK.exec(text);
  if (mark === null) return undefined;
  const start = mark.index + mark[0].length;
  const before = text.slice(0, start).trim();
  const scanner = new Scanner(text, start, before === '' ? isTool : (name) => isTool(name) || undefined);
  const calls = scanner.calls();
  if (calls === undefined || calls.length === 0) return undefined;
  // A name that is none at all shows that the mark was no mark.
  const isNamed = calls.every((call) => isTool(call.name) || (before === '' && ANY_NAME.test(call.name)));
  if (!isNamed) return undefined;
  const fence = FENCE.exec(before);
  if (fence === null) return { before, calls };
  const words = before.slice(0, fence.index).trimEnd();
  // "I would call: ```": it may be an example.
  return words === '' || calls.every(isExplained) ? { before: words, calls } : undefined;
}

/** True, false for a name that may only be wrong, undefined where it has to be a tool's. */
type Knows = (name: string) => boolean | undefined;

/** A call whose arguments are still to come. */
interface Open {
  readonly name: string;
  readonly members: Record<string, Json>;
  /** True where the markup itself says that a call begins, so that one without arguments is whole. */
  readonly isNamed: boolean;
}

class Scanner {
  readonly #text: string;
  readonly #knows: Knows;
  readonly #calls: ReplyToolCall[] = [];
  #index: number;
  #open: Open | undefined;
  /** What was taken last, and the name or the key in it. */
  #found = '';
  #word = '';

  constructor(text: string, start: number, knows: Knows) {
    this.#text = text;
    this.#index = start;
    this.#knows = knows;
  }

  calls(): ReplyToolCall[] | undefined {
    while (this.#index < this.#text.length) if (!this.#step()) return undefined;
    const open = this.#open;
    // Nothing said that it was whole: more of its arguments may have been to come.
    return open === undefined || this.#close(open, false) ? this.#calls : undefined;
  }

  /** Takes one part. False where the text is something else. */
  #step(): boolean {
    const open = this.#open;
    if (this.#takes(SEPARATOR)) return open === undefined || !CLOSING.test(this.#found) || this.#close(open, true);
    if (this.#takes(NAMED)) return this.#begin(this.#word, true);
    if (this.#takes(PARAMETER)) return this.#member(this.#word, '</parameter>');
    if (this.#takes(ARGUMENT)) return this.#member(this.#word, '</arg_value>');
    if (this.#takes(PYTHON_CALL)) return this.#pythonCall(this.#word);
    if (this.#takes(JSON_VALUE)) return this.#json();
    return this.#takes(WORD) && (TEMPLATE_WORD.test(this.#word) || this.#begin(this.#word, false));
  }

  #begin(name: string, isNamed: boolean): boolean {
    if (this.#open !== undefined || this.#knows(name) === undefined) return false;
    this.#open = { name, members: {}, isNamed };
    return true;
  }

  #member(key: string, close: string): boolean {
    const open = this.#open;
    if (open === undefined) return false;
    const end = this.#text.indexOf(close, this.#index);
    if (end < 0) {
      this.#index = this.#text.length;
      return this.#close(open, false);
    }
    const value = this.#text.slice(this.#index, end);
    this.#index = end + close.length;
    if (key !== '__proto__') open.members[key.trim()] = value.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
    return true;
  }

  /** A JSON value: the arguments of the call that is open, or whole calls. */
  #json(): boolean {
    const open = this.#open;
    const reading = readLenient(this.#text, this.#index);
    if (!reading.ok) return this.#brokenJson(reading.isCut);
    this.#index = reading.end;
    const { value } = reading;
    if (open === undefined) return (Array.isArray(value) ? value : [value]).every((entry) => this.#wholeCall(entry));
    return isRecord(value) && this.#add(open.name, { value }, true);
  }

  #wholeCall(entry: unknown): boolean {
    const call = callIn(entry);
    return call !== undefined && this.#knows(call.name) !== undefined && this.#add(call.name, call.arguments, true);
  }

  /** What can't be read is a call all the same where it says which tool is meant. */
  #brokenJson(isCut: boolean): boolean {
    const rest = this.#text.slice(this.#index);
    const close = rest.search(/<\/(?:tool_call|function|function_call)>/);
    const body = close < 0 ? rest : rest.slice(0, close);
    const name =
      this.#open?.name ?? /["']name["']\s{0,5}:\s{0,5}["']([\w.:-]{1,100})["']/.exec(body.slice(0, 1000))?.[1];
    if (name === undefined || this.#knows(name) !== true) return false;
    this.#index += body.length;
    const inner = /["'](?:arguments|parameters)["']\s{0,5}:\s{0,5}/.exec(body);
    const written = inner === null ? body : body.slice(inner.index + inner[0].length);
    return this.#add(name, { text: written.trim() }, !isCut || close >= 0);
  }

  /** `name(key="value", other=2)`, alone or in a list. */
  #pythonCall(name: string): boolean {
    if (this.#open !== undefined || this.#knows(name) !== true) return false;
    const members: Record<string, Json> = {};
    while (this.#takes(KEYWORD)) {
      const reading = readLenient(this.#text, this.#index);
      if (!reading.ok) return reading.isCut && this.#cutPython(name, members);
      members[this.#word] = reading.value;
      this.#index = reading.end;
      this.#takes(COMMA);
    }
    if (this.#index >= this.#text.length) return this.#cutPython(name, members);
    return this.#takes(END_OF_PYTHON) && this.#add(name, { value: members }, true);
  }

  #cutPython(name: string, members: JsonObject): boolean {
    this.#index = this.#text.length;
    return this.#add(name, { value: members }, false);
  }

  /** Ends a call that has all its arguments. A word alone is only a call where it is a tool's name. */
  #close({ name, members, isNamed }: Open, isComplete: boolean): boolean {
    const isCall = isNamed || Object.keys(members).length > 0 || this.#knows(name) === true;
    return isCall && this.#add(name, { value: members }, isComplete);
  }

  #add(name: string, args: ReplyToolCall['arguments'], isComplete: boolean): boolean {
    this.#open = undefined;
    this.#calls.push({ type: 'tool-call', id: undefined, name, arguments: args, isComplete });
    return true;
  }

  /** Takes what the pattern describes, where it stands next. */
  #takes(pattern: RegExp): boolean {
    pattern.lastIndex = this.#index;
    const match = pattern.exec(this.#text);
    if (match === null) return false;
    [this.#found, this.#word = ''] = match;
    this.#index += this.#found.length;
    return true;
  }
}
