import type * as Http from 'node:http';
import type * as Https from 'node:https';
import type { Socket } from 'node:net';
import type * as Zlib from 'node:zlib';

import { inflate, isCompressed } from './content-encoding.ts';
import type { Exchange, Transport, TransportError, TransportListener, TransportRequest } from './transport.ts';

/** The modules are asked for at the first request, so that importing the library stays cheap and bundles for other hosts work. */
interface NodeModules {
  readonly http: typeof Http;
  readonly https: typeof Https;
  readonly zlib: () => typeof Zlib;
  readonly httpAgent: Http.Agent;
  readonly httpsAgent: Https.Agent;
}

/** Chosen: long enough for the pauses of a run, shorter than the 60 s after which common proxies close an idle connection. */
const IDLE_SOCKET_MS = 30_000;

let modules: NodeModules | undefined;

/** True where Node's own modules can be had without an import. */
export function hasNodeModules(): boolean {
  return typeof globalThis.process?.getBuiltinModule === 'function';
}

/**
 * Requests over `node:http` and `node:https`: half the CPU time of `fetch`, and no limit of 300 s on the wait for the headers.
 * Connections are kept alive and shared by the whole process; deadlines belong to the caller.
 */
export const nodeTransport: Transport = (request, listener) => new NodeExchange(request, listener);

class NodeExchange implements Exchange {
  readonly #listener: TransportListener;
  readonly #request: Http.ClientRequest | undefined;
  #target: Target | undefined;
  #response: Http.IncomingMessage | undefined;
  /** Pieces of the body that came and are not told yet. */
  #pieces: Uint8Array[] | undefined;
  #isOver = false;

  constructor(request: TransportRequest, listener: TransportListener) {
    this.#listener = listener;
    try {
      this.#request = this.#send(request);
    } catch (error) {
      // Thrown for a header or an address that can't be sent. Told later, as every other failure is.
      queueMicrotask(() => this.#fail(error));
    }
  }

  pause(): void {
    this.#response?.pause();
  }

  resume(): void {
    this.#response?.resume();
  }

  abort(): void {
    // After a proper end the connection belongs to the agent again.
    if (this.#isOver) return;
    this.#isOver = true;
    this.#request?.destroy();
  }

  #send(request: TransportRequest): Http.ClientRequest {
    const node = (modules ??= loadModules());
    const target = (this.#target = targetOf(request.url, node));
    // Not by spreading: to add to what was spread takes Node 20 a microsecond for each field.
    const headers = Object.assign({}, request.headers, {
      'accept-encoding': 'gzip, br, deflate',
      'content-length': request.body.byteLength,
    });
    const sent = target.send({ ...target.options, headers, agent: agentOf(target) });
    // The listener stays for the life of the request: an aborted one still emits an error, and nobody may crash by it.
    sent.on('error', (error) => this.#fail(error));
    sent.on('response', (response) => this.#hear(response, node));
    sent.end(request.body);
    return sent;
  }

  #hear(response: Http.IncomingMessage, node: NodeModules): void {
    this.#response = response;
    response.on('error', (error) => this.#fail(error));
    if (this.#isOver) return;
    const { headers } = response;
    this.#listener.onHead(response.statusCode ?? 0, (name) => {
      const value = headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    });
    const encoding = headers['content-encoding'];
    if (encoding === undefined || !isCompressed(encoding)) {
      response.on('data', (bytes: Uint8Array) => this.#collect(bytes));
      response.on('end', () => this.#end());
    } else {
      inflate(response, encoding, node.zlib(), {
        onChunk: (bytes) => {
          if (!this.#isOver) this.#listener.onChunk(bytes);
        },
        onEnd: () => this.#end(),
        onError: (error) => this.#fail(error),
      });
    }
  }

  /**
   * Most servers send each event as a chunk of its own, and Node hands on one by one what dozens of them came in one read of the
   * socket. They are told together when the read is over: that halves what an event costs on its way.
   */
  #collect(bytes: Uint8Array): void {
    if (this.#pieces !== undefined) this.#pieces.push(bytes);
    else if (!this.#isOver) {
      this.#pieces = [bytes];
      queueMicrotask(() => this.#tell());
    }
  }

  #tell(): void {
    const pieces = this.#pieces;
    this.#pieces = undefined;
    const [first] = pieces ?? [];
    if (pieces === undefined || first === undefined || this.#isOver) return;
    this.#listener.onChunk(pieces.length === 1 ? first : Buffer.concat(pieces));
  }

  /** Node ends a response only where its length or its last chunk says so: a body that breaks off is an error. */
  #end(): void {
    this.#tell();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.onEnd();
  }

  #fail(error: unknown): void {
    this.#tell();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#request?.destroy();
    const told = describe(error, this.#response === undefined ? 'head' : 'body');
    const isStale = told.phase === 'head' && this.#request?.reusedSocket === true && STALE_CODES.has(told.code);
    if (isStale && this.#target !== undefined) this.#target.freshLeft = FRESH_AFTER_STALE;
    this.#listener.onError(isStale ? { ...told, isStale } : told);
  }
}

/**
 * Chosen: a server that closes its connections (llama.cpp does so after each streamed reply) is not asked over a kept
 * one for a while, so that a run against it loses one attempt and not one in every turn.
 */
const FRESH_AFTER_STALE = 100;

/** `false` is Node's word for a connection of its own that is closed afterwards. */
function agentOf(target: Target): Http.Agent | false | undefined {
  if (target.freshLeft === 0) return target.options.agent as Http.Agent;
  target.freshLeft -= 1;
  return false;
}

/** How a connection fails that the server closed while nobody used it (Node's documentation of `request.reusedSocket`). */
const STALE_CODES: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

function describe(error: unknown, phase: 'head' | 'body'): TransportError {
  const { code, message, errors } = error as {
    code?: unknown;
    message?: unknown;
    errors?: readonly { message?: string }[];
  };
  // An attempt at several addresses of one name fails with an AggregateError that has a code and no text.
  const text = typeof message === 'string' && message !== '' ? message : (errors?.[0]?.message ?? String(error));
  const fallback = phase === 'body' ? 'ABORTED_BODY' : 'UNKNOWN';
  return { code: typeof code === 'string' ? code : fallback, message: text, phase, cause: error };
}

function loadModules(): NodeModules {
  const http = process.getBuiltinModule('node:http');
  const https = process.getBuiltinModule('node:https');
  const options: Http.AgentOptions = {
    keepAlive: true,
    // Latest first: the sockets that a burst has left behind grow idle and are closed.
    scheduling: 'lifo',
    maxSockets: Number.POSITIVE_INFINITY,
    maxFreeSockets: 1024,
  };
  return {
    http,
    https,
    zlib: () => process.getBuiltinModule('node:zlib'),
    httpAgent: withIdleLimit(new http.Agent(options)),
    httpsAgent: withIdleLimit(new https.Agent(options)),
  };
}

/** Closes connections that nobody uses. Node's own `timeout` option would also cut off a model that thinks for long. */
function withIdleLimit<A extends Http.Agent>(agent: A): A {
  const keep = agent.keepSocketAlive.bind(agent);
  const reuse = agent.reuseSocket.bind(agent);
  agent.keepSocketAlive = (socket) => {
    // Documented to give false for a socket that is not kept; the types say void.
    const isKept: unknown = keep(socket);
    if (isKept !== false) (socket as Socket).setTimeout(IDLE_SOCKET_MS);
    return isKept;
  };
  agent.reuseSocket = (socket, request) => {
    (socket as Socket).setTimeout(0);
    reuse(socket, request);
  };
  return agent;
}

/** An address, taken apart once. */
interface Target {
  /** Requests that get a connection of their own, since the server closes the kept ones. */
  freshLeft: number;
  readonly send: (options: Http.RequestOptions) => Http.ClientRequest;
  readonly options: Http.RequestOptions;
}

const targets = new Map<string, Target>();

/** Chosen: a process talks to a handful of addresses; more than this is a test that makes them up. */
const MAX_TARGETS = 256;

function targetOf(address: string, node: NodeModules): Target {
  const known = targets.get(address);
  if (known !== undefined) return known;
  const url = new URL(address);
  const isSecure = url.protocol === 'https:';
  const target: Target = {
    freshLeft: 0,
    send: isSecure ? node.https.request : node.http.request,
    options: {
      method: 'POST',
      headers: undefined,
      protocol: url.protocol,
      // The brackets of an IPv6 address belong to the URL, not to the name.
      hostname: url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname,
      port: url.port,
      path: `${url.pathname}${url.search}`,
      agent: isSecure ? node.httpsAgent : node.httpAgent,
      // Chosen: four times Node's limit; some gateways add long policy headers.
      maxHeaderSize: 65_536,
    },
  };
  if (targets.size >= MAX_TARGETS) targets.clear();
  targets.set(address, target);
  return target;
}
