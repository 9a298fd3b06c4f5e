import type { AssistantMessage, Message } from '../core/message.ts';

/**
 * A conversation that is never changed, only added to: each entry knows the one before. A state keeps its
 * transcript for the price of one entry, however long the run is.
 */
export interface Transcript {
  readonly previous: Transcript | undefined;
  readonly message: Message;
  readonly length: number;
}

/** The transcript with `messages` added. */
export function append(transcript: Transcript | undefined, ...messages: readonly Message[]): Transcript | undefined {
  let last = transcript;
  for (const message of messages) last = { previous: last, message, length: (last?.length ?? 0) + 1 };
  return last;
}

/** All messages, oldest first. */
export function messagesOf(transcript: Transcript | undefined): Message[] {
  const messages: Message[] = [];
  for (let entry = transcript; entry !== undefined; entry = entry.previous) messages.push(entry.message);
  return messages.reverse();
}

/** What the model is sent: without the exchanges that were rewound. */
export function sentMessages(messages: readonly Message[]): Message[] {
  const sent: Message[] = [];
  let isRewound = false;
  for (const message of messages) {
    if (message.role === 'assistant') isRewound = message.rewound === true;
    if (!(isRewound && message.role !== 'user')) sent.push(message);
  }
  return sent;
}

/** The transcript with its last `exchanges` (assistant messages and what follows them) marked as rewound. */
export function markRewound(transcript: Transcript | undefined, exchanges: number): Transcript | undefined {
  const tail: Message[] = [];
  let left = exchanges;
  let entry = transcript;
  for (; entry !== undefined && left > 0; entry = entry.previous) {
    if (entry.message.role === 'assistant') left -= 1;
    tail.push(entry.message.role === 'assistant' ? rewound(entry.message) : entry.message);
  }
  return append(entry, ...tail.reverse());
}

function rewound(message: AssistantMessage): AssistantMessage {
  return message.rewound === true ? message : { ...message, rewound: true };
}

/**
 * The array of messages that requests are made of. It grows with the transcript, and only when the past was
 * changed (a rewind, a compaction) does another array take its place: so a provider can keep what it has built.
 */
export class SentHistory {
  #messages: Message[] = [];
  #synced: Transcript | undefined;
  #isSynced = false;

  /** The array that stands for `transcript`. */
  sync(transcript: Transcript | undefined): readonly Message[] {
    const fresh: Message[] = [];
    let entry = transcript;
    while (entry !== undefined && entry !== this.#synced) {
      fresh.push(entry.message);
      entry = entry.previous;
    }
    const continues = this.#isSynced && entry === this.#synced;
    const added = sentMessages(fresh.reverse());
    if (continues) for (const message of added) this.#messages.push(message);
    else this.#messages = added;
    this.#synced = transcript;
    this.#isSynced = true;
    return this.#messages;
  }
}
