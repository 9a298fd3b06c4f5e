import type { Provider, SlipPolicy } from '../index.ts';

/**
 * What a call that can't be run leaves for the model, where nobody said: a model on this machine is small and has no
 * long cached history to lose, so it does best when it never sees its mistake again.
 */
export function slipPolicyFor(provider: Provider): SlipPolicy {
  return isLocal(provider.origin) ? 'rewind' : 'ladder';
}

function isLocal(origin: string | undefined): boolean {
  if (origin === undefined || !URL.canParse(origin)) return false;
  const { hostname } = new URL(origin);
  return hostname === 'localhost' || hostname === '[::1]' || hostname === '0.0.0.0' || hostname.startsWith('127.');
}
