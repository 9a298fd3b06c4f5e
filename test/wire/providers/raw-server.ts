import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A server whose every answer is written by hand. */
export interface RawServer extends AsyncDisposable {
  readonly origin: string;
  readonly bodies: readonly string[];
  readonly headers: readonly IncomingMessage['headers'][];
  /** Connections opened so far. */
  readonly connections: number;
  /** Answers that the client left before their end. */
  readonly left: number;
}

/** Starts one. `answer` is called once the request has come whole, with its place in the order. */
export async function startRawServer(
  answer: (response: ServerResponse, index: number, socket: Socket) => void,
): Promise<RawServer> {
  const bodies: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let left = 0;
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', () => {});
    response.on('close', () => {
      if (!response.writableFinished) left++;
    });
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks).toString());
      headers.push(request.headers);
      answer(response, bodies.length - 1, request.socket);
    });
  });
  server.on('connection', (socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    headers,
    get connections() {
      return connections;
    },
    get left() {
      return left;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
