import type { Failure } from '../../core/failure.ts';
import type { Tool } from '../../core/tool.ts';
import type { CallOutcome, CallState, FailedTry } from '../call/state.ts';
import { maskedFailure } from './masked-failure.ts';
import type { RunContext } from './context.ts';
import { schemaUntilAborted } from './until-aborted.ts';
import * as texts from '../words/for-models.ts';
import type { Thrown } from './thrown.ts';
import { classifyThrown, questionOf } from './thrown.ts';
import type { Invocation, InvocationContext } from './invoke-tool.ts';
import { invokeTool } from './invoke-tool.ts';
import { safeError, safeOutput, safeParts } from '../output/safe-text.ts';
import { shownInput } from '../output/shown-input.ts';
import { readOutput } from '../output/read-output.ts';
import { observed } from './breakers.ts';
import type { LiveCalls } from './live-calls.ts';
import type { CallSpending } from './spending.ts';

type Try = Extract<CallState, { at: 'try' | 'doubt' | 'stand-in' }>;

/** What the acts of one call of a turn share. */
export interface CallTurn {
  readonly context: RunContext;
  readonly turn: number;
  readonly live: LiveCalls;
  readonly spending: CallSpending;
}

/** Runs a tool once and puts what came of it into words. Rejects only where the run was aborted. */
export async function tryTool(call: CallTurn, state: Extract<CallState, { at: 'try' }>): Promise<CallOutcome> {
  const { context, turn, live } = call;
  const { config } = context;
  const { ready, attempt, toolCallId } = state;
  const tool = toolOf(context, ready.toolName);
  const input = live.has(toolCallId) ? live.get(toolCallId) : await live.inputOf(context, tool, state);
  const breaker = observed(context, turn, tool.name, config.toolBreakers.get(tool.name));
  if (breaker?.tryPass() === false) return barred(context, tool, breaker.remainingMs());
  if (context.wants('tool-start')) {
    const shown = config.redactor.redactValue(shownInput(input));
    context.emit({ type: 'tool-start', turn, toolCallId, toolName: tool.name, input: shown, attempt });
  }
  const invocation = await invoke(call, state, tool, (toolContext) => {
    live.begin(toolCallId);
    return tool.options.execute(input, toolContext);
  });
  if (invocation.status === 'aborted') {
    breaker?.abandoned();
    throw context.abort.reason;
  }
  if (invocation.status === 'value') {
    breaker?.succeeded();
    return readValue(context, tool, invocation.value);
  }
  const error = invocation.status === 'threw' ? invocation.error : undefined;
  const question = invocation.status === 'threw' ? questionOf(error) : undefined;
  if (question !== undefined) {
    breaker?.abandoned();
    const words = safeError(config, question, { words: 'for-models' });
    return { type: 'pending', pending: { type: 'question', toolCallId, toolName: tool.name, question: words } };
  }
  const thrown = invocation.status === 'threw' ? classifyThrown(error) : undefined;
  const failure = failureOfTry(context, tool, toolCallId, thrown, error);
  if (config.table[failure.kind].isOutage) breaker?.failed();
  else breaker?.succeeded();
  live.keepError(toolCallId, error ?? new Error(failure.message));
  return { type: 'failed', failure, random: config.random(), ...textsOf(context, tool, failure, thrown) };
}

function toolOf({ config }: RunContext, toolName: string): Tool {
  const tool = config.tools.get(toolName);
  if (tool === undefined) throw new Error(`There is no tool ${toolName} any more.`);
  return tool;
}

function invoke(
  { context, spending }: CallTurn,
  { toolCallId, attempt }: Try,
  tool: Tool,
  run: Parameters<typeof invokeTool>[0],
): Invocation | Promise<Invocation> {
  const { runId, config, abort } = context;
  const given: InvocationContext = {
    runId,
    toolCallId,
    idempotencyKey: `${runId}/${toolCallId}`,
    attempt,
    timeoutMs: timeoutMsOf(context, tool),
    clock: config.clock,
    abort,
    spending,
  };
  return invokeTool(run, given);
}

function timeoutMsOf({ config }: RunContext, { options }: Tool): number {
  return options.timeoutMs ?? config.deadlines.toolMs;
}

function barred({ config }: RunContext, { name }: Tool, remainingMs: number): CallOutcome {
  const text = safeError(config, texts.toolUnavailable(name, undefined, undefined, remainingMs));
  const failure: Failure = { kind: 'tool-unavailable', message: `The breaker of ${name} is open.`, toolName: name };
  return { type: 'barred', failure, text };
}

/** A good value: checked against the declared schema, serialised, made safe. */
async function readValue(context: RunContext, tool: Tool, value: unknown): Promise<CallOutcome> {
  const { config, abort } = context;
  const { name, options } = tool;
  const schema = options.output === undefined ? undefined : schemaUntilAborted(options.output, abort);
  const read = await readOutput({ ...tool, options: { ...options, output: schema } }, value, (text) =>
    config.redactor.redact(text),
  );
  if (read.ok) {
    return { type: 'value', content: safeParts(config, tool, read.content) };
  }
  if (abort.aborted && 'error' in read) throw abort.reason;
  const message = `${name} gave a value that does not fit its \`output\` schema: ${read.problem}`;
  return {
    type: 'bad-value',
    text: safeError(config, texts.badOutput(name, options.effect ?? 'write')),
    failure: maskedFailure({ kind: 'bad-output', message, toolName: name, cause: read.error }, config.redactor),
  };
}

/** The failure of one try, for hooks, events and the result. */
function failureOfTry(
  context: RunContext,
  tool: Tool,
  toolCallId: string,
  thrown: Thrown | undefined,
  cause: unknown,
): Failure {
  const { name } = tool;
  if (thrown === undefined) {
    const message = `${name} did not finish within ${timeoutMsOf(context, tool)} ms (\`timeoutMs\` of the tool, or \`deadlines.toolMs\`).`;
    return { kind: 'tool-timeout', message, deadline: 'tool', toolName: name };
  }
  const { kind, detail, retryable } = thrown;
  return maskedFailure(
    {
      kind,
      message: detail,
      toolName: name,
      ...(kind === 'tool-bug' ? { reference: toolCallId.slice(-8) } : {}),
      ...(retryable === false ? { remedy: 'never' as const } : {}),
      cause,
    },
    context.config.redactor,
  );
}

/** Every text that may have to be told of a failed try: what is told at last depends on what is known of its effect. */
function textsOf(
  context: RunContext,
  tool: Tool,
  failure: Failure,
  thrown: Thrown | undefined,
): Pick<FailedTry, 'text' | 'doubt'> {
  const { config } = context;
  const { name, options } = tool;
  const isRead = options.effect === 'read';
  const safe = (text: string): string =>
    safeError(config, text, { words: thrown?.isForModels === true ? 'for-models' : 'any' });
  if (thrown === undefined) {
    const timeoutMs = timeoutMsOf(context, tool);
    if (isRead) return { text: texts.toolTimeout(name, timeoutMs, 'no-effect') };
    const unknown = texts.toolTimeout(name, timeoutMs, 'unknown');
    return { text: unknown, doubt: { unknown, notDone: texts.toolTimeout(name, timeoutMs, 'not-done') } };
  }
  const { message, hint, retryable, lostBy } = thrown;
  const text = safe(
    thrown.kind === 'tool-unavailable'
      ? texts.toolUnavailable(name, message, hint, undefined)
      : thrown.kind === 'tool-bug'
        ? texts.toolBug(name, failure.reference ?? '')
        : texts.toolFailed(name, message, { hint, retryable }),
  );
  if (isRead || lostBy === undefined) return { text };
  return { text, doubt: { unknown: safe(texts.outcomeUnknown(name, lostBy, message)), notDone: text } };
}

/** Asks `verify` whether an effect took place. What it can't say, and a `verify` that fails itself, is unknown. */
export async function verifyEffect(call: CallTurn, state: Extract<CallState, { at: 'doubt' }>): Promise<CallOutcome> {
  const { context, turn, live } = call;
  const tool = toolOf(context, state.ready.toolName);
  const ask = tool.options.verify;
  if (ask === undefined) return { type: 'verified', is: 'unknown' };
  const input = await live.inputOf(context, tool, state);
  const answer = await invoke(call, state, tool, (toolContext) => ask(input, toolContext));
  if (answer.status === 'aborted') throw context.abort.reason;
  const said = answer.status === 'value' ? verdictOf(answer.value) : undefined;
  if (said?.status === 'done') return readValue(context, tool, said.output);
  if (said !== undefined) return { type: 'verified', is: said.status };
  const why =
    answer.status === 'threw'
      ? `threw ${classifyThrown(answer.error).detail}`
      : answer.status === 'timeout'
        ? 'did not answer in time'
        : 'gave no status';
  const message = `\`verify\` of ${tool.name} ${why}; the outcome counts as unknown.`;
  context.emit({ type: 'warning', turn, message: context.config.redactor.redact(message) });
  return { type: 'verified', is: 'unknown' };
}

type Verdict = { readonly status: 'done'; readonly output: unknown } | { readonly status: 'not-done' | 'unknown' };

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

/** The stored value of a tool that is down, tagged, if it has one. */
export async function standIn(call: CallTurn, state: Extract<CallState, { at: 'stand-in' }>): Promise<CallOutcome> {
  const { context, live } = call;
  const { config } = context;
  const { toolCallId, failure } = state;
  const tool = toolOf(context, state.ready.toolName);
  const { fallback } = tool.options;
  if (fallback === undefined) return { type: 'stood-in', content: undefined };
  const input = await live.inputOf(context, tool, state);
  const error = state.attempt === 0 ? undefined : live.errorOf(toolCallId, failure.message);
  const answer = await invoke(call, state, tool, () => fallback(input, error));
  if (answer.status === 'aborted') throw context.abort.reason;
  const cached = answer.status === 'value' ? cachedValue(answer.value) : undefined;
  if (cached === undefined) return { type: 'stood-in', content: undefined };
  const read = await readOutput({ ...tool, options: { ...tool.options, output: undefined } }, cached.value, (text) =>
    config.redactor.redact(text),
  );
  const text = read.ok ? read.content.map((part) => (part.type === 'text' ? part.text : '')).join('') : '';
  const tagged = texts.cached(safeOutput(config, tool, text), cached.ageMs);
  return { type: 'stood-in', content: [{ type: 'text', text: tagged }] };
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
