import type { SchemaForm } from './dialect/wire-schema.ts';
import { wireSchema } from './dialect/wire-schema.ts';
import { wellFormedJson } from './well-formed.ts';
import type { Message } from '../core/message.ts';
import type { ModelRequest, ToolChoice, ToolDeclaration } from '../core/provider.ts';

/**
 * How a wire writes a request. A body is `head`, the pieces of the messages in order, and the tail of `end`; `State` is what a
 * message must know of those before it. The pieces are written once: they may depend on nothing that changes later.
 */
export interface BodyWriter<State> {
  /** Everything up to the place where the messages stand. */
  readonly head: (request: ModelRequest) => string;
  readonly begin: () => State;
  /**
   * The JSON of one message, with its comma where it needs one. May change `state`. In pieces, since joined texts would
   * be copied once more before they are turned into bytes, and a tool result may be long.
   */
  readonly add: (state: State, message: Message, index: number, request: ModelRequest) => readonly string[];
  /** Everything behind the messages. */
  readonly end: (state: State, request: ModelRequest) => string;
}

/**
 * Builds the bodies of requests. From turn to turn of a run only the new messages are written, behind the bytes that are there:
 * a run of N turns costs N messages of work, not N * N.
 */
export class RequestBodies<State> {
  readonly #writer: BodyWriter<State>;
  /** By the array of messages, which is the same for all turns of a run (see `ModelRequest`). */
  readonly #bodies = new WeakMap<readonly Message[], GrowingBody<State>>();

  constructor(writer: BodyWriter<State>) {
    this.#writer = writer;
  }

  /** The bytes of a request. Valid until the next call for the same conversation. `version` changes when the writer writes differently. */
  build(request: ModelRequest, version: number | string = 0): Uint8Array {
    let body = this.#bodies.get(request.messages);
    if (body === undefined || !body.continues(request, version)) {
      body = new GrowingBody(this.#writer, request, version);
      this.#bodies.set(request.messages, body);
    }
    return body.bytes(request);
  }
}

/** What a list must know of the items before. */
export interface ListState {
  isFirst: boolean;
}

/** The JSON of further items of a list, with the commas between them. */
export function writeItems(state: ListState, items: readonly unknown[]): string[] {
  const pieces: string[] = [];
  for (const item of items) {
    if (!state.isFirst) pieces.push(',');
    pieces.push(wellFormedJson(item));
    state.isFirst = false;
  }
  return pieces;
}

/** What stands before the messages, the system's among them, on wires that have one. */
export function writeHead(fields: object, toolsField: string, system = ''): string {
  const first = system === '' ? '' : `${wellFormedJson({ role: 'system', content: system })},`;
  return `${wellFormedJson(fields).slice(0, -1)}${toolsField},"messages":[${first}`;
}

const encoder = new TextEncoder();
const EMPTY = new Uint8Array(0);

/** Chosen: what a buffer gets beyond what is needed at once, so that the tail fits: a run that waits holds little more than its body. */
const SPARE_BYTES = 64;

class GrowingBody<State> {
  readonly #writer: BodyWriter<State>;
  readonly #version: number | string;
  readonly #state: State;
  #buffer = EMPTY;
  #headLength = 0;
  #length = 0;
  #count = 0;
  #last: Message | undefined;
  /** The request that the head was written for. */
  #headOf: ModelRequest;

  constructor(writer: BodyWriter<State>, request: ModelRequest, version: number | string) {
    this.#writer = writer;
    this.#version = version;
    this.#state = writer.begin();
    this.#headOf = request;
    this.#append(writer.head(request));
    this.#headLength = this.#length;
  }

  /** True where the request goes on with what is written here. */
  continues({ messages }: ModelRequest, version: number | string): boolean {
    return version === this.#version && messages.length >= this.#count && messages[this.#count - 1] === this.#last;
  }

  bytes(request: ModelRequest): Uint8Array {
    if (!isSameHead(this.#headOf, request)) this.#replaceHead(request);
    const { messages } = request;
    for (; this.#count < messages.length; this.#count++) {
      const message = messages[this.#count] as Message;
      for (const piece of this.#writer.add(this.#state, message, this.#count, request)) this.#append(piece);
      this.#last = message;
    }
    // The tail is not kept: the next messages are written over it.
    const length = this.#length;
    this.#append(this.#writer.end(this.#state, request));
    const whole = this.#buffer.subarray(0, this.#length);
    this.#length = length;
    return whole;
  }

  /** Always into a new buffer: bytes of the last request may still be on their way to the network. */
  #replaceHead(request: ModelRequest): void {
    const written = this.#buffer.subarray(this.#headLength, this.#length);
    const head = encoder.encode(this.#writer.head(request));
    this.#buffer = new Uint8Array((head.length + written.length) * 2);
    this.#buffer.set(head);
    this.#buffer.set(written, head.length);
    this.#headLength = head.length;
    this.#length = head.length + written.length;
    this.#headOf = request;
  }

  #append(text: string): void {
    let rest = text;
    while (rest !== '') {
      if (this.#buffer.length - this.#length < rest.length) this.#grow(rest.length);
      const { read, written } = encoder.encodeInto(rest, this.#buffer.subarray(this.#length));
      this.#length += written;
      if (read === rest.length) return;
      rest = rest.slice(read);
      this.#grow(rest.length * 3);
    }
  }

  #grow(needed: number): void {
    const whole = this.#length + needed;
    // Behind a long text there is room for some short messages: to double right after it would copy it once more.
    const larger = new Uint8Array(Math.max(this.#buffer.length * 2, whole + (whole >> 6) + SPARE_BYTES));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }
}

/** Compares what a head is made of. */
function isSameHead(a: ModelRequest, b: ModelRequest): boolean {
  return (
    a.tools === b.tools &&
    a.system === b.system &&
    a.parallelToolCalls === b.parallelToolCalls &&
    isSameChoice(a.toolChoice, b.toolChoice)
  );
}

function isSameChoice(a: ToolChoice, b: ToolChoice): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && a.toolName === b.toolName);
}

/** Writes the declarations of tools once for each array of them, and each schema once for all. */
export class ToolTexts {
  readonly #write: (tool: ToolDeclaration, schemaJson: string) => string;
  #texts = new WeakMap<readonly ToolDeclaration[], string>();
  #form: SchemaForm = 'common';

  constructor(write: (tool: ToolDeclaration, schemaJson: string) => string) {
    this.#write = write;
  }

  /** The field `,"tools":[…]` of a request: our tools and those that the user's `body` brings (a vendor's own). '' without any. */
  field(tools: readonly ToolDeclaration[], extra?: unknown, form: SchemaForm = 'common'): string {
    if (form !== this.#form) this.#texts = new WeakMap();
    this.#form = form;
    const more = Array.isArray(extra) ? wellFormedJson(extra).slice(1, -1) : '';
    const all = [this.#declared(tools), more].filter((text) => text !== '').join(',');
    return all === '' ? '' : `,"tools":[${all}]`;
  }

  #declared(tools: readonly ToolDeclaration[]): string {
    let text = this.#texts.get(tools);
    if (text === undefined) {
      text = tools.map((tool) => this.#write(tool, schemaText(tool.inputSchema, this.#form))).join(',');
      this.#texts.set(tools, text);
    }
    return text;
  }
}

/** A declaration with empty `parameters`, and the text of its schema in their place: it may be long, and is written once. */
export function withParameters(tool: object, schemaJson: string): string {
  return wellFormedJson(tool).replace('"parameters":{}', () => `"parameters":${schemaJson}`);
}

/** Agents are often made anew for each run, of tools whose schemas stay the same. */
const schemaTexts: Record<SchemaForm, WeakMap<object, string>> = {
  common: new WeakMap(),
  google: new WeakMap(),
  'no-patterns': new WeakMap(),
};

function schemaText(schema: ToolDeclaration['inputSchema'], form: SchemaForm): string {
  let text = schemaTexts[form].get(schema);
  if (text === undefined) {
    text = wellFormedJson(wireSchema(schema, form));
    schemaTexts[form].set(schema, text);
  }
  return text;
}
