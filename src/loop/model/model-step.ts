import type { Failure } from '../../core/failure.ts';
import type { ModelReply } from '../../core/provider.ts';
import type { Permit } from '../../resilience/limiter.ts';
import { costOf } from '../../resilience/price.ts';
import type { Reowned } from '../hooks/hook-results.ts';
import { reownedByHooks } from '../hooks/ask-hooks.ts';
import { buildRequest } from './build-request.ts';
import { describedCall } from '../text-calls/described-call.ts';
import { maskedFailure } from '../run/masked-failure.ts';
import { breakerOpen, tellBreaker } from './provider-breaker.ts';
import type { AttemptOutcome } from './read-reply.ts';
import { readReply } from './read-reply.ts';
import { replyOutcome } from './reply-outcome.ts';
import type { RunContext } from '../run/run-context.ts';
import type { AttemptCost, Spent } from '../run/spent.ts';
import type { Left } from '../run/outer-run.ts';
import { nothingSpent, spentOn, tokensOfChars } from '../run/spent.ts';
import { untilAborted } from '../run/until-aborted.ts';
import type { Effect, Outcome, RunState } from '../run/state.ts';
import { charsOf } from '../history/compact.ts';
import type { SentHistory } from '../history/transcript.ts';
import type { WatchedBreaker } from '../run/watch-breaker.ts';
import { watchBreaker } from '../run/watch-breaker.ts';

/** What the model steps of a run share. */
export interface ModelStepMemory {
  readonly history: SentHistory;
  /** Ids of calls in the history: each is used once. */
  readonly usedIds: Set<string>;
}

/** What came of a model step. Neither is there where it had to wait for room in an outer budget: it is decided on again. */
export interface ModelStepResult {
  readonly outcome?: Outcome;
  /** What an `onFailure` hook threw when it was asked about the failure in the outcome: it ends the run. */
  readonly error?: unknown;
}

/** Makes one attempt at a reply: waits until it is due, asks, reads, and makes sense of what came. */
export async function modelStep(
  context: RunContext,
  memory: ModelStepMemory,
  state: RunState,
  effect: Extract<Effect, { type: 'call-model' }>,
): Promise<ModelStepResult> {
  const { steps, outer, abort } = context;
  if (effect.dueAt !== undefined) await steps.sleepUntil(`${effect.key}/wait`, effect.dueAt);
  const release = outer?.reserve(() => needOf(context, memory, state));
  if (release instanceof Promise) {
    await untilAborted(release, abort);
    return {};
  }
  let spent = nothingSpent;
  try {
    const result = await ask(context, memory, state, effect);
    const { outcome } = result;
    if (outcome?.type === 'reply' || outcome?.type === 'model-failure') ({ spent } = outcome);
    return result;
  } finally {
    if (spent !== nothingSpent) outer?.spend(spent);
    release?.(spent);
  }
}

/** Tokens that a reply is thought to have, where nothing is known of it yet. Chosen: longer than most. */
const REPLY_TOKENS = 2000;

/** What the next request will need: as much as the last one, and before the first what its text says. */
function needOf({ config }: RunContext, { history }: ModelStepMemory, state: RunState): Left {
  if (state.lastRequest.tokens > 0) return state.lastRequest;
  const { system = '', declarations } = config;
  const chars = charsOf(history.sync(state.transcript)) + system.length + JSON.stringify(declarations).length;
  const usage = { inputTokens: tokensOfChars(chars), outputTokens: REPLY_TOKENS };
  const provider = config.providers[state.providerIndex];
  const price = provider === undefined ? undefined : config.price?.(provider);
  return {
    tokens: usage.inputTokens + usage.outputTokens,
    costUsd: price === undefined ? 0 : costOf(usage, price),
  };
}

async function ask(
  context: RunContext,
  memory: ModelStepMemory,
  state: RunState,
  effect: Extract<Effect, { type: 'call-model' }>,
): Promise<ModelStepResult> {
  const { config, steps } = context;
  const turn = state.turn + 1;
  const { request, provider } = await buildRequest(context, memory.history, state, effect);
  const breaker = watchBreaker(context, turn, `${provider.id}/${provider.model}`, config.breakerOf(provider));
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
  const made = replyOutcome(context, memory.usedIds, state, { request, provider, reply, attempt: outcome, spent });
  const described = describedCall(made.reply, request, state, config);
  if (described === undefined) return { outcome: made };
  const { hasStreamed } = outcome;
  return failureOutcome(context, state, effect, described, { hasStreamed, spent, issuer: provider.id, reply });
}

/** What an attempt has to be charged with; undefined for one that was refused before a reply had begun. */
function costOfAttempt({ reply, usage, firstByteMs, streamedChars }: AttemptOutcome): AttemptCost | undefined {
  if (reply !== undefined) return { usage: reply.usage, outputChars: () => JSON.stringify(reply.content).length };
  if (usage === undefined && firstByteMs === undefined) return undefined;
  return { usage: usage ?? {}, outputChars: () => streamedChars };
}

async function acquire(context: RunContext, breaker: WatchedBreaker | undefined): Promise<Permit | undefined> {
  try {
    return await context.config.limiter?.acquire(context.abort);
  } catch (error) {
    breaker?.abandoned();
    throw error;
  }
}

/** What came of an attempt that is no use, with what the hooks say of it. */
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
): Promise<ModelStepResult> {
  const { config, steps } = context;
  const safe = maskedFailure(failure, config.redactor);
  let reowned: Reowned;
  let error: unknown;
  try {
    reowned = await reownedByHooks(context, state.turn + 1, safe, effect.attempt);
  } catch (thrown) {
    // The run ends by what the hook threw; the failure that it was asked about stays one of the run's.
    reowned = 'stop';
    error = thrown;
  }
  const outcome: Outcome = {
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
  return { outcome, error };
}
