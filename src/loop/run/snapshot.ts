import type { Message } from '../../core/message.ts';
import type { Transcript } from './transcript.ts';
import type { RunState } from './state.ts';

/** A state as JSON can hold it, however long its transcript is: the transcript is a list there. */
export type Snapshot = Omit<RunState, 'transcript'> & {
  readonly messages: readonly Message[];
  /** What is sent in place of the first `length` messages. */
  readonly sentAs: readonly { readonly length: number; readonly messages: readonly Message[] }[];
};

/** The state as plain data. */
export function toSnapshot({ transcript, ...state }: RunState): Snapshot {
  const messages: Message[] = [];
  const sentAs: Snapshot['sentAs'][number][] = [];
  for (let entry = transcript; entry !== undefined; entry = entry.previous) {
    messages.push(entry.message);
    if (entry.sentAs !== undefined) sentAs.push({ length: entry.length, messages: entry.sentAs });
  }
  return { ...state, messages: messages.reverse(), sentAs: sentAs.reverse() };
}

/** The state again. */
export function fromSnapshot({ messages, sentAs, ...state }: Snapshot): RunState {
  let transcript: Transcript | undefined;
  for (const [index, message] of messages.entries()) {
    const sent = sentAs.find(({ length }) => length === index + 1);
    const entry = { previous: transcript, message, length: index + 1 };
    transcript = sent === undefined ? entry : { ...entry, sentAs: sent.messages };
  }
  return { ...state, transcript };
}
