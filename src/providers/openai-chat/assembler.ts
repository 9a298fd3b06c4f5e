import type { ModelReply } from '../../core/provider.ts';
import { isRecord } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import { cut, isError, malformed, notAnObject, reported } from '../assembler.ts';
import type { Assembled, Assembler, AssemblyPhase, DeltaSink, ReplyProblem } from '../assembler.ts';
import { holdsSomething, listOf, placeOf, recordOf, stringOf } from '../json-fields.ts';
import { endReply, ReplyEnd } from '../reply-end.ts';
import { chatFigures, usageOf } from '../usage-fields.ts';
import { ReasoningDetails } from './reasoning-details.ts';
import { ToolCallSlots } from './tool-calls.ts';
import type { ChatChoice, ChatChoiceExtras, ChatMessage, ChatMessageExtras, ChatReply } from './wire.ts';

/**
 * Builds a reply of the Chat Completions wire. Invariants:
 * 1. A reply is whole only when a choice has said its `finish_reason`, the stream has said `[DONE]`, or the body was one
 *    JSON value (its end is its own marker). A `[DONE]` without a `finish_reason` is believed, with a warning; a call in it
 *    only where its arguments are whole JSON.
 * 2. An error voids everything before it. Behind the last word nothing is read any more.
 */
export class ChatAssembler implements Assembler {
  phase: AssemblyPhase = 'open';
  readonly #sink: DeltaSink;
  readonly #issuer: string;
  #text = '';
  #reasoning = '';
  #refusal = '';
  #details: ReasoningDetails | undefined;
  #slots: ToolCallSlots | undefined;
  readonly #end = new ReplyEnd();
  #usage: Usage | undefined;
  #model: string | undefined;
  #id: string | undefined;
  #choiceIndex = 0;
  #sawChoice = false;
  #sawDelta = false;
  #sawMessage = false;
  /** The first thing that came instead of a choice, for the error. */
  #sawOther = false;

  constructor(sink: DeltaSink, issuer: string) {
    this.#sink = sink;
    this.#issuer = issuer;
  }

  take(value: unknown, event: string): ReplyProblem | undefined {
    if (!isRecord(value)) return notAnObject(value);
    const reply: ChatReply = value;
    if (isErrorReply(value, event)) return reported(value);
    if (this.#id === undefined) this.#id = stringOf(reply.id) || undefined;
    if (this.#model === undefined) this.#model = stringOf(reply.model) || undefined;
    const figures = chatFigures(reply);
    if (figures !== undefined) this.#usage = usageOf('chat', figures);
    this.#noteFilter(value['prompt_filter_results']);
    if (!Array.isArray(reply.choices)) {
      this.#sawOther = true;
      return holdsSomething(reply.choices) ? malformed('The choices of the reply are not a list.') : undefined;
    }
    const choice = this.#choiceOf(reply.choices);
    if (choice === undefined) {
      const isOdd = reply.choices.some(holdsSomething) && !reply.choices.some(isRecord);
      return isOdd ? malformed('A choice of the reply is not an object.') : undefined;
    }
    if (!this.#sawChoice) this.#choiceIndex = placeOf(choice.index) ?? 0;
    this.#sawChoice = true;
    return this.#takeChoice(choice, value);
  }

  takeDone(): void {
    this.phase = 'closed';
  }

  finish(isPlain: boolean, isCutHere = false): Assembled {
    if (!this.#sawChoice) return this.#withoutChoice(isPlain);
    if (isPlain && !this.#sawMessage && !this.#sawDelta) return malformed('The reply has a choice without a message.');
    // A body that is one piece of a stream is no whole reply because it ends.
    const isWhole = isPlain && this.#sawMessage;
    if (this.#end.kind === undefined && !isWhole && !isCutHere && this.phase !== 'closed') {
      return cut('The stream ended without a finish reason and without [DONE].');
    }
    if (this.#refusal !== '') this.#end.add('content-filter', 'refusal');
    // Only Anthropic goes on from a pause.
    if (this.#end.kind === 'pause') this.#end.kind = 'other';
    return endReply(this.#end, {
      content: this.#content(),
      usage: this.#usage ?? {},
      model: this.#model,
      responseId: this.#id,
    });
  }

  /** We ask for one choice; where a server sends more, the one that came first counts. One without a place is that one, too. */
  #choiceOf(choices: readonly unknown[]): (ChatChoice & ChatChoiceExtras) | undefined {
    return choices
      .map(recordOf)
      .find(
        (choice) =>
          choice !== undefined &&
          (!this.#sawChoice || (placeOf(choice['index']) ?? this.#choiceIndex) === this.#choiceIndex),
      );
  }

  #takeChoice(choice: ChatChoice & ChatChoiceExtras, payload: unknown): ReplyProblem | undefined {
    const { delta, error } = choice;
    if (isError(error)) return reported(payload);
    if (isRecord(delta)) {
      this.#sawDelta = true;
      const problem = this.#takeMessage(delta, false);
      if (problem !== undefined) return problem;
    } else if (isRecord(choice.message)) {
      // Some streams end with the whole message once more.
      const problem = this.#sawDelta ? undefined : this.#takeMessage(choice.message, true);
      if (problem !== undefined) return problem;
      this.#sawMessage = true;
    } else if (holdsSomething(delta)) return malformed('A piece of the reply is not an object.');
    const isOver = this.#end.say(choice.finish_reason);
    const isOverThere = this.#end.say(choice.native_finish_reason);
    this.#noteFilter(choice.content_filter_results);
    if ((isOver || isOverThere) && this.phase === 'open') this.phase = 'finished';
    return undefined;
  }

  #noteFilter(results: unknown): void {
    if (holdsFiltered(results, 4)) this.#end.add('content-filter', 'content_filter');
  }

  #takeMessage(message: ChatMessage & ChatMessageExtras, isWhole: boolean): ReplyProblem | undefined {
    const { content } = message;
    if (Array.isArray(content)) this.#takeParts(content);
    else if (typeof content === 'string') this.#addText(content);
    else if (holdsSomething(content)) return malformed('The content of the reply is not a text.');
    this.#addReasoning(stringOf(message.reasoning_content) || message.reasoning);
    if (Array.isArray(message.reasoning_details))
      (this.#details ??= new ReasoningDetails()).take(message.reasoning_details);
    this.#refusal += stringOf(message.refusal) ?? '';
    const calls = message.tool_calls ?? legacyCalls(message.function_call);
    if (Array.isArray(calls)) (this.#slots ??= new ToolCallSlots(this.#issuer, this.#sink)).take(calls, isWhole);
    return undefined;
  }

  /** Mistral's content parts: text, and thoughts that hold text parts of their own. */
  #takeParts(parts: readonly unknown[]): void {
    for (const part of parts) {
      const { type, thinking, text } = recordOf(part) ?? { text: part };
      if (type !== 'thinking') this.#addText(text);
      else for (const thought of listOf(thinking)) this.#addReasoning(recordOf(thought)?.['text']);
    }
  }

  #addText(text: unknown): void {
    if (typeof text !== 'string' || text === '') return;
    this.#text += text;
    this.#sink.text(text);
  }

  #addReasoning(text: unknown): void {
    if (typeof text !== 'string' || text === '') return;
    this.#reasoning += text;
    this.#sink.reasoning(text);
  }

  #content(): ModelReply['content'] {
    const content: ModelReply['content'][number][] = [];
    const details = this.#details?.value();
    if (this.#reasoning !== '' || details !== undefined)
      content.push({ type: 'reasoning', text: this.#reasoning, issuer: this.#issuer, data: details });
    const text = this.#text + this.#refusal;
    if (text !== '') content.push({ type: 'text', text });
    return this.#slots === undefined ? content : [...content, ...this.#slots.calls()];
  }

  #withoutChoice(isPlain: boolean): ReplyProblem {
    if (isPlain || this.#sawOther || this.phase === 'closed' || this.#id !== undefined) {
      return malformed('The reply has no choices.');
    }
    return cut('The stream ended before the reply began.');
  }
}

/** What there was before there were `tool_calls`. */
function legacyCalls(call: unknown): unknown {
  return isRecord(call) ? [{ index: 0, function: call }] : undefined;
}

/** True where any of the results, a few levels down, says `filtered: true`. */
function holdsFiltered(results: unknown, levels: number): boolean {
  if (typeof results !== 'object' || results === null || levels === 0) return false;
  return Object.entries(results).some(
    ([key, value]) => (key === 'filtered' && value === true) || holdsFiltered(value, levels - 1),
  );
}

function isErrorReply(value: Record<string, unknown>, event: string): boolean {
  if (isError(value['error'])) return true;
  if (event === 'error' || value['object'] === 'error' || value['type'] === 'error') return true;
  // MiniMax reports its errors beside an empty reply.
  if ((recordOf(value['base_resp'])?.['status_code'] ?? 0) !== 0) return true;
  // FastAPI and others answer {"detail": ...} or {"message": ..., "code": ...} with nothing else.
  return (
    value['choices'] === undefined &&
    (value['detail'] !== undefined || (typeof value['message'] === 'string' && value['id'] === undefined))
  );
}
