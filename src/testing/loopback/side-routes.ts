import type { IncomingMessage, ServerResponse } from 'node:http';

/** What side routes can be answered from. */
export interface SideFacts {
  readonly models: readonly string[];
  /** Whole replies of the Responses wire, by their ids. */
  readonly responses: ReadonlyMap<string, object>;
}

/**
 * Answers what clients ask a model server beside the chat itself: which models there are, whether it lives, a response that it gave,
 * and how many tokens a request has (Anthropic; a quarter of its bytes).
 */
export function answerSideRoute(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  bytes: number,
  { models, responses }: SideFacts,
): boolean {
  const body =
    request.method === 'GET'
      ? (sideBody(path, models) ?? responses.get(/\/responses\/([^/]+)$/.exec(path)?.[1] ?? ''))
      : request.method === 'POST' && path.endsWith('/messages/count_tokens')
        ? { input_tokens: Math.ceil(bytes / 4) }
        : undefined;
  if (body === undefined) return false;
  if (typeof body === 'string') {
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(body);
  } else {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
  return true;
}

function sideBody(path: string, models: readonly string[]): string | object | undefined {
  switch (path) {
    case '/':
      return 'Ollama is running';
    case '/api/version':
      return { version: '0.17.4' };
    case '/api/tags':
      return { models: models.map((name) => ({ name, model: name, size: 0, details: { family: 'loopback' } })) };
    case '/v1/models':
    case '/models':
      return {
        object: 'list',
        data: models.map((id) => ({ id, object: 'model', owned_by: 'loopback', type: 'model' })),
      };
    default:
      return undefined;
  }
}
