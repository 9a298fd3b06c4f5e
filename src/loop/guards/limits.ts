import type { RunConfig } from '../run/run-config.ts';
import type { Left } from '../run/outer-run.ts';
import { unlimited } from '../run/outer-run.ts';
import type { LimitReached, RunState } from '../run/state.ts';

/** The limit that the next request would break, if any: looked at before each request, retries included. */
export function limitReached(
  state: RunState,
  config: RunConfig,
  now: number,
  outer: Left = unlimited,
): LimitReached | undefined {
  const { limits, deadlines } = config;
  if (state.reached !== undefined) return state.reached;
  if (now - state.startedAt >= deadlines.runMs) {
    return reached('deadline', `The run took longer than \`deadlines.runMs\` (${deadlines.runMs} ms).`);
  }
  const budget = budgetReached(state, config, outer, 1);
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
  config: RunConfig,
  outer: Left,
  requests: number,
): LimitReached | undefined {
  const { limits } = config;
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
export function tooManyErrors(errorTurns: number, config: RunConfig): LimitReached | undefined {
  if (errorTurns < config.limits.errorsInARow) return undefined;
  return reached(
    'errors-in-a-row',
    `Every tool call failed in ${errorTurns} turns in a row (\`limits.errorsInARow\`).`,
  );
}

/** The stop of a run that goes round in circles although it was told. */
export function noProgress(config: RunConfig): LimitReached {
  return reached(
    'no-progress',
    `The model repeats the same calls with the same results (\`limits.repeats\`: ${config.limits.repeats}) and was told so.`,
  );
}

/** The stop at the limit of tool calls. */
export function tooManyToolCalls(config: RunConfig): LimitReached {
  return reached(
    'max-tool-calls',
    `The model asked for more than ${config.limits.toolCalls} tool calls (\`limits.toolCalls\`).`,
  );
}

function reached(stopReason: LimitReached['stopReason'], message: string): LimitReached {
  return { stopReason, message };
}

/** Two figures are enough, and a small sum is not rounded up to its limit. */
function dollars(sum: number): string {
  return sum >= 1 ? sum.toFixed(2) : String(Number(sum.toPrecision(2)));
}
