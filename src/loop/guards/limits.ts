import type { RunConfig } from '../config.ts';
import type { LimitReached, RunState } from '../state.ts';

/** The limit that the next request would break, if any: looked at before each request. */
export function limitReached(state: RunState, config: RunConfig, now: number): LimitReached | undefined {
  const { limits, deadlines } = config;
  if (state.reached !== undefined) return state.reached;
  if (now - state.startedAt >= deadlines.runMs) {
    return reached('deadline', `The run took longer than \`deadlines.runMs\` (${deadlines.runMs} ms).`);
  }
  if (state.turn >= limits.turns) {
    return reached('max-turns', `The model used all ${limits.turns} turns (\`maxTurns\`) without an answer.`);
  }
  if (state.tokensSpent + state.lastRequest.tokens > limits.totalTokens) {
    return reached('max-tokens', `${state.tokensSpent} tokens are spent, and the next request would go beyond \`limits.totalTokens\` (${limits.totalTokens}).`);
  }
  if ((state.costUsd ?? 0) + state.lastRequest.costUsd > limits.costUsd) {
    return reached('max-cost', `${(state.costUsd ?? 0).toFixed(4)} USD are spent, and the next request would go beyond \`limits.costUsd\` (${limits.costUsd}).`);
  }
  return undefined;
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
  return reached('max-tool-calls', `The model asked for more than ${config.limits.toolCalls} tool calls (\`limits.toolCalls\`).`);
}

function reached(stopReason: LimitReached['stopReason'], message: string): LimitReached {
  return { stopReason, message };
}
