import type { Clock } from '../core/clock.ts';
import { systemClock } from '../core/clock.ts';
import type { ModelReply, ModelRequest, Provider, ProviderCapabilities, RateLimit } from '../core/provider.ts';
import { rateLimitOf } from '../resilience/rate-limit.ts';
import type { MakeAssembler } from './assembler.ts';
import type { Framing } from './body-reader.ts';
import { ReplyStream } from './reply-stream.ts';
import type { Asking } from './reply-stream.ts';
import { UsageWatch } from './suspect-usage.ts';
import type { Server } from './server.ts';
import type { Transport } from './transport.ts';
import { readVendorError } from './vendor-error.ts';
import type { VendorError } from './vendor-error.ts';
import { bugFailure, httpFailure, problemFailure, transportFailure } from './vendor-failure.ts';

/** What tells one wire from another. */
export interface Wire {
  readonly server: Server;
  readonly capabilities: ProviderCapabilities;
  readonly transport: Transport;
  readonly clock?: Clock | undefined;
  /** Everything that each request carries but its length. */
  readonly headers: Readonly<Record<string, string>>;
  readonly framing: Framing;
  readonly makeAssembler: MakeAssembler;
  /** The bytes of a request. */
  readonly body: (request: ModelRequest) => Uint8Array;
  /** True where the server's error names a part that can be left out, and it was left out: then the request is sent once more. */
  readonly adapt: (error: VendorError, request: ModelRequest) => boolean;
}

/** Statuses under which servers report a field that they do not know. */
const ADAPTABLE_STATUSES: ReadonlySet<number> = new Set([400, 422]);

/** A provider that speaks a wire over HTTP. */
export function httpProvider(wire: Wire): Provider {
  const { server, headers } = wire;
  const clock = wire.clock ?? systemClock;
  const usageWatch = new UsageWatch();
  const asking: Asking = {
    transport: wire.transport,
    clock,
    framing: wire.framing,
    makeAssembler: wire.makeAssembler,
    prepare: (request) => ({ url: server.url, headers, body: wire.body(request) }),
    adapt: (request, status, bodyText) =>
      ADAPTABLE_STATUSES.has(status) && wire.adapt(readVendorError(bodyText), request),
    check: (request, sentBytes, reply, header) =>
      checked(reply, rateLimitOf(header, clock.now()), usageWatch.warning(reply.usage, sentBytes, request)),
    httpFailure: (status, header, bodyText) => httpFailure(server, status, header, bodyText, clock.now()),
    problemFailure: (problem) => problemFailure(server, problem),
    transportFailure: (error) => transportFailure(server, error),
    bugFailure: (error) => bugFailure(server, error),
  };
  return {
    id: server.providerId,
    model: server.model,
    origin: server.origin,
    capabilities: wire.capabilities,
    secrets: server.secrets,
    stream: (request, { signal }) => new ReplyStream(asking, request, signal),
  };
}

function checked(reply: ModelReply, rateLimit: RateLimit | undefined, warning: string | undefined): ModelReply {
  if (rateLimit === undefined && warning === undefined) return reply;
  return {
    ...reply,
    rateLimit,
    warnings: warning === undefined ? reply.warnings : [...(reply.warnings ?? []), warning],
  };
}
