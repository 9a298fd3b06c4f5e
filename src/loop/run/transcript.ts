import type { AssistantMessage, Message } from '../../core/message.ts';

/**
 * A conversation that is never changed, only added to: each entry knows the one before. A state keeps its
 * transcript for the price of one entry, however long the run is.
 */
export interface Transcript {
  readonly previous: Transcript | undefined;
  readonly message: Message;
  readonly length: number;
  /** What the model is sent in place of everything up to here, where the history was compacted at this entry. */
  readonly sentAs?: readonly Message[] | undefined;
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
  // What was compacted is not sent any more: it stands as it is.
  for (; entry !== undefined && entry.sentAs === undefined && left > 0; entry = entry.previous) {
    if (entry.message.role === 'assistant') left -= 1;
    tail.push(entry.message.role === 'assistant' ? rewound(entry.message) : entry.message);
  }
  return append(entry, ...tail.reverse());
}

function rewound(message: AssistantMessage): AssistantMessage {
  return message.rewound === true ? message : { ...message, rewound: true };
}

/** The transcript, with `messages` sent in place of all that it holds: nothing is lost but to the model. */
export function compactedTo(transcript: Transcript | undefined, messages: readonly Message[]): Transcript | undefined {
  return transcript === undefined ? append(undefined, ...messages) : { ...transcript, sentAs: messages };
}

/** What the model is sent for a transcript. */
export function sentOf(transcript: Transcript | undefined): Message[] {
  const { base, added } = since(transcript, undefined);
  return [...(base ?? []), ...added];
}

/**
 * What is sent for the entries after `known`, or after the last compaction where that comes first: then `base` is what
 * it left. `isWhole` is false where `known` was reached.
 */
function since(
  transcript: Transcript | undefined,
  known: Transcript | undefined,
): { readonly base: readonly Message[] | undefined; readonly added: Message[]; readonly isWhole: boolean } {
  const fresh: Message[] = [];
  let entry = transcript;
  while (entry !== undefined && entry !== known && entry.sentAs === undefined) {
    fresh.push(entry.message);
    entry = entry.previous;
  }
  const isWhole = known === undefined || entry !== known;
  return { base: isWhole ? entry?.sentAs : undefined, added: sentMessages(fresh.reverse()), isWhole };
}

/**
 * The array of messages that requests are made of. It grows with the transcript, and only when the past was
 * changed (a rewind, a compaction) does another array take its place: so a provider can keep what it has built.
 */
export class SentHistory {
  #messages: Message[] = [];
  #synced: Transcript | undefined;

  /** The array that stands for `transcript`. */
  sync(transcript: Transcript | undefined): readonly Message[] {
    const { base, added, isWhole } = since(transcript, this.#synced);
    if (isWhole) this.#messages = [...(base ?? []), ...added];
    else for (const message of added) this.#messages.push(message);
    this.#synced = transcript;
    return this.#messages;
  }
}
