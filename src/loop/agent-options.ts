import type { Clock, Random } from '../core/clock.ts';
import { systemClock, systemRandom } from '../core/clock.ts';
import { environment } from '../core/host.ts';
import { checkNames, checkOptions, describeValue, didYouMean, invalidOption as invalid } from '../core/option-check.ts';
import type { Provider, ToolChoice, ToolDeclaration } from '../core/provider.ts';
import type { Redactor } from '../core/redact.ts';
import { createRedactor, secretsOfEnvironment } from '../core/redact.ts';
import type { Tool } from '../core/tool.ts';
import type { Breaker, BreakerOptions } from '../resilience/breaker.ts';
import { breakerOptions, createBreaker } from '../resilience/breaker.ts';
import type { DeadlineOptions } from '../resilience/deadline.ts';
import { deadlines } from '../resilience/deadline.ts';
import type { FailureTableOverrides } from '../resilience/failure-table.ts';
import { withOverrides } from '../resilience/failure-table.ts';
import type { Limiter } from '../resilience/limiter.ts';
import type { Price } from '../resilience/price.ts';
import type { RetryOptions } from '../resilience/retry.ts';
import { retryPolicy } from '../resilience/retry.ts';
import { checkKinds, checkPrice } from './agent-option-checks.ts';
import type { Compactor } from './compact.ts';
import { shortenToolResults } from './compact.ts';
import type { Limits, RunConfig } from './config.ts';
import type { Hooks } from './hooks.ts';
import { hookList } from './hooks.ts';
import type { SlipPolicy } from './slips.ts';

/** Limits of a run. Each ends it typed, with the work done so far; none is reset while the run lasts. */
export interface LimitOptions {
  /** Tool calls that are run. @defaultValue Infinity: `maxTurns` bounds them */
  readonly toolCalls?: number | undefined;
  /** Turns in a row in which every call failed. @defaultValue 5 */
  readonly errorsInARow?: number | undefined;
  /** Failures of the same call after which it is not run again, unless something has changed. @defaultValue 2 */
  readonly sameCallFailures?: number | undefined;
  /** How often the same calls may give the same results in a row, in circles too. @defaultValue 4 */
  readonly repeats?: number | undefined;
  /** Input and output tokens together. @defaultValue Infinity */
  readonly totalTokens?: number | undefined;
  /** US dollars; needs `prices`. @defaultValue Infinity */
  readonly costUsd?: number | undefined;
}

/** What an agent is made of. */
export interface AgentOptions {
  /** For traces and journals. */
  readonly name?: string | undefined;
  readonly provider: Provider;
  readonly tools?: readonly Tool[] | undefined;
  /** The system text. */
  readonly system?: string | undefined;
  /** Model replies that a run may use. @defaultValue 25 */
  readonly maxTurns?: number | undefined;
  /** A forced call is forced until a tool has run; then the model may answer. @defaultValue 'auto' */
  readonly toolChoice?: ToolChoice | undefined;
  /** False: at most one call in a reply. Left to the server by default. */
  readonly parallelToolCalls?: boolean | undefined;
  /** Calls of one reply that run at the same time. @defaultValue 10 */
  readonly toolConcurrency?: number | undefined;
  readonly retry?: RetryOptions | undefined;
  readonly deadlines?: DeadlineOptions | undefined;
  readonly limits?: LimitOptions | undefined;
  /** `finish`: one last turn without tools when a limit is reached, and the result says so. @defaultValue 'stop' */
  readonly onLimit?: 'stop' | 'finish' | undefined;
  /** What a call that can't be run leaves in the next request. @defaultValue 'ladder' */
  readonly slips?: SlipPolicy | undefined;
  readonly hooks?: readonly Hooks[] | undefined;
  /** Rows of the failure table to change. */
  readonly failures?: FailureTableOverrides | undefined;
  /** Shortens the history when it is too long for the model: `'shorten'` cuts old tool results. Off by default. */
  readonly compact?: 'shorten' | Compactor | undefined;
  /** Shared by the runs that share a server. */
  readonly limiter?: Limiter | undefined;
  /** Stops asking a provider that keeps failing; shared by all runs that use it. `fallback` brings its own. */
  readonly breaker?: BreakerOptions | undefined;
  /** Prices by model id, or a function that knows them. */
  readonly prices?: Readonly<Record<string, Price>> | ((provider: Provider) => Price | undefined) | undefined;
  /** What is searched for secrets before the model reads it. Errors and events always are. @defaultValue 'all' */
  readonly redact?: 'all' | 'errors' | undefined;
  /** Further values that no model may see. Keys of providers and secret-looking environment variables are known. */
  readonly secrets?: readonly string[] | undefined;
  /** Longest tool result that the model is sent. @defaultValue 50000 characters */
  readonly maxOutputChars?: number | undefined;
  /** Time, for tests and simulations. */
  readonly clock?: Clock | undefined;
  /** Randomness, for tests and simulations. */
  readonly random?: Random | undefined;
}

/** Chosen: see docs/limits.md, which gives the reason for each. */
const DEFAULT_LIMITS: Omit<Limits, 'turns'> = {
  toolCalls: Infinity,
  errorsInARow: 5,
  sameCallFailures: 2,
  repeats: 4,
  totalTokens: Infinity,
  costUsd: Infinity,
};

/** What other libraries call them. */
const OTHER_NAMES = {
  model: 'provider',
  instructions: 'system',
  systemPrompt: 'system',
  maxSteps: 'maxTurns',
  maxRetries: '`retry: { maxAttempts }`, which is one more: the first try counts',
  timeoutMs: '`deadlines: { runMs }`',
  signal: '`signal` of `run`',
  output: '`output` of `run`',
};

const KNOWN_OPTIONS: Record<keyof AgentOptions, true> = {
  name: true,
  provider: true,
  tools: true,
  system: true,
  maxTurns: true,
  toolChoice: true,
  parallelToolCalls: true,
  toolConcurrency: true,
  retry: true,
  deadlines: true,
  limits: true,
  onLimit: true,
  slips: true,
  hooks: true,
  failures: true,
  compact: true,
  limiter: true,
  breaker: true,
  prices: true,
  redact: true,
  secrets: true,
  maxOutputChars: true,
  clock: true,
  random: true,
};

/**
 * Checks the options of an agent and fills in every default.
 * @throws OilcanError `invalid-option`, in one sentence that says what was expected.
 */
export function runConfig(options: AgentOptions): RunConfig {
  checkOptions('the options of `createAgent`', options, '{ provider, tools }');
  checkNames('createAgent', options, KNOWN_OPTIONS, OTHER_NAMES);
  const { provider } = options;
  const providers = provider?.candidates ?? [provider];
  for (const candidate of providers) checkProvider(candidate);
  checkKinds(options);
  const tools = toolMap(options.tools ?? []);
  const toolChoice = options.toolChoice ?? 'auto';
  checkToolChoice(toolChoice, tools, providers);
  checkParallelToolCalls(options.parallelToolCalls, providers);
  const clock = options.clock ?? systemClock;
  return {
    name: text('name', options.name),
    providers,
    fallBackOnRefusal: provider.fallBackOnRefusal === true,
    tools,
    declarations: declarationsOf(tools),
    system: text('system', options.system),
    toolChoice,
    parallelToolCalls: options.parallelToolCalls,
    toolConcurrency: count('toolConcurrency', options.toolConcurrency ?? 10),
    table: withOverrides(options.failures),
    retry: retryPolicy(options.retry),
    deadlines: deadlines(options.deadlines),
    limits: limitsOf(options, providers),
    onLimit: oneOf('onLimit', options.onLimit ?? 'stop', ['stop', 'finish']),
    slips: oneOf('slips', options.slips ?? 'ladder', ['ladder', 'result', 'rewind']),
    hooks: hookList(options.hooks ?? []),
    compactor: options.compact === 'shorten' ? shortenToolResults : options.compact,
    limiter: options.limiter,
    breakerOf: breakersFor(options.breaker ?? provider.breakerOptions, clock),
    toolBreakers: toolBreakers(tools, clock),
    price: priceOf(options.prices, providers),
    redactor: lazyRedactor(providers, options.secrets ?? []),
    redactOutputs: oneOf('redact', options.redact ?? 'all', ['all', 'errors']) === 'all',
    maxOutputChars: count('maxOutputChars', options.maxOutputChars ?? 50_000),
    clock,
    random: options.random ?? systemRandom,
    output: undefined,
  };
}

function checkProvider(provider: unknown): asserts provider is Provider {
  const isProvider =
    typeof provider === 'object' && provider !== null && 'stream' in provider && typeof provider.stream === 'function';
  if (!isProvider)
    throw invalid("Expected `provider` to be a provider such as openai({ model: '…' }), ollama('…') or fallback([…]).");
}

function toolMap(tools: unknown): ReadonlyMap<string, Tool> {
  if (!isArray(tools)) throw invalid('Expected `tools` to be an array of tools made by `tool({ … })`.');
  const map = new Map<string, Tool>();
  for (const [index, tool] of tools.entries()) {
    if (!isTool(tool)) {
      throw invalid(`Expected \`tools[${index}]\` to be made by \`tool({ … })\`.`);
    }
    if (map.has(tool.name))
      throw invalid(`Two tools have the name \`${tool.name}\`. Names of an agent's tools must differ.`);
    map.set(tool.name, tool);
  }
  return map;
}

/** `Array.isArray`, without making the elements `any`. */
function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isTool(value: unknown): value is Tool {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('options' in value)) return false;
  const { name, options } = value;
  const hasExecute =
    typeof options === 'object' && options !== null && 'execute' in options && typeof options.execute === 'function';
  return typeof name === 'string' && hasExecute;
}

/** By first tool: agents that are made anew with the same tools share what providers have built of them. */
const declarationCache = new WeakMap<Tool, readonly ToolDeclaration[]>();

function declarationsOf(tools: ReadonlyMap<string, Tool>): readonly ToolDeclaration[] {
  const list = [...tools.values()];
  const [first] = list;
  if (first === undefined) return [];
  const cached = declarationCache.get(first);
  if (
    cached !== undefined &&
    cached.length === list.length &&
    cached.every((declaration, index) => declaration === list[index])
  )
    return cached;
  declarationCache.set(first, list);
  return list;
}

function checkToolChoice(choice: ToolChoice, tools: ReadonlyMap<string, Tool>, providers: readonly Provider[]): void {
  if (typeof choice === 'object' && !tools.has(choice.toolName)) {
    throw invalid(
      `\`toolChoice\` names \`${choice.toolName}\`, which is none of the tools (${[...tools.keys()].join(', ')}).`,
    );
  }
  const kind = typeof choice === 'object' ? 'tool' : choice;
  if (kind !== 'auto' && kind !== 'none' && tools.size === 0)
    throw invalid(`\`toolChoice\` is ${kind}, but the agent has no tools.`);
  for (const provider of providers) {
    if (kind !== 'auto' && !provider.capabilities.toolChoice.includes(kind)) {
      throw invalid(
        `The provider \`${provider.id}\` cannot express \`toolChoice\`: ${kind}. It knows ${provider.capabilities.toolChoice.join(', ')}.`,
      );
    }
  }
}

/** `true` asks for nothing: it is what a server does that is not told. */
function checkParallelToolCalls(isAllowed: boolean | undefined, providers: readonly Provider[]): void {
  if (isAllowed !== false) return;
  for (const provider of providers) {
    if (!provider.capabilities.parallelToolCalls) {
      throw invalid(
        `The provider \`${provider.id}\` cannot express \`parallelToolCalls\`: false. Leave it out; \`toolConcurrency: 1\` runs calls one after the other.`,
      );
    }
  }
}

function limitsOf(options: AgentOptions, providers: readonly Provider[]): Limits {
  const limits: { -readonly [K in keyof Limits]: number } = {
    ...DEFAULT_LIMITS,
    turns: count('maxTurns', options.maxTurns ?? 25),
  };
  for (const [key, value] of Object.entries(options.limits ?? {})) {
    if (!Object.hasOwn(DEFAULT_LIMITS, key)) {
      const names = Object.keys(DEFAULT_LIMITS);
      const fix = didYouMean(key, names, (limitNames) => `Limits are ${limitNames}; turns are \`maxTurns\`.`);
      throw invalid(`There is no limit \`limits.${key.slice(0, 60)}\`. ${fix}`);
    }
    if (value === undefined) continue;
    if (typeof value !== 'number' || !(value > 0))
      throw invalid(`Expected \`limits.${key}\` to be a number > 0 (Infinity for none), got ${describeValue(value)}.`);
    limits[key as keyof LimitOptions] = value;
  }
  if (limits.costUsd !== Infinity) {
    const price = priceOf(options.prices, providers);
    for (const provider of providers) {
      if (price?.(provider) === undefined) {
        throw invalid(
          `\`limits.costUsd\` is set, but the price of \`${provider.model}\` is not known: the limit could never trip. Give it in \`prices\`: { '${provider.model}': { input: …, output: … } } (US dollars for a million tokens).`,
        );
      }
    }
  }
  return limits;
}

function priceOf(prices: AgentOptions['prices'], providers: readonly Provider[]): RunConfig['price'] {
  if (prices === undefined || typeof prices === 'function') return prices;
  for (const provider of providers) checkPrice(provider, prices[provider.model]);
  return (provider) => prices[provider.model];
}

function count(name: string, value: number): number {
  if (value === Infinity || (Number.isInteger(value) && value >= 1)) return value;
  throw invalid(`Expected \`${name}\` to be an integer >= 1, got ${describeValue(value)}.`);
}

function text(name: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw invalid(`Expected \`${name}\` to be a string, got ${describeValue(value)}.`);
}

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw invalid(
    `Expected \`${name}\` to be one of ${allowed.map((word) => `'${word}'`).join(', ')}, got '${String(value).slice(0, 40)}'.`,
  );
}

/** Breakers of providers live as long as the provider: agents that share one share what is known of its health. */
const providerBreakers = new WeakMap<Provider, Breaker>();

function breakersFor(options: BreakerOptions | undefined, clock: Clock): RunConfig['breakerOf'] {
  if (options === undefined) return () => undefined;
  breakerOptions(options);
  return (provider) => {
    let breaker = providerBreakers.get(provider);
    if (breaker === undefined) {
      breaker = createBreaker(options, clock);
      providerBreakers.set(provider, breaker);
    }
    return breaker;
  };
}

function toolBreakers(tools: ReadonlyMap<string, Tool>, clock: Clock): ReadonlyMap<string, Breaker> {
  const breakers = new Map<string, Breaker>();
  for (const tool of tools.values()) {
    const { breaker } = tool.options;
    if (breaker !== undefined) breakers.set(tool.name, createBreaker(breaker, clock));
  }
  return breakers;
}

let environmentSecrets: readonly string[] | undefined;

/** Built when there is first something to search: many runs never have anything. */
function lazyRedactor(providers: readonly Provider[], extra: readonly string[]): Redactor {
  let redactor: Redactor | undefined;
  const ready = (): Redactor => {
    if (redactor === undefined) {
      environmentSecrets ??= secretsOfEnvironment(environment());
      const keys = providers.flatMap((provider) => provider.secrets ?? []);
      redactor = createRedactor([...environmentSecrets, ...keys, ...extra]);
    }
    return redactor;
  };
  return {
    redact: (value) => ready().redact(value),
    redactValue: (value) => ready().redactValue(value),
  };
}
