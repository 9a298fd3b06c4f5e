import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers what tools ask a model server beside the chat itself: which models there are, and whether it lives. */
export function answerSideRoute(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  models: readonly string[],
): boolean {
  const body = request.method === 'GET' ? sideBody(path, models) : undefined;
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
