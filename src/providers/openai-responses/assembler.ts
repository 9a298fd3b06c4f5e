import type { Json } from '../../core/json.ts';
import { isRecord } from '../../core/json.ts';
import type { ReasoningPart, TextPart } from '../../core/message.ts';
import type { FinishReason, ReplyToolCall } from '../../core/provider.ts';
import { ArgumentPieces, isJson } from '../argument-pieces.ts';
import { cut, isError, malformed, notAnObject, reported } from '../assembler.ts';
import type { Assembled, Assembler, AssemblyPhase, DeltaSink, ReplyProblem } from '../assembler.ts';
import { countOf } from '../../core/usage.ts';
import { listOf, recordOf, stringOf } from '../json-fields.ts';
import type { OutputItem, ResponsesEvent, ResponsesReply, ResponsesUsage } from './wire.ts';

/** One item of the output as far as it came. */
interface Item {
  readonly id: string | undefined;
  /** The item as it was last told whole. */
  whole: OutputItem;
  text: string;
  readonly pieces: ArgumentPieces;
}

/**
 * Builds a reply of the Responses wire. Invariants:
 * 1. A reply is whole only when `response.completed` or `response.incomplete` has come, or the body was one JSON value.
 * 2. The output of the last event is believed where there is one: the pieces before it are for showing.
 * 3. An error voids everything before it. Behind the last word nothing is read any more.
 */
export class ResponsesAssembler implements Assembler {
  phase: AssemblyPhase = 'open';
  readonly #sink: DeltaSink;
  readonly #issuer: string;
  #items: Item[] = [];
  readonly #byIndex = new Map<unknown, Item>();
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
      case 'response.function_call_arguments.delta':
        this.#itemOf(event)?.pieces.add(stringOf(event.delta) ?? '');
        return undefined;
      case 'response.function_call_arguments.done':
        this.#takeArguments(event);
        return undefined;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.#takeReasoning(event);
        return undefined;
      case 'response.refusal.delta':
        this.#refusal += stringOf(event.delta) ?? '';
        return undefined;
      case 'response.output_item.added':
      case 'response.output_item.done':
        return this.#takeItem(event);
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

  finish(isPlain: boolean): Assembled {
    const last = this.#last;
    if (last === undefined) {
      if (isPlain) return malformed('The reply has no output.');
      const message = this.#sawEvent
        ? 'The stream ended without response.completed.'
        : 'The stream ended before the reply began.';
      return cut(message);
    }
    const status = stringOf(last.status);
    if (status === 'failed' || status === 'cancelled')
      return reported({ ...last, error: last.error ?? { message: `The reply was ${status}.` } });
    if (status === 'in_progress' || status === 'queued') return cut(`The reply is not done: its status is ${status}.`);
    const reason = stringOf(recordOf(last.incomplete_details)?.['reason']);
    const content = this.#content(status === 'incomplete');
    const finishReason = this.#finishReason(
      status,
      reason,
      content.some((part) => part.type === 'tool-call'),
    );
    return {
      type: 'reply',
      reply: {
        content,
        finishReason,
        rawFinishReason: this.#refusal === '' ? (reason ?? status) : 'refusal',
        usage: usageOf(recordOf(last.usage) ?? {}),
        model: this.#model,
        responseId: this.#id,
      },
    };
  }

  #finishReason(status: string | undefined, reason: string | undefined, hasCalls: boolean): FinishReason {
    if (this.#refusal !== '' || reason === 'content_filter') return 'content-filter';
    if (reason === 'max_output_tokens' || reason === 'max_tokens') return 'length';
    if (status === 'incomplete') return 'length';
    return hasCalls ? 'tool-calls' : 'stop';
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
    if (output.length === 0) return undefined;
    this.#refusal = '';
    this.#items = output.map((whole) => ({ id: stringOf(whole.id), whole, text: '', pieces: new ArgumentPieces() }));
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
      const text = whole.type === 'message' ? messageText(whole) : '';
      if (text !== '') this.#sink.text(text);
    }
  }

  #takeItem(event: ResponsesEvent): ReplyProblem | undefined {
    const whole: OutputItem | undefined = recordOf(event.item);
    if (whole === undefined) return malformed('An event of the stream has no item.');
    const isNew = (event.type ?? '') === 'response.output_item.added';
    const known = isNew ? undefined : this.#itemOf({ ...event, item_id: whole.id });
    // Some servers give every item the same place: then the id tells them apart.
    const isSame = known !== undefined && (known.id === undefined || whole.id === undefined || known.id === whole.id);
    if (isSame) known.whole = { ...known.whole, ...whole };
    else this.#open(event.output_index, whole);
    return undefined;
  }

  #open(index: unknown, whole: OutputItem): Item {
    const item: Item = { id: stringOf(whole.id), whole, text: '', pieces: new ArgumentPieces() };
    this.#items.push(item);
    if (index !== undefined) this.#byIndex.set(index, item);
    return item;
  }

  /** By its id, by its place, or the latest where an event names neither. */
  #itemOf(event: ResponsesEvent): Item | undefined {
    const known = event.item_id === undefined ? undefined : this.#items.find((item) => item.id === event.item_id);
    if (known !== undefined) return known;
    return event.output_index === undefined ? this.#items.at(-1) : this.#byIndex.get(event.output_index);
  }

  #takeText(event: ResponsesEvent): undefined {
    const delta = stringOf(event.delta) ?? '';
    if (delta === '') return;
    const known = this.#itemOf(event);
    // Text whose item was never begun.
    const item =
      known?.whole.type === 'message' ? known : this.#open(event.output_index, { type: 'message', id: event.item_id });
    item.text += delta;
    this.#sink.text(delta);
  }

  #takeReasoning(event: ResponsesEvent): void {
    const delta = stringOf(event.delta) ?? '';
    const item = this.#itemOf(event);
    if (item !== undefined) item.text += delta;
    if (delta !== '') this.#sink.reasoning(delta);
  }

  #takeArguments(event: ResponsesEvent): void {
    const item = this.#itemOf(event);
    if (item !== undefined && typeof event.arguments === 'string')
      item.whole = { ...item.whole, arguments: event.arguments };
  }

  #content(wasCut: boolean): (TextPart | ReasoningPart | ReplyToolCall)[] {
    const content: (TextPart | ReasoningPart | ReplyToolCall)[] = [];
    for (const [at, item] of this.#items.entries()) {
      const { whole } = item;
      switch (whole.type) {
        case 'message': {
          const text = messageText(whole) || item.text;
          const refusal = refusalText(whole);
          if (refusal !== '') this.#refusal = refusal;
          if (text + refusal !== '') content.push({ type: 'text', text: text + refusal });
          break;
        }
        case 'reasoning': {
          const part = this.#reasoningPart(item);
          if (part !== undefined) content.push(part);
          break;
        }
        case 'function_call':
          content.push(toCall(item, wasCut && at === this.#items.length - 1, wasCut));
          break;
        default:
      }
    }
    if (this.#refusal !== '' && content.length === 0) content.push({ type: 'text', text: this.#refusal });
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

function toCall({ whole, pieces }: Item, mayBeCut: boolean, wasCut: boolean): ReplyToolCall {
  const id = stringOf(whole.call_id) || stringOf(whole.id);
  const name = stringOf(whole.name) ?? '';
  const { arguments: args } = whole;
  if (isRecord(args)) return { type: 'tool-call', id, name, arguments: { value: args }, isComplete: !mayBeCut };
  const text = (typeof args === 'string' ? args : '') || pieces.text();
  const isComplete = whole.status !== 'incomplete' && (!wasCut || isJson(text));
  return { type: 'tool-call', id, name, arguments: { text }, isComplete };
}

function messageText({ content }: OutputItem): string {
  if (typeof content === 'string') return content;
  let text = '';
  for (const part of listOf(content))
    if (isRecord(part) && part['type'] !== 'refusal') text += stringOf(part['text']) ?? '';
  return text;
}

function refusalText({ content }: OutputItem): string {
  let text = '';
  for (const part of listOf(content))
    if (isRecord(part) && part['type'] === 'refusal') text += stringOf(part['refusal']) ?? '';
  return text;
}

/** The summary, and where a server shows it the reasoning itself. */
function reasoningText({ summary, content }: OutputItem): string {
  return [...listOf(summary), ...listOf(content)]
    .map((part) => stringOf(recordOf(part)?.['text']) ?? '')
    .join('\n')
    .trim();
}

function usageOf(usage: ResponsesUsage): {
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  cachedInputTokens: number | undefined;
  reasoningTokens: number | undefined;
} {
  return {
    inputTokens: countOf(usage.input_tokens),
    outputTokens: countOf(usage.output_tokens),
    cachedInputTokens: countOf(recordOf(usage.input_tokens_details)?.['cached_tokens']),
    reasoningTokens: countOf(recordOf(usage.output_tokens_details)?.['reasoning_tokens']),
  };
}
