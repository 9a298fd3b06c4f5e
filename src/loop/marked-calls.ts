import { isRecord } from '../core/json.ts';
import type { Json } from '../core/json.ts';
import type { ReplyToolCall } from '../core/provider.ts';
import { readLenient } from './tool-input/lenient-reader.ts';

/**
 * Calls in a markup of their own, which a server passed on as text because it does not know the model's template: tags
 * (Hermes, Qwen, GLM, Anthropic's old form), control tokens (Llama, DeepSeek, Kimi, Granite, gpt-oss), Mistral's marker,
 * Python calls (Llama 4, LFM2, Gemma). Nobody answers like that, so the markup itself says that a call is meant:
 *
 * 1. Everything from the first mark to the end of the text has to be calls; one word more, and it is an answer.
 * 2. Words may stand before the mark where it begins a line of its own and every call names a tool.
 * 3. A call that can't be read but names its tool is a call: what is wrong with it is told to the model.
 */
export interface MarkedCalls {
  /** What the model said before it began to call. */
  readonly before: string;
  readonly calls: readonly ReplyToolCall[];
}

type IsTool = (name: string) => boolean;

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
const WORD = /(?:to=)?([\w.:/-]{1,100})/y;

/** Words of templates that name no tool: roles, channels, types. */
const TEMPLATE_WORDS: ReadonlySet<string> = new Set([
  'assistant',
  'analysis',
  'commentary',
  'function',
  'tool',
  'json',
]);

/** A tool's name, with whatever name space a model puts before it. */
const ANY_NAME = /^[\w.:/-]*[A-Za-z][\w.:/-]*$/;

/** Reads a text that ends in marked calls; undefined where it is an answer. */
export function readMarkedCalls(text: string, isTool: IsTool): MarkedCalls | undefined {
  const mark = MARK.exec(text);
  if (mark === null) return undefined;
  const start = mark.index + mark[0].length;
  const before = text.slice(0, start).trim();
  const scanner = new Scanner(text, start, before === '' ? isTool : (name) => isTool(name) || undefined);
  const calls = scanner.calls();
  if (calls === undefined || calls.length === 0) return undefined;
  // A name that is none at all shows that the mark was no mark.
  const isNamed = calls.every((call) => isTool(call.name) || (before === '' && ANY_NAME.test(call.name)));
  return isNamed ? { before, calls } : undefined;
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

  constructor(text: string, start: number, knows: Knows) {
    this.#text = text;
    this.#index = start;
    this.#knows = knows;
  }

  calls(): ReplyToolCall[] | undefined {
    while (this.#index < this.#text.length) if (!this.#step()) return undefined;
    return this.#open === undefined || this.#close(this.#open.isNamed) ? this.#calls : undefined;
  }

  /** Takes one part. False where the text is something else. */
  #step(): boolean {
    const separator = this.#match(SEPARATOR);
    if (separator !== undefined) {
      const isClosing = /^<\/(?:function|invoke|tool_call)>$/.test(separator[0]);
      return this.#open === undefined || !isClosing || this.#close(true);
    }
    const named = this.#match(NAMED);
    if (named !== undefined) return this.#begin(named[1] ?? '', true);
    const parameter = this.#match(PARAMETER);
    if (parameter !== undefined) return this.#member(parameter[1] ?? '', '</parameter>');
    const argument = this.#match(ARGUMENT);
    if (argument !== undefined) return this.#member(argument[1] ?? '', '</arg_value>');
    const python = this.#match(PYTHON_CALL);
    if (python !== undefined) return this.#pythonCall(python[1] ?? '');
    const first = this.#text.charAt(this.#index);
    if (first === '{' || first === '[') return this.#json();
    const word = this.#match(WORD)?.[1];
    return word !== undefined && (TEMPLATE_WORDS.has(word) || this.#begin(word, false));
  }

  #begin(name: string, isNamed: boolean): boolean {
    if (this.#open !== undefined || this.#knows(name) === undefined) return false;
    this.#open = { name, members: {}, isNamed };
    return true;
  }

  #member(key: string, close: string): boolean {
    if (this.#open === undefined) return false;
    const end = this.#text.indexOf(close, this.#index);
    if (end < 0) {
      this.#index = this.#text.length;
      return this.#close(false);
    }
    const value = this.#text.slice(this.#index, end);
    if (key !== '__proto__') this.#open.members[key.trim()] = value.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
    this.#index = end + close.length;
    return true;
  }

  /** A JSON value: the arguments of the call that is open, or whole calls. */
  #json(): boolean {
    const start = this.#index;
    const open = this.#open;
    const reading = readLenient(this.#text, start);
    if (!reading.ok) return this.#brokenJson(start, reading.isCut);
    this.#index = reading.end;
    if (open !== undefined) {
      if (!isRecord(reading.value)) return false;
      this.#open = undefined;
      return this.#add(open.name, { value: reading.value }, true);
    }
    return (Array.isArray(reading.value) ? reading.value : [reading.value]).every((entry) => this.#wholeCall(entry));
  }

  #wholeCall(entry: unknown): boolean {
    const call = callIn(entry);
    return call !== undefined && this.#knows(call.name) !== undefined && this.#add(call.name, call.arguments, true);
  }

  /** What can't be read is a call all the same where it says which tool is meant. */
  #brokenJson(start: number, isCut: boolean): boolean {
    const rest = this.#text.slice(start);
    const close = rest.search(/<\/(?:tool_call|function|function_call)>/);
    const body = close < 0 ? rest : rest.slice(0, close);
    const name =
      this.#open?.name ?? /["']name["']\s{0,5}:\s{0,5}["']([\w.:-]{1,100})["']/.exec(body.slice(0, 1000))?.[1];
    if (name === undefined || this.#knows(name) !== true) return false;
    this.#open = undefined;
    this.#index = close < 0 ? this.#text.length : start + close;
    const inner = /["'](?:arguments|parameters)["']\s{0,5}:\s{0,5}/.exec(body);
    const written = inner === null ? body : body.slice(inner.index + inner[0].length);
    return this.#add(name, { text: written.trim() }, !isCut || close >= 0);
  }

  /** `name(key="value", other=2)`, alone or in a list. */
  #pythonCall(name: string): boolean {
    if (this.#open !== undefined || this.#knows(name) !== true) return false;
    const members: Record<string, Json> = {};
    for (;;) {
      const key = this.#match(KEYWORD)?.[1];
      if (key === undefined) break;
      const reading = readLenient(this.#text, this.#index);
      if (!reading.ok) return false;
      members[key] = reading.value;
      this.#index = reading.end;
      this.#match(/\s{0,10},?/y);
    }
    return this.#match(/\s{0,10}\)\s{0,10}[,\]]?/y) !== undefined && this.#add(name, { value: members }, true);
  }

  /** Ends a call that has all its arguments. A word alone is only a call where it is a tool's name. */
  #close(isComplete: boolean): boolean {
    const open = this.#open;
    if (open === undefined) return false;
    this.#open = undefined;
    const isCall = open.isNamed || Object.keys(open.members).length > 0 || this.#knows(open.name) === true;
    return isCall && this.#add(open.name, { value: open.members }, isComplete);
  }

  #add(name: string, args: ReplyToolCall['arguments'], isComplete: boolean): boolean {
    this.#calls.push({ type: 'tool-call', id: undefined, name, arguments: args, isComplete });
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#index;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found !== undefined) this.#index += found[0].length;
    return found;
  }
}

/** Keys under which the arguments stand: OpenAI's and Hermes', Llama's, Anthropic's. */
const ARGUMENT_KEYS = ['arguments', 'parameters', 'input', 'args'] as const;

/** A call that a JSON value describes: its name, and arguments as an object or as text. */
export function callIn(value: unknown): Pick<ReplyToolCall, 'name' | 'arguments'> | undefined {
  if (!isRecord(value)) return undefined;
  const inner = isRecord(value['function']) ? value['function'] : value;
  const { name } = inner;
  if (typeof name !== 'string') return undefined;
  const key = ARGUMENT_KEYS.find((candidate) => candidate in inner);
  const written = key === undefined ? undefined : inner[key];
  if (typeof written === 'string') return { name, arguments: { text: written } };
  if (isRecord(written)) return { name, arguments: { value: written } };
  // A name alone is a call of a tool without arguments only when nothing else stands beside it.
  return key === undefined && Object.keys(inner).length === 1 ? { name, arguments: { value: {} } } : undefined;
}
