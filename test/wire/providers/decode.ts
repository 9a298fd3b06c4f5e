import type { ReplyToolCall } from '../../../src/core/provider.ts';
import type { Assembled, Assembler, DeltaSink } from '../../../src/providers/assembler.ts';
import { MessagesAssembler } from '../../../src/providers/anthropic/assembler.ts';
import { BodyReader } from '../../../src/providers/body-reader.ts';
import type { Framing } from '../../../src/providers/body-reader.ts';
import { lineFraming } from '../../../src/providers/ndjson.ts';
import { OllamaAssembler } from '../../../src/providers/ollama/assembler.ts';
import { ChatAssembler } from '../../../src/providers/openai-chat/assembler.ts';
import { ResponsesAssembler } from '../../../src/providers/openai-responses/assembler.ts';

/** The wires by the ids of their providers. */
export type WireId = 'openai-chat' | 'openai-responses' | 'anthropic' | 'ollama';

export const wireIds: readonly WireId[] = ['openai-chat', 'openai-responses', 'anthropic', 'ollama'];

const makers: Record<WireId, { framing?: Framing; make: (sink: DeltaSink) => Assembler }> = {
  'openai-chat': { make: (sink) => new ChatAssembler(sink, 'openai-chat') },
  'openai-responses': { make: (sink) => new ResponsesAssembler(sink, 'openai-responses') },
  anthropic: { make: (sink) => new MessagesAssembler(sink, 'anthropic') },
  ollama: { framing: lineFraming, make: (sink) => new OllamaAssembler(sink, 'ollama') },
};

/** What a body was understood as, and what was shown on the way. */
export interface Decoded {
  readonly assembled: Assembled;
  readonly shownText: string;
  readonly shownReasoning: string;
}

/** Reads a body as the provider does, in the given chunks. */
export function decode(wire: WireId, chunks: string | Uint8Array | readonly Uint8Array[]): Decoded {
  let shownText = '';
  let shownReasoning = '';
  const sink: DeltaSink = {
    text: (delta) => (shownText += delta),
    reasoning: (delta) => (shownReasoning += delta),
    call: () => {},
  };
  const reader = new BodyReader(makers[wire].make(sink), makers[wire].framing);
  const list =
    typeof chunks === 'string' ? [new TextEncoder().encode(chunks)] : chunks instanceof Uint8Array ? [chunks] : chunks;
  let assembled: Assembled | undefined;
  for (const chunk of list) {
    assembled = reader.push(chunk);
    if (assembled !== undefined) break;
  }
  assembled ??= reader.end();
  return { assembled, shownText, shownReasoning };
}

/** A reply in few words, for tables. Calls read `name(arguments)`, with `!` before those that are not complete. */
export function summary({ assembled }: Decoded): string {
  if (assembled.type !== 'reply') return assembled.type;
  const parts = assembled.reply.content.map((part) => {
    if (part.type === 'text') return `"${part.text}"`;
    return part.type === 'reasoning' ? `<${part.text}>` : callSummary(part);
  });
  return [...parts, assembled.reply.finishReason].join(' ');
}

function callSummary(call: ReplyToolCall): string {
  const args = 'text' in call.arguments ? call.arguments.text : JSON.stringify(call.arguments.value);
  const id = call.id === undefined || call.id === '' ? '' : `#${call.id}`;
  return `${call.isComplete ? '' : '!'}${call.name}${id}(${args})`;
}

/** Server-sent events of values. */
export function sse(...values: readonly unknown[]): string {
  return values.map((value) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`).join('');
}
