import type { FinishReason, ModelReply, ReplyToolCall } from '../../core/provider.ts';
import { isRecord } from '../../core/json.ts';
import type { ReasoningPart, TextPart } from '../../core/message.ts';
import type { Usage } from '../../core/usage.ts';
import { isJson } from '../argument-pieces.ts';
import { cut, isError, malformed, notAnObject, reported } from '../assembler.ts';
import type { Assembled, Assembler, AssemblyPhase, DeltaSink, ReplyProblem } from '../assembler.ts';
import { countOf } from '../../core/usage.ts';
import { listOf, recordOf, stringOf } from '../json-fields.ts';
import { finishReasonOf, isMalformedCall } from './finish-reason.ts';
import { ReasoningDetails } from './reasoning-details.ts';
import { ToolCallSlots } from './tool-calls.ts';
import type { ChatChoice, ChatMessage, ChatMessageExtras, ChatReply, ChatUsage } from './wire.ts';

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
  #finish: string | undefined;
  #usage: Usage | undefined;
  #model: string | undefined;
  #id: string | undefined;
  #choiceIndex: unknown;
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
    if (isRecord(reply.usage)) this.#usage = usageOf(reply.usage);
    if (!Array.isArray(reply.choices)) {
      this.#sawOther = true;
      return undefined;
    }
    const choice = this.#choiceOf(reply.choices);
    if (choice === undefined) return undefined;
    if (!this.#sawChoice) this.#choiceIndex = choice.index;
    this.#sawChoice = true;
    return this.#takeChoice(choice, value);
  }

  takeDone(): void {
    this.phase = 'closed';
  }

  finish(isPlain: boolean): Assembled {
    if (!this.#sawChoice) return this.#withoutChoice(isPlain);
    if (isPlain && !this.#sawMessage && !this.#sawDelta) return malformed('The reply has a choice without a message.');
    const word = this.#finish;
    if (word === undefined && !isPlain && this.phase !== 'closed') {
      return cut('The stream ended without a finish reason and without [DONE].');
    }
    if (word !== undefined && isMalformedCall(word)) {
      return malformed(`The model wrote a call that its server could not read (${word}).`);
    }
    const finishReason = this.#finishReason(word);
    if (finishReason === 'error') {
      return reported({ message: `The reply ended with the finish reason ${word}.`, code: word });
    }
    return { type: 'reply', reply: this.#reply(finishReason, word) };
  }

  /** We ask for one choice; where a server sends more, the one that came first counts. */
  #choiceOf(choices: readonly unknown[]): ChatChoice | undefined {
    const first: ChatChoice | undefined = recordOf(choices[0]);
    if (!this.#sawChoice || first === undefined || first.index === this.#choiceIndex) return first;
    return recordOf(choices.find((choice) => recordOf(choice)?.['index'] === this.#choiceIndex));
  }

  #takeChoice(choice: ChatChoice, payload: unknown): ReplyProblem | undefined {
    const { delta, error } = choice as ChatChoice & { error?: unknown };
    if (isError(error)) return reported(payload);
    if (isRecord(delta)) {
      this.#sawDelta = true;
      this.#takeMessage(delta, false);
    } else if (isRecord(choice.message)) {
      // Some streams end with the whole message once more.
      if (!this.#sawDelta) this.#takeMessage(choice.message, true);
      this.#sawMessage = true;
    }
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') {
      this.#finish = choice.finish_reason;
      if (this.phase === 'open') this.phase = 'finished';
    }
    return undefined;
  }

  #takeMessage(message: ChatMessage & ChatMessageExtras, isWhole: boolean): void {
    const { content } = message;
    if (Array.isArray(content)) this.#takeParts(content);
    else this.#addText(content);
    this.#addReasoning(stringOf(message.reasoning_content) || message.reasoning);
    if (Array.isArray(message.reasoning_details))
      (this.#details ??= new ReasoningDetails()).take(message.reasoning_details);
    this.#refusal += stringOf(message.refusal) ?? '';
    const calls = message.tool_calls ?? legacyCalls(message.function_call);
    if (Array.isArray(calls)) (this.#slots ??= new ToolCallSlots(this.#issuer)).take(calls, isWhole);
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

  #finishReason(word: string | undefined): FinishReason {
    if (this.#refusal !== '') return 'content-filter';
    return word === undefined ? 'other' : finishReasonOf(word);
  }

  #reply(finishReason: FinishReason, word: string | undefined): ModelReply {
    const content: (TextPart | ReasoningPart | ReplyToolCall)[] = [];
    const details = this.#details?.value();
    if (this.#reasoning !== '' || details !== undefined)
      content.push({ type: 'reasoning', text: this.#reasoning, issuer: this.#issuer, data: details });
    const text = this.#text + this.#refusal;
    if (text !== '') content.push({ type: 'text', text });
    for (const call of this.#slots?.calls(finishReason === 'length') ?? []) {
      content.push(word === undefined ? onlyIfProven(call) : call);
    }
    return {
      content,
      finishReason,
      rawFinishReason: this.#refusal === '' ? word : 'refusal',
      usage: this.#usage ?? {},
      model: this.#model,
      responseId: this.#id,
      warnings: word === undefined ? ['The server gave no finish reason: the reply was taken as whole.'] : undefined,
    };
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

/** Where no finish reason vouches for a call, its own JSON must. */
function onlyIfProven(call: ReplyToolCall): ReplyToolCall {
  return 'text' in call.arguments && !isJson(call.arguments.text) ? { ...call, isComplete: false } : call;
}

function isErrorReply(value: Record<string, unknown>, event: string): boolean {
  if (isError(value['error'])) return true;
  if (event === 'error' || value['object'] === 'error' || value['type'] === 'error') return true;
  // FastAPI and others answer {"detail": ...} or {"message": ..., "code": ...} with nothing else.
  return (
    value['choices'] === undefined &&
    (value['detail'] !== undefined || (typeof value['message'] === 'string' && value['id'] === undefined))
  );
}

function usageOf(usage: ChatUsage): Usage {
  return {
    inputTokens: countOf(usage.prompt_tokens),
    outputTokens: countOf(usage.completion_tokens),
    // DeepSeek counts its cache beside the other figures.
    cachedInputTokens:
      countOf(recordOf(usage.prompt_tokens_details)?.['cached_tokens']) ??
      countOf((usage as Record<string, unknown>)['prompt_cache_hit_tokens']),
    reasoningTokens: countOf(recordOf(usage.completion_tokens_details)?.['reasoning_tokens']),
  };
}
