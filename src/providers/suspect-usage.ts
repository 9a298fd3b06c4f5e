import type { Message } from '../core/message.ts';
import type { ModelRequest } from '../core/provider.ts';
import type { Usage } from '../core/usage.ts';

/** Chosen: below this the fixed parts of a request (field names, options) are too large a share to judge. */
const MIN_BYTES = 8192;

/** Chosen: text of any language has less than ten bytes a token; four times that leaves room for JSON's own characters. */
const MAX_BYTES_PER_TOKEN = 40;

/**
 * Contexts are multiples of this: a prompt that has exactly so many tokens was probably cut to them. Then a lower bound does:
 * chosen, since English and JSON have about four bytes a token.
 */
const CONTEXT_STEP = 512;
const MAX_BYTES_PER_TOKEN_IF_ROUND = 5;

/**
 * Watches for a server that counts far fewer tokens than it was sent: Ollama cuts a long prompt to its context and says nothing;
 * templates without tools drop the declarations. Gives one sentence for each conversation.
 */
export class UsageWatch {
  /** Conversations that need no further look. */
  readonly #settled = new WeakSet<readonly Message[]>();

  warning(usage: Usage, sentBytes: number, { messages }: ModelRequest): string | undefined {
    const { inputTokens } = usage;
    if (inputTokens === undefined || sentBytes < MIN_BYTES) return undefined;
    const isRound = inputTokens % CONTEXT_STEP === 0;
    if (inputTokens * (isRound ? MAX_BYTES_PER_TOKEN_IF_ROUND : MAX_BYTES_PER_TOKEN) >= sentBytes) return undefined;
    if (this.#settled.has(messages)) return undefined;
    this.#settled.add(messages);
    // Images are many bytes and few tokens.
    if (hasImages(messages)) return undefined;
    return (
      `The server counted ${inputTokens} input tokens in a request of ${sentBytes} bytes: it may have cut the conversation ` +
      'or dropped the tools without saying so. Look at the context length that the model runs with (Ollama: `num_ctx`).'
    );
  }
}

function hasImages(messages: readonly Message[]): boolean {
  return messages.some((message) =>
    message.content.some(
      (part) =>
        part.type === 'image' || (part.type === 'tool-result' && part.content.some(({ type }) => type === 'image')),
    ),
  );
}
