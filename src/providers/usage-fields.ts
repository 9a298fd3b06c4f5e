import type { Usage } from '../core/usage.ts';
import { countOf } from '../core/usage.ts';
import { listOf, recordOf } from './json-fields.ts';

type UsageWire = 'chat' | 'responses' | 'messages' | 'ollama';

/** Where a wire's servers write their figures: names of fields, `a.b` for a field of a field. The first one that is a count is taken. */
interface UsageFields {
  readonly input: readonly string[];
  /** Counted beside the input, and added to it. */
  readonly besideInput: readonly string[];
  readonly output: readonly string[];
  readonly cached: readonly string[];
  readonly reasoning: readonly string[];
  readonly total: readonly string[];
}

/**
 * The vendors' ways of counting, by wire.
 *
 * - OpenAI, DeepSeek, Mistral, vLLM: thoughts are part of the output.
 * - xAI and Gemini's compatible endpoint: thoughts are only in the total. So the output is at least the total without the
 *   input; without a total, thoughts that are more than the output stand beside it.
 * - DeepSeek and Moonshot write their cache under names of their own.
 * - Anthropic counts what it read from its cache, or wrote into it, beside the input.
 */
const FIELDS: Readonly<Record<UsageWire, UsageFields>> = {
  chat: {
    input: ['prompt_tokens', 'input_tokens'],
    besideInput: [],
    output: ['completion_tokens', 'output_tokens'],
    cached: ['prompt_tokens_details.cached_tokens', 'prompt_cache_hit_tokens', 'cached_tokens'],
    reasoning: ['completion_tokens_details.reasoning_tokens', 'reasoning_tokens'],
    total: ['total_tokens'],
  },
  responses: {
    input: ['input_tokens', 'prompt_tokens'],
    besideInput: [],
    output: ['output_tokens', 'completion_tokens'],
    cached: ['input_tokens_details.cached_tokens'],
    reasoning: ['output_tokens_details.reasoning_tokens'],
    total: ['total_tokens'],
  },
  messages: {
    input: ['input_tokens'],
    besideInput: ['cache_read_input_tokens', 'cache_creation_input_tokens'],
    output: ['output_tokens'],
    cached: ['cache_read_input_tokens'],
    reasoning: [],
    total: [],
  },
  ollama: {
    input: ['prompt_eval_count'],
    besideInput: [],
    output: ['eval_count'],
    cached: ['prompt_eval_cached_count'],
    reasoning: [],
    total: [],
  },
};

/** The figures of a Chat reply: beside the choices, in one (Moonshot), or in a field of the vendor (Groq). */
export function chatFigures(reply: { readonly usage?: unknown; readonly choices?: unknown }): unknown {
  const places = [reply.usage, recordOf(listOf(reply.choices)[0])?.['usage'], fieldAt(reply, 'x_groq.usage')];
  return places.find((figures) => recordOf(figures) !== undefined);
}

/** Reads the figures of a reply. */
export function usageOf(wire: UsageWire, figures: unknown): Usage {
  const fields = FIELDS[wire];
  const read = (paths: readonly string[]): number | undefined =>
    paths.map((path) => countOf(fieldAt(figures, path))).find((count) => count !== undefined);
  const plainInput = read(fields.input);
  const inputTokens =
    plainInput === undefined
      ? undefined
      : fields.besideInput.reduce((sum, path) => sum + (read([path]) ?? 0), plainInput);
  const said = read(fields.output);
  const reasoningTokens = read(fields.reasoning);
  // A server that counts nothing writes zeros: a reply without any input does not exist.
  if (inputTokens === 0 && (said ?? 0) === 0) return {};
  const rest = (read(fields.total) ?? 0) - (inputTokens ?? Infinity);
  const beside = (reasoningTokens ?? 0) > (said ?? 0) ? (reasoningTokens ?? 0) + (said ?? 0) : 0;
  const outputTokens = said === undefined && rest <= 0 ? undefined : Math.max(said ?? 0, rest > 0 ? rest : beside);
  return { inputTokens, outputTokens, cachedInputTokens: read(fields.cached), reasoningTokens };
}

function fieldAt(value: unknown, path: string): unknown {
  return path.split('.').reduce((at: unknown, name) => recordOf(at)?.[name], value);
}
