import { environmentVariable } from '../../core/host.ts';
import type { Advice } from '../../core/advice.ts';
import { isHostTransport } from '../host-transport.ts';
import { isKeyName } from '../key-names.ts';
import type { KeyFault, Server } from '../server.ts';
import type { Wire } from '../wire.ts';

/** Looks at the key that the requests of a wire carry. */
export function keyFaultOf({ server, headers, transport }: Wire): KeyFault | undefined {
  const keys = Object.entries(headers).flatMap(([name, value]) => (isKeyName(name) ? [keyIn(name, value)] : []));
  if (keys.some((key) => /^bearer\b/i.test(key))) return 'has-scheme';
  if (keys.some((key) => /^["'`]/.test(key))) return 'in-quotes';
  const hasKey = keys.some((key) => key !== '') || [...new URL(server.url).searchParams.keys()].some(isKeyName);
  if (hasKey || !isHostTransport(transport)) return undefined;
  return isKeptBack(server) ? 'kept-back' : 'not-sent';
}

/** What can be done about a key that the server refuses. */
export function keyAdvice({ vendorKey, keyFault, keyVariable }: Server): Advice {
  if (keyFault === 'kept-back')
    return { code: 'pass-kept-key', variable: vendorKey?.variable, vendor: vendorKey?.vendor };
  const code = keyFault === undefined ? 'check-key' : CODES[keyFault];
  return { code, variable: keyFault === 'not-sent' ? undefined : keyVariable };
}

const CODES = { 'not-sent': 'pass-key', 'has-scheme': 'drop-bearer', 'in-quotes': 'drop-quotes' } as const;

/** The value of a header without the word that stands before a key. */
function keyIn(name: string, value: string): string {
  return (/auth/i.test(name) ? value.replace(/^bearer(?:\s+|$)/i, '') : value).trim();
}

/** True where the environment holds a key of the wire's own vendor, and the server is another one. */
function isKeptBack({ vendorKey, keyVariable }: Server): boolean {
  return vendorKey !== undefined && keyVariable === undefined && environmentVariable(vendorKey.variable) !== undefined;
}
