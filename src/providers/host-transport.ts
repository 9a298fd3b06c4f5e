import { invalidOption } from '../core/option-check.ts';
import { fetchTransport } from './fetch-transport.ts';
import type { Fetch } from './fetch-transport.ts';
import { hasNodeModules, nodeTransport } from './node-transport.ts';
import type { Transport } from './transport.ts';

const hostFetchTransport = fetchTransport((url, init) => globalThis.fetch(url, init));

/** The transport of a provider: the one given, one made of the `fetch` given, `node:http` on Node, or the host's `fetch`. */
export function chooseTransport(options: { transport?: Transport | undefined; fetch?: Fetch | undefined }): Transport {
  if (options.transport !== undefined) return options.transport;
  if (options.fetch !== undefined) return fetchTransport(options.fetch);
  if (hasNodeModules()) return nodeTransport;
  if (typeof globalThis.fetch !== 'function')
    throw invalidOption('Expected `fetch` to be given: this host has neither `node:http` nor `fetch`.');
  return hostFetchTransport;
}

/** True for a transport of the host: it sends what it is given, while any other may add a key of its own. */
export function isHostTransport(transport: Transport): boolean {
  return transport === nodeTransport || transport === hostFetchTransport;
}
