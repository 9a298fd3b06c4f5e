import type { Provider } from '../../core/provider.ts';
import { httpProvider } from '../http-provider.ts';
import { httpSetup, toOptions } from '../http-options.ts';
import type { HttpProviderOptions, WireRules } from '../http-options.ts';
import { DialectMemory } from '../dialect/memory.ts';
import { dialectOf } from '../dialect/vendors.ts';
import { RequestBodies } from '../request-body.ts';
import { ResponsesAssembler } from './assembler.ts';
import { responsesFields, responsesWriter } from './request.ts';

/** Options of {@link openaiResponses}. */
export type OpenAIResponsesOptions = HttpProviderOptions;

const RULES: WireRules = {
  factory: 'openaiResponses',
  providerId: 'openai-responses',
  defaultBaseURL: 'https://api.openai.com/v1',
  path: '/responses',
  droppedSuffixes: ['/responses'],
  vendorKey: { vendor: 'OpenAI', variable: 'OPENAI_API_KEY' },
  needsKey: true,
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
  ownOptions: [],
  reservedFields: ['input', 'stream', 'previous_response_id', 'conversation'],
};

/**
 * A model behind OpenAI's Responses wire, or a server that speaks it, by its `baseURL`. Nothing is stored at the server; reasoning comes
 * sealed and is sent back. The key of the environment (`OPENAI_API_KEY`) is used for OpenAI's own server only.
 * @throws OilcanError `invalid-option`
 * @example
 * const provider = openaiResponses('gpt-5.1');
 */
export function openaiResponses(input: OpenAIResponsesOptions | string): Provider {
  const options: OpenAIResponsesOptions = toOptions(input);
  const { server, headers, transport } = httpSetup(options, RULES);
  const issuer = server.keyVariable === undefined ? `${RULES.providerId}@${server.host}` : RULES.providerId;
  const memory = new DialectMemory(dialectOf(server.host, options.model), issuer);
  const written = {
    model: options.model,
    stream: options.stream ?? true,
    body: options.body ?? {},
    maxOutputTokens: options.maxOutputTokens,
    temperature: options.temperature,
    issuer,
  };
  const bodies = new RequestBodies(responsesWriter(written, memory));
  return httpProvider({
    server,
    headers,
    transport,
    clock: options.clock,
    maxReplyBytes: options.maxReplyBytes,
    capabilities: { toolChoice: ['auto', 'required', 'none', 'tool'], parallelToolCalls: true, imageResults: true },
    makeAssembler: (sink) => new ResponsesAssembler(sink, issuer),
    body: (request) => bodies.build(request, memory.versionFor(request.messages)),
    memory,
    fields: (request) => responsesFields(request, written),
  });
}
