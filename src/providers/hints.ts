import type { FailureKind } from '../core/failure.ts';
import { isOllama } from './server.ts';
import type { Server } from './server.ts';

/** True for the codes of a certificate that can't be trusted (OpenSSL's and Node's). */
export function isCertificateCode(code: string): boolean {
  return /CERT|LEAF_SIGNATURE/.test(code);
}

/** What whoever runs the agent can do about a connection that failed, as a sentence. */
export function connectionHint(server: Server, code: string): string | undefined {
  switch (code) {
    case 'ECONNREFUSED':
      return isOllama(server)
        ? 'Is Ollama running? Start it with: ollama serve'
        : `Is the server running at ${server.origin}?`;
    case 'ENOTFOUND':
    case 'ERR_INVALID_URL':
      return `Check the host in \`baseURL\` (${server.origin}).`;
    case 'EPROTO':
      return 'Does the server speak plain http? Then `baseURL` must begin with http://.';
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
  message: string,
): string | undefined {
  switch (kind) {
    case 'unauthorized':
      if (status === 403) return `The key may not use ${server.model} here: look at the permissions of its project.`;
      return server.keyVariable === undefined
        ? 'Check `apiKey`.'
        : `Check \`apiKey\`, or the environment variable ${server.keyVariable}.`;
    case 'not-found':
      // Servers name the missing model; a missing path is "404 page not found", "File Not Found", "Unknown request URL".
      if (!/\bmodel\b/i.test(message))
        return `The request went to ${server.url}: check \`baseURL\` (for most compatible servers it ends in /v1).`;
      return isOllama(server)
        ? `Get the model with: ollama pull ${server.model}`
        : `Does the server offer the model ${server.model}? Its list is at /models.`;
    case 'context-overflow':
      return isOllama(server)
        ? 'Shorten the conversation (`compact`), or give the model a larger context: `options: { num_ctx: 16384 }`.'
        : 'Shorten the conversation (`compact`), lower `maxOutputChars` of the tools, or take a model with a larger context.';
    case 'too-large':
      return 'Lower `maxOutputChars` of the tools, or send fewer or smaller images.';
    case 'quota-exhausted':
      return 'Look at the plan and the billing of the account. A `fallback` provider can take over.';
    case 'refused':
      return "The server's content filter refused the conversation; asking again gives the same.";
    case 'bad-request':
      return /does not support tools/i.test(message)
        ? `Take a model that can call tools; ${server.model} can't.`
        : undefined;
    default:
      return undefined;
  }
}
