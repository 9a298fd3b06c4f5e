import { OilcanError } from '../core/error.ts';
import type { Failure } from '../core/failure.ts';
import type { JsonObject } from '../core/json.ts';
import { isRecord } from '../core/json.ts';
import { textOf, userMessage } from '../core/message.ts';
import type { ModelReply, ModelRequest, Provider, ReplyToolCall, ToolChoice } from '../core/provider.ts';
import type { Tool } from '../core/tool.ts';
import type { Breaker } from '../resilience/breaker.ts';
import type { FailureTable } from '../resilience/failure-table.ts';
import type { Price } from '../resilience/price.ts';
import type { Permit } from '../resilience/limiter.ts';
import { callKey } from './canonical.ts';
import { describedCall } from './described-call.ts';
import { readBeforeModel, readOnFailure } from './hook-results.ts';
import { callHook, HookFailure, HookStop } from './hooks.ts';
import { repairHistory } from './history.ts';
import { messagesOfHook, sendable } from './hook-messages.ts';
import { describeOutput, finishNow, nudgeAfterEmptyReply } from './nudges.ts';
import { maskedFailure } from './masked-cause.ts';
import { eventsOfTextCalls } from './next-state.ts';
import type { AttemptOutcome } from './read-reply.ts';
import { readReply } from './read-reply.ts';
import type { RunContext } from './run-context.ts';
import { systemWithNotes } from './slips.ts';
import type { AttemptCost, Spent } from './spent.ts';
import { nothingSpent, spentOn } from './spent.ts';
import type { Effect, Outcome, RunState } from './state.ts';
import { readTextCalls } from './text-calls.ts';
import type { SentHistory } from './transcript.ts';
import { findTool } from './tool-input/find-tool.ts';
import { watchBreaker } from './watch-breaker.ts';

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
  const bareBreaker = config.breakerOf(provider);
  const breaker =
    bareBreaker === undefined
      ? undefined
      : watchBreaker(context, turn, `${provider.id}/${provider.model}`, bareBreaker);
  if (breaker !== undefined && !breaker.tryPass()) {
    const hasOther = state.providerIndex + 1 < config.providers.length;
    return failureOutcome(context, state, effect, breakerOpen(provider, breaker, hasOther), {
      hasStreamed: false,
      spent: nothingSpent,
      issuer: provider.id,
    });
  }
  const permit = await acquire(context, breaker);
  let outcome: AttemptOutcome | undefined;
  try {
    outcome = await steps.step({
      key: effect.key,
      perform: async () => {
        context.emit({
          type: 'attempt-start',
          turn,
          providerId: provider.id,
          model: provider.model,
          origin: provider.origin,
          attempt: effect.attempt,
        });
        return readReply(context, provider, request, turn);
      },
    });
  } finally {
    // Whatever became of the attempt, others may go on.
    permit?.release(outcome?.reply, outcome?.failure);
    tellBreaker(breaker, outcome?.reply, outcome?.failure, config.table);
  }
  if (context.abort.aborted) throw context.abort.reason;
  const { reply, failure } = outcome;
  const cost = costOfAttempt(outcome);
  const spent =
    cost === undefined ? nothingSpent : spentOn(config, provider, request, cost, context.outer !== undefined);
  if (reply === undefined) {
    const { hasStreamed } = outcome;
    return failureOutcome(context, state, effect, failure ?? { kind: 'bug', message: 'An attempt gave nothing.' }, {
      hasStreamed,
      spent,
      issuer: provider.id,
    });
  }
  const made = replyOutcome(context, memory, state, { request, provider, reply, outcome, spent });
  const described = describedCall(made.reply, request, state, config);
  if (described === undefined) return made;
  const { hasStreamed } = outcome;
  return failureOutcome(context, state, effect, described, { hasStreamed, spent, issuer: provider.id, reply });
}

/** What an attempt has to be charged with; undefined for one that was refused before a reply had begun. */
function costOfAttempt({ reply, usage, firstByteMs, streamedChars }: AttemptOutcome): AttemptCost | undefined {
  if (reply !== undefined) return { usage: reply.usage, outputChars: () => JSON.stringify(reply.content).length };
  if (usage === undefined && firstByteMs === undefined) return undefined;
  return { usage: usage ?? {}, outputChars: () => streamedChars };
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
function tellBreaker(
  breaker: Breaker | undefined,
  reply: ModelReply | undefined,
  failure: Failure | undefined,
  table: FailureTable,
): void {
  if (breaker === undefined) return;
  if (reply !== undefined) breaker.succeeded();
  else if (failure === undefined) breaker.abandoned();
  else if (table[failure.kind].owner === 'code' && failure.kind !== 'context-overflow') breaker.failed(failure.message);
  else breaker.succeeded();
}

/** Nothing was sent. With another provider at hand the run goes on there; alone it waits for the probe. */
function breakerOpen(provider: Provider, { remainingMs, lastWords }: Breaker, hasOthers: boolean): Failure {
  const last = lastWords === undefined ? '' : ` The last time: ${lastWords}`;
  const message = `${provider.origin ?? provider.id} failed too often lately; its breaker is open for another ${Math.ceil(remainingMs / 1000)} s.${last}`;
  return {
    kind: 'overloaded',
    message,
    vendorCode: 'breaker-open',
    retryAfterMs: remainingMs,
    providerId: provider.id,
    ...(hasOthers ? { final: true } : {}),
  };
}

async function buildRequest(
  context: RunContext,
  memory: ModelStepMemory,
  state: RunState,
  effect: Extract<Effect, { type: 'call-model' }>,
): Promise<{ request: ModelRequest; provider: Provider }> {
  const { config } = context;
  let messages = memory.history.sync(state.transcript);
  // Said last and to this request only: small models go by what they read last, and the transcript is the user's.
  if (effect.isNudged) messages = [...messages, userMessage(nudgeAfterEmptyReply())];
  else if (state.finishing !== undefined) messages = [...messages, userMessage(finishNow())];
  let system = systemWithNotes(config.system, state.slips);
  if (config.output !== undefined) system = joined(system, describeOutput(JSON.stringify(config.output.jsonSchema)));
  const withoutTools = isTextOnly(state);
  let toolChoice = withoutTools && config.tools.size > 0 ? ('none' as const) : config.toolChoice;
  // A forced call is for the beginning: forced for ever, the model could never answer.
  if (!withoutTools && toolChoice !== 'auto' && toolChoice !== 'none' && state.toolCalls > 0) toolChoice = 'auto';
  let provider = config.providers[state.providerIndex];
  if (provider === undefined) throw new Error('There is no provider.');
  if (config.hooks.has.beforeModel) {
    for (const hooks of config.hooks.all) {
      const hook = hooks.beforeModel;
      if (hook === undefined) continue;
      // A copy: what a hook does to the array reaches nobody unless the hook gives it back.
      const shown = {
        runId: context.runId,
        turn: state.turn + 1,
        attempt: effect.attempt,
        messages: [...messages],
        usage: state.usage,
        signal: context.abort.signal,
      };
      const change = readBeforeModel(await callHook('beforeModel', context.abort, () => hook(shown)));
      if (change === undefined) continue;
      if ('stop' in change) throw new HookStop(change.stop);
      if (change.messages !== undefined) messages = repairedByHook(context, state, change.messages);
      if ('system' in change) system = change.system;
      if (change.toolChoice !== undefined) toolChoice = knownChoice(config, change.toolChoice);
      if (change.provider !== undefined) {
        provider = pricedProvider(config, change.provider);
        config.redactor.learn(provider);
      }
    }
  }
  const { declarations: tools, parallelToolCalls } = config;
  return { request: { system, messages, tools, toolChoice, parallelToolCalls }, provider };
}

/** A tool that a hook forces: a name that is none would make a request that the server refuses. */
function knownChoice(config: RunContext['config'], choice: ToolChoice): ToolChoice {
  if (typeof choice !== 'object' || config.tools.has(choice.toolName)) return choice;
  throw new HookFailure(
    'beforeModel',
    new OilcanError(
      'invalid-option',
      `\`toolChoice\` names \`${choice.toolName.slice(0, 60)}\`, which is none of the tools (${[...config.tools.keys()].join(', ')}).`,
    ),
  );
}

/** A provider that a hook chose: with a limit on the cost, it has to have a price as well. */
function pricedProvider(config: RunContext['config'], provider: Provider): Provider {
  if (config.limits.costUsd === Infinity || priceOfHooks(config, provider) !== undefined) return provider;
  throw new HookFailure(
    'beforeModel',
    new OilcanError(
      'invalid-option',
      `\`limits.costUsd\` is set, but the price of \`${provider.model}\` is not known. Give it in \`prices\`.`,
    ),
  );
}

function priceOfHooks(config: RunContext['config'], provider: Provider): Price | undefined {
  try {
    return config.price?.(provider);
  } catch (error) {
    throw new HookFailure('beforeModel', error);
  }
}

function repairedByHook(
  context: RunContext,
  state: RunState,
  given: ModelRequest['messages'],
): ModelRequest['messages'] {
  const { messages, changes } = repairHistory(messagesOfHook('beforeModel', given));
  if (changes.length > 0) context.emit({ type: 'history-repaired', turn: state.turn + 1, changes });
  return sendable('beforeModel', messages);
}

function joined(system: string | undefined, addition: string): string {
  return system === undefined || system === '' ? addition : `${system}\n\n${addition}`;
}

async function failureOutcome(
  context: RunContext,
  state: RunState,
  effect: Extract<Effect, { type: 'call-model' }>,
  failure: Failure,
  attempt: {
    readonly hasStreamed: boolean;
    readonly spent: Spent;
    readonly issuer: string;
    readonly reply?: ModelReply;
  },
): Promise<Outcome> {
  const { runId, config, steps, abort } = context;
  const safe = maskedFailure(failure, config.redactor);
  let reowned: Extract<Outcome, { type: 'model-failure' }>['reowned'];
  if (config.hooks.has.onFailure) {
    for (const hooks of config.hooks.all) {
      const hook = hooks.onFailure;
      if (hook === undefined) continue;
      const { owner } = config.table[failure.kind];
      const say = await callHook('onFailure', abort, () =>
        hook({ runId, turn: state.turn + 1, failure: safe, owner, attempt: effect.attempt, signal: abort.signal }),
      );
      reowned = readOnFailure(say) ?? reowned;
    }
  }
  return {
    type: 'model-failure',
    failure: safe,
    at: steps.now(),
    random: steps.random(effect.key),
    hasStreamed: attempt.hasStreamed,
    spent: attempt.spent,
    reowned,
    reply: attempt.reply,
    issuer: attempt.issuer,
  };
}

/** A whole reply, and what was asked for it. */
interface Answered {
  readonly request: ModelRequest;
  readonly provider: Provider;
  readonly reply: ModelReply;
  readonly outcome: AttemptOutcome;
  readonly spent: Spent;
}

function replyOutcome(
  context: RunContext,
  memory: ModelStepMemory,
  state: RunState,
  { request, provider, reply: received, outcome: attempt, spent }: Answered,
): Extract<Outcome, { type: 'reply' }> {
  const { config } = context;
  const { hasStreamed } = attempt;
  const turn = state.turn + 1;
  const read = textCallsOf(config, state, request, received);
  const asText = read && withUniqueIds(read, memory.usedIds, turn);
  // Where a JSON answer is asked for, a whole one is first looked at as such.
  const mayAnswer = config.output !== undefined && received.finishReason !== 'length';
  const asCalls = asText !== undefined && mayAnswer ? { reply: asText, hasStreamed } : undefined;
  const reply = asText === undefined || asCalls !== undefined ? withUniqueIds(received, memory.usedIds, turn) : asText;
  if (asText !== undefined && asCalls === undefined)
    for (const event of eventsOfTextCalls({ reply: asText, hasStreamed }, turn)) context.emit(event);
  if (context.wants('reply')) {
    context.emit({
      type: 'reply',
      turn,
      text: textOf(reply.content),
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
  const mayRun = request.toolChoice !== 'none';
  return { type: 'reply', reply, issuer: provider.id, mayRun, asCalls, at: context.steps.now(), spent };
}

/** The reply with the calls that it wrote as text, if it did. */
function textCallsOf(
  config: RunContext['config'],
  state: RunState,
  request: ModelRequest,
  reply: ModelReply,
): ModelReply | undefined {
  if (config.tools.size === 0) return undefined;
  // Who asks for no calls may want JSON about them; after a limit and for a structured answer it is us who ask for none.
  if (request.toolChoice === 'none' && !isTextOnly(state)) return undefined;
  const toolOf = (name: string): Tool | undefined => findTool(name, config.tools).tool;
  return readTextCalls(reply, {
    isTool: (name) => toolOf(name) !== undefined,
    isAnswerJson: config.output !== undefined,
    isExplained: (call) => {
      const tool = toolOf(call.name);
      if (tool?.options.effect !== 'read') return false;
      // Later in a run an example is an example, unless the model is known to be a small one. What has its result is quoted.
      if (config.slips !== 'rewind') return state.toolCalls === 0;
      const input = 'value' in call.arguments ? call.arguments.value : undefined;
      // It was read from JSON.
      const key = isRecord(input) ? callKey(tool.name, input as JsonObject) : '';
      return !state.recentCalls.some((record) => !record.isError && record.key === key);
    },
  });
}

/** Without tools: the last turn after a limit, and a further try at a structured answer. */
function isTextOnly({ finishing, outputFailures }: RunState): boolean {
  return finishing !== undefined || outputFailures > 0;
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
