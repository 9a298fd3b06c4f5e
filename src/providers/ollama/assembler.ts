import { isRecord } from '../../core/json.ts';
import type { ReasoningPart, TextPart } from '../../core/message.ts';
import type { FinishReason, ReplyToolCall } from '../../core/provider.ts';
import { isJson } from '../argument-pieces.ts';
import { cut, isError, malformed, notAnObject, reported } from '../assembler.ts';
import type { Assembled, Assembler, AssemblyPhase, DeltaSink, ReplyProblem } from '../assembler.ts';
import { countOf } from '../../core/usage.ts';
import { listOf, recordOf, stringOf } from '../json-fields.ts';
import type { OllamaFunction, OllamaMessage, OllamaReply, OllamaToolCall } from './wire.ts';

const DONE_REASONS: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool-calls'],
]);

/**
 * Builds a reply of Ollama's own wire. Invariants:
 * 1. A reply is whole only at `done: true`, in both modes.
 * 2. A call comes whole in one line, its arguments as an object: two equal ones are two calls.
 * 3. An error voids everything before it. Behind the last word nothing is read any more.
 */
export class OllamaAssembler implements Assembler {
  phase: AssemblyPhase = 'open';
  readonly #sink: DeltaSink;
  readonly #issuer: string;
  #text = '';
  #thinking = '';
  readonly #calls: ReplyToolCall[] = [];
  #last: OllamaReply = {};
  #model: string | undefined;
  #sawMessage = false;

  constructor(sink: DeltaSink, issuer: string) {
    this.#sink = sink;
    this.#issuer = issuer;
  }

  take(value: unknown, event: string): ReplyProblem | undefined {
    if (!isRecord(value)) return notAnObject(value);
    if (isError(value['error']) || event === 'error') return reported(value);
    const reply: OllamaReply = value;
    if (this.#model === undefined) this.#model = stringOf(reply.model) || undefined;
    if (isRecord(reply.message)) this.#takeMessage(reply.message);
    if (reply.done === true) {
      this.#last = reply;
      this.phase = 'closed';
    }
    return undefined;
  }

  finish(isPlain: boolean): Assembled {
    if (this.phase === 'open') {
      if (!this.#sawMessage && isPlain) return malformed('The reply has no message.');
      return cut('The reply ended without done: true.');
    }
    if (!this.#sawMessage) return malformed('The reply has no message.');
    const word = stringOf(this.#last.done_reason) || undefined;
    const finishReason = word === undefined ? 'stop' : (DONE_REASONS.get(word) ?? 'other');
    return {
      type: 'reply',
      reply: {
        content: this.#content(finishReason === 'length'),
        finishReason,
        rawFinishReason: word,
        usage: { inputTokens: countOf(this.#last.prompt_eval_count), outputTokens: countOf(this.#last.eval_count) },
        model: this.#model,
      },
    };
  }

  #takeMessage(message: OllamaMessage): void {
    this.#sawMessage = true;
    if (typeof message.thinking === 'string' && message.thinking !== '') {
      this.#thinking += message.thinking;
      this.#sink.reasoning(message.thinking);
    }
    if (typeof message.content === 'string' && message.content !== '') {
      this.#text += message.content;
      this.#sink.text(message.content);
    }
    for (const call of listOf(message.tool_calls)) if (isRecord(call)) this.#calls.push(toCall(call));
  }

  #content(wasCut: boolean): (TextPart | ReasoningPart | ReplyToolCall)[] {
    const content: (TextPart | ReasoningPart | ReplyToolCall)[] = [];
    if (this.#thinking !== '') content.push({ type: 'reasoning', text: this.#thinking, issuer: this.#issuer });
    if (this.#text !== '') content.push({ type: 'text', text: this.#text });
    for (const call of this.#calls) content.push(wasCut && !isWhole(call) ? { ...call, isComplete: false } : call);
    return content;
  }
}

function toCall(call: OllamaToolCall): ReplyToolCall {
  const fn: OllamaFunction = recordOf(call.function) ?? {};
  const args = fn.arguments;
  const isText = typeof args === 'string' || args === undefined || args === null;
  return {
    type: 'tool-call',
    id: stringOf((call as { id?: unknown }).id),
    name: stringOf(fn.name) ?? '',
    // By the book an object; servers that imitate this wire also send the text.
    arguments: isText ? { text: stringOf(args) ?? '' } : { value: args },
    isComplete: true,
  };
}

/** The server reads a call before it sends it, so an object is a whole call even where the reply was cut behind it. */
function isWhole(call: ReplyToolCall): boolean {
  return !('text' in call.arguments) || isJson(call.arguments.text);
}
