import type { Failure } from '../core/failure.ts';
import { userMessage } from '../core/message.ts';
import type { ModelReply, ModelRequest, Provider, ReplyToolCall } from '../core/provider.ts';
import type { Usage } from '../core/usage.ts';
import type { Breaker } from '../resilience/breaker.ts';
import type { FailureTable } from '../resilience/failure-table.ts';
import type { Permit } from '../resilience/limiter.ts';
import { costOf } from '../resilience/price.ts';
import { callHook, HookStop, isStop } from './hooks.ts';
import { repairHistory } from './history.ts';
import { describeOutput, finishNow, nudgeAfterEmptyReply } from './nudges.ts';
import { readReply } from './read-reply.ts';
import type { RunContext } from './run-context.ts';
import { systemWithNotes } from './slips.ts';
import type { Effect, Outcome, RunState } from './state.ts';
import { readTextCalls } from './text-calls.ts';
import type { SentHistory } from './transcript.ts';
import { findTool } from './tool-input/find-tool.ts';

/** What the model steps of a run share. */
export interface ModelStepMemory {
  readonly history: SentHistory;
  /** Ids of calls in the history: each is used once. */
  readonly usedIds: Set<string>;
}

/** Makes one attempt at a reply: waits until it is due, asks, reads, and makes sense of what came. */
export async function modelStep(
  context: RunContext,
  memory: ModelStepMemory,
  state: RunState,
  effect: Extract<Effect, { type: 'call-model' }>,
): Promise<Outcome> {
  const { config, steps } = context;
  if (effect.dueAt !== undefined) await steps.sleepUntil(`${effect.key}/wait`, effect.dueAt);
  const turn = state.turn + 1;
  const { request, provider } = await buildRequest(context, memory, state, effect);
  const breaker = config.breakerOf(provider);
  if (breaker !== undefined && !breaker.tryPass()) {
    return failureOutcome(context, state, effect, breakerOpen(provider, breaker.remainingMs, config.providers.length > 1), false);
  }
  const permit = await acquire(context, breaker);
  const outcome = await steps.step({
    key: effect.key,
    perform: async () => {
      context.emit({ type: 'attempt-start', turn, providerId: provider.id, model: provider.model, origin: provider.origin, attempt: effect.attempt });
      return readReply(context, provider, request, turn);
    },
  });
  permit?.release(outcome.reply, outcome.failure);
  tellBreaker(breaker, outcome.reply, outcome.failure, config.table);
  if (context.abort.aborted) throw context.abort.reason;
  const { reply, failure } = outcome;
  if (reply === undefined) {
    const { hasStreamed } = outcome;
    return failureOutcome(context, state, effect, failure ?? { kind: 'bug', message: 'An attempt gave nothing.' }, hasStreamed);
  }
  return replyOutcome(context, memory, state, provider, request, reply, outcome);
}

async function acquire(context: RunContext, breaker: Breaker | undefined): Promise<Permit | undefined> {
  try {
    return await context.config.limiter?.acquire(context.abort);
  } catch (error) {
    breaker?.abandoned();
    throw error;
  }
}

/** Only failures of the server count: a wrong key or a broken request says nothing about its health. */
function tellBreaker(breaker: Breaker | undefined, reply: ModelReply | undefined, failure: Failure | undefined, table: FailureTable): void {
  if (breaker === undefined) return;
  if (reply !== undefined) breaker.succeeded();
  else if (failure === undefined) breaker.abandoned();
  else if (table[failure.kind].owner === 'code' && failure.kind !== 'context-overflow') breaker.failed();
  else breaker.succeeded();
}

/** Nothing was sent. With another provider at hand the run goes on there; alone it waits for the probe. */
function breakerOpen(provider: Provider, remainingMs: number, hasOthers: boolean): Failure {
  const message = `${provider.origin ?? provider.id} failed too often lately; its breaker is open for another ${Math.ceil(remainingMs / 1000)} s.`;
  return { kind: 'overloaded', message, vendorCode: 'breaker-open', retryAfterMs: remainingMs, providerId: provider.id, ...(hasOthers ? { final: true } : {}) };
}

async function buildRequest(
  context: RunContext,
  memory: ModelStepMemory,
  state: RunState,
  effect: Extract<Effect, { type: 'call-model' }>,
): Promise<{ request: ModelRequest; provider: Provider }> {
  const { config } = context;
  let messages = memory.history.sync(state.transcript);
  if (effect.isNudged) messages = [...messages, userMessage(nudgeAfterEmptyReply())];
  let system = systemWithNotes(config.system, state.slips);
  if (config.output !== undefined) system = joined(system, describeOutput(JSON.stringify(config.output.jsonSchema)));
  if (state.finishing !== undefined) system = joined(system, finishNow());
  // Without tools: the last turn after a limit, and a further try at a structured answer.
  const isTextOnly = state.finishing !== undefined || state.outputFailures > 0;
  let toolChoice = isTextOnly && config.tools.size > 0 ? ('none' as const) : config.toolChoice;
  // A forced call is for the beginning: forced for ever, the model could never answer.
  if (!isTextOnly && toolChoice !== 'auto' && toolChoice !== 'none' && state.toolCalls > 0) toolChoice = 'auto';
  let provider = config.providers[state.providerIndex];
  if (provider === undefined) throw new Error('There is no provider.');
  if (config.hooks.has.beforeModel) {
    for (const hooks of config.hooks.all) {
      const hook = hooks.beforeModel;
      if (hook === undefined) continue;
      const shown = { runId: context.runId, turn: state.turn + 1, attempt: effect.attempt, messages, usage: state.usage };
      const change = await callHook('beforeModel', () => hook(shown));
      if (isStop(change)) throw new HookStop(change.stop);
      if (change === undefined || typeof change !== 'object') continue;
      if (change.messages !== undefined) messages = repairedByHook(context, state, change.messages);
      if ('system' in change) system = change.system;
      if (change.toolChoice !== undefined) toolChoice = change.toolChoice;
      if (change.provider !== undefined) provider = change.provider;
    }
  }
  const { declarations: tools, parallelToolCalls } = config;
  return { request: { system, messages, tools, toolChoice, parallelToolCalls }, provider };
}

function repairedByHook(context: RunContext, state: RunState, given: ModelRequest['messages']): ModelRequest['messages'] {
  const { messages, changes } = repairHistory(given);
  if (changes.length > 0) context.emit({ type: 'history-repaired', turn: state.turn + 1, changes });
  return messages;
}

function joined(system: string | undefined, addition: string): string {
  return system === undefined || system === '' ? addition : `${system}\n\n${addition}`;
}

async function failureOutcome(
  context: RunContext,
  state: RunState,
  effect: Extract<Effect, { type: 'call-model' }>,
  failure: Failure,
  hasStreamed: boolean,
): Promise<Outcome> {
  const { config, steps } = context;
  const safe = { ...failure, message: config.redactor.redact(failure.message) };
  let reowned: Extract<Outcome, { type: 'model-failure' }>['reowned'];
  if (config.hooks.has.onFailure) {
    for (const hooks of config.hooks.all) {
      const hook = hooks.onFailure;
      if (hook === undefined) continue;
      const { owner } = config.table[failure.kind];
      const say = await callHook('onFailure', () =>
        hook({ runId: context.runId, turn: state.turn + 1, failure: safe, owner, attempt: effect.attempt }),
      );
      if (say === 'model' || say === 'retry' || say === 'stop') reowned = say;
    }
  }
  return { type: 'model-failure', failure: safe, at: steps.now(), random: steps.random(effect.key), hasStreamed, usage: {}, reowned };
}

function replyOutcome(
  context: RunContext,
  memory: ModelStepMemory,
  state: RunState,
  provider: Provider,
  request: ModelRequest,
  received: ModelReply,
  attempt: { readonly hasStreamed: boolean; readonly firstByteMs: number | undefined; readonly durationMs: number },
): Outcome {
  const { config } = context;
  const turn = state.turn + 1;
  const asText = config.tools.size > 0 && request.toolChoice !== 'none' ? readTextCalls(received, (name) => findTool(name, config.tools).tool !== undefined) : undefined;
  if (asText !== undefined && attempt.hasStreamed) context.emit({ type: 'text-void', turn, reason: 'text-call' });
  const reply = withUniqueIds(asText ?? received, memory.usedIds, turn);
  if (asText !== undefined && context.wants('call-mended')) {
    for (const call of reply.content) {
      if (call.type !== 'tool-call') continue;
      const mends = [{ kind: 'text-call', path: '', what: 'a call written as text' } as const];
      context.emit({ type: 'call-mended', turn, toolCallId: call.id ?? '', toolName: call.name, mends });
    }
  }
  if (context.wants('reply')) {
    context.emit({
      type: 'reply',
      turn,
      text: reply.content.reduce((text, part) => (part.type === 'text' ? text + part.text : text), ''),
      toolCalls: reply.content.filter((part) => part.type === 'tool-call').length,
      finishReason: reply.finishReason,
      rawFinishReason: reply.rawFinishReason,
      usage: reply.usage,
      durationMs: attempt.durationMs,
      firstByteMs: attempt.firstByteMs,
      model: reply.model,
      responseId: reply.responseId,
    });
  }
  for (const message of reply.warnings ?? []) context.emit({ type: 'warning', turn, message });
  const price = config.price?.(provider);
  return {
    type: 'reply',
    reply,
    at: context.steps.now(),
    estimatedTokens: tokensOf(reply.usage, request, reply, config.limits.totalTokens),
    costUsd: price === undefined ? undefined : costOf(reply.usage, price),
  };
}

/** Every call gets an id that no other call of the run has; the vendor's own is kept where it can be. */
function withUniqueIds(reply: ModelReply, usedIds: Set<string>, turn: number): ModelReply {
  let index = 0;
  const content = reply.content.map((part) => {
    if (part.type !== 'tool-call') return part;
    index += 1;
    let { id } = part;
    if (id === undefined || id === '' || usedIds.has(id)) {
      id = `call_${turn}_${index}`;
      for (let suffix = 2; usedIds.has(id); suffix += 1) id = `call_${turn}_${index}_${suffix}`;
    }
    usedIds.add(id);
    return id === part.id ? part : ({ ...part, id } satisfies ReplyToolCall);
  });
  return index === 0 ? reply : { ...reply, content };
}

/** Letters of plain text to a token, roughly; other scripts and JSON need more tokens (measured in a rule of thumb that is too high rather than too low for English). */
const CHARS_PER_TOKEN = 3;

/** Tokens that count against the budget: the server's figure, else an estimate (made only where there is a budget). */
function tokensOf(usage: Usage, request: ModelRequest, reply: ModelReply, budget: number): number {
  const { inputTokens, outputTokens } = usage;
  if ((inputTokens !== undefined && outputTokens !== undefined) || budget === Infinity) return (inputTokens ?? 0) + (outputTokens ?? 0);
  const input = inputTokens ?? Math.ceil(JSON.stringify([request.system, request.messages, request.tools]).length / CHARS_PER_TOKEN);
  return input + (outputTokens ?? Math.ceil(JSON.stringify(reply.content).length / CHARS_PER_TOKEN));
}

