import type { Provider } from '../core/provider.ts';
import { keyFaultOf } from './errors/key-fault.ts';
import type { RequestSizes } from './errors/suspect-size.ts';
import { ReplyStream } from './reply-stream.ts';
import { UsageWatch } from './suspect-usage.ts';
import type { Wire } from './wire.ts';

/** A provider that speaks a wire over HTTP. */
export function httpProvider(options: Wire): Provider {
  const server = { ...options.server, keyFault: keyFaultOf(options) };
  const wire: Wire = { ...options, server };
  const usageWatch = new UsageWatch();
  const sizes: RequestSizes = { longestAnswered: 0 };
  return {
    id: server.providerId,
    model: server.model,
    origin: server.origin,
    capabilities: { ...options.capabilities, textCalls: server.textCalls },
    secrets: server.secrets,
    stream: (request, { signal }) => new ReplyStream({ wire, usageWatch, sizes, request, signal }),
  };
}
