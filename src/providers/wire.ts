import type { Clock } from '../core/clock.ts';
import type { ModelRequest, ProviderCapabilities } from '../core/provider.ts';
import type { MakeAssembler } from './assembler.ts';
import type { DialectMemory } from './dialect/memory.ts';
import type { Framing } from './body-reader.ts';
import type { Server } from './server.ts';
import type { Transport } from './transport.ts';

/** What tells one wire from another: one for all requests of a provider, so that a waiting request holds little. */
export interface Wire {
  readonly server: Server;
  readonly capabilities: ProviderCapabilities;
  readonly transport: Transport;
  readonly clock?: Clock | undefined;
  /** Everything that each request carries but its length. */
  readonly headers: Readonly<Record<string, string>>;
  /** @defaultValue server-sent events alone */
  readonly framing?: Framing | undefined;
  /** @defaultValue 32 MiB */
  readonly maxReplyBytes?: number | undefined;
  readonly makeAssembler: MakeAssembler;
  /** The bytes of a request. Asked for again once the dialect has changed. */
  readonly body: (request: ModelRequest) => Uint8Array;
  /** What is known of the server's dialect; learns from its refusals. */
  readonly memory: DialectMemory;
  /** The top-level fields of a request's body: what a refusal can be about. */
  readonly fields: (request: ModelRequest) => Record<string, unknown>;
}
