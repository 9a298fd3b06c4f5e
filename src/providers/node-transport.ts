import type * as Http from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

import { ACCEPTED_ENCODINGS, decoderOf } from './content-encoding.ts';
import type { Exchange, Transport, TransportError, TransportListener, TransportRequest } from './transport.ts';

/** Chosen: long enough for the pauses of a run, shorter than the 60 s after which common proxies close an idle connection. */
const IDLE_SOCKET_MS = 30_000;

/** True where Node's own modules can be had without an import. */
export function hasNodeModules(): boolean {
  return typeof globalThis.process?.getBuiltinModule === 'function';
}

/**
 * Requests over `node:http` and `node:https`: half the CPU time of `fetch`, and no limit of 300 s on the wait for the headers.
 * Connections are kept alive and shared by the whole process; deadlines belong to the caller. Throws only where the host
 * lacks something that is used of them: see `isLackOfHost`.
 */
export const nodeTransport: Transport = (request, listener) => new NodeExchange(request, listener);

class NodeExchange implements Exchange {
  readonly #listener: TransportListener;
  readonly #request: Http.ClientRequest | undefined;
  #target: Target | undefined;
  /** Where the bytes are read: the response, or what decodes it. */
  #body: Readable | undefined;
  /** Pieces of the body that came and are not told yet. */
  #pieces: Uint8Array[] | undefined;
  #isOver = false;

  constructor(request: TransportRequest, listener: TransportListener) {
    this.#listener = listener;
    try {
      this.#request = this.#send(request);
    } catch (error) {
      if (isLackOfHost(error)) throw error;
      // Thrown for a header or an address that can't be sent. Told later, as every other failure is.
      queueMicrotask(() => this.#fail(error));
    }
  }

  pause(): void {
    this.#body?.pause();
  }

  resume(): void {
    this.#body?.resume();
  }

  abort(): void {
    // After a proper end the connection belongs to the agent again.
    if (!this.#isOver) this.#free();
  }

  #free(): void {
    this.#isOver = true;
    this.#request?.destroy();
    // A response goes with its request, and what decodes it does not.
    this.#body?.destroy();
  }

  #send(request: TransportRequest): Http.ClientRequest {
    const target = (this.#target = targetOf(request.url));
    // Not by spreading: to add to what was spread takes Node 20 a microsecond for each field.
    const headers = Object.assign({}, request.headers, {
      'accept-encoding': ACCEPTED_ENCODINGS,
      'content-length': request.body.byteLength,
    });
    const sent = target.send({ ...target.options, headers, agent: agentOf(target) });
    // The listener stays for the life of the request: an aborted one still emits an error, and nobody may crash by it.
    sent.on('error', (error) => this.#fail(error));
    sent.on('response', (response) => this.#hear(response));
    // A server that wants to speak another protocol gives no other answer.
    sent.on('upgrade', (response) => this.#refuse(response));
    sent.on('close', () => {
      if (this.#body === undefined) this.#fail(NO_ANSWER);
    });
    sent.end(request.body);
    return sent;
  }

  #hear(response: Http.IncomingMessage): void {
    this.#body = response;
    response.on('error', (error) => this.#fail(error));
    if (this.#isOver) return;
    const { headers } = response;
    this.#listener.onHead(response.statusCode ?? 0, (name) => {
      const value = headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    });
    const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
    if (encoding === '' || encoding === 'identity') this.#read(response);
    else this.#decode(response, encoding);
  }

  #refuse({ statusCode = 101 }: Http.IncomingMessage): void {
    if (this.#isOver) return;
    this.#free();
    this.#listener.onHead(statusCode, () => undefined);
    this.#listener.onEnd();
  }

  #read(body: Readable): void {
    body.on('data', (bytes: Uint8Array) => this.#collect(bytes));
    body.on('end', () => this.#end());
  }

  #decode(response: Http.IncomingMessage, encoding: string): void {
    const endEmpty = (): void => this.#end();
    response.once('end', endEmpty);
    response.once('data', (first: Uint8Array) => {
      const decoder = decoderOf(encoding, first);
      if (decoder === undefined) {
        const message = `The content encoding ${encoding.slice(0, 40)} was not asked for.`;
        return this.#fail(Object.assign(new Error(message), { code: 'UNKNOWN_ENCODING' }));
      }
      response.off('end', endEmpty);
      decoder.on('error', (error) => this.#fail(error));
      decoder.write(first);
      this.#body = response.pipe(decoder);
      this.#read(decoder);
    });
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
    this.#free();
    const told = describe(error, this.#body === undefined ? 'head' : 'body');
    const isStale = told.phase === 'head' && this.#request?.reusedSocket === true && STALE_CODES.has(told.code);
    if (isStale && this.#target !== undefined) this.#target.freshLeft = FRESH_AFTER_STALE;
    this.#listener.onError(isStale ? { ...told, isStale } : told);
  }
}

const NO_ANSWER = Object.assign(new Error('The connection was closed before an answer came.'), { code: 'ECONNRESET' });

/**
 * True for an error that says that the host's `node:http` lacks something: Cloudflare's Workers have the module and
 * refuse some of its options, and other hosts have parts of it only.
 */
export function isLackOfHost(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  if (typeof code === 'string')
    return /NOT_IMPLEMENTED|NOT_SUPPORTED|UNSUPPORTED|UNKNOWN_BUILTIN|MODULE_NOT_FOUND/.test(code);
  return error instanceof TypeError || (error instanceof Error && /not (?:implemented|supported)/i.test(error.message));
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

/** An address, taken apart once. */
interface Target {
  /** Requests that get a connection of their own, since the server closes the kept ones. */
  freshLeft: number;
  readonly send: (options: Http.RequestOptions) => Http.ClientRequest;
  readonly agent: Http.Agent;
  readonly options: Http.RequestOptions;
}

/**
 * Chosen: a server that closes its connections (llama.cpp does so after each streamed reply) is not asked over a kept
 * one for a while, so that a run against it loses one attempt and not one in every turn.
 */
const FRESH_AFTER_STALE = 100;

/** `false` is Node's word for a connection of its own that is closed afterwards. */
function agentOf(target: Target): Http.Agent | false {
  if (target.freshLeft === 0) return target.agent;
  target.freshLeft -= 1;
  return false;
}

const targets = new Map<string, Target>();

/** Chosen: a process talks to a handful of addresses; more than this is a test that makes them up. */
const MAX_TARGETS = 256;

function targetOf(address: string): Target {
  const known = targets.get(address);
  if (known !== undefined) return known;
  const { protocol, hostname, port, pathname, search } = new URL(address);
  const target: Target = {
    freshLeft: 0,
    ...clientOf(protocol),
    options: {
      method: 'POST',
      headers: undefined,
      agent: undefined,
      protocol,
      // The brackets of an IPv6 address belong to the URL, not to the name.
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      path: pathname + search,
      // Chosen: four times Node's limit; some gateways add long policy headers.
      maxHeaderSize: 65_536,
    },
  };
  if (targets.size >= MAX_TARGETS) targets.clear();
  targets.set(address, target);
  return target;
}

/** How the addresses of one protocol are asked. */
type Client = Pick<Target, 'send' | 'agent'>;

const clients = new Map<string, Client>();

/** The modules are asked for at the first request, so that importing the library stays cheap and bundles for other hosts work. */
function clientOf(protocol: string): Client {
  const known = clients.get(protocol);
  if (known !== undefined) return known;
  const { request, Agent } =
    protocol === 'https:' ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http');
  const client: Client = { send: request, agent: keepingAgent(Agent) };
  clients.set(protocol, client);
  return client;
}

/** Keeps connections alive, and closes those that nobody uses. Node's own `timeout` option would also cut off a model that thinks for long. */
function keepingAgent(Agent: new (options: Http.AgentOptions) => Http.Agent): Http.Agent {
  // Node takes the latest first: the sockets that a burst has left behind grow idle and are closed.
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 1024 });
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
