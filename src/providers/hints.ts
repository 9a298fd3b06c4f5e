import type { FailureKind } from '../core/failure.ts';
import { isOllama } from './server.ts';
import type { Server } from './server.ts';

/** What is known beside the kind. */
interface HintContext {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

/** What whoever runs the agent can do about a failure of a model's server, as a sentence. */
export function hintFor(server: Server, kind: FailureKind, context: HintContext): string | undefined {
  switch (kind) {
    case 'network':
      return networkHint(server, context.code);
    case 'unauthorized':
      return unauthorizedHint(server, context.status);
    case 'not-found':
      return notFoundHint(server, context.message ?? '');
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
      return /does not support tools/i.test(context.message ?? '')
        ? `Take a model that can call tools; ${server.model} can't.`
        : undefined;
    default:
      return undefined;
  }
}

function networkHint(server: Server, code: string | undefined): string | undefined {
  if (code === 'ECONNREFUSED') {
    return isOllama(server)
      ? 'Is Ollama running? Start it with: ollama serve'
      : `Is the server running at ${server.origin}?`;
  }
  if (code === 'ENOTFOUND' || code === 'ERR_INVALID_URL') return `Check the host in \`baseURL\` (${server.origin}).`;
  if (code === 'EPROTO') return 'Does the server speak plain http? Then `baseURL` must begin with http://.';
  if (code !== undefined && /CERT|SELF_SIGNED|LEAF_SIGNATURE/.test(code)) {
    return 'The certificate is not trusted. For an authority of your own set NODE_EXTRA_CA_CERTS.';
  }
  return undefined;
}

function unauthorizedHint(server: Server, status: number | undefined): string {
  if (status === 403) return `The key may not use ${server.model} here: look at the permissions of its project.`;
  const variable = server.keyVariable;
  return variable === undefined ? 'Check `apiKey`.' : `Check \`apiKey\`, or the environment variable ${variable}.`;
}

function notFoundHint(server: Server, message: string): string {
  // Servers name the missing model; a missing path is "404 page not found", "File Not Found", "Unknown request URL".
  if (/\bmodel\b/i.test(message)) {
    return isOllama(server)
      ? `Get the model with: ollama pull ${server.model}`
      : `Does the server offer the model ${server.model}? Its list is at /models.`;
  }
  return `The request went to ${server.url}: check \`baseURL\` (for most compatible servers it ends in /v1).`;
}
