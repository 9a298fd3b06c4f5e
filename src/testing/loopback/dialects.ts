import { anthropicMessages } from './anthropic.ts';
import type { Dialect } from './dialect.ts';
import { ollamaChat } from './ollama.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import type { LoopbackWire } from './wire.ts';

/** How each wire writes. */
export const dialects: Readonly<Record<LoopbackWire, Dialect>> = {
  openai: openaiChat,
  'openai-responses': openaiResponses,
  anthropic: anthropicMessages,
  ollama: ollamaChat,
};
