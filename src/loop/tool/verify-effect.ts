import type { Call } from './call.ts';
import { classifyThrown } from './classify-thrown.ts';
import { invocationContext, invokeTool } from './invoke-tool.ts';
import type { RunContext } from '../run/run-context.ts';

/** Whether an effect took place, and what came of it. */
export type Verdict =
  | { readonly status: 'done'; readonly output: unknown }
  | { readonly status: 'not-done' | 'unknown' };

/** Asks `verify` whether an effect took place. What it can't say, and a `verify` that fails itself, is unknown. */
export async function verifyEffect(context: RunContext, call: Call, attempt: number): Promise<Verdict> {
  const { tool } = call;
  const ask = tool.options.verify;
  if (ask === undefined) return { status: 'unknown' };
  const answer = await invokeTool(
    (toolContext) => ask(call.input, toolContext),
    invocationContext(context, call, attempt),
  );
  const said = answer.status === 'value' ? verdictOf(answer.value) : undefined;
  if (said !== undefined) return said;
  if (answer.status !== 'aborted') {
    const why =
      answer.status === 'threw'
        ? `threw ${classifyThrown(answer.error).detail}`
        : answer.status === 'timeout'
          ? 'did not answer in time'
          : 'gave no status';
    context.emit({
      type: 'warning',
      turn: call.turn,
      message: context.config.redactor.redact(`\`verify\` of ${tool.name} ${why}; the outcome counts as unknown.`),
    });
  }
  return { status: 'unknown' };
}

/** What `verify` gave, read once: undefined where it says nothing, or can't be looked at. */
function verdictOf(value: unknown): Verdict | undefined {
  try {
    if (typeof value !== 'object' || value === null || !('status' in value)) return undefined;
    const { status } = value;
    if (status === 'done') return { status, output: 'output' in value ? value.output : undefined };
    return { status: status === 'not-done' ? 'not-done' : 'unknown' };
  } catch {
    return undefined;
  }
}
