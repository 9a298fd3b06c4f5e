import type { Provider } from '../../core/provider.ts';
import { httpProvider } from '../http-provider.ts';
import { httpSetup, toOptions } from '../http-options.ts';
import type { HttpProviderOptions, WireRules } from '../http-options.ts';
import { DialectMemory } from '../dialect/memory.ts';
import { dialectOf } from '../dialect/vendors.ts';
import { RequestBodies } from '../request-body.ts';
import { MessagesAssembler } from './assembler.ts';
import { messagesFields, messagesWriter } from './request.ts';

/** Options of {@link anthropic}. */
export interface AnthropicOptions extends HttpProviderOptions {
  /** Longest reply, in tokens: the wire always asks for one. @defaultValue 8192 */
  readonly maxOutputTokens?: number | undefined;
  /** Asks the server to keep the conversation in its cache from turn to turn. @defaultValue false */
  readonly promptCaching?: boolean | undefined;
}

const RULES: WireRules = {
  factory: 'anthropic',
  providerId: 'anthropic',
  defaultBaseURL: 'https://api.anthropic.com',
  path: '/v1/messages',
  droppedSuffixes: ['/messages', '/v1'],
  vendorKey: { vendor: 'Anthropic', variable: 'ANTHROPIC_API_KEY' },
  needsKey: true,
  // The date names the version of the wire (https://docs.anthropic.com/en/api/versioning).
  keyHeaders: (key) => ({ 'x-api-key': key }),
  ownOptions: ['promptCaching'],
  reservedFields: ['messages', 'stream'],
};

/** https://docs.anthropic.com/en/api/versioning: the only version in use. */
const WIRE_VERSION = '2023-06-01';

/** Chosen: long enough for any call, and every model of the vendor allows it. */
const DEFAULT_MAX_OUTPUT_TOKENS = 8192;

/**
 * A Claude model behind the Messages wire, or any server that speaks it, by its `baseURL`. The key of the environment
 * (`ANTHROPIC_API_KEY`) is used for Anthropic's own server only.
 * @throws OilcanError `invalid-option`
 * @example
 * const provider = anthropic('claude-sonnet-4-5');
 */
export function anthropic(input: AnthropicOptions | string): Provider {
  const options: AnthropicOptions = toOptions(input);
  const setup = httpSetup(options, RULES);
  const { server } = setup;
  const issuer = server.origin === RULES.defaultBaseURL ? RULES.providerId : `${RULES.providerId}@${server.host}`;
  const memory = new DialectMemory(dialectOf(server.host, options.model), issuer);
  const written = {
    model: options.model,
    stream: options.stream ?? true,
    body: options.body ?? {},
    maxOutputTokens: options.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS,
    temperature: options.temperature,
    promptCaching: options.promptCaching ?? false,
    issuer,
  };
  const bodies = new RequestBodies(messagesWriter(written, memory));
  return httpProvider({
    server,
    headers: { 'anthropic-version': WIRE_VERSION, ...setup.headers },
    transport: setup.transport,
    clock: options.clock,
    maxReplyBytes: options.maxReplyBytes,
    capabilities: { toolChoice: ['auto', 'required', 'none', 'tool'], parallelToolCalls: true, imageResults: true },
    makeAssembler: (sink) => new MessagesAssembler(sink, issuer),
    body: (request) => bodies.build(request, memory.versionFor(request.messages)),
    memory,
    fields: (request) => messagesFields(request, written),
  });
}
