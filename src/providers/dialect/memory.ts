import { isRecord } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import type { ModelRequest } from '../../core/provider.ts';
import type { VendorError } from '../errors/vendor-error.ts';
import type { Dialect } from './dialect.ts';
import { REFUSALS, refusesThoughts } from './refusals.ts';
import type { Refusal } from './refusals.ts';

/** What a provider knows of its server's dialect: what it began with, and what refusals have taught it. */
export class DialectMemory {
  #dialect: Dialect;
  #changes = 0;
  readonly #issuer: string;
  readonly #used = new Set<Refusal>();
  /** By conversation, how many of its messages stood there when the server refused thoughts in them. */
  readonly #refusedBefore = new WeakMap<readonly Message[], number>();
  #note: string | undefined;

  constructor(dialect: Dialect, issuer: string) {
    this.#dialect = dialect;
    this.#issuer = issuer;
  }

  get dialect(): Dialect {
    return this.#dialect;
  }

  /** The place of the first message whose thoughts are sent back: what was refused is not sent a second time, what came later is. */
  thoughtsFrom(messages: readonly Message[]): number {
    return this.#refusedBefore.get(messages) ?? 0;
  }

  /** Differs where the same conversation is written differently. */
  versionFor(messages: readonly Message[]): string {
    return `${this.#changes}/${this.thoughtsFrom(messages)}`;
  }

  /** True where the refusal changed what will be sent: the same request can be tried again. `fields` are those of the body. */
  learn(error: VendorError, { messages }: ModelRequest, fields: readonly string[]): boolean {
    if (refusesThoughts(error) && this.#hasThoughts(messages)) {
      this.#refusedBefore.set(messages, messages.length);
      this.#note = 'The server refused thoughts of an earlier reply; they are left out from now on.';
      return true;
    }
    for (const refusal of REFUSALS) {
      if (this.#used.has(refusal) || refusal.words?.test(error.message) === false) continue;
      const change = refusal.change(this.#dialect, error, { fields, messages });
      if (change === undefined) continue;
      if (refusal.repeats !== true) this.#used.add(refusal);
      this.#dialect = { ...this.#dialect, ...change };
      this.#changes += 1;
      this.#note = typeof refusal.note === 'string' ? refusal.note : refusal.note(this.#dialect);
      return true;
    }
    return false;
  }

  /** What was learnt last, given once: a warning for a developer. */
  takeNote(): string | undefined {
    const note = this.#note;
    this.#note = undefined;
    return note;
  }

  /** True where thoughts, or seals of them on a call, would be sent to the server that they came from. */
  #hasThoughts(messages: readonly Message[]): boolean {
    return messages
      .slice(this.thoughtsFrom(messages))
      .some(
        (message) =>
          message.role === 'assistant' &&
          message.content.some(
            (part) =>
              (part.type === 'reasoning' && part.issuer === this.#issuer) ||
              (part.type === 'tool-call' && isRecord(part.vendor?.data) && part.vendor.data['issuer'] === this.#issuer),
          ),
      );
  }
}
