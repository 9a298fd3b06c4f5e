import { isRecord } from '../../core/json.ts';
import type { Json } from '../../core/json.ts';
import type { ReplyToolCall } from '../../core/provider.ts';
import type { Tool } from '../../core/tool.ts';
import { readLenient } from '../input/lenient-reader.ts';
import { propertiesOf, rootNode } from '../input/schema-view.ts';
import { callIn, entriesOf, isNothingButACall, keysBeside } from './json-call.ts';
import { AROUND, NAME_SPACE, TOKEN } from './markups.ts';
import { comesTwice, readPythonCall } from './python-call.ts';
import { endOfValue, typedValue } from './tag-value.ts';

/** The tool that a name means, if there is one. */
export type ToolOf = (name: string) => Pick<Tool, 'name' | 'inputSchema'> | undefined;

/** A call as it was written in a text. */
export interface WrittenCall {
  readonly name: string;
  readonly arguments: ReplyToolCall['arguments'];
  /** False where the text ends before the call does. */
  readonly isComplete: boolean;
  /** Why its arguments can't be used, to follow "because". */
  readonly problem?: string | undefined;
  /** Keys that stand beside name and arguments and that calls do not have. */
  readonly beside: readonly string[];
  /** True for `{"name": …, "arguments": {…}}` and nothing else. */
  readonly isPlain: boolean;
}

/** Calls as found, and the words that stood before them. */
export interface FoundCalls {
  readonly before: string;
  readonly calls: readonly FoundCall[];
  readonly endsInRepeat: boolean;
}

/** A call, and what keeps it from being run. */
export interface FoundCall extends WrittenCall {
  readonly isQuoted?: boolean;
}

/** The calls that stand one after the other from a place on, up to where something else begins. */
export interface ScannedCalls {
  readonly calls: readonly WrittenCall[];
  /** Where they end: the end of the text, where nothing else follows, or only what the model made up as the tool's answer. */
  readonly end: number;
  /** True where a markup says that they are calls, not only their JSON. */
  readonly isMarked: boolean;
  /** True where the last one was written before: the same call counts once. */
  readonly endsInRepeat: boolean;
  /** How far was read: no other calls begin before that. */
  readonly reached: number;
}

/** Reads calls from `start` on, in whatever markup. One pass; what can't be read ends it. */
export function scanCalls(text: string, start: number, toolOf: ToolOf): ScannedCalls {
  return new Scanner(text, start, toolOf).scan();
}

/** Between calls and their parts; carries nothing. */
const SPACE = /[\s;,]+|```(?!tool_code)(?:(?:json|tool_calls?|tool_use|tool|xml|python|py)\b)?/y;
const MARK = new RegExp(
  String.raw`<\/?${NAME_SPACE}(?:${AROUND})>|<\/${NAME_SPACE}(?:function|invoke|s)>|<\|channel\|>(?:analysis|commentary)<\|message\|>[^<]{0,5000}<\|end\|>|${TOKEN}|<(?:start|end)_function_call>|<\|tool_call>|<tool_call\|>|\[(?:\/?TOOL_CALLS|ARGS)\]|\[CALL_ID\]\w{1,80}|functools(?=\[)|Action:\s{0,5}(?=${'```'})|${'```'}tool_code`,
  'y',
);

/** `<function=name>` (Qwen), `<invoke name="name">` (Anthropic). */
const NAMED = new RegExp(String.raw`<${NAME_SPACE}(?:function=|invoke name=)["']?([^\s"'<>]{1,100})["']?\s?>`, 'y');
const PARAMETER = new RegExp(
  String.raw`<(${NAME_SPACE}parameter)(?:=| name=)["']?([^\s"'<>]{1,100})["']?([^<>]{0,100})>`,
  'y',
);
const ARGUMENT = /<((?:longcat_)?arg_)key>([^<>]{1,100})<\/(?:longcat_)?arg_key>\s{0,10}<(?:longcat_)?arg_value>/y;
const PYTHON_CALL = /(?:print\(\s{0,20})?\[?([A-Za-z_][\w.]{0,100})\(/y;
const END_OF_PYTHON = /[)\],\s]*/y;
const GEMMA_CALL = /call:([\w.-]{1,100})(?=\{)/y;
const WORD = /(?:to=)?([\w.:/-]{1,100})/y;

/** Ends the call that is open. */
const CLOSING =
  /^<\/.*(?:function|invoke|tool_call)>$|^<[|｜]tool.calls?.end[|｜]>$|^<\|call\|>$|^<end_function_call>$/;

/** Words of templates that name no tool: roles, channels, types. */
const TEMPLATE_WORD = /^(?:assistant|analysis|commentary|function|tool|json|code)$/;

/** What a model goes on with when it plays the tool's part, too: the tool says what it says. */
const MADE_UP =
  /\s*(?:<\/?(?:tool_response|tool_result|tool_output|function_results?|function_response)\b|<\|(?:start\|>(?!assistant)|tool_response|channel\|>final|start\|>assistant<\|channel\|>final)|Observation:|```(?:tool_output|output)\b)/y;

/** What has to stand in JSON that is a call. */
const NAMES_A_CALL = /["']?(?:name|tool_name|tool|function|action|tool_calls)["']?\s{0,5}:/;

/** The beginning of a JSON call, up to the end of its tool's name. */
const BEGINNING =
  /^[{[][\s{[]*["']?(?:name|function)["']?\s{0,9}:\s{0,9}(?:\{\s{0,9}"name"\s{0,9}:\s{0,9})?["']([^"'\\]{1,64})["']/;

/** Chosen: more different calls than this in one text are an attack. */
const MAX_CALLS = 1000;
/** Chosen: as many calls as fit into the longest replies. */
const MAX_REPEATS = 10_000;
/** Chosen: values with more ends in them than this in one text are an attack. */
const MAX_ENDS = 20_000;

/** A call whose arguments are still to come. */
interface Open {
  readonly name: string;
  /** Values between tags, as they are written. */
  readonly members: Record<string, string>;
  /** True while each of them stands on lines of its own. */
  isOnLines: boolean;
  /** What the markup itself says of their types (DeepSeek). */
  readonly isText: Map<string, boolean>;
  /** True where the markup itself says that a call begins, so that one without arguments is whole. */
  readonly isNamed: boolean;
  problem: string | undefined;
}

class Scanner {
  readonly #text: string;
  readonly #toolOf: ToolOf;
  readonly #calls: WrittenCall[] = [];
  #index: number;
  #open: Open | undefined;
  #isMarked = false;
  readonly #seen = new Set<string>();
  #endsInRepeat = false;
  #repeats = 0;
  /** Bounds the search for the ends of values. */
  readonly #budget = { left: MAX_ENDS };
  #match: RegExpExecArray | undefined;

  constructor(text: string, start: number, toolOf: ToolOf) {
    this.#text = text;
    this.#index = start;
    this.#toolOf = toolOf;
  }

  scan(): ScannedCalls {
    let end = this.#index;
    const { length } = this.#text;
    while (this.#index < length && this.#calls.length < MAX_CALLS) {
      if (this.#open === undefined && this.#calls.length > 0 && this.#takes(MADE_UP)) this.#index = length;
      else if (!this.#step()) break;
      if (this.#open === undefined) end = this.#index;
    }
    // Nothing said that it was whole: more of its arguments may have been to come.
    if (this.#index >= length && this.#open !== undefined && this.#close(this.#open, false)) end = length;
    const { length: count } = this.#calls;
    if (count >= MAX_CALLS) end = length;
    return {
      calls: this.#calls,
      end,
      isMarked: this.#isMarked,
      endsInRepeat: this.#endsInRepeat,
      reached: this.#index,
    };
  }

  /** Takes one part. False where the text is something else. */
  #step(): boolean {
    const open = this.#open;
    if (this.#takes(SPACE)) return true;
    // What the next character can't begin is not looked for: texts of a million marks are read in no time.
    const next = this.#text.charAt(this.#index);
    if (/[<[`fA]/.test(next) && this.#takes(MARK)) {
      this.#isMarked = true;
      return open === undefined || !CLOSING.test(this.#found) || this.#close(open, true);
    }
    if (next === '<') {
      if (this.#takes(NAMED)) return this.#begin(this.#group(1), true);
      if (this.#takes(PARAMETER)) return this.#member(this.#group(2), `</${this.#group(1)}>`, this.#group(3));
      return this.#takes(ARGUMENT) && this.#member(this.#group(2).trim(), `</${this.#group(1)}value>`, '');
    }
    if (open === undefined && next === 'c' && this.#takes(GEMMA_CALL)) return this.#gemmaCall(this.#group(1));
    if (open === undefined && next !== '{' && this.#takes(PYTHON_CALL)) return this.#pythonCall(this.#group(1));
    if (next === '{' || next === '[') return this.#json();
    if (!this.#takes(WORD)) return false;
    // gpt-oss's recipient, where a server dropped the tokens around it.
    if (this.#found.startsWith('to=')) this.#isMarked = true;
    return this.#name(this.#group(1));
  }

  #name(word: string): boolean {
    const isTool = this.#toolOf(word) !== undefined;
    if (!isTool && TEMPLATE_WORD.test(word)) return true;
    // `functions.name to=assistant`: what the model made up as the tool's answer.
    if (this.#open === undefined && this.#calls.length > 0 && this.#text.startsWith(' to=assistant', this.#index)) {
      this.#index = this.#text.length;
      return true;
    }
    // Without a markup only a tool's own name, with its arguments in the next line, begins a call (GLM-4).
    if (!this.#isMarked && !(isTool && /^[ \t]*\r?\n?[ \t]*\{/.test(this.#text.slice(this.#index, this.#index + 20))))
      return false;
    return this.#begin(word, false);
  }

  #begin(name: string, isNamed: boolean): boolean {
    if (this.#open !== undefined) return false;
    this.#isMarked = true;
    this.#open = { name, members: {}, isOnLines: true, isText: new Map(), isNamed, problem: undefined };
    return true;
  }

  #member(key: string, close: string, attributes: string): boolean {
    const open = this.#open;
    if (open === undefined) return false;
    const end = endOfValue(this.#text, this.#index, close, this.#budget);
    if (end === undefined) {
      this.#index = this.#text.length;
      return this.#close(open, false);
    }
    const value = this.#text.slice(this.#index, end);
    if (!this.#found.includes('parameter=') || !(value.length > 1 && value.startsWith('\n') && value.endsWith('\n')))
      open.isOnLines = false;
    this.#index = end + close.length;
    if (Object.hasOwn(open.members, key)) open.problem ??= comesTwice(key);
    open.members[key] = value;
    const isText = /string="(true|false)"/.exec(attributes)?.[1];
    if (isText !== undefined) open.isText.set(key, isText === 'true');
    return true;
  }

  /** A JSON value: the arguments of the call that is open, or whole calls. */
  #json(): boolean {
    const open = this.#open;
    const isBare = open === undefined && !this.#isMarked;
    if (isBare && !NAMES_A_CALL.test(this.#text.slice(this.#index))) return this.#skipRest();
    const reading = readLenient(this.#text, this.#index);
    if (!reading.ok) return this.#brokenJson(isBare, reading.isCut);
    const { value } = reading;
    if (open !== undefined) {
      this.#index = reading.end;
      return isRecord(value) && this.#add(open.name, { value }, true);
    }
    const calls = entriesOf(value).map((entry) => this.#wholeCall(entry));
    const known = calls.filter((call) => call !== undefined);
    if (known.length < calls.length || known.length === 0) return this.#skipRest();
    this.#index = reading.end;
    for (const call of known) if (this.#calls.length < MAX_CALLS) this.#push(call);
    return true;
  }

  /** An object behind calls that is none of them: what the model made up as the tool's answer. */
  #skipRest(): boolean {
    if (this.#calls.length === 0 || this.#text[this.#index] !== '{') return false;
    this.#index = this.#text.length;
    return true;
  }

  #wholeCall(entry: unknown): WrittenCall | undefined {
    const call = callIn(entry) ?? (this.#isMarked ? this.#keyedCall(entry) : undefined);
    if (call === undefined) return undefined;
    const isKeyed = isRecord(entry) && call.name in entry && Object.keys(entry).length === 1;
    const beside = isKeyed ? [] : keysBeside(entry);
    return { ...call, isComplete: true, beside, isPlain: isNothingButACall(entry) };
  }

  /** `{"name": {…}}` (Apertus). */
  #keyedCall(entry: unknown): Pick<WrittenCall, 'name' | 'arguments'> | undefined {
    const [only, ...others] = isRecord(entry) ? Object.entries(entry) : [];
    if (only === undefined || others.length > 0 || this.#toolOf(only[0]) === undefined) return undefined;
    return isRecord(only[1]) ? { name: only[0], arguments: { value: only[1] } } : undefined;
  }

  /** What can't be read is a call all the same where it says which tool is meant. */
  #brokenJson(isBare: boolean, isCut: boolean): boolean {
    const rest = this.#text.slice(this.#index);
    const close = isBare
      ? rest.lastIndexOf('\n```')
      : rest.search(/<\/[\w:]{0,30}(?:tool_calls?|function|function_call|TOOLCALL)>/);
    const body = close < 0 ? rest : rest.slice(0, close);
    const head = body.slice(0, 1000);
    const found = isBare ? BEGINNING.exec(head) : /["']name["']\s{0,5}:\s{0,5}["']([\w.:-]{1,100})["']/.exec(head);
    const name = this.#open?.name ?? found?.[1];
    const isWhole = !isCut || (close >= 0 && !isBare);
    if (name === undefined) {
      // Too little of it to say what it was to be: what was said whole before it counts.
      if (isCut && this.#calls.length > 0) this.#index = this.#text.length;
      return isCut && this.#calls.length > 0;
    }
    if (this.#toolOf(name) === undefined && !(isCut && isBare && /["']arguments["']\s{0,5}:/.test(body))) return false;
    this.#index += body.length;
    const inner = isBare ? null : /["'](?:arguments|parameters)["']\s{0,5}:\s{0,5}/.exec(body);
    const written = inner === null ? body : body.slice(inner.index + inner[0].length);
    return this.#add(name, { text: written.trim() }, isWhole);
  }

  /** `call:name{key:<escape>value<escape>}`: JSON with quotation marks of its own. */
  #gemmaCall(name: string): boolean {
    const rest = this.#text.slice(this.#index);
    const end = rest.search(/<end_function_call>|<tool_call\|>/);
    const body = (end < 0 ? rest : rest.slice(0, end)).replace(
      /<escape>([^]*?)<escape>|<\|"\|>([^]*?)<\|"\|>/g,
      (_all, escaped?: string, quoted?: string) => JSON.stringify(escaped ?? quoted ?? ''),
    );
    const reading = readLenient(body, 0);
    this.#index = end < 0 ? this.#text.length : this.#index + end;
    const isWhole = reading.ok && body.slice(reading.end).trim() === '';
    this.#isMarked = true;
    return this.#add(name, isWhole ? { value: reading.value } : { text: body }, end >= 0 || isWhole);
  }

  /** `name(1, key="value")`, alone or in a list. Values without a key belong to the keys in the order of the schema. */
  #pythonCall(name: string): boolean {
    const tool = this.#toolOf(name);
    if (tool === undefined) return false;
    const call = readPythonCall(this.#text, this.#index);
    this.#isMarked = true;
    if (!call.ok) {
      const body = this.#text.slice(this.#index);
      // Words with a bracket in them are no call.
      if (!call.isCut && !/[)\]>`]\s*$/.test(body)) return false;
      this.#index = this.#text.length;
      return this.#add(name, { text: body }, !call.isCut, call.problem);
    }
    const keys = Object.keys(propertiesOf(rootNode(tool.inputSchema)));
    const members: Record<string, Json> = {};
    let { problem } = call;
    for (const [index, value] of call.values.entries()) {
      const key = keys[index];
      if (key === undefined) problem ??= 'it has more values than the tool has arguments';
      else members[key] = value;
    }
    for (const [key, value] of Object.entries(call.members)) {
      if (Object.hasOwn(members, key)) problem ??= comesTwice(key);
      members[key] = value;
    }
    this.#index = call.end;
    this.#takes(END_OF_PYTHON);
    return this.#add(name, { value: members }, true, problem);
  }

  /** Ends a call that has all its arguments. A word alone is only a call where it is a tool's name. */
  #close({ name, members: written, isNamed, isOnLines, isText, problem }: Open, isComplete: boolean): boolean {
    const schema = this.#toolOf(name)?.inputSchema;
    const members: Record<string, Json> = {};
    for (const [key, value] of Object.entries(written)) {
      // Qwen's template puts each value on lines of its own; the others write it as it is.
      if (key !== '__proto__')
        members[key] = typedValue(isOnLines ? value.slice(1, -1) : value, key, schema, isText.get(key));
    }
    const isCall = isNamed || Object.keys(members).length > 0 || this.#toolOf(name) !== undefined;
    return isCall && this.#add(name, { value: members }, isComplete, problem);
  }

  #add(name: string, args: ReplyToolCall['arguments'], isComplete: boolean, problem?: string): boolean {
    this.#open = undefined;
    return this.#push({ name, arguments: args, isComplete, problem, beside: [], isPlain: false });
  }

  /** A small model that has lost its thread writes the same call until its limit: it means one. */
  #push(call: WrittenCall): true {
    const key = `${call.name} ${JSON.stringify(call.arguments)}`;
    this.#endsInRepeat = this.#seen.has(key);
    // A model in circles says nothing new any more.
    this.#repeats += Number(this.#endsInRepeat);
    if (this.#repeats > MAX_REPEATS) this.#index = this.#text.length;
    this.#seen.add(key);
    // The last of too many is told as a cut one.
    const isLast = this.#calls.length === MAX_CALLS - 1;
    if (!this.#endsInRepeat) this.#calls.push(isLast ? { ...call, isComplete: false } : call);
    return true;
  }

  /** Takes what the pattern describes, where it stands next. */
  #takes(pattern: RegExp): boolean {
    pattern.lastIndex = this.#index;
    const match = pattern.exec(this.#text);
    if (match === null) return false;
    this.#match = match;
    this.#index += match[0].length;
    return true;
  }

  get #found(): string {
    return this.#match?.[0] ?? '';
  }

  #group(index: number): string {
    return this.#match?.[index] ?? '';
  }
}
