import type { Provider } from '../../core/provider.ts';
import { httpProvider } from '../http-provider.ts';
import { httpSetup, toOptions } from '../http-options.ts';
import type { HttpProviderOptions, WireRules } from '../http-options.ts';
import { RefusedReasoning } from '../refused-reasoning.ts';
import { RequestBodies } from '../request-body.ts';
import { namesField } from '../errors/unknown-field.ts';
import type { VendorError } from '../errors/vendor-error.ts';
import { ResponsesAssembler } from './assembler.ts';
import { responsesWriter } from './request.ts';
import type { ResponsesDialect } from './request.ts';

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
  const dialect: ResponsesDialect = { hasEncryptedReasoning: true, hasParallelToolCalls: true };
  const refused = new RefusedReasoning(issuer);
  /** Of the conversation that is being written. */
  let sentFrom = 0;
  let version = 0;
  const writer = responsesWriter(
    {
      model: options.model,
      stream: options.stream ?? true,
      body: options.body ?? {},
      maxOutputTokens: options.maxOutputTokens,
      temperature: options.temperature,
      issuer,
    },
    dialect,
    (index) => index >= sentFrom,
  );
  const bodies = new RequestBodies(writer);
  return httpProvider({
    server,
    headers,
    transport,
    clock: options.clock,
    capabilities: { toolChoice: ['auto', 'required', 'none', 'tool'], parallelToolCalls: true, imageResults: true },
    makeAssembler: (sink) => new ResponsesAssembler(sink, issuer),
    body: (request) => {
      sentFrom = refused.sentFrom(request.messages);
      return bodies.build(request, `${version}/${sentFrom}`);
    },
    adapt: (error, { messages, tools, parallelToolCalls }) => {
      if (isRefusedReasoning(error) && refused.note(messages)) return true;
      const isAdapted = adapt(dialect, error, tools.length > 0 && parallelToolCalls !== undefined);
      if (isAdapted) version++;
      return isAdapted;
    },
  });
}

/** "The encrypted content ... could not be verified", "Item 'rs_...' not found", "reasoning was provided without its required following item". */
function isRefusedReasoning({ message, words }: VendorError): boolean {
  return (
    words.includes('invalid_encrypted_content') ||
    /encrypted content.{0,120}(?:verified|decrypted)|'rs_|of type 'reasoning'/i.test(message)
  );
}

/** Leaves out what the server does not know. */
function adapt(dialect: ResponsesDialect, error: VendorError, hasSentParallel: boolean): boolean {
  // "Encrypted content is not supported with this model."
  if (dialect.hasEncryptedReasoning && (namesField(error, 'include') || /encrypted.content/i.test(error.message))) {
    dialect.hasEncryptedReasoning = false;
    return true;
  }
  if (hasSentParallel && dialect.hasParallelToolCalls && namesField(error, 'parallel_tool_calls')) {
    dialect.hasParallelToolCalls = false;
    return true;
  }
  return false;
}
