import { environmentVariable } from '../../core/host.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Provider } from '../../core/provider.ts';
import { httpProvider } from '../http-provider.ts';
import { httpSetup, toOptions } from '../http-options.ts';
import type { HttpProviderOptions, WireRules } from '../http-options.ts';
import { lineFraming } from '../ndjson.ts';
import { DialectMemory } from '../dialect/memory.ts';
import { dialectOf } from '../dialect/vendors.ts';
import { RequestBodies } from '../request-body.ts';
import { OllamaAssembler } from './assembler.ts';
import { OLLAMA_BASE_URL, ollamaBaseURL } from './host.ts';
import { ollamaFields, ollamaWriter } from './request.ts';

/** Options of {@link ollama}. */
export interface OllamaOptions extends HttpProviderOptions {
  /** The model's own options: `num_ctx`, `top_p`, `seed`, ... */
  readonly options?: JsonObject | undefined;
  /** How images of tool results are sent: by a user message behind the results, or (false) as a note that there was one. @defaultValue true */
  readonly imageResults?: boolean | undefined;
}

const RULES: WireRules = {
  factory: 'ollama',
  providerId: 'ollama',
  defaultBaseURL: OLLAMA_BASE_URL,
  path: '/api/chat',
  droppedSuffixes: ['/api/chat', '/api', '/v1'],
  vendorKey: undefined,
  needsKey: false,
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
  ownOptions: ['options', 'imageResults'],
  reservedFields: ['messages', 'stream', 'tools'],
};

/**
 * A model of a local Ollama by its own wire. Where it runs is `baseURL`, else the environment variable `OLLAMA_HOST`, else
 * port 11434 of this machine. The wire can't require a call or forbid several: see `capabilities`.
 * @throws OilcanError `invalid-option`
 * @example
 * const provider = ollama({ model: 'qwen3:8b', options: { num_ctx: 16384 } });
 */
export function ollama(input: OllamaOptions | string): Provider {
  const given: OllamaOptions = toOptions(input);
  const options: OllamaOptions = {
    ...given,
    baseURL: given.baseURL ?? ollamaBaseURL(environmentVariable('OLLAMA_HOST')),
  };
  const { server, headers, transport } = httpSetup(options, RULES);
  const imageResults = options.imageResults ?? true;
  const memory = new DialectMemory(dialectOf(server.host, options.model), RULES.providerId);
  const written = {
    model: options.model,
    stream: options.stream ?? true,
    body: options.body ?? {},
    options: {
      ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
      ...(options.maxOutputTokens === undefined ? {} : { num_predict: options.maxOutputTokens }),
      ...options.options,
    },
    imageResults,
    issuer: RULES.providerId,
  };
  const bodies = new RequestBodies(ollamaWriter(written, memory));
  return httpProvider({
    server,
    headers,
    transport,
    clock: options.clock,
    maxReplyBytes: options.maxReplyBytes,
    framing: lineFraming,
    capabilities: { toolChoice: ['auto', 'none'], parallelToolCalls: false, imageResults },
    makeAssembler: (sink) => new OllamaAssembler(sink, RULES.providerId),
    body: (request) => bodies.build(request, memory.versionFor(request.messages)),
    memory,
    fields: () => ollamaFields(written),
  });
}
