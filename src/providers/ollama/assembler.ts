import { isRecord } from '../../core/json.ts';
import type { ModelReply, ReplyToolCall } from '../../core/provider.ts';
import { cut, isError, malformed, notAnObject, reported } from '../assembler.ts';
import type { Assembled, Assembler, AssemblyPhase, DeltaSink, ReplyProblem } from '../assembler.ts';
import { holdsSomething, listOf, recordOf, stringOf } from '../json-fields.ts';
import { endReply, ReplyEnd } from '../reply-end.ts';
import { usageOf } from '../usage-fields.ts';
import type { OllamaFunction, OllamaMessage, OllamaReply, OllamaToolCall } from './wire.ts';

/**
 * Builds a reply of Ollama's own wire. Invariants:
 * 1. A reply is whole only at `done: true`, in both modes.
 * 2. A call comes whole in one line, its arguments as an object: two equal ones are two calls. One that the last line
 *    repeats is the same call.
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
    const problem = isRecord(reply.message)
      ? this.#takeMessage(reply.message, reply.done === true)
      : holdsSomething(reply.message) && malformed('The message of the reply is not an object.');
    if (problem) return problem;
    if (reply.done === true) {
      this.#last = reply;
      this.phase = 'closed';
    }
    return undefined;
  }

  finish(isPlain: boolean, isCutHere = false): Assembled {
    if (this.phase === 'open' && !isCutHere) {
      if (!this.#sawMessage && isPlain) return malformed('The reply has no message.');
      return cut('The reply ended without done: true.');
    }
    if (!this.#sawMessage) return malformed('The reply has no message.');
    const end = new ReplyEnd();
    // Older versions give no reason for a reply that is whole.
    if (!end.say(this.#last.done_reason)) end.kind = 'stop';
    if (end.kind === 'pause') end.kind = 'other';
    return endReply(end, {
      content: this.#content(),
      usage: usageOf('ollama', this.#last),
      model: this.#model,
    });
  }

  #takeMessage(message: OllamaMessage, isLast: boolean): ReplyProblem | undefined {
    this.#sawMessage = true;
    if (typeof message.thinking === 'string' && message.thinking !== '') {
      this.#thinking += message.thinking;
      this.#sink.reasoning(message.thinking);
    }
    if (typeof message.content === 'string' && message.content !== '') {
      this.#text += message.content;
      this.#sink.text(message.content);
    } else if (holdsSomething(message.content)) return malformed('The content of the reply is not a text.');
    const calls = listOf(message.tool_calls).filter(isRecord).map(toCall);
    for (const call of calls) this.#sink.call(`\n${textOf(call)}`);
    if (!isLast) this.#calls.push(...calls);
    // Some servers say everything once more in the last line.
    else this.#calls.push(...withoutSaid(calls, this.#calls));
    return undefined;
  }

  #content(): ModelReply['content'] {
    const content: ModelReply['content'][number][] = [];
    if (this.#thinking !== '') content.push({ type: 'reasoning', text: this.#thinking, issuer: this.#issuer });
    if (this.#text !== '') content.push({ type: 'text', text: this.#text });
    return [...content, ...this.#calls];
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

/** The calls that were not said before. Each one said stands for one that comes again, unless both have an id of their own. */
function withoutSaid(calls: readonly ReplyToolCall[], said: readonly ReplyToolCall[]): ReplyToolCall[] {
  const idsOf = new Map<string, string[]>();
  for (const call of said) {
    const ids = idsOf.get(textOf(call));
    if (ids === undefined) idsOf.set(textOf(call), [call.id ?? '']);
    else ids.push(call.id ?? '');
  }
  return calls.filter((call) => {
    const ids = idsOf.get(textOf(call)) ?? [];
    const at = ids.findIndex((id) => id === '' || !call.id || id === call.id);
    if (at >= 0) ids.splice(at, 1);
    return at < 0;
  });
}

function textOf({ name, arguments: args }: ReplyToolCall): string {
  return JSON.stringify([name, args]);
}
