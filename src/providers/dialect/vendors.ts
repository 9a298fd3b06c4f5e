import type { Dialect } from './dialect.ts';
import { PLAIN } from './dialect.ts';

/** What is known of a vendor before the first request. */
interface Vendor {
  readonly vendor: string;
  /** The ends of its hosts' names. */
  readonly hosts: readonly string[];
  /** The models that this is true of. @defaultValue all */
  readonly models?: RegExp;
  readonly dialect: Partial<Dialect>;
}

/**
 * Vendors whose way is known, so that not even the first request is refused. A row for each departure; a server that no row
 * names is learnt from its refusals. The sources of each row are in docs/vendors.md.
 */
const VENDORS: readonly Vendor[] = [
  // Its reasoning models refuse the older name; the imitators know the older one.
  {
    vendor: 'OpenAI',
    hosts: ['api.openai.com'],
    dialect: { maxTokensField: 'max_completion_tokens', callIds: 'short' },
  },
  { vendor: 'Azure', hosts: ['openai.azure.com', 'services.ai.azure.com'], dialect: { callIds: 'short' } },
  { vendor: 'Cloudflare', hosts: ['api.cloudflare.com', 'gateway.ai.cloudflare.com'], dialect: { emptyText: true } },
  { vendor: 'Mistral', hosts: ['mistral.ai'], dialect: { callIds: 'nine', bridgesToolToUser: true } },
  {
    vendor: 'Google',
    hosts: ['generativelanguage.googleapis.com', 'aiplatform.googleapis.com'],
    models: /gemini-[3-9]/i,
    dialect: { signsCalls: true },
  },
];

/** Where a provider begins. `host` may carry a port. */
export function dialectOf(host: string, model: string, wire: Partial<Dialect> = {}): Dialect {
  const name = host.replace(/:\d+$/, '');
  const known = VENDORS.filter(
    ({ hosts, models }) =>
      hosts.some((end) => name === end || name.endsWith(`.${end}`) || name.endsWith(`-${end}`)) &&
      (models === undefined || models.test(model)),
  );
  return Object.assign({}, PLAIN, wire, ...known.map(({ dialect }) => dialect)) as Dialect;
}
