import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { sleep, systemClock } from '../core/clock.ts';
import { checkServerOptions } from './loopback/check-options.ts';
import { deliverBody, deliverFrames, type Delivered } from './loopback/delivery.ts';
import { type Dialect, resolveReply } from './loopback/dialect.ts';
import { dialects } from './loopback/dialects.ts';
import { breakConnection, type Exchange } from './loopback/exchange.ts';
import { openScript, type ScriptReader } from './loopback/script-reader.ts';
import type { LoopbackRequest, LoopbackServer, LoopbackServerOptions } from './loopback/server.ts';
import { answerSideRoute } from './loopback/side-routes.ts';
import { isFaultStep, isRawStep, isStatusStep, type LoopbackStatusStep, type LoopbackStep } from './loopback/step.ts';
import { lastResultsOf, viewConversation } from './loopback/view.ts';
import { type LoopbackWire, wantsStream, wireOfPath } from './loopback/wire.ts';
import { checkRequest } from './strict-request.ts';

export type { LoopbackContext } from './loopback/context.ts';
export type {
  LoopbackCall,
  LoopbackDelivery,
  LoopbackFaultStep,
  LoopbackPoint,
  LoopbackQuirks,
  LoopbackRawStep,
  LoopbackReplyStep,
  LoopbackScript,
  LoopbackStatusStep,
  LoopbackStep,
  LoopbackVendorError,
} from './loopback/step.ts';
export type { LoopbackOutcome, LoopbackRequest, LoopbackServer, LoopbackServerOptions } from './loopback/server.ts';
export type { ConversationView, ViewCall, ViewMessage, ViewToolResult } from './loopback/view.ts';
export { type LoopbackWire, loopbackWires, wirePaths } from './loopback/wire.ts';

/** Longest request body that is read: Anthropic's limit, https://docs.claude.com/en/api/errors (413). */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

type MutableRequest = { -readonly [Key in keyof LoopbackRequest]: LoopbackRequest[Key] };

/**
 * Starts a real HTTP server on 127.0.0.1 that plays a model on any of the four wires and misbehaves on script.
 *
 * @throws OilcanError `invalid-option`, before it listens.
 * @example
 * const server = await startLoopbackServer({ script: [{ status: 503 }, { text: 'Hello.' }] });
 * const provider = openai({ model: 'demo', baseURL: `${server.origin}/v1` });
 * // ... ask ...
 * await server.close();
 */
export async function startLoopbackServer(options: LoopbackServerOptions): Promise<LoopbackServer> {
  checkServerOptions(options);
  const requests: MutableRequest[] = [];
  const violations: string[] = [];
  const strays: string[] = [];
  const scriptErrors: string[] = [];
  const sockets = new Set<Socket>();
  const closing = new AbortController();
  const waiters = new Set<() => void>();
  const script = openScript(options.script);
  const responses = new Map<string, object>();
  let connections = 0;
  let port = options.port ?? 0;

  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (request, response) => {
    // Whatever goes wrong in here must reach the test, not the process.
    answer(request, response).catch((error: unknown) => {
      if (!response.destroyed) scriptErrors.push(`The server failed: ${String(error)}`);
      response.destroy();
    });
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', ignoreBrokenSocket);
  });

  const listen = (): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  await listen();
  port = (server.address() as AddressInfo).port;
  refuse(script.takeRefusalMs());

  /** Takes no connection for a while; the same port answers again afterwards. */
  function refuse(forMs: number, from: Promise<unknown> = Promise.resolve()): void {
    if (forMs === 0) return;
    server.close();
    void from
      .then(() => sleep(systemClock, forMs, closing.signal))
      .then(listen)
      .then(() => closing.signal.aborted && server.close())
      .catch((error: unknown) => {
        if (!closing.signal.aborted) scriptErrors.push(`The port could not be opened again: ${String(error)}`);
      });
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const wire = wireOfPath(path);
    const isSpoken = options.wire === undefined || options.wire === 'auto' || options.wire === wire;
    const bytes = await readBody(request);
    if (wire === undefined || !isSpoken || request.method !== 'POST') {
      const facts = { models: options.models ?? ['demo'], responses };
      if (answerSideRoute(request, response, path, bytes.length, facts)) return;
      strays.push(`${request.method ?? ''} ${path}`);
      response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found');
      return;
    }

    const entry = logRequest(wire, path, bytes, request, response);
    const exchange = openExchange(request, response, entry);
    const dialect = dialects[wire];
    const refusal = refusalOf(entry, bytes);
    if (refusal !== undefined) return sendStatus(refusal, dialect, exchange);

    const next = nextStep(script, entry);
    // Asked at once: another request could come while a script thinks.
    const refusalMs = script.takeRefusalMs();
    if (refusalMs > 0) {
      // The port closes before the answer leaves: the client can't slip in another request.
      response.shouldKeepAlive = false;
      refuse(refusalMs, entry.ended);
    }
    const step = await next;
    entry.step = step;
    try {
      await perform(step, entry, dialect, exchange);
    } catch (error) {
      // The client has left, or the server closes: nothing more to do.
      if (!exchange.signal.aborted) throw error;
    }
  }

  function logRequest(
    wire: LoopbackWire,
    path: string,
    bytes: Buffer,
    request: IncomingMessage,
    response: ServerResponse,
  ): MutableRequest {
    const { body = {}, violation } = checkRequest(wire, bytes);
    const entry: MutableRequest = {
      wire,
      path,
      headers: flatHeaders(request),
      body,
      bytes: bytes.length,
      view: viewConversation(wire, body),
      isStream: wantsStream(wire, body),
      receivedAt: systemClock.monotonic(),
      violation: options.strict === false ? undefined : (violation ?? headerViolation(wire, request)),
      step: undefined,
      get status() {
        return response.headersSent ? response.statusCode : undefined;
      },
      outcome: undefined,
      ended: Promise.resolve('answered'),
    };
    requests.push(entry);
    for (const check of waiters) check();
    return entry;
  }

  function openExchange(request: IncomingMessage, response: ServerResponse, entry: MutableRequest): Exchange {
    const gone = new AbortController();
    let isBroken = false;
    response.on('error', ignoreBrokenSocket);
    entry.ended = new Promise((resolve) => {
      response.once('close', () => {
        entry.outcome = isBroken ? 'broken' : response.writableFinished ? 'answered' : 'client-left';
        gone.abort();
        resolve(entry.outcome);
      });
    });
    return {
      request,
      response,
      signal: gone.signal,
      markBroken: () => (isBroken = true),
      reportScriptError: (problem) => scriptErrors.push(problem),
    };
  }

  /** Why this request is turned away before the script is asked. */
  function refusalOf(entry: LoopbackRequest, bytes: Buffer): LoopbackStatusStep | undefined {
    if (bytes.length > MAX_BODY_BYTES) return { status: 413 };
    if (options.apiKey !== undefined && !hasKey(entry.headers, options.apiKey)) return { status: 401 };
    if (entry.violation !== undefined) {
      violations.push(entry.violation);
      return { status: 400, message: entry.violation };
    }
    const { model } = entry.view;
    if (options.models !== undefined && !options.models.includes(model))
      return { status: 404, message: `model '${model}' not found` };
    return undefined;
  }

  async function nextStep(reader: ScriptReader, entry: LoopbackRequest): Promise<LoopbackStep> {
    const { wire, view, body, headers, isStream } = entry;
    const next = await reader.next({ wire, isStream, view, lastResults: lastResultsOf(view.messages), body, headers });
    if ('step' in next) return next.step;
    scriptErrors.push(next.problem);
    // A 400 and not a 500: a client that retries would only hide that the script ran out.
    return { status: 400, message: next.problem };
  }

  async function perform(
    step: LoopbackStep,
    entry: LoopbackRequest,
    dialect: Dialect,
    exchange: Exchange,
  ): Promise<void> {
    if ('delayMs' in step && step.delayMs !== undefined) await sleep(systemClock, step.delayMs, exchange.signal);
    if (isFaultStep(step)) {
      if (step.fault === 'hang') return;
      if (step.fault === 'refuse') refuse(step.forMs ?? 50);
      return breakConnection(exchange, 'reset');
    }
    if (isStatusStep(step)) return sendStatus(step, dialect, exchange);
    const contentType = entry.isStream ? dialect.streamType : 'application/json';
    if (isRawStep(step)) {
      const sent: Delivered = { status: step.status ?? 200, contentType, delivery: step, dialect };
      const { raw } = step;
      if (typeof raw === 'string' || raw instanceof Uint8Array) return deliverBody(raw, sent, exchange);
      return deliverFrames(
        raw.map((data) => ({ tags: ['raw'], data })),
        sent,
        exchange,
      );
    }
    const streamOptions = entry.body['stream_options'];
    const reply = resolveReply(step, {
      serial: requests.indexOf(entry) + 1,
      model: entry.view.model,
      streamsUsage: JSON.stringify(streamOptions ?? null).includes('"include_usage":true'),
    });
    if (entry.wire === 'openai-responses') responses.set(`resp_${reply.serial}`, dialect.plain(reply));
    const sent: Delivered = { status: 200, contentType, delivery: step, dialect };
    if (!entry.isStream) return deliverBody(JSON.stringify(dialect.plain(reply)), sent, exchange);
    return deliverFrames(dialect.frames(reply), sent, exchange);
  }

  async function close(): Promise<void> {
    closing.abort();
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  }

  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    requests,
    violations,
    strays,
    scriptErrors,
    get connections() {
      return connections;
    },
    waitForRequests: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (requests.length < count) return;
          waiters.delete(check);
          resolve();
        };
        waiters.add(check);
        check();
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Reads the body; what goes beyond the limit is dropped, one byte more is kept as the proof. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (length > MAX_BODY_BYTES) continue;
    chunks.push(chunk);
    length += chunk.length;
  }
  return Buffer.concat(chunks);
}

function sendStatus(step: LoopbackStatusStep, dialect: Dialect, { response }: Exchange): void {
  const { body } = step;
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? dialect.errorBody(step));
  const contentType = step.contentType ?? (typeof body === 'string' ? 'text/html' : 'application/json');
  response.writeHead(step.status, { 'content-type': contentType, ...step.headers }).end(text);
}

function flatHeaders(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
}

function hasKey(headers: Readonly<Record<string, string>>, key: string): boolean {
  return headers['authorization'] === `Bearer ${key}` || headers['x-api-key'] === key;
}

/** Anthropic answers nobody who does not name the version of its API. */
function headerViolation(wire: LoopbackWire, request: IncomingMessage): string | undefined {
  if (wire === 'anthropic' && request.headers['anthropic-version'] === undefined)
    return 'anthropic-version: header is required';
  const contentType = request.headers['content-type'] ?? '';
  // Ollama reads the body whatever its type says, and its official client sends none.
  return wire === 'ollama' || contentType.includes('application/json')
    ? undefined
    : `Unsupported content type: '${contentType}'.`;
}

/** Clients leave and connections are reset on purpose here: the log tells how each exchange ended. */
function ignoreBrokenSocket(): void {}
