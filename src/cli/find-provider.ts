import { isRecord } from '../core/json.ts';
import { isHttpAddress, shownAddress } from './shown-address.ts';
import { UserError } from './user-error.ts';

/** The wires that `--provider` names. */
export const PROVIDER_NAMES = ['openai', 'openai-responses', 'anthropic', 'ollama'] as const;

/** A wire that `--provider` names. */
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** What the command line says about the model. */
export interface ProviderFlags {
  readonly provider?: ProviderName | undefined;
  readonly model?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** Name of the environment variable that holds the key. */
  readonly apiKeyEnv?: string | undefined;
}

/** A model to ask, and how it was found. */
export interface ProviderChoice {
  readonly provider: ProviderName;
  readonly model: string;
  readonly baseURL: string | undefined;
  readonly apiKey: string | undefined;
  /** One sentence, where the choice was not the caller's. */
  readonly reason: string | undefined;
}

/** What the search looks at. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where an Ollama would be: OLLAMA_HOST or the default. */
  readonly ollamaOrigin: string;
  /** Asks an address for JSON. Never rejects. */
  readonly getJson: (url: string) => Promise<Answer>;
}

/** What an address has to say: JSON, something else (a page, an error), or nothing in time. */
export type Answer =
  | { readonly type: 'json'; readonly value: unknown }
  | { readonly type: 'other'; readonly status: number; readonly isPage: boolean }
  | { readonly type: 'nothing' };

const KEY_VARIABLES = {
  openai: 'OPENAI_API_KEY',
  'openai-responses': 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
} as const;

/** Models that hints name. chosen: small and current in 2025; only examples. */
const EXAMPLE_MODELS = {
  openai: 'gpt-5-mini',
  'openai-responses': 'gpt-5-mini',
  anthropic: 'claude-haiku-4-5',
} as const;

const NOTHING_FOUND_HINT = [
  'start a local model: ollama serve, then ollama pull qwen3',
  'or name a server: oilcan run "..." --base-url http://127.0.0.1:8080/v1',
  'or set a key: export OPENAI_API_KEY=... (or ANTHROPIC_API_KEY) and add --model',
  'or see it work without any: oilcan demo temple',
].join('\n');

/**
 * Finds the model to ask: what the flags say, else an Ollama on this machine, else a key in the environment.
 * @throws UserError that says what to do, where there is none.
 */
export async function findProvider(flags: ProviderFlags, around: Surroundings): Promise<ProviderChoice> {
  const provider = flags.provider ?? (flags.baseUrl === undefined ? undefined : 'openai');
  if (flags.baseUrl !== undefined && !isHttpAddress(flags.baseUrl)) {
    const hint = 'such as --base-url http://127.0.0.1:8080/v1';
    throw new UserError('The base URL has to be an address that begins with http:// or https://.', hint);
  }
  const apiKey = keyOf(flags, around);
  if (provider === 'ollama') return findOllama(flags, around);
  if (provider !== undefined) return findHosted(provider, flags, apiKey, around);
  return search(flags, around);
}

async function search(flags: ProviderFlags, around: Surroundings): Promise<ProviderChoice> {
  const local = await ollamaModels(around.ollamaOrigin, around);
  const wanted = flags.model;
  if (wanted === undefined && local?.[0] !== undefined)
    return ollamaChoice(local[0], undefined, around.ollamaOrigin, true);
  if (wanted !== undefined && local?.some((name) => name === wanted || name === `${wanted}:latest`)) {
    return ollamaChoice(wanted, undefined, around.ollamaOrigin, true);
  }
  const hosted = hostedByKey(wanted, around);
  if (hosted === undefined) {
    if (local === undefined)
      throw new UserError('No model to ask: no Ollama answers on this machine, and no key is set.', NOTHING_FOUND_HINT);
    if (wanted === undefined) throw new UserError('Ollama is running but has no model.', 'ollama pull qwen3');
    throw new UserError(`Ollama has no model "${wanted}", and no key is set.`, `ollama pull ${wanted}${listOf(local)}`);
  }
  if (wanted === undefined) {
    const variable = KEY_VARIABLES[hosted];
    throw new UserError(
      `${variable} is set, but no model is named.`,
      `oilcan run "..." --provider ${hosted} --model ${EXAMPLE_MODELS[hosted]}`,
    );
  }
  const variable = KEY_VARIABLES[hosted];
  return {
    provider: hosted,
    model: wanted,
    baseURL: undefined,
    apiKey: around.environment[variable],
    reason: `Found ${variable}.`,
  };
}

/** Which hosted wire the environment has a key for. A model's name decides where both are set. */
function hostedByKey(model: string | undefined, { environment }: Surroundings): 'openai' | 'anthropic' | undefined {
  const hasOpenai = isSet(environment['OPENAI_API_KEY']);
  const hasAnthropic = isSet(environment['ANTHROPIC_API_KEY']);
  if (hasAnthropic && (!hasOpenai || model?.startsWith('claude') === true)) return 'anthropic';
  return hasOpenai ? 'openai' : undefined;
}

async function findHosted(
  provider: Exclude<ProviderName, 'ollama'>,
  flags: ProviderFlags,
  apiKey: string | undefined,
  around: Surroundings,
): Promise<ProviderChoice> {
  const { model, baseUrl: baseURL } = flags;
  const variable = KEY_VARIABLES[provider];
  if (baseURL === undefined && apiKey === undefined) {
    throw new UserError(`${variable} is not set.`, `export ${variable}=..., or name another server with --base-url`);
  }
  if (model !== undefined) return { provider, model, baseURL, apiKey, reason: undefined };
  const addModel = `add --model, such as --model ${EXAMPLE_MODELS[provider]}`;
  if (baseURL === undefined) throw new UserError('No model is named.', addModel);
  const list = `${baseURL.replace(/\/+$/, '')}/models`;
  const answer = await around.getJson(list);
  if (answer.type === 'nothing') {
    throw new UserError(
      `Nothing answers at ${shownAddress(baseURL)}.`,
      'is the server running? Start it, or check --base-url',
    );
  }
  if (answer.type === 'other' && answer.isPage) {
    const hint = 'check --base-url (for most servers it ends in /v1), or name the model with --model';
    throw new UserError(`No model is named, and ${shownAddress(list)} is a web page, not a list of models.`, hint);
  }
  const first = firstModel(answer);
  if (first === undefined) throw new UserError(`No model is named, and ${shownAddress(list)} lists none.`, addModel);
  return {
    provider,
    model: first,
    baseURL,
    apiKey,
    reason: `The first model of ${shownAddress(baseURL)}; choose another with --model.`,
  };
}

async function findOllama(flags: ProviderFlags, around: Surroundings): Promise<ProviderChoice> {
  const origin = flags.baseUrl ?? around.ollamaOrigin;
  if (flags.model !== undefined) return ollamaChoice(flags.model, flags.baseUrl, origin, false);
  const models = await ollamaModels(origin, around);
  if (models === undefined)
    throw new UserError(`No Ollama answers at ${shownAddress(origin)}.`, 'start it with: ollama serve');
  const [first] = models;
  if (first === undefined) throw new UserError(`Ollama at ${shownAddress(origin)} has no model.`, 'ollama pull qwen3');
  return ollamaChoice(first, flags.baseUrl, origin, true);
}

function ollamaChoice(model: string, baseURL: string | undefined, origin: string, isFound: boolean): ProviderChoice {
  const reason = isFound ? `Found Ollama at ${shownAddress(origin)}; choose another model with --model.` : undefined;
  return { provider: 'ollama', model, baseURL, apiKey: undefined, reason };
}

/** The vendor's variable that holds a key which is not sent, since the server named is not the vendor's. */
export function unsentKeyVariable(
  { provider, apiKeyEnv, baseUrl }: ProviderFlags,
  environment: Surroundings['environment'],
): string | undefined {
  if (apiKeyEnv !== undefined || baseUrl === undefined || provider === 'ollama') return undefined;
  const variable = KEY_VARIABLES[provider ?? 'openai'];
  return isSet(environment[variable]) ? variable : undefined;
}

function keyOf({ provider, apiKeyEnv, baseUrl }: ProviderFlags, { environment }: Surroundings): string | undefined {
  if (apiKeyEnv !== undefined) {
    const key = environment[apiKeyEnv];
    if (!isSet(key))
      throw new UserError(`The environment variable ${apiKeyEnv} is not set.`, `export ${apiKeyEnv}=...`);
    return key;
  }
  // A vendor's key belongs to that vendor: another server gets one only if it is named.
  if (baseUrl !== undefined || provider === undefined || provider === 'ollama') return undefined;
  const key = environment[KEY_VARIABLES[provider]];
  return isSet(key) ? key : undefined;
}

/** Models of an Ollama that can talk, or undefined where none answers. */
async function ollamaModels(origin: string, around: Surroundings): Promise<string[] | undefined> {
  const answer = await around.getJson(`${origin.replace(/\/+$/, '')}/api/tags`);
  if (answer.type !== 'json' || !isRecord(answer.value) || !Array.isArray(answer.value['models'])) return undefined;
  return namesOf(answer.value['models'], 'name').filter((name) => !/embed|bge-|minilm/i.test(name));
}

function firstModel(answer: Answer): string | undefined {
  if (answer.type !== 'json' || !isRecord(answer.value) || !Array.isArray(answer.value['data'])) return undefined;
  return namesOf(answer.value['data'], 'id')[0];
}

function namesOf(list: readonly unknown[], key: string): string[] {
  return list.flatMap((entry) => (isRecord(entry) && typeof entry[key] === 'string' ? [entry[key]] : []));
}

function listOf(models: readonly string[]): string {
  return models.length === 0 ? '' : `, or one of: ${models.slice(0, 10).join(', ')}`;
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}
