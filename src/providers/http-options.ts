import type { Clock } from '../core/clock.ts';
import { OilcanError } from '../core/error.ts';
import { isRecord } from '../core/json.ts';
import type { Json } from '../core/json.ts';
import type { Fetch } from './fetch-transport.ts';
import { chooseTransport } from './host-transport.ts';
import { secretsOf } from './server.ts';
import type { Server } from './server.ts';
import type { Transport } from './transport.ts';

/** What every provider over HTTP takes. */
export interface HttpProviderOptions {
  /** The model's id, as the server knows it. */
  readonly model: string;
  /** Sent as the vendor wants it; never written to an event, an error or a log. */
  readonly apiKey?: string | undefined;
  /** Where the server is: `https://api.example.test/v1`. With or without a slash at its end; a query is kept. */
  readonly baseURL?: string | undefined;
  /** Headers beside ours; they win where both name one. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Fields of the body beside ours (`top_p`, `reasoning_effort`, ...); they win where both name one. */
  readonly body?: { readonly [field: string]: Json } | undefined;
  /** False asks for the reply in one piece. @defaultValue true */
  readonly stream?: boolean | undefined;
  /** Longest reply, in tokens. */
  readonly maxOutputTokens?: number | undefined;
  readonly temperature?: number | undefined;
  /** Used instead of `node:http`, with the same arguments as the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Used instead of everything: see `Transport`. */
  readonly transport?: Transport | undefined;
  /** For tests: what `Retry-After` dates are measured by. */
  readonly clock?: Clock | undefined;
}

const COMMON_OPTIONS: readonly (keyof HttpProviderOptions)[] = [
  'model',
  'apiKey',
  'baseURL',
  'headers',
  'body',
  'stream',
  'maxOutputTokens',
  'temperature',
  'fetch',
  'transport',
  'clock',
];

/** What a wire adds to the common checks. */
export interface WireRules {
  /** The public name of the factory, for errors: `openai`. */
  readonly factory: string;
  readonly providerId: string;
  readonly defaultBaseURL: string;
  /** Behind the base: `/chat/completions`. */
  readonly path: string;
  /** Ends of a base URL that are taken off, since people paste whole addresses. */
  readonly droppedSuffixes: readonly string[];
  /** Holds the key, for the default server only. */
  readonly keyVariable: string | undefined;
  /** True where the default server refuses requests without a key. */
  readonly needsKey: boolean;
  readonly keyHeaders: (key: string) => Record<string, string>;
  readonly ownOptions: readonly string[];
  /** Fields of `body` that would break the request. */
  readonly reservedFields: readonly string[];
}

/** The checked common options. */
export interface HttpSetup {
  readonly server: Server;
  readonly headers: Readonly<Record<string, string>>;
  readonly transport: Transport;
}

/**
 * Checks the options of a provider and makes of them what its requests need.
 * @throws OilcanError `invalid-option`
 */
export function httpSetup(options: HttpProviderOptions, rules: WireRules): HttpSetup {
  checkNames(options, rules);
  checkValues(options, rules);
  const base = parseBase(options.baseURL ?? rules.defaultBaseURL);
  const url = endpointOf(base, rules);
  const key = keyOf(options, rules, base);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'user-agent': 'oilcan',
    ...(key === undefined ? {} : rules.keyHeaders(key)),
  };
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = value;
  const server: Server = {
    providerId: rules.providerId,
    url,
    origin: base.origin,
    host: base.host,
    model: options.model,
    keyVariable: base.origin === new URL(rules.defaultBaseURL).origin ? rules.keyVariable : undefined,
    secrets: secretsOf([key, ...secretHeaders(options.headers), base.password]),
  };
  return { server, headers, transport: chooseTransport(options) };
}

/** The option of a factory that takes a model's id or all options. */
export function toOptions<O extends HttpProviderOptions>(input: O | string): O | HttpProviderOptions {
  return typeof input === 'string' ? { model: input } : input;
}

/** A variable of the environment, where the host has one; empty counts as not set. */
export function environment(name: string): string | undefined {
  return globalThis.process?.env?.[name]?.trim() || undefined;
}

function checkNames(options: HttpProviderOptions, rules: WireRules): void {
  if (!isRecord(options))
    throw invalid(`Expected the argument of \`${rules.factory}\` to be a model's id or an object of options.`);
  const known: readonly string[] = [...COMMON_OPTIONS, ...rules.ownOptions];
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const near = known.find((option) => option.toLowerCase() === name.toLowerCase());
    const fix = near === undefined ? `Its options are ${known.join(', ')}.` : `Did you mean \`${near}\`?`;
    throw invalid(`Unknown option \`${name.slice(0, 60)}\` of \`${rules.factory}\`. ${fix}`);
  }
}

function checkValues(options: HttpProviderOptions, rules: WireRules): void {
  const { model, apiKey, headers, body, maxOutputTokens, temperature } = options;
  if (typeof model !== 'string' || model.trim() === '')
    throw invalid(`Expected \`model\` of \`${rules.factory}\` to be a model's id, got ${describe(model)}.`);
  if (apiKey !== undefined && !(typeof apiKey === 'string' && isHeaderValue(apiKey.trim()))) {
    throw invalid(
      'Expected `apiKey` to be a string of printable ASCII characters. Was it pasted with a line break or quotes?',
    );
  }
  if (headers !== undefined) checkHeaders(headers);
  if (body !== undefined && !isRecord(body))
    throw invalid(`Expected \`body\` to be an object of fields, got ${describe(body)}.`);
  for (const field of rules.reservedFields) {
    if (body !== undefined && field in body)
      throw invalid(`Expected \`body\` without the field \`${field}\`: oilcan writes it.`);
  }
  if (maxOutputTokens !== undefined && !(Number.isSafeInteger(maxOutputTokens) && maxOutputTokens >= 1)) {
    throw invalid(`Expected \`maxOutputTokens\` to be an integer >= 1, got ${describe(maxOutputTokens)}.`);
  }
  if (
    temperature !== undefined &&
    !(typeof temperature === 'number' && Number.isFinite(temperature) && temperature >= 0)
  ) {
    throw invalid(`Expected \`temperature\` to be a number >= 0, got ${describe(temperature)}.`);
  }
}

function checkHeaders(headers: Readonly<Record<string, string>>): void {
  if (!isRecord(headers)) throw invalid(`Expected \`headers\` to be an object of strings, got ${describe(headers)}.`);
  for (const [name, value] of Object.entries(headers)) {
    // RFC 9110 5.6.2: a name is a token.
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
      throw invalid(`Expected the names in \`headers\` to be tokens, got ${describe(name)}.`);
    if (typeof value !== 'string' || !isHeaderValue(value))
      throw invalid(`Expected \`headers.${name}\` to be a string of printable ASCII characters.`);
  }
}

function isHeaderValue(value: string): boolean {
  return /^[\x20-\x7e]*$/.test(value);
}

function parseBase(baseURL: string): URL {
  // The value is not repeated: it may hold a password.
  const problem = 'Expected `baseURL` to be an address such as `https://api.openai.com/v1`';
  if (typeof baseURL !== 'string') throw invalid(`${problem}, got ${describe(baseURL)}.`);
  let url: URL;
  try {
    url = new URL(baseURL.trim());
  } catch (cause) {
    throw new OilcanError(
      'invalid-option',
      `${problem}; this one can't be read. Does it begin with http:// or https://?`,
      { cause },
    );
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw invalid(`${problem}, got one that begins with ${url.protocol}//.`);
  return url;
}

function endpointOf(base: URL, rules: WireRules): string {
  let path = base.pathname.replace(/\/+$/, '');
  for (const suffix of rules.droppedSuffixes) if (path.endsWith(suffix)) path = path.slice(0, -suffix.length);
  return `${base.origin}${path}${rules.path}${base.search}`;
}

/** The key given; else that of the environment, which is for the vendor's own server only: it is never sent to another. */
function keyOf(options: HttpProviderOptions, rules: WireRules, base: URL): string | undefined {
  if (options.apiKey !== undefined) return options.apiKey.trim() || undefined;
  const isDefault = base.origin === new URL(rules.defaultBaseURL).origin;
  if (!isDefault || rules.keyVariable === undefined) return undefined;
  const key = environment(rules.keyVariable);
  if (key !== undefined) {
    if (isHeaderValue(key)) return key;
    throw invalid(`Expected the environment variable ${rules.keyVariable} to hold printable ASCII characters only.`);
  }
  const isAuthorized = options.headers !== undefined || options.fetch !== undefined || options.transport !== undefined;
  if (!rules.needsKey || isAuthorized) return undefined;
  throw invalid(
    `Expected \`apiKey\` of \`${rules.factory}\`, or the environment variable ${rules.keyVariable}. For another server set \`baseURL\`.`,
  );
}

function secretHeaders(headers: Readonly<Record<string, string>> | undefined): string[] {
  const secret: string[] = [];
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (!/auth|key|token|secret|cookie/i.test(name)) continue;
    // "Bearer abc": the part that is secret is the last one.
    secret.push(value, value.slice(value.lastIndexOf(' ') + 1));
  }
  return secret;
}

function invalid(message: string): OilcanError {
  return new OilcanError('invalid-option', message);
}

function describe(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : `"${value.slice(0, 60)}"`;
  return typeof value === 'number' ? String(value) : value === null ? 'null' : typeof value;
}
