import type { FailureAction, Mend } from '../core/event.ts';
import type { Failure, ModelFailureKind } from '../core/failure.ts';
import type { JsonObject } from '../core/json.ts';
import type { ImagePart, TextPart } from '../core/message.ts';
import { textOf } from '../core/message.ts';
import type { Tool } from '../core/tool.ts';
import { backoffMs } from '../resilience/backoff.ts';
import type { CallOutcome } from './call-outcome.ts';
import { callKey } from './canonical.ts';
import type { Thrown } from './classify-thrown.ts';
import { classifyThrown, questionOf } from './classify-thrown.ts';
import { checkRepetition } from './guards/repeated-call.ts';
import { callHook, HookStop, isStop } from './hooks.ts';
import type { Invocation } from './invoke-tool.ts';
import { invokeBeside, invokeTool } from './invoke-tool.ts';
import type { RunContext } from './run-context.ts';
import { safeError, safeOutput } from './safe-text.ts';
import type { CallSlot, RunState } from './state.ts';
import * as texts from './texts.ts';
import { findTool } from './tool-input/find-tool.ts';
import { prepareInput } from './tool-input/prepare-input.ts';
import { readOutput } from './tool-output/read-output.ts';

/** A call on its way through the pipeline. */
interface Call {
  readonly slot: CallSlot;
  readonly turn: number;
  readonly tool: Tool;
  readonly input: unknown;
  readonly wireInput: JsonObject;
  readonly rawInput: string | undefined;
  readonly mends: readonly Mend[];
  readonly key: string;
}

/** What the model is told, before it becomes an outcome. */
interface Told {
  readonly content: readonly (TextPart | ImagePart)[];
  readonly failure?: Failure | undefined;
  readonly isCached?: boolean;
  readonly hasRun?: boolean;
}

/**
 * Takes one call through the pipeline: find the tool, read and check its arguments, ask the guard, the hooks and the
 * user, run it, check and serialise what it gave, make it safe. Whatever happens, the call gets its outcome, or waits
 * for a person; only a hook of the user's can make this reject.
 */
export async function toolStep(context: RunContext, state: RunState, slot: CallSlot, isOverLimit: boolean): Promise<CallSlot> {
  const started = context.config.clock.monotonic();
  const { turn } = state;
  const finish = (outcome: CallOutcome, isCached = false): CallSlot => {
    announce(context, turn, outcome, isCached, context.config.clock.monotonic() - started);
    return { ...slot, outcome, pending: undefined };
  };
  const found = findTool(slot.call.name, context.config.tools);
  if (found.tool === undefined) return finish(unknownTool(context, slot, found.nearest));
  const { tool } = found;
  const prepared = await prepareInput(tool, slot.call);
  if (!prepared.ok) {
    if (prepared.kind === 'bug') return finish(validatorBug(context, slot, tool, prepared));
    return finish(slip(context, slot, tool, prepared));
  }
  const renamed: Mend[] = found.renamed ? [{ kind: 'name', path: '', what: `"${slot.call.name.slice(0, 80)}" to "${tool.name}"` }] : [];
  const mends = [...renamed, ...prepared.mends];
  if (mends.length > 0) context.emit({ type: 'call-mended', turn, toolCallId: slot.toolCallId, toolName: tool.name, mends });
  const { input, wireInput, rawInput } = prepared;
  const call: Call = { slot, turn, tool, input, wireInput, rawInput, mends, key: callKey(tool.name, wireInput) };

  if (context.abort.aborted) return finish(notRun(context, call, texts.cancelledBeforeStart(tool.name)));
  if (isOverLimit) return finish({ ...notRun(context, call, texts.overToolLimit(tool.name)), isOverLimit: true });
  const verdict = checkRepetition(state.recentCalls, call.key, tool.options.polls === true, context.config.limits);
  if (verdict.type === 'block') {
    if (!verdict.isLast) {
      const message = `${tool.name} was not run again: ${verdict.why === 'failed-before' ? 'the same call failed' : 'the same call gave the same result'} ${verdict.times} times.`;
      context.emit({ type: 'guard', turn, guard: 'repeated-call', action: 'tell-model', message });
    }
    const text = texts.repeatedCall(tool.name, verdict.why, verdict.times);
    return finish({ ...modelOutcome(context, call, 'repeated-call', text), blockedBy: verdict.why, isLast: verdict.isLast });
  }
  const denied = await askBeforeTool(context, call);
  if (denied !== undefined) return finish(modelOutcome(context, call, 'denied', texts.denied(tool.name, denied)));
  const approval = await askUser(call);
  if (approval === 'pending') return pending(context, slot, turn, { type: 'approval', toolCallId: slot.toolCallId, toolName: tool.name, input: wireInput });
  if (approval !== 'go') return finish(modelOutcome(context, call, 'denied', texts.denied(tool.name, approval.denied)));
  if (slot.answer?.type === 'answer') return finish(outcomeOf(call, await afterTool(context, call, { content: [{ type: 'text', text: slot.answer.text }], hasRun: true })));

  const told = await execute(context, call);
  if ('question' in told) {
    const question = safeError(context.config, told.question, 1000);
    return pending(context, slot, turn, { type: 'question', toolCallId: slot.toolCallId, toolName: tool.name, question });
  }
  return finish(outcomeOf(call, await afterTool(context, call, told)), told.isCached === true);
}

function pending(context: RunContext, slot: CallSlot, turn: number, request: NonNullable<CallSlot['pending']>): CallSlot {
  context.emit({ type: 'pending', turn, request });
  return { ...slot, pending: request, answer: undefined };
}

/** Tells what became of a call, and of the failure in it. */
function announce(context: RunContext, turn: number, outcome: CallOutcome, isCached: boolean, durationMs: number): void {
  const { toolCallId, toolName, isError, failure } = outcome;
  if (failure !== undefined && context.wants('failure')) {
    const row = context.config.table[failure.kind];
    const action: FailureAction = row.remedy === 'stop' || context.abort.aborted ? 'stop' : 'tell-model';
    context.emit({ type: 'failure', turn, failure, owner: row.owner, action, toolCallId });
  }
  if (!context.wants('tool-end')) return;
  const output = textOf(outcome.content);
  context.emit({ type: 'tool-end', turn, toolCallId, toolName, isError, output, durationMs, failureKind: failure?.kind, isCached });
}

async function askBeforeTool(context: RunContext, call: Call): Promise<string | undefined> {
  const { hooks } = context.config;
  if (!hooks.has.beforeTool) return undefined;
  for (const entry of hooks.all) {
    const hook = entry.beforeTool;
    if (hook === undefined) continue;
    const say = await callHook('beforeTool', () => hook({ runId: context.runId, turn: call.turn, call: hooked(call) }));
    if (isStop(say)) throw new HookStop(say.stop);
    if (typeof say === 'object' && say !== null && 'deny' in say) return say.deny;
  }
  return undefined;
}

function hooked(call: Call): { toolCallId: string; toolName: string; input: JsonObject } {
  return { toolCallId: call.slot.toolCallId, toolName: call.tool.name, input: call.wireInput };
}

/** Whether a person has to decide, and what the person said. A decision counts for exactly the arguments it was asked about. */
async function askUser(call: Call): Promise<'go' | 'pending' | { denied: string }> {
  const { approve } = call.tool.options;
  const { answer } = call.slot;
  if (answer?.type === 'deny') return { denied: answer.reason ?? 'The user said no.' };
  if (answer?.type === 'answer') return 'go';
  if (approve === undefined || approve === false) return 'go';
  if (answer?.type === 'approve') return answer.inputKey === call.key ? 'go' : 'pending';
  if (approve === true) return 'pending';
  const isNeeded = await callHook('approve', () => approve(call.input));
  return isNeeded ? 'pending' : 'go';
}

/** Runs the tool, as often as its retry allows, and puts what came of it into words. */
async function execute(context: RunContext, call: Call): Promise<Told | { question: string; isCached?: undefined }> {
  const { tool, slot, turn } = call;
  const { config, steps } = context;
  const { retry, effect = 'write' } = tool.options;
  const maxAttempts = effect === 'write' ? 1 : (retry?.maxAttempts ?? 1);
  const breaker = config.toolBreakers.get(tool.name);
  for (let attempt = 1; ; attempt += 1) {
    if (breaker !== undefined && !breaker.tryPass()) return unavailable(context, call, attempt, undefined, breaker.remainingMs);
    if (context.wants('tool-start')) {
      context.emit({ type: 'tool-start', turn, toolCallId: slot.toolCallId, toolName: tool.name, input: call.wireInput, attempt });
    }
    const invocation = await steps.step({
      key: `tool/${slot.toolCallId}#${attempt}`,
      perform: async () => invokeTool((toolContext) => tool.options.execute(call.input, toolContext), invocationContext(context, call, attempt)),
    });
    if (invocation.status === 'value') {
      breaker?.succeeded();
      return readValue(context, call, invocation.value);
    }
    if (invocation.status === 'aborted') {
      breaker?.abandoned();
      return failed(context, 'not-run', texts.cancelledInFlight(tool.name, effect), { message: 'The run ended while the tool ran.' }, true);
    }
    const question = invocation.status === 'threw' ? questionOf(invocation.error) : undefined;
    if (question !== undefined) {
      breaker?.abandoned();
      return { question };
    }
    const thrown = invocation.status === 'threw' ? classifyThrown(invocation.error) : undefined;
    if (thrown === undefined || thrown.kind === 'tool-unavailable') breaker?.failed();
    else breaker?.succeeded();
    const reowned = await askOnFailure(context, call, failureOf(context, call, invocation, thrown), attempt);
    const mayRetry = reowned === 'retry' || (attempt < maxAttempts && reowned === undefined && thrown?.kind !== 'tool-bug' && thrown?.retryable !== false);
    if (mayRetry && attempt < MAX_TOOL_ATTEMPTS) {
      const delayMs = backoffMs(attempt, { baseDelayMs: retry?.baseDelayMs ?? 200, maxDelayMs: retry?.maxDelayMs ?? 5000 }, () => steps.random(`tool/${slot.toolCallId}#${attempt}`));
      const failure = failureOf(context, call, invocation, thrown);
      context.emit({ type: 'tool-retry', turn, toolCallId: slot.toolCallId, toolName: tool.name, attempt: attempt + 1, maxAttempts, delayMs, failure });
      try {
        await steps.sleepUntil(`tool/${slot.toolCallId}#${attempt}/wait`, steps.now() + delayMs);
        continue;
      } catch {
        return failed(context, 'not-run', texts.cancelledInFlight(tool.name, effect), { message: 'The run ended between two tries of the tool.' }, true);
      }
    }
    const told = invocation.status === 'timeout' ? await timedOut(context, call, attempt) : await threw(context, call, attempt, invocation.error, thrown ?? classifyThrown(undefined));
    return reowned === 'stop' && told.failure !== undefined ? { ...told, failure: { ...told.failure, final: true } } : told;
  }
}

/** However often a hook says "retry". Chosen: far beyond what helps. */
const MAX_TOOL_ATTEMPTS = 20;

function invocationContext(context: RunContext, call: Call, attempt: number): Parameters<typeof invokeTool>[1] {
  const { runId, config, abort } = context;
  const { toolCallId } = call.slot;
  const timeoutMs = call.tool.options.timeoutMs ?? config.deadlines.toolMs;
  return { runId, toolCallId, idempotencyKey: `${runId}/${toolCallId}`, attempt, timeoutMs, clock: config.clock, abort };
}

async function askOnFailure(context: RunContext, call: Call, failure: Failure, attempt: number): Promise<'model' | 'retry' | 'stop' | undefined> {
  const { hooks, table } = context.config;
  if (!hooks.has.onFailure) return undefined;
  let reowned: 'model' | 'retry' | 'stop' | undefined;
  for (const entry of hooks.all) {
    const hook = entry.onFailure;
    if (hook === undefined) continue;
    const { owner } = table[failure.kind];
    const say = await callHook('onFailure', () => hook({ runId: context.runId, turn: call.turn, failure, owner, attempt }));
    if (say === 'model' || say === 'retry' || say === 'stop') reowned = say;
  }
  return reowned;
}

/** A good value: checked against the declared schema, serialised, made safe. */
async function readValue(context: RunContext, call: Call, value: unknown): Promise<Told> {
  const { tool } = call;
  const { config } = context;
  const read = await readOutput(tool, value);
  if (!read.ok) {
    const failure = { message: `${tool.name} gave a value that does not fit its \`output\` schema: ${read.problem}`, cause: read.error };
    return failed(context, 'bad-output', texts.badOutput(tool.name, tool.options.effect ?? 'write'), failure, true);
  }
  const maxChars = tool.options.maxOutputChars ?? config.maxOutputChars;
  const content = read.content.map((part) => (part.type === 'text' ? { ...part, text: safeOutput(config, part.text, maxChars) } : part));
  return { content, hasRun: true };
}

async function threw(context: RunContext, call: Call, attempt: number, error: unknown, thrown: Thrown): Promise<Told> {
  const { tool } = call;
  if (thrown.kind === 'tool-unavailable') return unavailable(context, call, attempt, error, undefined, thrown);
  const failure = failureOf(context, call, { status: 'threw', error }, thrown);
  if (thrown.kind === 'tool-bug') return failed(context, 'tool-bug', texts.toolBug(tool.name, failure.reference ?? ''), failure, true);
  const text = texts.toolFailed(tool.name, thrown.message, { hint: thrown.hint, retryable: thrown.retryable });
  return failed(context, 'tool-failed', text, failure, true);
}

/** The fallback's value, tagged; else the word that the tool is down. */
async function unavailable(
  context: RunContext,
  call: Call,
  attempt: number,
  error: unknown,
  remainingMs: number | undefined,
  thrown?: Thrown,
): Promise<Told> {
  const { tool } = call;
  const { fallback } = tool.options;
  if (fallback !== undefined) {
    const answer = await invokeBeside(() => fallback(call.input, error), tool, invocationContext(context, call, attempt));
    const cached = answer.status === 'value' ? cachedValue(answer.value) : undefined;
    if (cached !== undefined) {
      const read = await readOutput({ ...tool, options: { ...tool.options, output: undefined } }, cached.value);
      const text = read.ok ? textOf(read.content) : '';
      const maxChars = tool.options.maxOutputChars ?? context.config.maxOutputChars;
      const tagged = texts.cached(safeOutput(context.config, text, maxChars), cached.ageMs);
      return { content: [{ type: 'text', text: tagged }], isCached: true, hasRun: thrown !== undefined };
    }
  }
  const message = thrown === undefined ? `The breaker of ${tool.name} is open.` : thrown.detail;
  const words = thrown === undefined || thrown.message === '' ? undefined : thrown.message;
  const isOwnWords = thrown !== undefined && (thrown.hint !== undefined || isToolError(error));
  const text = texts.toolUnavailable(tool.name, isOwnWords ? words : undefined, thrown?.hint, remainingMs);
  return failed(context, 'tool-unavailable', text, { message, cause: error }, thrown !== undefined);
}

function isToolError(error: unknown): boolean {
  return error instanceof Error && (error.name === 'ToolUnavailableError' || error.name === 'ToolError');
}

function cachedValue(value: unknown): { value: unknown; ageMs: number | undefined } | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'object' && value !== null && 'value' in value && 'ageMs' in value) {
    return { value: value.value, ageMs: typeof value.ageMs === 'number' ? value.ageMs : undefined };
  }
  return { value, ageMs: undefined };
}

/** A deadline passed. For a tool with effects its `verify` is asked whether they took place. */
async function timedOut(context: RunContext, call: Call, attempt: number): Promise<Told> {
  const { tool } = call;
  const { verify, effect = 'write' } = tool.options;
  const invocation = invocationContext(context, call, attempt);
  const seconds = Math.round(invocation.timeoutMs / 100) / 10;
  const failure = { message: `${tool.name} did not finish within ${invocation.timeoutMs} ms (\`timeoutMs\` of the tool, or \`deadlines.toolMs\`).`, deadline: 'tool' } as const;
  if (verify !== undefined && effect !== 'read') {
    const answer = await Promise.resolve(invokeTool((toolContext) => verify(call.input, toolContext), invocation));
    const verified = answer.status === 'value' && typeof answer.value === 'object' && answer.value !== null ? answer.value : undefined;
    const status = verified !== undefined && 'status' in verified ? verified.status : 'unknown';
    if (status === 'done' && verified !== undefined && 'output' in verified) return readValue(context, call, verified.output);
    if (status === 'not-done') return failed(context, 'tool-timeout', texts.toolTimeout(tool.name, seconds, 'not-done'), failure, true);
  } else if (effect === 'read' && tool.options.fallback !== undefined) {
    return unavailable(context, call, attempt, new Error(failure.message), undefined, { kind: 'tool-unavailable', message: '', hint: undefined, retryable: undefined, detail: failure.message });
  }
  return failed(context, 'tool-timeout', texts.toolTimeout(tool.name, seconds, effect === 'read' ? 'no-effect' : 'unknown'), failure, true);
}

/** The failure of one try, for hooks, events and the result. */
function failureOf(context: RunContext, call: Call, invocation: Invocation, thrown: Thrown | undefined): Failure {
  const { name } = call.tool;
  if (thrown === undefined) return { kind: 'tool-timeout', message: `${name} did not finish in time.`, deadline: 'tool', toolName: name };
  const reference = thrown.kind === 'tool-bug' ? `${call.slot.toolCallId.slice(-8)}` : undefined;
  const cause = invocation.status === 'threw' ? invocation.error : undefined;
  return { kind: thrown.kind, message: context.config.redactor.redact(thrown.detail), toolName: name, reference, cause };
}

function failed(context: RunContext, kind: ModelFailureKind, text: string, failure: Omit<Failure, 'kind'>, hasRun: boolean): Told {
  const message = context.config.redactor.redact(failure.message);
  return { content: [{ type: 'text', text: safeError(context.config, text) }], failure: { ...failure, kind, message }, hasRun };
}

async function afterTool(context: RunContext, call: Call, told: Told): Promise<Told> {
  const { hooks } = context.config;
  if (!hooks.has.afterTool) return told;
  let current = told;
  for (const entry of hooks.all) {
    const hook = entry.afterTool;
    if (hook === undefined) continue;
    const result = {
      toolCallId: call.slot.toolCallId,
      toolName: call.tool.name,
      output: textOf(current.content),
      isError: current.failure !== undefined,
      failure: current.failure,
    };
    const change = await callHook('afterTool', () => hook({ runId: context.runId, turn: call.turn, call: hooked(call), result }));
    if (isStop(change)) throw new HookStop(change.stop);
    if (typeof change !== 'object' || change === null) continue;
    if (typeof change.output === 'string') {
      const text = safeOutput(context.config, change.output, call.tool.options.maxOutputChars ?? context.config.maxOutputChars);
      current = { ...current, content: [{ type: 'text', text: text === '' ? '(no output)' : text }] };
    }
    if (change.isError === false) current = { ...current, failure: undefined };
    if (change.isError === true && current.failure === undefined) {
      current = { ...current, failure: { kind: 'tool-failed', message: `A hook marked the result of ${call.tool.name} as an error.`, toolName: call.tool.name } };
    }
  }
  return current;
}

function outcomeOf(call: Call, told: Told): CallOutcome {
  const { failure } = told;
  return {
    toolCallId: call.slot.toolCallId,
    toolName: call.tool.name,
    wireInput: call.wireInput,
    rawInput: call.rawInput,
    content: told.content,
    isError: failure !== undefined,
    failure: failure === undefined ? undefined : { ...failure, toolName: call.tool.name },
    mends: call.mends,
    callKey: call.key,
    isSlip: false,
    slipNote: undefined,
    hasRun: told.hasRun === true,
    blockedBy: undefined,
    isLast: false,
    isOverLimit: false,
    polls: call.tool.options.polls === true,
  };
}

/** A call that is right but is not run. */
function modelOutcome(context: RunContext, call: Call, kind: ModelFailureKind, text: string): CallOutcome {
  return outcomeOf(call, failed(context, kind, text, { message: text }, false));
}

function notRun(context: RunContext, call: Call, text: string): CallOutcome {
  return modelOutcome(context, call, 'not-run', text);
}

/** A call that is wrong in itself. */
function slipOutcome(context: RunContext, slot: CallSlot, kind: ModelFailureKind, toolName: string, text: string, detail: string): CallOutcome {
  return {
    toolCallId: slot.toolCallId,
    toolName,
    wireInput: {},
    rawInput: undefined,
    content: [{ type: 'text', text: safeError(context.config, text) }],
    isError: true,
    failure: { kind, message: context.config.redactor.redact(detail), toolName },
    mends: [],
    callKey: `${toolName} ${rawArguments(slot)}`,
    isSlip: true,
    slipNote: undefined,
    hasRun: false,
    blockedBy: undefined,
    isLast: false,
    isOverLimit: false,
    polls: false,
  };
}

function rawArguments(slot: CallSlot): string {
  const written = slot.call.arguments;
  if ('text' in written) return written.text;
  try {
    return JSON.stringify(written.value) ?? '';
  } catch {
    return '';
  }
}

function unknownTool(context: RunContext, slot: CallSlot, nearest: readonly string[]): CallOutcome {
  const { tools } = context.config;
  const text = texts.unknownTool(nearest, [...tools.keys()]);
  const outcome = slipOutcome(context, slot, 'unknown-tool', slot.call.name, text, `The model called a tool that does not exist: "${slot.call.name.slice(0, 100)}".`);
  return { ...outcome, rawInput: rawArguments(slot), slipNote: texts.unknownToolNote(nearest, [...tools.values()]) };
}

function slip(context: RunContext, slot: CallSlot, tool: Tool, prepared: Extract<Awaited<ReturnType<typeof prepareInput>>, { ok: false }>): CallOutcome {
  const kind = prepared.kind === 'bug' ? 'tool-bug' : prepared.kind;
  const text = 'text' in prepared ? prepared.text : '';
  const outcome = slipOutcome(context, slot, kind, tool.name, text, 'detail' in prepared ? prepared.detail : '');
  return {
    ...outcome,
    wireInput: prepared.wireInput,
    rawInput: prepared.rawInput,
    // A cut call was no slip of the pen: the model has to hear that it was too long.
    isSlip: kind !== 'cut-arguments',
    slipNote: texts.slipNote(tool, prepared),
  };
}

function validatorBug(context: RunContext, slot: CallSlot, tool: Tool, prepared: { readonly error: unknown; readonly wireInput: JsonObject }): CallOutcome {
  const thrown = classifyThrown(prepared.error);
  const reference = slot.toolCallId.slice(-8);
  const outcome = slipOutcome(context, slot, 'tool-bug', tool.name, texts.toolBug(tool.name, reference), `The schema of ${tool.name} threw: ${thrown.detail}`);
  const failure: Failure | undefined = outcome.failure && { ...outcome.failure, reference, cause: prepared.error };
  return { ...outcome, failure, wireInput: prepared.wireInput, isSlip: false };
}
