import type { Failure } from '../../core/failure.ts';
import type { ModelReply } from '../../core/provider.ts';
import type { Permit } from '../../resilience/limiter.ts';
import { costOf } from '../../resilience/price.ts';
import type { Override } from '../call/state.ts';
import type { Left } from '../run/limits.ts';
import { nextLimit } from '../run/limits.ts';
import { charsOf } from '../history/compact.ts';
import { buildRequest } from './build-request.ts';
import { describedCall } from './described-call.ts';
import { breakerOpen, tellBreaker } from './provider-breaker.ts';
import type { AttemptOutcome } from './read-reply.ts';
import { readReply } from './read-reply.ts';
import { replyOutcome } from './reply-outcome.ts';
import { maskedFailure } from './masked-failure.ts';
import type { Release } from './outer-run.ts';
import type { RunContext } from './context.ts';
import type { AttemptCost, Spent } from '../run/spent.ts';
import { nothingSpent, spentOn, tokensOfChars } from '../run/spent.ts';
import type { AttemptFigures, Effect, NoReplyOutcome, Outcome, RunState } from '../run/state.ts';
import { untilAborted } from './until-aborted.ts';
import { describedCallNote } from '../words/for-models.ts';
import type { WatchedBreaker } from './breakers.ts';
import { observed } from './breakers.ts';
import { overrideOf } from './call-hooks.ts';
import type { RunMemory } from './run-memory.ts';
import { stoppingOf } from './stopping.ts';

type AskModel = Extract<Effect, { type: 'ask-model' }>;

/**
 * Keeps aside what the next request will need of the budget of the run around this one, and waits for room in it. Gives
 * the limit that is reached there instead, if one is.
 */
export async function reserve(
  context: RunContext,
  memory: RunMemory,
  state: RunState,
): Promise<{ readonly release?: Release | undefined; readonly limit?: ReturnType<typeof nextLimit> }> {
  const { outer, abort, config } = context;
  if (outer === undefined) return {};
  for (;;) {
    const limit = nextLimit(state, config, outer.left());
    if (limit !== undefined) return { limit };
    const release = outer.reserve(() => needOf(context, memory, state));
    if (!(release instanceof Promise)) return { release };
    await untilAborted(release, abort);
  }
}

/** Tokens that a reply is thought to have, where nothing is known of it yet. Chosen: longer than most. */
const REPLY_TOKENS = 2000;

/** What the next request will need: as much as the last one, and before the first what its text says. */
function needOf({ config }: RunContext, { history }: RunMemory, state: RunState): Left {
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

/** Makes one attempt at a reply: asks, reads, and makes sense of what came. */
export async function askModel(
  context: RunContext,
  memory: RunMemory,
  state: RunState,
  effect: AskModel,
): Promise<Outcome> {
  const { config } = context;
  const turn = state.turn + 1;
  const { request, provider } = await buildRequest(context, memory.history, state, effect);
  const issuer = provider.id;
  const breaker = observed(context, turn, `${provider.id}/${provider.model}`, config.breakerOf(provider));
  if (breaker !== undefined && !breaker.tryPass()) {
    const hasOther = state.providerIndex + 1 < config.providers.length;
    const failure = breakerOpen(provider, breaker, hasOther);
    return noReply(context, state, effect, failure, { spent: nothingSpent, issuer, attempt: undefined });
  }
  const permit = await acquire(context, breaker);
  let outcome: AttemptOutcome | undefined;
  try {
    const { model, origin } = provider;
    context.emit({ type: 'attempt-start', turn, providerId: issuer, model, origin, attempt: effect.attempt });
    outcome = await readReply(context, provider, request, turn);
  } finally {
    // Whatever became of the attempt, others may go on.
    permit?.release(outcome?.reply, outcome?.failure);
    tellBreaker(breaker, outcome?.reply, outcome?.failure, config.table);
  }
  if (context.abort.aborted) throw context.abort.reason;
  const { reply, failure, hasStreamed, durationMs, firstByteMs } = outcome;
  const attempt: AttemptFigures = { attempt: effect.attempt, durationMs, firstByteMs, hasStreamed };
  const cost = costOfAttempt(outcome);
  const spent =
    cost === undefined ? nothingSpent : spentOn(config, provider, request, cost, context.outer !== undefined);
  if (reply === undefined) {
    const told = failure ?? { kind: 'bug', message: 'An attempt gave nothing.' };
    return noReply(context, state, effect, told, { spent, issuer, attempt });
  }
  const made = replyOutcome(context, memory.ids, state, { request, provider, reply, attempt, spent });
  if (reply.isRepeating === true && !made.reply.content.some((part) => part.type === 'tool-call')) {
    const repeating: Failure = { kind: 'repeating-reply', message: 'The model wrote one block again and again.' };
    return noReply(context, state, effect, repeating, { spent, issuer, attempt });
  }
  const described = describedCall(made.reply, request, state, config);
  if (described === undefined) return made;
  const tool = config.tools.get(described.toolName ?? '');
  const note = tool === undefined ? undefined : describedCallNote(tool);
  return noReply(context, state, effect, described, { spent, issuer, attempt, reply: made.reply, note });
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
async function noReply(
  context: RunContext,
  state: RunState,
  { attempt }: AskModel,
  failure: Failure,
  known: Pick<NoReplyOutcome, 'spent' | 'issuer' | 'attempt' | 'note'> & { readonly reply?: ModelReply },
): Promise<Outcome> {
  const { config } = context;
  const safe = maskedFailure(failure, config.redactor);
  let override: Override;
  let stopping: NoReplyOutcome['stopping'];
  try {
    override = await overrideOf(context, state.turn + 1, safe, attempt);
  } catch (error) {
    // The run ends by what the hook threw; the failure that it was asked about stays one of the run's.
    override = 'stop';
    stopping = context.abort.aborted ? { type: 'abort' } : stoppingOf(context, error);
  }
  return {
    type: 'no-reply',
    failure: safe,
    random: config.random(),
    override,
    ...(stopping === undefined ? {} : { stopping }),
    reply: undefined,
    ...known,
  };
}

/** What an attempt spent, whatever came of it. */
export function spentIn(outcome: Outcome): Spent | undefined {
  return (outcome.type === 'reply' || outcome.type === 'no-reply') && outcome.spent !== nothingSpent
    ? outcome.spent
    : undefined;
}
