import { freeCallId } from '../../core/call-id.ts';
import { toolCallsOf } from '../../core/message.ts';
import type { ModelReply, ReplyToolCall } from '../../core/provider.ts';
import type { Transcript } from '../run/transcript.ts';

/** Chosen: calls of one reply beyond this share numbers with the next turn, and a free one is looked for. */
const MAX_CALLS_OF_TURN = 1000;

/** The ids of the calls in a history: each is used once. Kept up with the transcript, from which it can be made again. */
export class CallIds {
  readonly #used = new Set<string>();
  #synced: Transcript | undefined;

  /** The reply with an id for every call that no other call of the run has; the vendor's own is kept where it can be. */
  unique(reply: ModelReply, transcript: Transcript | undefined, turn: number): ModelReply {
    this.#sync(transcript);
    let index = 0;
    const content = reply.content.map((part) => {
      if (part.type !== 'tool-call') return part;
      index += 1;
      let { id } = part;
      if (id === undefined || id === '' || this.#used.has(id))
        id = freeCallId(this.#used, turn * MAX_CALLS_OF_TURN + index);
      this.#used.add(id);
      return id === part.id ? part : ({ ...part, id } satisfies ReplyToolCall);
    });
    return index === 0 ? reply : { ...reply, content };
  }

  #sync(transcript: Transcript | undefined): void {
    for (let entry = transcript; entry !== undefined && entry !== this.#synced; entry = entry.previous) {
      if (entry.message.role === 'assistant')
        for (const { toolCallId } of toolCallsOf(entry.message)) this.#used.add(toolCallId);
    }
    this.#synced = transcript;
  }
}
