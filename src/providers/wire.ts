import type { Clock } from '../core/clock.ts';
import type { ModelRequest, ProviderCapabilities } from '../core/provider.ts';
import type { MakeAssembler } from './assembler.ts';
import type { Framing } from './body-reader.ts';
import type { Server } from './server.ts';
import type { Transport } from './transport.ts';
import type { VendorError } from './errors/vendor-error.ts';

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
  readonly makeAssembler: MakeAssembler;
  /** The bytes of a request. Asked for again where `adapt` has changed them. */
  readonly body: (request: ModelRequest) => Uint8Array;
  /** True where the server's error names a part that can be left out, and the next request leaves it out: the failure then says that asking again at once can succeed. */
  readonly adapt: (error: VendorError, request: ModelRequest) => boolean;
}
