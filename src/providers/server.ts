import type { ProviderCapabilities } from '../core/provider.ts';
import { maskExact } from '../secrets/exact.ts';

/** The server behind a provider, as failures name it. */
export interface Server {
  readonly providerId: string;
  /** The whole address of its endpoint. */
  readonly url: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Host and port, for sentences. */
  readonly host: string;
  readonly model: string;
  /** The environment variable that usually holds its key. */
  readonly keyVariable: string | undefined;
  /** Where the wire's own vendor has its key, whichever server this is. */
  readonly vendorKey?: VendorKey | undefined;
  /** @defaultValue nothing can be seen */
  readonly keyFault?: KeyFault | undefined;
  /** Values that must not stand in any text. */
  readonly secrets: readonly string[];
  /** What calls that a model wrote as text may do. */
  readonly textCalls?: ProviderCapabilities['textCalls'];
}

/** A vendor, and the variable of the environment that holds its key: it is sent to nobody else. */
export interface VendorKey {
  readonly vendor: string;
  readonly variable: string;
}

/** What is wrong with the key of a server, as far as the requests show it. */
export type KeyFault =
  /** None is sent. */
  | 'not-sent'
  /** None is sent, since the one in the environment is for the vendor's own server only. */
  | 'kept-back'
  /** It begins with the word "Bearer", which is no part of a key. */
  | 'has-scheme'
  /** It stands in quotes, as in a file of settings. */
  | 'in-quotes';

/**
 * Vendors whose servers read the calls of their models themselves: a call in a text of theirs is most likely quoted. By
 * their hosts, from their API references. Everybody else may be a local server that does not know its model's template.
 */
const READS_CALLS =
  /(?:^|\.)(?:openai\.com|azure\.com|anthropic\.com|googleapis\.com|amazonaws\.com|mistral\.ai|x\.ai|groq\.com|deepseek\.com|cohere\.(?:ai|com)|moonshot\.(?:ai|cn)|minimaxi?\.(?:io|com|chat)|z\.ai|bigmodel\.cn|aliyuncs\.com|openrouter\.ai|together\.(?:ai|xyz)|fireworks\.ai|cerebras\.ai|perplexity\.ai|sambanova\.ai|nvidia\.com)$/;

/** What calls in texts may do where the options do not say it. */
export function textCallsOf(hostname: string): 'run' | 'read' {
  return READS_CALLS.test(hostname) ? 'read' : 'run';
}

/** Ollama's own port (https://docs.ollama.com/faq). */
const OLLAMA_PORT = ':11434';

/** True for a server that is an Ollama by its wire or by its port. */
export function isOllama(server: Server): boolean {
  return server.providerId === 'ollama' || server.host.endsWith(OLLAMA_PORT);
}

/** Chosen: shorter values are words that stand in texts by chance ("ollama" is a usual key for a local server). */
const MIN_SECRET_CHARS = 8;

/** Stands in place of a secret. */
const MASK = '***';

/** The values that are long enough to be secret. */
export function secretsOf(values: readonly (string | undefined)[]): readonly string[] {
  return values.filter((value) => value !== undefined && value.length >= MIN_SECRET_CHARS) as string[];
}

/**
 * Takes the server's secrets out of a text, in every form: some servers repeat the key that they refuse. To be done before
 * the text is cut, since half of a key is no longer known as one; the text itself may end in the middle of it.
 */
export function withoutSecrets(text: string, server: Server): string {
  let safe = maskExact(text, server.secrets, MASK);
  for (const secret of server.secrets) safe = withoutBeginning(safe, secret);
  return safe;
}

/** The text without the beginning of a secret at its end, as long as one that is told from a word. */
function withoutBeginning(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= MIN_SECRET_CHARS; length -= 1)
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + MASK;
  return text;
}
