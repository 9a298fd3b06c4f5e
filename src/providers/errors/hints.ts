import type { Advice, AdviceCode } from '../../core/advice.ts';
import type { FailureKind } from '../../core/failure.ts';
import { isOllama } from '../server.ts';
import type { Server } from '../server.ts';
import type { Overflow } from './context-overflow.ts';
import { keyAdvice } from './key-fault.ts';
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

/** What whoever runs the agent can do about a connection that failed. */
export function connectionAdvice(server: Server, code: string): Advice | undefined {
  if (isPlainAnswerCode(code)) return { code: 'use-http' };
  switch (code) {
    case 'ECONNREFUSED':
      return { code: isOllama(server) ? 'start-ollama' : 'start-server', origin: server.origin };
    case 'ENOTFOUND':
    case 'ERR_INVALID_URL':
      return { code: 'check-host', origin: server.origin };
    default:
      return isCertificateCode(code) ? { code: 'trust-certificate' } : undefined;
  }
}

/** What can be done about an error that a server told, by its kind, its status and the server's own words. */
export function answerAdvice(
  server: Server,
  kind: FailureKind,
  status: number | undefined,
  error: VendorError,
  overflow: Overflow | undefined,
): Advice | undefined {
  const { model } = server;
  switch (kind) {
    case 'unauthorized':
      return status === 403 && server.keyFault === undefined ? { code: 'check-permissions', model } : keyAdvice(server);
    case 'not-found':
      // Servers name the missing model; a missing path is "404 page not found", "File Not Found", "Unknown request URL".
      if (!/\bmodel\b/i.test(error.message)) return addressAdvice(server);
      return { code: isOllama(server) ? 'pull-model' : 'check-model', model };
    case 'context-overflow':
      return overflowAdvice(server, error, overflow);
    case 'too-large':
      return { code: 'send-less' };
    case 'quota-exhausted':
      return { code: 'check-billing' };
    case 'refused':
      return { code: 'rephrase' };
    case 'bad-request':
      return /does not support tools|support tool use/i.test(error.message)
        ? { code: 'take-model-with-tools', model }
        : undefined;
    default:
      return undefined;
  }
}

/** What may be wrong with an address at which nothing is. */
function addressAdvice({ providerId, url, keyVariable }: Server): Advice {
  // A query may hold a key.
  const asked = url.replace(/\?.*/, '');
  // Few servers speak the other wires, but their own vendors do.
  return providerId === 'openai-chat' || keyVariable !== undefined
    ? { code: 'check-address', url: asked }
    : { code: 'check-wire', url: asked, wire: providerId };
}

function overflowAdvice(server: Server, { words }: VendorError, overflow: Overflow | undefined): Advice {
  const option = contextOption(server, words, largerContext(overflow));
  return option === undefined ? { code: 'shorten' } : { code: 'enlarge-context', option };
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

/** The wires by name, and the functions that make a provider of each. */
const WIRES: Readonly<Record<string, readonly [name: string, factory: string]>> = {
  'openai-chat': ["OpenAI's Chat wire", 'openai'],
  'openai-responses': ["OpenAI's Responses wire", 'openaiResponses'],
  anthropic: ["Anthropic's own wire", 'anthropic'],
  ollama: ["Ollama's own wire", 'ollama'],
};

/** The name of a wire, for sentences. */
export function wireName(wire: string | undefined): string {
  return WIRES[wire ?? '']?.[0] ?? 'its wire';
}

function check({ variable }: Advice): string {
  return `Check \`apiKey\`${variable === undefined ? '' : `, or the environment variable ${variable}`}`;
}

/** What the library says to whoever writes the program. */
const SENTENCES: Readonly<Record<AdviceCode, (advice: Advice) => string>> = {
  'start-ollama': () => 'Is Ollama running? Start it with: ollama serve',
  'start-server': ({ origin }) => `Is the server running at ${origin}?`,
  'check-host': ({ origin }) => `Check the host in \`baseURL\` (${origin}).`,
  'use-http': () => 'Does the server speak plain http? Then `baseURL` must begin with http://.',
  'trust-certificate': () => 'The certificate is not trusted. For an authority of your own set NODE_EXTRA_CA_CERTS.',
  'follow-redirect': () =>
    'Redirects are not followed, since they would lose the request. Set `baseURL` to the new address.',
  'check-key': (advice) => `${check(advice)}.`,
  'drop-bearer': (advice) => `${check(advice)}: the key has to stand there without "Bearer" before it.`,
  'drop-quotes': (advice) => `${check(advice)}: the key has to stand there without quotes around it.`,
  'pass-key': () => 'No key was sent: pass `apiKey`.',
  'pass-kept-key': ({ variable, vendor }) => `No key was sent. ${variable} goes to ${vendor} only: pass \`apiKey\`.`,
  'check-permissions': ({ model }) => `The key may not use ${model} here: look at the permissions of its project.`,
  'pull-model': ({ model }) => `Get the model with: ollama pull ${model}`,
  'check-model': ({ model }) => `Does the server offer the model ${model}? Its list is at /models.`,
  'take-model-with-tools': ({ model }) => `Take a model that can call tools; ${model} can't.`,
  'check-address': ({ url }) =>
    `The request went to ${url}: check \`baseURL\` (for most compatible servers it ends in /v1).`,
  'check-wire': ({ url, wire }) =>
    `The request went to ${url}: does this server speak ${wireName(wire)}? Most servers speak Chat: \`openai({ baseURL: '…/v1' })\`.`,
  'take-wire': ({ wire = '' }) => `The reply is one of ${wireName(wire)}: \`${WIRES[wire]?.[1]}({ baseURL: '…' })\`.`,
  shorten: () =>
    'Shorten the conversation (`compact`), send fewer tools, lower `maxOutputChars` of the tools, or take a model with a larger context.',
  'enlarge-context': ({ option }) =>
    `Give the model a larger context (${option}), shorten the conversation (\`compact\`), or send fewer tools.`,
  'send-less': () => 'Lower `maxOutputChars` of the tools, or send fewer or smaller images.',
  'check-billing': () => 'Look at the plan and the billing of the account. A `fallback` provider can take over.',
  rephrase: () => "The server's content filter refused the conversation; asking again gives the same.",
};

/** An advice in the words of the library, with its data beside it. */
export function hinted(advice: Advice | undefined): { readonly hint?: string; readonly advice?: Advice } {
  return advice === undefined ? {} : { hint: SENTENCES[advice.code](advice), advice };
}
