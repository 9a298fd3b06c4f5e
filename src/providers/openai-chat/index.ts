import type { Provider } from '../../core/provider.ts';
import { httpProvider } from '../http-provider.ts';
import { httpSetup, toOptions } from '../http-options.ts';
import type { HttpProviderOptions, WireRules } from '../http-options.ts';
import { DialectMemory } from '../dialect/memory.ts';
import { dialectOf } from '../dialect/vendors.ts';
import { RequestBodies } from '../request-body.ts';
import { ChatAssembler } from './assembler.ts';
import { chatFields, chatWriter } from './request.ts';

/** Options of {@link openai}. */
export interface OpenAIOptions extends HttpProviderOptions {
  /** How images of tool results are sent: by a user message behind the results, or (false) as a note that there was one. @defaultValue true */
  readonly imageResults?: boolean | undefined;
  /**
   * Sends the model's thoughts back in this field, empty ones where a message has none. A server that asks for them by a
   * refusal (DeepSeek, Kimi) gets them from then on without this option. @defaultValue sent once the server asks
   */
  readonly sendReasoningAs?: 'reasoning_content' | 'reasoning' | undefined;
}

const DEFAULT_BASE_URL = 'https://api.openai.com/v1';

const RULES: WireRules = {
  factory: 'openai',
  providerId: 'openai-chat',
  defaultBaseURL: DEFAULT_BASE_URL,
  path: '/chat/completions',
  droppedSuffixes: ['/chat/completions'],
  vendorKey: { vendor: 'OpenAI', variable: 'OPENAI_API_KEY' },
  needsKey: true,
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
  ownOptions: ['imageResults', 'sendReasoningAs'],
  reservedFields: ['messages', 'stream', 'n'],
};

/**
 * A model behind the Chat Completions wire: OpenAI, or any compatible server by its `baseURL` (vLLM, llama.cpp, LM Studio,
 * Ollama, OpenRouter, Groq, DeepSeek, Mistral, Gemini, LiteLLM, Azure). The key of the environment (`OPENAI_API_KEY`) is used
 * for OpenAI's own server only.
 * @throws OilcanError `invalid-option`
 * @example
 * const provider = openai({ model: 'qwen3', baseURL: 'http://127.0.0.1:11434/v1' });
 */
export function openai(input: OpenAIOptions | string): Provider {
  const options: OpenAIOptions = toOptions(input);
  const { server, headers, transport } = httpSetup(options, RULES);
  const { model, stream = true, body = {}, maxOutputTokens, temperature, imageResults = true, clock } = options;
  const isOpenAI = server.origin === 'https://api.openai.com';
  // Reasoning and signatures of one server mean nothing to another, though both speak this wire.
  const issuer = isOpenAI ? RULES.providerId : `${RULES.providerId}@${server.host}`;
  const known = dialectOf(server.host, model, { thoughtsIn: options.sendReasoningAs });
  const memory = new DialectMemory(known, issuer);
  const bodyOptions = { model, stream, body, maxOutputTokens, temperature, imageResults, issuer };
  const written = { ...bodyOptions, hidesToolsForNone: !isOpenAI };
  const bodies = new RequestBodies(chatWriter(written, memory));
  return httpProvider({
    server,
    headers,
    transport,
    clock,
    maxReplyBytes: options.maxReplyBytes,
    capabilities: { toolChoice: ['auto', 'required', 'none', 'tool'], parallelToolCalls: true, imageResults },
    makeAssembler: (sink) => new ChatAssembler(sink, issuer),
    body: (request) => bodies.build(request, memory.versionFor(request.messages)),
    memory,
    fields: (request) => chatFields(request, written, memory.dialect),
  });
}
