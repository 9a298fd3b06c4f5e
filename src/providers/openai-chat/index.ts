import type { Provider } from '../../core/provider.ts';
import { httpProvider } from '../http-provider.ts';
import { httpSetup, toOptions } from '../http-options.ts';
import type { HttpProviderOptions, WireRules } from '../http-options.ts';
import { RequestBodies } from '../request-body.ts';
import { isUnknownField, namesField } from '../errors/unknown-field.ts';
import type { VendorError } from '../errors/vendor-error.ts';
import { ChatAssembler } from './assembler.ts';
import { chatWriter } from './request.ts';
import type { ChatDialect } from './request.ts';

/** Options of {@link openai}. */
export interface OpenAIOptions extends HttpProviderOptions {
  /** How images of tool results are sent: by a user message behind the results, or (false) as a note that there was one. @defaultValue true */
  readonly imageResults?: boolean | undefined;
  /** Sends the model's reasoning back in this field, for servers that ask for it (DeepSeek, Kimi). @defaultValue never sent */
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
  const dialect: ChatDialect = {
    hasStreamOptions: true,
    hasParallelToolCalls: true,
    // OpenAI's reasoning models refuse the older name; the imitators know the older one.
    maxTokensField: isOpenAI ? 'max_completion_tokens' : 'max_tokens',
    hasSwappedMaxTokens: false,
  };
  const { sendReasoningAs } = options;
  const bodyOptions = { model, stream, body, maxOutputTokens, temperature, imageResults, sendReasoningAs, issuer };
  const bodies = new RequestBodies(chatWriter({ ...bodyOptions, hidesToolsForNone: !isOpenAI }, dialect));
  let version = 0;
  return httpProvider({
    server,
    headers,
    transport,
    clock,
    capabilities: { toolChoice: ['auto', 'required', 'none', 'tool'], parallelToolCalls: true, imageResults },
    makeAssembler: (sink) => new ChatAssembler(sink, issuer),
    body: (request) => bodies.build(request, version),
    adapt: (error, request) => {
      const parallelToolCalls = request.tools.length > 0 ? request.parallelToolCalls : undefined;
      const isAdapted = adapt(dialect, error, { stream, maxOutputTokens, parallelToolCalls });
      if (isAdapted) version++;
      return isAdapted;
    },
  });
}

/** What was sent and may be unknown to the server. */
interface SentFields {
  readonly stream: boolean;
  readonly maxOutputTokens: number | undefined;
  readonly parallelToolCalls: boolean | undefined;
}

/** Changes the dialect where the error names a field that was sent. */
function adapt(dialect: ChatDialect, error: VendorError, sent: SentFields): boolean {
  if (sent.stream && dialect.hasStreamOptions && namesField(error, 'stream_options')) {
    dialect.hasStreamOptions = false;
    return true;
  }
  if (
    sent.parallelToolCalls !== undefined &&
    dialect.hasParallelToolCalls &&
    namesField(error, 'parallel_tool_calls')
  ) {
    dialect.hasParallelToolCalls = false;
    return true;
  }
  if (sent.maxOutputTokens === undefined || dialect.hasSwappedMaxTokens) return false;
  const field = dialect.maxTokensField;
  // "max_tokens" also stands in errors about its value: only a server that does not know the name gets the other one.
  const other = field === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  if (!namesField(error, field) || !(error.message.includes(other) || isUnknownField(error))) return false;
  dialect.maxTokensField = other;
  dialect.hasSwappedMaxTokens = true;
  return true;
}
