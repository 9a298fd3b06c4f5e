import type { Message } from '../core/message.ts';

/**
 * Remembers, by conversation, how much of its reasoning a server has refused: a signature or a sealed item that it does not accept
 * is not sent a second time. Reasoning that came later is.
 */
export class RefusedReasoning {
  readonly #issuer: string;
  /** The number of messages at the time of the refusal. */
  readonly #before = new WeakMap<readonly Message[], number>();

  constructor(issuer: string) {
    this.#issuer = issuer;
  }

  /** The place of the first message whose reasoning is sent. */
  sentFrom(messages: readonly Message[]): number {
    return this.#before.get(messages) ?? 0;
  }

  /** Notes a refusal. False where nothing was sent that could have been refused. */
  note(messages: readonly Message[]): boolean {
    const sent = messages.slice(this.sentFrom(messages));
    const hasReasoning = sent.some(
      (message) =>
        message.role === 'assistant' &&
        message.content.some((part) => part.type === 'reasoning' && part.issuer === this.#issuer),
    );
    if (hasReasoning) this.#before.set(messages, messages.length);
    return hasReasoning;
  }
}
