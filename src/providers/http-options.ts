import type { Clock } from '../core/clock.ts';
import { environmentVariable } from '../core/host.ts';
import { isRecord } from '../core/json.ts';
import type { Json } from '../core/json.ts';
import { checkNames, describeValue, expected, invalidOption, kindOf, namesElsewhere } from '../core/option-check.ts';
import type { OtherNames } from '../core/option-check.ts';
import type { OptionRule } from '../core/option-rules.ts';
import { aFunction, checkRules, integerFrom, notNegative, oneOf, trueOrFalse } from '../core/option-rules.ts';
import type { Fetch } from './fetch-transport.ts';
import { chooseTransport } from './host-transport.ts';
import { isKeyName } from './key-names.ts';
import { secretsOf, textCallsOf } from './server.ts';
import type { Server, VendorKey } from './server.ts';
import type { Transport } from './transport.ts';

/** What every provider over HTTP takes. */
export interface HttpProviderOptions {
  /** The model's id, as the server knows it. */
  readonly model: string;
  /** Sent as the vendor wants it; never written to an event, an error or a log. */
  readonly apiKey?: string | undefined;
  /**
   * Where the server is: `https://api.example.test/v1`. With or without a slash at its end; a query is kept. A name and a password in
   * it (`https://name:password@…`) are sent as basic authorization, which leaves no room for a key in the same header.
   */
  readonly baseURL?: string | undefined;
  /** Headers of the request, in addition to ours. They win where both name one. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Fields of the request's body in addition to ours (`top_p`, `reasoning_effort`, ...). They win where both name one, except
   * `tools`: the vendor's own tools given here are sent together with the tools of the agent.
   */
  readonly body?: { readonly [field: string]: Json } | undefined;
  /** False asks for the reply in one piece. @defaultValue true */
  readonly stream?: boolean | undefined;
  /** Longest reply, in tokens. */
  readonly maxOutputTokens?: number | undefined;
  readonly temperature?: number | undefined;
  /**
   * What a call may do that the model wrote in a text which is nothing but calls: `'run'`, `'read'` (only tools with
   * `effect: 'read'` run) or `'tell'` (none runs). What does not run is told to the model.
   * @defaultValue `'read'` for the vendors whose models make real calls (OpenAI, Anthropic, ...), else `'run'`
   */
  readonly textCalls?: 'run' | 'read' | 'tell' | undefined;
  /** Longest reply in one piece, in bytes once it is decoded: it is parsed as one value. A stream may be longer. @defaultValue 33554432 (32 MiB) */
  readonly maxReplyBytes?: number | undefined;
  /** Used instead of `node:http`, with the same arguments as the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Used instead of everything: see `Transport`. */
  readonly transport?: Transport | undefined;
  /** For tests: what `Retry-After` dates are measured by. */
  readonly clock?: Clock | undefined;
}

/** Those that are `true` are looked at where they are used. */
const COMMON_OPTIONS = {
  model: true,
  apiKey: true,
  baseURL: true,
  headers: true,
  body: { wanted: 'an object of fields', fits: isRecord },
  stream: trueOrFalse,
  maxOutputTokens: integerFrom(1),
  temperature: notNegative,
  textCalls: oneOf('run', 'read', 'tell'),
  maxReplyBytes: integerFrom(1),
  fetch: aFunction,
  transport: aFunction,
  clock: true,
} satisfies Record<keyof HttpProviderOptions, OptionRule | true>;

/** What other libraries call them, and what stands in another place. */
const OTHER_NAMES = {
  key: 'apiKey',
  url: 'baseURL',
  host: 'baseURL',
  endpoint: 'baseURL',
  maxTokens: 'maxOutputTokens',
  maxCompletionTokens: 'maxOutputTokens',
  timeout: '`deadlines` of createAgent',
  timeoutMs: '`deadlines` of createAgent',
  retries: '`retry` of createAgent',
  maxRetries: '`retry` of createAgent',
  ...namesElsewhere(['tools', 'toolChoice', 'parallelToolCalls', 'system', 'maxTurns'], '`NAME` of createAgent'),
};

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
  /** The key that the environment holds: for the default server only. */
  readonly vendorKey: VendorKey | undefined;
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
  check(options, rules);
  const base = parseBase(options.baseURL ?? rules.defaultBaseURL, rules.defaultBaseURL);
  // The key of the environment is for the vendor's own server only: it is never sent to another.
  const keyVariable = base.origin === new URL(rules.defaultBaseURL).origin ? rules.vendorKey?.variable : undefined;
  const basic = basicAuthOf(base, options, rules);
  const key =
    options.apiKey === undefined ? keyOf(keyVariable, options, rules, basic) : options.apiKey.trim() || undefined;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'user-agent': 'oilcan',
    ...(key === undefined ? {} : rules.keyHeaders(key)),
    ...(basic === undefined ? {} : { authorization: `Basic ${basic}` }),
  };
  const given = Object.entries(options.headers ?? {});
  for (const [name, value] of given) headers[name.toLowerCase()] = value;
  const server: Server = {
    providerId: rules.providerId,
    url: endpointOf(base, rules),
    origin: base.origin,
    host: base.host,
    model: options.model,
    keyVariable,
    vendorKey: rules.vendorKey,
    textCalls: options.textCalls ?? textCallsOf(base.hostname),
    secrets: secretsOf([
      key,
      ...given.flatMap(secretsOfHeader),
      base.password || base.username,
      decoded(base.password || base.username),
      basic,
    ]),
  };
  return { server, headers, transport: chooseTransport(options) };
}

/**
 * The option of a factory that takes a model's id or all options.
 * @throws OilcanError `invalid-option` for anything else
 */
export function toOptions<O extends HttpProviderOptions>(input: O | string): O | HttpProviderOptions {
  if (typeof input === 'string') return { model: input };
  if (isRecord(input)) return input;
  throw expected('the argument of a provider', "a model's id or an object such as { model: '…' }", kindOf(input));
}

function check(options: HttpProviderOptions, rules: WireRules): void {
  const factory = `\`${rules.factory}\``;
  checkNames(factory, options, COMMON_OPTIONS, otherNames(rules), rules.ownOptions);
  const { model, apiKey, headers = {}, body = {} } = options;
  if (typeof model !== 'string' || model.trim() === '')
    throw expected(`\`model\` of ${factory}`, "a model's id", describeValue(model));
  if (apiKey !== undefined && !(typeof apiKey === 'string' && isHeaderValue(apiKey.trim())))
    throw invalidOption(
      'Expected `apiKey` to be a string of printable ASCII characters. Was it pasted with a line break or quotes?',
    );
  checkHeaders(headers);
  checkRules(options, COMMON_OPTIONS);
  for (const field of rules.reservedFields) {
    if (field in body) throw invalidOption(`Expected \`body\` without the field \`${field}\`: oilcan writes it.`);
  }
}

/** Ollama's wire takes the fields of sampling in an option of its own: in the body it would ignore them. */
function otherNames({ ownOptions }: WireRules): OtherNames {
  const place = ownOptions.includes('options') ? 'options' : 'body';
  return {
    ...OTHER_NAMES,
    topP: `\`${place}: { top_p }\``,
    topK: `\`${place}: { top_k }\``,
    seed: `\`${place}: { seed }\``,
  };
}

function checkHeaders(headers: Readonly<Record<string, string>>): void {
  if (!isRecord(headers)) throw expected('`headers`', 'an object of strings', describeValue(headers));
  for (const [name, value] of Object.entries(headers)) {
    // RFC 9110 5.6.2: a name is a token.
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
      throw expected('the names in `headers`', 'tokens', describeValue(name));
    if (typeof value !== 'string' || !isHeaderValue(value))
      throw invalidOption(`Expected \`headers.${name}\` to be a string of printable ASCII characters.`);
  }
}

function isHeaderValue(value: string): boolean {
  return /^[\x20-\x7e]*$/.test(value);
}

function parseBase(baseURL: string, example: string): URL {
  // The value is not repeated: it may hold a password.
  const problem = `Expected \`baseURL\` to be an address such as \`${example}\``;
  if (typeof baseURL !== 'string') throw invalidOption(`${problem}, got ${describeValue(baseURL)}.`);
  let url: URL;
  try {
    url = new URL(baseURL.trim());
  } catch (cause) {
    throw invalidOption(`${problem}; this one can't be read. Does it begin with http:// or https://?`, { cause });
  }
  if (/^https?:$/.test(url.protocol)) return url;
  throw invalidOption(`${problem}, got one that begins with ${url.protocol}//.`);
}

function endpointOf(base: URL, rules: WireRules): string {
  let path = base.pathname.replace(/\/+$/, '');
  for (const suffix of rules.droppedSuffixes) if (path.endsWith(suffix)) path = path.slice(0, -suffix.length);
  return `${base.origin}${path}${rules.path}${base.search}`;
}

/** The credentials of the address, as RFC 7617 writes them. */
function basicAuthOf(base: URL, { apiKey, headers = {} }: HttpProviderOptions, rules: WireRules): string | undefined {
  if (base.username === '' && base.password === '') return undefined;
  const hasHeader = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  const hasKey = apiKey !== undefined && Object.hasOwn(rules.keyHeaders(''), 'authorization');
  if (hasHeader || hasKey)
    throw invalidOption(
      `Expected one authorization: the name and password in \`baseURL\` and \`${hasHeader ? 'headers.authorization' : 'apiKey'}\` are sent in the same header. Leave one of them out.`,
    );
  const bytes = new TextEncoder().encode(`${decoded(base.username)}:${decoded(base.password)}`);
  return btoa(String.fromCharCode(...bytes));
}

/** Without its escapes; as it is where they can't be read. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The key that the environment holds. */
function keyOf(
  keyVariable: string | undefined,
  options: HttpProviderOptions,
  rules: WireRules,
  basic: string | undefined,
): string | undefined {
  // With what stands in the address the caller has said how to get in.
  if (keyVariable === undefined || basic !== undefined) return undefined;
  const key = environmentVariable(keyVariable);
  if (key !== undefined) {
    if (isHeaderValue(key)) return key;
    throw invalidOption(`Expected the environment variable ${keyVariable} to hold printable ASCII characters only.`);
  }
  const isAuthorized = (options.headers ?? options.fetch ?? options.transport) !== undefined;
  if (!rules.needsKey || isAuthorized) return undefined;
  throw invalidOption(
    `Expected \`apiKey\` of \`${rules.factory}\`, or the environment variable ${keyVariable}. For another server set \`baseURL\`.`,
  );
}

/** The whole value of a header that authorizes, and its last word: of "Bearer abc" that is the part that is secret. */
function secretsOfHeader([name, value]: readonly [string, string]): string[] {
  if (!isKeyName(name)) return [];
  return [value, value.slice(value.lastIndexOf(' ') + 1)];
}
