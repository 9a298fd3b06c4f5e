import type { Json } from '../../core/json.ts';
import { isRecord } from '../../core/json.ts';
import type { ReasoningPart } from '../../core/message.ts';
import type { ModelReply, ReplyToolCall } from '../../core/provider.ts';
import { ArgumentPieces, isJson } from '../argument-pieces.ts';
import { cut, isError, malformed, notAnObject, reported } from '../assembler.ts';
import type { Assembled, Assembler, AssemblyPhase, DeltaSink, ReplyProblem } from '../assembler.ts';
import { listOf, placeOf, recordOf, stringOf } from '../json-fields.ts';
import { endOfWord, endReply, ReplyEnd } from '../reply-end.ts';
import { usageOf } from '../usage-fields.ts';
import type { OutputItem, ResponsesEvent, ResponsesReply } from './wire.ts';

/** One item of the output as far as it came. */
interface Item {
  /** The item as it was last told whole. */
  whole: OutputItem;
  /** Text or thoughts, as they were streamed. */
  text: string;
  readonly pieces: ArgumentPieces;
  /** True once its `done` has come: a further one of its place is another item. */
  isDone: boolean;
  /** True where it stands although the last event leaves it out. */
  isClosed: boolean;
}

/** Statuses of a text that is not whole, whatever the reply says. */
const BROKEN: ReadonlySet<unknown> = new Set(['incomplete', 'failed']);

const MILD: ReadonlySet<string> = new Set(['other', 'stop', 'tool-calls', 'pause']);

/**
 * Builds a reply of the Responses wire. Invariants:
 * 1. A reply is whole only when `response.completed` or `response.incomplete` has come, or the body was one JSON value.
 * 2. A call is its `call_id`, since some servers name one item anew in each event. Another item is its id where that is known, else
 *    its place and type until its `done`.
 * 3. What the last event says of an item replaces what was streamed of it, unless it says less. An item that was done stands
 *    although the last event leaves it out.
 * 4. An error voids everything before it. Behind the last word nothing is read any more.
 */
export class ResponsesAssembler implements Assembler {
  phase: AssemblyPhase = 'open';
  readonly #sink: DeltaSink;
  readonly #issuer: string;
  #items: Item[] = [];
  readonly #byIndex = new Map<unknown, Item>();
  readonly #byId = new Map<string, Item>();
  readonly #byCallId = new Map<string, Item>();
  #last: ResponsesReply | undefined;
  #refusal = '';
  #id: string | undefined;
  #model: string | undefined;
  #sawEvent = false;

  constructor(sink: DeltaSink, issuer: string) {
    this.#sink = sink;
    this.#issuer = issuer;
  }

  take(value: unknown, eventName: string): ReplyProblem | undefined {
    if (!isRecord(value)) return notAnObject(value);
    const event: ResponsesEvent = value;
    const type = stringOf(event.type) ?? eventName;
    switch (type) {
      case 'response.output_text.delta':
        return this.#takeText(event);
      case 'response.refusal.delta':
        this.#refusal += stringOf(event.delta) ?? '';
        return undefined;
      case 'response.function_call_arguments.delta':
      case 'response.function_call_arguments.done':
        return this.#takeArguments(event);
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.#takeReasoning(event);
        return undefined;
      case 'response.output_item.added':
      case 'response.output_item.done':
        return this.#takeItem(event, type.endsWith('done'));
      case 'response.created':
      case 'response.in_progress':
        this.#takeHead(recordOf(event.response) ?? {});
        return undefined;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.done':
        return this.#takeReply(event.response, type === 'response.incomplete' ? 'incomplete' : 'completed');
      case 'response.failed':
      case 'error':
        return reported(value);
      default:
        return this.#takeOther(value, type);
    }
  }

  finish(isPlain: boolean, isCutHere = false): Assembled {
    const last = this.#last ?? (isCutHere ? {} : undefined);
    if (last === undefined) {
      if (isPlain) return malformed('The reply has no output.');
      const message = this.#sawEvent
        ? 'The stream ended without response.completed.'
        : 'The stream ended before the reply began.';
      return cut(message);
    }
    const status = stringOf(last.status);
    if (status === 'in_progress' || status === 'queued') return cut(`The reply is not done: its status is ${status}.`);
    this.#refusal = this.#items.map(({ whole }) => partsOf(whole, 'refusal')).find(Boolean) ?? this.#refusal;
    return endReply(this.#endOf(last), {
      content: this.#content(),
      usage: usageOf('responses', last.usage),
      model: this.#model,
      responseId: this.#id,
    });
  }

  #endOf(last: ResponsesReply): ReplyEnd {
    const end = new ReplyEnd();
    const isIncomplete = last.status === 'incomplete';
    const reason = stringOf(recordOf(last.incomplete_details)?.['reason']) ?? '';
    if (reason !== '') {
      const kind = endOfWord(reason);
      // For whatever reason, incomplete it is.
      end.add(isIncomplete && MILD.has(kind) ? 'length' : kind, reason);
    }
    if (!isIncomplete || reason === '') end.say(last.status);
    for (const { whole } of this.#items)
      if (whole.type === 'message' && BROKEN.has(whole.status)) end.say(whole.status);
    if (this.#refusal !== '') end.add('content-filter', 'refusal');
    if (end.kind === 'stop' && this.#items.some(({ whole }) => whole.type === 'function_call')) end.kind = 'tool-calls';
    if (end.kind === 'pause') end.kind = 'other';
    return end;
  }

  #takeHead(reply: ResponsesReply): void {
    this.#sawEvent = true;
    this.#id = stringOf(reply.id) || this.#id;
    this.#model = stringOf(reply.model) || this.#model;
  }

  /** A whole reply: of a plain body, or of the last event of a stream. */
  #takeReply(value: unknown, status: string): ReplyProblem | undefined {
    const reply: ResponsesReply | undefined = recordOf(value);
    if (reply === undefined) return malformed('The last event of the reply holds no response.');
    if (isError(reply.error)) return reported(reply);
    this.#takeHead(reply);
    this.#last = { ...reply, status: reply.status ?? status };
    this.phase = 'closed';
    const output = listOf(reply.output).filter(isRecord) as OutputItem[];
    if (output.length > 0) this.#items = this.#joined(output);
    return undefined;
  }

  /** What the last event says, with what was streamed and closed and it leaves out. */
  #joined(output: readonly OutputItem[]): Item[] {
    const left = new Set(this.#items);
    const told = output.map((whole) => {
      const known = this.#streamed(whole, left);
      if (known === undefined) {
        this.#watch(whole);
        return newItem(whole);
      }
      left.delete(known);
      return withWhole(known, whole);
    });
    const missed = [...left].filter(({ isClosed }) => isClosed);
    if (missed.length === 0) return told;
    const streamed = this.#items.filter((item) => item.isClosed || !left.has(item));
    return [...streamed, ...told.filter((item) => !streamed.includes(item))];
  }

  /** What was streamed of an item that the last event tells: of the same call, the same id, or the first of its type. */
  #streamed(whole: OutputItem, left: ReadonlySet<Item>): Item | undefined {
    const callId = callIdOf(whole);
    const known = (callId === '' ? undefined : this.#byCallId.get(callId)) ?? this.#byId.get(idOf(whole));
    if (known !== undefined && left.has(known)) return known;
    if (callId !== '') return undefined;
    for (const item of left) if (item.whole.type === whole.type && item.whole.name === whole.name) return item;
    return undefined;
  }

  #takeOther(value: Record<string, unknown>, type: string): ReplyProblem | undefined {
    // A plain reply has no type; an error without one neither.
    if (value['object'] === 'response' || Array.isArray(value['output'])) {
      const problem = this.#takeReply(value, 'completed');
      if (problem === undefined) this.#showWhole();
      return problem;
    }
    if (isError(value['error'])) return reported(value);
    this.#sawEvent = true;
    return type === '' && this.#items.length === 0 ? reported(value) : undefined;
  }

  /** A plain body is shown at once. */
  #showWhole(): void {
    for (const { whole } of this.#items) {
      const reasoning = whole.type === 'reasoning' ? reasoningText(whole) : '';
      if (reasoning !== '') this.#sink.reasoning(reasoning);
      const text = whole.type === 'message' ? partsOf(whole, 'text') : '';
      if (text !== '') this.#sink.text(text);
    }
  }

  #takeItem(event: ResponsesEvent, isDone: boolean): ReplyProblem | undefined {
    const whole: OutputItem | undefined = recordOf(event.item);
    if (whole === undefined) return malformed('An event of the stream has no item.');
    const known = this.#openItem(event, whole, isDone);
    const item = known ?? this.#open(event.output_index, whole);
    if (known !== undefined) {
      // Arguments that come whole, and not in pieces.
      if (known.pieces.isEmpty && isEmpty(known.whole.arguments)) this.#watch({ ...whole, name: '' });
      withWhole(known, whole);
    }
    item.isDone ||= isDone;
    item.isClosed ||= isDone;
    this.#name(item, event.output_index, whole);
    return undefined;
  }

  /** The item that an event goes on with. */
  #openItem(event: ResponsesEvent, whole: OutputItem, isDone: boolean): Item | undefined {
    const callId = callIdOf(whole);
    const isOpen = (item: Item | undefined): item is Item =>
      item !== undefined && !item.isDone && (item.whole.type ?? whole.type) === (whole.type ?? item.whole.type);
    const call = callId === '' ? undefined : this.#byCallId.get(callId);
    // The same call is begun anew under another name, or it is done.
    if (isOpen(call)) return call;
    const known = this.#byId.get(idOf(whole));
    const placed =
      event.output_index === undefined ? this.#items.at(-1) : this.#byIndex.get(placeOf(event.output_index));
    // An item of the same id, place and name is the same call, although its end names it anew: run twice, it acts twice.
    const isRenamed = isDone && isOpen(known) && known === placed && known.whole.name === whole.name;
    if (known !== undefined && (isDone || isOpen(known)) && (isRenamed || isSameCall(known, callId))) return known;
    // Some servers give every item the same place: one that begins is another.
    if (!isDone) return undefined;
    return isOpen(placed) && isSameCall(placed, callId) ? placed : undefined;
  }

  #open(index: unknown, whole: OutputItem): Item {
    const item = newItem(whole);
    this.#watch(whole);
    this.#items.push(item);
    this.#name(item, index, whole);
    return item;
  }

  #watch({ type, name, arguments: args }: OutputItem): void {
    if (type === 'function_call') this.#sink.call(`\n${stringOf(name) ?? ''}${stringOf(args) ?? ''}`);
  }

  #name(item: Item, index: unknown, whole: OutputItem): void {
    if (index !== undefined) this.#byIndex.set(placeOf(index), item);
    if (idOf(whole) !== '') this.#byId.set(idOf(whole), item);
    if (callIdOf(whole) !== '') this.#byCallId.set(callIdOf(whole), item);
  }

  /** The item of a piece: by its id, by its place, or where it names none the latest of its type. */
  #itemOf(event: ResponsesEvent, type: string): Item | undefined {
    const known = this.#byId.get(stringOf(event.item_id) ?? '') ?? this.#byIndex.get(placeOf(event.output_index));
    if (known?.whole.type === type) return known;
    return event.output_index === undefined || type === 'function_call'
      ? this.#items.findLast((item) => item.whole.type === type && !item.isDone)
      : undefined;
  }

  #takeText(event: ResponsesEvent): undefined {
    const delta = stringOf(event.delta) ?? '';
    if (delta === '') return;
    // Text whose item was never begun.
    const item =
      this.#itemOf(event, 'message') ?? this.#open(event.output_index, { type: 'message', id: event.item_id });
    item.text += delta;
    this.#sink.text(delta);
  }

  #takeReasoning(event: ResponsesEvent): void {
    const delta = stringOf(event.delta) ?? '';
    const item = this.#itemOf(event, 'reasoning');
    if (item !== undefined) item.text += delta;
    if (delta !== '') this.#sink.reasoning(delta);
  }

  #takeArguments(event: ResponsesEvent): ReplyProblem | undefined {
    const item = this.#itemOf(event, 'function_call');
    const delta = stringOf(event.delta) ?? '';
    const whole = stringOf(event.arguments) ?? '';
    if (delta + whole === '') return undefined;
    if (item === undefined) return malformed('The reply has arguments without a call.');
    item.pieces.add(delta);
    this.#sink.call(delta);
    if (whole === '') return undefined;
    withWhole(item, { arguments: whole });
    item.isClosed = true;
    return undefined;
  }

  #content(): ModelReply['content'] {
    const content: ModelReply['content'][number][] = [];
    for (const item of this.#items) {
      switch (item.whole.type) {
        case 'message': {
          const text = messageText(item);
          if (text !== '') content.push({ type: 'text', text });
          break;
        }
        case 'reasoning': {
          const part = this.#reasoningPart(item);
          if (part !== undefined) content.push(part);
          break;
        }
        case 'function_call':
          content.push(toCall(item));
          break;
        default:
      }
    }
    if (this.#refusal !== '') content.push({ type: 'text', text: this.#refusal });
    return content;
  }

  #reasoningPart({ whole, text }: Item): ReasoningPart | undefined {
    const shown = reasoningText(whole) || text;
    const isSealed = typeof whole.encrypted_content === 'string' && whole.encrypted_content !== '';
    if (shown === '' && !isSealed) return undefined;
    const { status: _status, ...data } = whole as Record<string, Json>;
    return { type: 'reasoning', text: shown, issuer: this.#issuer, ...(isSealed ? { data } : {}) };
  }
}

function newItem(whole: OutputItem): Item {
  return { whole, text: '', pieces: new ArgumentPieces(), isDone: false, isClosed: false };
}

/** Takes what an event says of an item; what is empty or less in it takes nothing back. */
function withWhole(item: Item, whole: OutputItem): Item {
  const before = item.whole;
  const said = Object.fromEntries(Object.entries(whole).filter(([, value]) => !isEmpty(value)));
  item.whole = { ...before, ...said, arguments: fullerArguments(before.arguments, whole.arguments) };
  if (isPartOf(partsOf(whole, 'text'), partsOf(before, 'text')))
    item.whole = { ...item.whole, content: before.content };
  return item;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** The later arguments, unless they say less than the earlier ones. */
function fullerArguments(before: unknown, later: unknown): unknown {
  if (isEmpty(later) || isEmpty(before)) return isEmpty(later) ? before : later;
  if (typeof before !== 'string' || typeof later !== 'string') return later;
  return isJson(before) && (!isJson(later) || later.trim() === '{}') ? before : later;
}

function isPartOf(part: string, whole: string): boolean {
  return part.length < whole.length && whole.includes(part);
}

function idOf({ id }: OutputItem): string {
  return stringOf(id) ?? '';
}

function callIdOf({ call_id }: OutputItem): string {
  return stringOf(call_id) ?? '';
}

function isSameCall({ whole }: Item, callId: string): boolean {
  return callId === '' || callIdOf(whole) === '' || callIdOf(whole) === callId;
}

function toCall({ whole, pieces }: Item): ReplyToolCall {
  const args = fullerArguments(pieces.text(), whole.arguments);
  return {
    type: 'tool-call',
    id: callIdOf(whole) || idOf(whole),
    name: stringOf(whole.name) ?? '',
    arguments: isRecord(args) ? { value: args } : { text: stringOf(args) ?? '' },
    isComplete: whole.status !== 'incomplete',
  };
}

function messageText({ whole, text }: Item): string {
  const told = partsOf(whole, 'text');
  return isPartOf(told, text) ? text : told;
}

/** The text of a message, or its refusal. */
function partsOf({ content }: OutputItem, kind: 'text' | 'refusal'): string {
  if (typeof content === 'string') return kind === 'text' ? content : '';
  let text = '';
  for (const part of listOf(content))
    if (isRecord(part) && (part['type'] === 'refusal') === (kind === 'refusal')) text += stringOf(part[kind]) ?? '';
  return text;
}

/** The summary, and where a server shows it the reasoning itself. */
function reasoningText({ summary, content }: OutputItem): string {
  return [...listOf(summary), ...listOf(content)]
    .map((part) => stringOf(recordOf(part)?.['text']) ?? '')
    .join('\n')
    .trim();
}
