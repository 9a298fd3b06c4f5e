import { invalidOption } from '../core/option-check.ts';
import { fetchTransport } from './fetch-transport.ts';
import type { Fetch } from './fetch-transport.ts';
import { hasNodeModules, isLackOfHost, nodeTransport } from './node-transport.ts';
import type { Transport } from './transport.ts';

const hostFetchTransport = fetchTransport((url, init) => globalThis.fetch(url, init));

/** Once the host's `node:http` was found to lack something, `fetch` is used. */
let isHttpLacking = false;

/**
 * `node:http` where the host has all that is used of it, else the host's `fetch`. It is found out by the first request, since
 * to load the module takes time.
 */
const hostTransport: Transport = (request, listener) => {
  if (!isHttpLacking) {
    try {
      return nodeTransport(request, listener);
    } catch (error) {
      if (!isLackOfHost(error)) throw error;
      if (!hasFetch()) throw new Error(NO_TRANSPORT, { cause: error });
      isHttpLacking = true;
    }
  }
  return hostFetchTransport(request, listener);
};

/** The transport of a provider: the one given, one made of the `fetch` given, `node:http` on Node, or the host's `fetch`. */
export function chooseTransport(options: { transport?: Transport | undefined; fetch?: Fetch | undefined }): Transport {
  if (options.transport !== undefined) return options.transport;
  if (options.fetch !== undefined) return fetchTransport(options.fetch);
  if (hasNodeModules()) return hostTransport;
  if (!hasFetch()) throw invalidOption(NO_TRANSPORT);
  return hostFetchTransport;
}

const NO_TRANSPORT = 'Expected `fetch` to be given: this host has neither a whole `node:http` nor `fetch`.';

function hasFetch(): boolean {
  return typeof globalThis.fetch === 'function';
}

/** True for a transport of the host: it sends what it is given, while any other may add a key of its own. */
export function isHostTransport(transport: Transport): boolean {
  return transport === hostTransport || transport === hostFetchTransport;
}
