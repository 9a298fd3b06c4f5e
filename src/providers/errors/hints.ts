import type { FailureKind } from '../../core/failure.ts';
import type { Overflow } from './context-overflow.ts';
import { keyHint } from './key-fault.ts';
import { isOllama } from '../server.ts';
import type { Server } from '../server.ts';
import type { VendorError } from './vendor-error.ts';

/** True for the codes of a certificate that can't be trusted (OpenSSL's and Node's). */
export function isCertificateCode(code: string): boolean {
  return /CERT|LEAF_SIGNATURE/.test(code);
}

const PLAIN_ANSWER_CODES: ReadonlySet<string> = new Set([
  'EPROTO',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
]);

/** True for the codes of a server that answers something else than TLS (Node's own connections and its `fetch`). */
export function isPlainAnswerCode(code: string): boolean {
  return PLAIN_ANSWER_CODES.has(code);
}

/** What whoever runs the agent can do about a connection that failed, as a sentence. */
export function connectionHint(server: Server, code: string): string | undefined {
  if (isPlainAnswerCode(code)) return 'Does the server speak plain http? Then `baseURL` must begin with http://.';
  switch (code) {
    case 'ECONNREFUSED':
      return isOllama(server)
        ? 'Is Ollama running? Start it with: ollama serve'
        : `Is the server running at ${server.origin}?`;
    case 'ENOTFOUND':
    case 'ERR_INVALID_URL':
      return `Check the host in \`baseURL\` (${server.origin}).`;
    default:
      return isCertificateCode(code)
        ? 'The certificate is not trusted. For an authority of your own set NODE_EXTRA_CA_CERTS.'
        : undefined;
  }
}

/** What can be done about an error that a server told, by its kind, its status and the server's own words. */
export function answerHint(
  server: Server,
  kind: FailureKind,
  status: number | undefined,
  error: VendorError,
  overflow: Overflow | undefined,
): string | undefined {
  switch (kind) {
    case 'unauthorized':
      return status === 403 && server.keyFault === undefined
        ? `The key may not use ${server.model} here: look at the permissions of its project.`
        : keyHint(server);
    case 'not-found':
      // Servers name the missing model; a missing path is "404 page not found", "File Not Found", "Unknown request URL".
      if (!/\bmodel\b/i.test(error.message)) return addressHint(server);
      return isOllama(server)
        ? `Get the model with: ollama pull ${server.model}`
        : `Does the server offer the model ${server.model}? Its list is at /models.`;
    case 'context-overflow':
      return overflowHint(server, error, overflow);
    case 'too-large':
      return 'Lower `maxOutputChars` of the tools, or send fewer or smaller images.';
    case 'quota-exhausted':
      return 'Look at the plan and the billing of the account. A `fallback` provider can take over.';
    case 'refused':
      return "The server's content filter refused the conversation; asking again gives the same.";
    case 'bad-request':
      return /does not support tools/i.test(error.message)
        ? `Take a model that can call tools; ${server.model} can't.`
        : undefined;
    default:
      return undefined;
  }
}

/** The wires that few servers speak. */
const RARE_WIRES: Readonly<Record<string, string>> = {
  anthropic: "Anthropic's own wire",
  ollama: "Ollama's own wire",
  'openai-responses': "OpenAI's Responses wire",
};

/** What may be wrong with an address at which nothing is. */
function addressHint({ providerId, url, keyVariable }: Server): string {
  // A query may hold a key.
  const asked = `The request went to ${url.replace(/\?.*/, '')}`;
  const wire = RARE_WIRES[providerId];
  // The vendor itself speaks it.
  if (wire === undefined || keyVariable !== undefined)
    return `${asked}: check \`baseURL\` (for most compatible servers it ends in /v1).`;
  return `${asked}: does this server speak ${wire}? Most servers speak Chat: \`openai({ baseURL: '…/v1' })\`.`;
}

function overflowHint(server: Server, { words }: VendorError, overflow: Overflow | undefined): string {
  const option = contextOption(server, words, largerContext(overflow));
  return option === undefined
    ? 'Shorten the conversation (`compact`), send fewer tools, lower `maxOutputChars` of the tools, or take a model with a larger context.'
    : `Give the model a larger context (${option}), shorten the conversation (\`compact\`), or send fewer tools.`;
}

/** How a server of one's own gets a larger context. Only Ollama's own wire can ask for it. */
function contextOption(server: Server, words: readonly string[], tokens: number): string | undefined {
  if (isOllama(server)) {
    const command = `start the server with OLLAMA_CONTEXT_LENGTH=${tokens} ollama serve`;
    return server.providerId === 'ollama' ? `\`options: { num_ctx: ${tokens} }\`, or ${command}` : command;
  }
  // llama.cpp's own type.
  return words.includes('exceed_context_size_error') ? `llama-server -c ${tokens}` : undefined;
}

/** Chosen: more than a server of one's own holds in memory. */
const MAX_CONTEXT = 1_048_576;

/** Chosen: 16,384 tokens hold some turns with tools. Doubled until it is more than there is and more than was needed. */
function largerContext(overflow: Overflow | undefined): number {
  const known = Math.max(overflow?.needed ?? 0, overflow?.limit ?? 0);
  let tokens = 16_384;
  while (tokens <= known && tokens < MAX_CONTEXT) tokens *= 2;
  return tokens;
}
