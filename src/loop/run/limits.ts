import type { RunRules } from './rules.ts';
import type { LimitReached, RunState } from './state.ts';

/** What is left of a budget at one moment. */
export interface Left {
  readonly tokens: number;
  readonly costUsd: number;
}

/** No budget at all. */
export const unlimited: Left = { tokens: Infinity, costUsd: Infinity };

/**
 * The limit that keeps the next request from being made, if any, and whether the model may have one last turn before the
 * run stops. `outer` is what is left to the run around this one.
 */
export function nextLimit(
  state: RunState,
  rules: RunRules,
  outer: Left = unlimited,
): { readonly reached: LimitReached; readonly mayFinish: boolean } | undefined {
  const { phase } = state;
  if (state.finishing !== undefined) {
    // The last turn is paid from what was kept for it; other tries may have used that up, here or in an outer run.
    const isOver = phase.type === 'model' && phase.attempt > 1 && budgetReached(state, rules, outer, 1) !== undefined;
    return isOver ? { reached: state.finishing, mayFinish: false } : undefined;
  }
  const limit = limitReached(state, rules, outer);
  if (limit !== undefined) return { reached: limit, mayFinish: canFinish(limit, state, rules, outer) };
  if (rules.onLimit !== 'finish') return undefined;
  // What the last turn needs is kept for it: a budget is kept to with it as well.
  const reached = budgetReached(state, rules, outer, 2);
  return reached === undefined ? undefined : { reached, mayFinish: true };
}

/** Whether one more request, without tools, may follow: not where there is nothing left to pay it with. */
function canFinish(limit: LimitReached, state: RunState, rules: RunRules, outer: Left): boolean {
  if (rules.onLimit !== 'finish' || limit.stopReason === 'deadline') return false;
  return budgetReached(state, rules, outer, 1) === undefined;
}

/** The limit that the next request would break, if any: looked at before each request, retries included. */
function limitReached(state: RunState, rules: RunRules, outer: Left): LimitReached | undefined {
  const { limits, deadlines } = rules;
  if (state.reached !== undefined) return state.reached;
  if (state.now - state.startedAt >= deadlines.runMs) {
    return reached('deadline', `The run took longer than \`deadlines.runMs\` (${deadlines.runMs} ms).`);
  }
  const budget = budgetReached(state, rules, outer, 1);
  if (budget !== undefined) return budget;
  if (state.turn >= limits.turns) {
    return reached('max-turns', `The model used all ${limits.turns} turns (\`maxTurns\`) without an answer.`);
  }
  return undefined;
}

/**
 * Whether the next requests, this many of them, would go beyond the tokens or the cost that are left. What the next
 * one needs is not known; it is at least what the last one needed, since a conversation only grows.
 */
export function budgetReached(
  state: RunState,
  rules: RunRules,
  outer: Left,
  requests: number,
): LimitReached | undefined {
  const { limits } = rules;
  const next = { tokens: state.lastRequest.tokens * requests, costUsd: state.lastRequest.costUsd * requests };
  const estimate = state.isEstimated ? ' (an estimate: the server did not say what it counted)' : '';
  const what = requests === 1 ? 'the next request' : `the next ${requests} requests`;
  if (isBeyond(limits.totalTokens - state.tokensSpent, next.tokens)) {
    return reached(
      'max-tokens',
      `${state.tokensSpent} tokens are spent${estimate}, and ${what} would go beyond \`limits.totalTokens\` (${limits.totalTokens}).`,
    );
  }
  const costUsd = state.costUsd ?? 0;
  if (isBeyond(limits.costUsd - costUsd, next.costUsd)) {
    return reached(
      'max-cost',
      `${dollars(costUsd)} USD are spent${estimate}, and ${what} would go beyond \`limits.costUsd\` (${limits.costUsd}).`,
    );
  }
  if (isBeyond(outer.tokens, next.tokens))
    return reached(
      'max-tokens',
      `The run that started this one has ${outer.tokens} tokens left (its \`limits.totalTokens\`)${estimate}.`,
    );
  if (isBeyond(outer.costUsd, next.costUsd))
    return reached(
      'max-cost',
      `The run that started this one has ${dollars(outer.costUsd)} USD left (its \`limits.costUsd\`)${estimate}.`,
    );
  return undefined;
}

function isBeyond(left: number, next: number): boolean {
  return left <= 0 || next > left;
}

/** The limit of errors in a row, looked at after the calls of a turn. */
export function tooManyErrors(errorTurns: number, rules: RunRules): LimitReached | undefined {
  if (errorTurns < rules.limits.errorsInARow) return undefined;
  return reached(
    'errors-in-a-row',
    `Every tool call failed in ${errorTurns} turns in a row (\`limits.errorsInARow\`).`,
  );
}

/** The stop of a run that goes round in circles although it was told. */
export function noProgress(rules: RunRules): LimitReached {
  return reached(
    'no-progress',
    `The model repeats the same calls with the same results (\`limits.repeats\`: ${rules.limits.repeats}) and was told so.`,
  );
}

/** The stop at the limit of tool calls. */
export function tooManyToolCalls(rules: RunRules): LimitReached {
  return reached(
    'max-tool-calls',
    `The model asked for more than ${rules.limits.toolCalls} tool calls (\`limits.toolCalls\`).`,
  );
}

function reached(stopReason: LimitReached['stopReason'], message: string): LimitReached {
  return { stopReason, message };
}

/** Two figures are enough, and a small sum is not rounded up to its limit. */
function dollars(sum: number): string {
  return sum >= 1 ? sum.toFixed(2) : String(Number(sum.toPrecision(2)));
}
