import { environmentVariable } from '../../core/host.ts';
import { isHostTransport } from '../host-transport.ts';
import type { KeyFault, Server } from '../server.ts';
import type { Wire } from '../wire.ts';

/** Stands in the names of headers, and of the parts of an address, that let a request in. */
const KEY_NAME = /auth|key|token|secret|cookie|sig/i;

/** Looks at the key that the requests of a wire carry. */
export function keyFaultOf({ server, headers, transport }: Wire): KeyFault | undefined {
  const keys = Object.entries(headers).flatMap(([name, value]) => (KEY_NAME.test(name) ? [keyIn(name, value)] : []));
  if (keys.some((key) => /^bearer\b/i.test(key))) return 'has-scheme';
  if (keys.some((key) => /^["'`]/.test(key))) return 'in-quotes';
  const hasKey = keys.some((key) => key !== '') || KEY_NAME.test(new URL(server.url).search);
  if (hasKey || !isHostTransport(transport)) return undefined;
  return isKeptBack(server) ? 'kept-back' : 'not-sent';
}

/** What can be done about a key that the server refuses. */
export function keyHint({ vendorKey, keyFault, keyVariable }: Server): string {
  const check = `Check \`apiKey\`${keyVariable === undefined ? '' : `, or the environment variable ${keyVariable}`}`;
  switch (keyFault) {
    case 'not-sent':
      return 'No key was sent: pass `apiKey`.';
    case 'kept-back':
      return `No key was sent. ${vendorKey?.variable} goes to ${vendorKey?.vendor} only: pass \`apiKey\`.`;
    case 'has-scheme':
      return `${check}: the key has to stand there without "Bearer" before it.`;
    case 'in-quotes':
      return `${check}: the key has to stand there without quotes around it.`;
    case undefined:
      return `${check}.`;
  }
}

/** The value of a header without the word that stands before a key. */
function keyIn(name: string, value: string): string {
  return (/auth/i.test(name) ? value.replace(/^bearer(?:\s+|$)/i, '') : value).trim();
}

/** True where the environment holds a key of the wire's own vendor, and the server is another one. */
function isKeptBack({ vendorKey, keyVariable }: Server): boolean {
  return vendorKey !== undefined && keyVariable === undefined && environmentVariable(vendorKey.variable) !== undefined;
}
