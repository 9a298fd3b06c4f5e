import type { Json } from '../../core/json.ts';
import { isRecord } from '../../core/json.ts';
import type { ModelReply, ReplyToolCall } from '../../core/provider.ts';
import { ArgumentPieces } from '../argument-pieces.ts';
import { cut, isError, malformed, notAnObject, reported } from '../assembler.ts';
import type { Assembled, Assembler, AssemblyPhase, DeltaSink, ReplyProblem } from '../assembler.ts';
import { holdsSomething, isTooDeep, listOf, parseJson, placeOf, recordOf, stringOf } from '../json-fields.ts';
import { endReply, ReplyEnd } from '../reply-end.ts';
import { usageOf } from '../usage-fields.ts';
import type { BlockDelta, MessageEvent, MessageReply, ReplyBlock } from './wire.ts';

/** One block as far as it came. */
type Block =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'thinking'; text: string; signature: string }
  | {
      readonly type: 'tool_use';
      readonly id: string | undefined;
      readonly name: string;
      readonly input: unknown;
      readonly isWhole: boolean;
      readonly pieces: ArgumentPieces;
    }
  /** A block of a kind that is not ours to read (redacted thinking, a tool of the server): kept whole, and sent back. */
  | { readonly type: 'opaque'; readonly whole: Record<string, unknown>; readonly pieces: ArgumentPieces };

/**
 * Builds a reply of the Messages wire. Invariants:
 * 1. A reply is whole only when a `stop_reason` or `message_stop` has come, or the body was one JSON value.
 * 2. A block begins with `content_block_start`, whatever its index; pieces go to the latest block of their index, or
 *    to the latest of all where they name none.
 * 3. An error voids everything before it. Behind the last word nothing is read any more.
 */
export class MessagesAssembler implements Assembler {
  phase: AssemblyPhase = 'open';
  readonly #sink: DeltaSink;
  readonly #issuer: string;
  readonly #blocks: Block[] = [];
  readonly #byIndex = new Map<unknown, Block>();
  readonly #end = new ReplyEnd();
  #usage: Record<string, unknown> = {};
  #id: string | undefined;
  #model: string | undefined;
  #sawMessage = false;

  constructor(sink: DeltaSink, issuer: string) {
    this.#sink = sink;
    this.#issuer = issuer;
  }

  take(value: unknown, eventName: string): ReplyProblem | undefined {
    if (!isRecord(value)) return notAnObject(value);
    const event: MessageEvent = value;
    switch (event.type ?? eventName) {
      case 'content_block_delta':
        return this.#takeDelta(event);
      case 'content_block_start':
        this.#begin(event.index, recordOf(event.content_block) ?? {}, false);
        return undefined;
      case 'message_start':
        return this.#takeMessage(event.message);
      case 'message_delta':
        this.#takeEnd(recordOf(event.delta) ?? {}, event.usage);
        return undefined;
      case 'message_stop':
        this.phase = 'closed';
        return undefined;
      case 'message':
        return this.#takeMessage(value);
      case 'error':
        return reported(value);
      default:
        // Pings, ends of blocks, and what later versions of the wire may add.
        if (isError(value['error'])) return reported(value);
        if (event.type !== undefined || this.#sawMessage) return undefined;
        return Array.isArray(value['content']) ? this.#takeMessage(value) : reported(value);
    }
  }

  finish(isPlain: boolean, isCutHere = false): Assembled {
    if (!this.#sawMessage && this.#blocks.length === 0 && this.phase === 'open') {
      return isPlain ? malformed('The reply has no message.') : cut('The stream ended before the reply began.');
    }
    // A body that is one piece of a stream is no whole reply because it ends.
    const isWhole = isPlain && this.#sawMessage;
    if (this.#end.kind === undefined && !isWhole && !isCutHere && this.phase === 'open') {
      return cut('The stream ended without a stop reason and without message_stop.');
    }
    return endReply(this.#end, {
      content: this.#content(),
      usage: usageOf('messages', this.#usage),
      model: this.#model,
      responseId: this.#id,
    });
  }

  /** A whole message, or the begin of one in a stream. */
  #takeMessage(value: unknown): ReplyProblem | undefined {
    const message: MessageReply | undefined = recordOf(value);
    if (message === undefined) return malformed('The reply has no message.');
    if (isError((message as { error?: unknown }).error)) return reported(message);
    this.#sawMessage = true;
    this.#id = stringOf(message.id) || undefined;
    this.#model = stringOf(message.model) || undefined;
    if (message.content !== undefined && !Array.isArray(message.content) && typeof message.content !== 'string') {
      return malformed('The content of the reply is not a list of blocks.');
    }
    if (typeof message.content === 'string') this.#begin(undefined, { type: 'text', text: message.content }, true);
    for (const block of listOf(message.content)) if (isRecord(block)) this.#begin(undefined, block, true);
    this.#takeEnd(message, message.usage);
    return undefined;
  }

  #takeEnd(end: { readonly stop_reason?: unknown }, usage: unknown): void {
    // The last figure of each kind counts: they are sums, and the end repeats only some of them.
    if (isRecord(usage)) this.#usage = { ...this.#usage, ...withoutNull(usage) };
    if (this.#end.say(end.stop_reason) && this.phase === 'open') this.phase = 'finished';
  }

  #begin(index: unknown, block: ReplyBlock, isWhole: boolean): void {
    const last = this.#blocks.at(-1);
    // Without a name it is no call of its own: it goes on with the one before it.
    if (block.type === 'tool_use' && !stringOf(block.name) && last?.type === 'tool_use') {
      this.#byIndex.set(placeOf(index), last);
      if (typeof block.input === 'string') last.pieces.add(block.input);
      return;
    }
    this.#addBlock(index, this.#newBlock(block, isWhole));
  }

  #addBlock(index: unknown, block: Block): void {
    this.#blocks.push(block);
    this.#byIndex.set(placeOf(index), block);
  }

  #newBlock(block: ReplyBlock, isWhole: boolean): Block {
    switch (block.type) {
      case 'text': {
        const text = stringOf(block.text) ?? '';
        if (text !== '') this.#sink.text(text);
        return { type: 'text', text };
      }
      case 'thinking': {
        const text = stringOf(block.thinking) ?? '';
        if (text !== '') this.#sink.reasoning(text);
        return { type: 'thinking', text, signature: stringOf(block.signature) ?? '' };
      }
      case 'tool_use': {
        const pieces = new ArgumentPieces();
        this.#sink.call(`\n${stringOf(block.name) ?? ''}${JSON.stringify(block.input ?? '')}`);
        if (typeof block.input === 'string') pieces.add(block.input);
        return {
          type: 'tool_use',
          id: stringOf(block.id),
          name: stringOf(block.name) ?? '',
          input: block.input,
          isWhole,
          pieces,
        };
      }
      default:
        return { type: 'opaque', whole: { ...block }, pieces: new ArgumentPieces() };
    }
  }

  #takeDelta(event: MessageEvent): ReplyProblem | undefined {
    const delta: BlockDelta | undefined = recordOf(event.delta);
    if (delta === undefined) return malformed('A piece of the reply has no delta.');
    const place = placeOf(event.index);
    const block = this.#byIndex.get(place) ?? (place === undefined ? this.#blocks.at(-1) : undefined);
    if (typeof delta.text === 'string') {
      if (block?.type === 'text') block.text += delta.text;
      // Text whose block was never begun.
      else this.#addBlock(event.index, { type: 'text', text: delta.text });
      this.#sink.text(delta.text);
    } else if (typeof delta.partial_json === 'string') {
      // In an odd place they go on with the latest call.
      const call = takesPieces(block) ? block : this.#blocks.findLast(takesPieces);
      if (call === undefined) return malformed('The reply has arguments without a call.');
      call.pieces.add(delta.partial_json);
      this.#sink.call(delta.partial_json);
    } else if (block?.type === 'thinking') {
      if (typeof delta.thinking === 'string') {
        block.text += delta.thinking;
        this.#sink.reasoning(delta.thinking);
      }
      if (typeof delta.signature === 'string') block.signature += delta.signature;
    } else if (holdsSomething(delta.text)) return malformed('A text of the reply is not a text.');
    return undefined;
  }

  #content(): ModelReply['content'] {
    const content: ModelReply['content'][number][] = [];
    for (const block of this.#blocks) {
      switch (block.type) {
        case 'text':
          if (block.text !== '') content.push({ type: 'text', text: block.text });
          break;
        case 'thinking':
          content.push({
            type: 'reasoning',
            text: block.text,
            issuer: this.#issuer,
            data: { type: 'thinking', signature: block.signature },
          });
          break;
        case 'opaque':
          // Without a type it can't be sent back.
          if (typeof block.whole['type'] === 'string')
            content.push({ type: 'reasoning', text: '', issuer: this.#issuer, data: opaqueData(block) });
          break;
        case 'tool_use':
          content.push(toCall(block));
          break;
      }
    }
    return content;
  }
}

function toCall({ id, name, input, isWhole, pieces }: Block & { type: 'tool_use' }): ReplyToolCall {
  // A plain reply has its input parsed, so `{}` is what the model said. In a stream it is where the pieces begin, and they win;
  // some servers give the whole there and no pieces.
  const isValue = isRecord(input) && (isWhole || (pieces.isEmpty && Object.keys(input).length > 0));
  const args = isValue ? { value: input } : { text: pieces.text() };
  return { type: 'tool-call', id, name, arguments: args, isComplete: true };
}

function opaqueData({ whole, pieces }: Block & { type: 'opaque' }): Json {
  const block = whole as Record<string, Json>;
  const text = pieces.text();
  const input = isTooDeep(text) ? undefined : parseJson(text);
  return input === undefined ? block : { ...block, input: input as Json };
}

function withoutNull(usage: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null && value !== undefined));
}

function takesPieces(block: Block | undefined): block is Block & { readonly pieces: ArgumentPieces } {
  return block?.type === 'tool_use' || block?.type === 'opaque';
}
