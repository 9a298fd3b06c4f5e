import type { Failure } from '../../core/failure.ts';
import { textOf } from '../../core/message.ts';
import { failed } from './call-results.ts';
import type { Call, Told } from './call.ts';
import type { Thrown } from './classify-thrown.ts';
import { invocationContext, invokeTool } from './invoke-tool.ts';
import type { RunContext } from '../run/run-context.ts';
import { safeOutput } from './safe-text.ts';
import * as texts from '../texts.ts';
import { readOutput } from '../tool-output/read-output.ts';

/** Why a tool can't be had, as far as it is known. */
export interface Outage {
  /** What the tool threw; none where its breaker did not let it run. */
  readonly error?: unknown;
  readonly failure?: Failure;
  readonly thrown?: Thrown;
  readonly remainingMs?: number;
  /** The words for a tool that ran out of time, where there is no fallback value. */
  readonly orElse?: string;
}

/** The fallback's value, tagged; else the word that the tool is down. */
export async function unavailable(context: RunContext, call: Call, attempt: number, outage: Outage): Promise<Told> {
  const { tool } = call;
  const { config } = context;
  const { error, thrown, failure } = outage;
  const hasRun = failure !== undefined || attempt > 1;
  const { fallback } = tool.options;
  if (fallback !== undefined) {
    const answer = await invokeTool(() => fallback(call.input, error), invocationContext(context, call, attempt));
    const cached = answer.status === 'value' ? cachedValue(answer.value) : undefined;
    if (cached !== undefined) {
      const read = await readOutput({ ...tool, options: { ...tool.options, output: undefined } }, cached.value);
      const text = read.ok ? textOf(read.content) : '';
      const tagged = texts.cached(safeOutput(config, tool, text), cached.ageMs);
      return { content: [{ type: 'text', text: tagged }], isCached: true, hasRun };
    }
  }
  if (outage.orElse !== undefined && failure !== undefined)
    return failed(config, 'tool-timeout', outage.orElse, failure, true);
  const text = texts.toolUnavailable(tool.name, thrown?.message, thrown?.hint, outage.remainingMs);
  const words = thrown?.isForModels === true ? 'for-models' : 'any';
  const why = failure ?? { message: `The breaker of ${tool.name} is open.` };
  return failed(config, 'tool-unavailable', text, why, hasRun, words);
}

function cachedValue(value: unknown): { value: unknown; ageMs: number | undefined } | undefined {
  if (value === undefined) return undefined;
  try {
    if (typeof value === 'object' && value !== null && 'value' in value && 'ageMs' in value) {
      return { value: value.value, ageMs: typeof value.ageMs === 'number' ? value.ageMs : undefined };
    }
  } catch {
    // What can't be looked at is shown as such.
  }
  return { value, ageMs: undefined };
}
