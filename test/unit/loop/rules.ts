import type { RunRules } from '../../../src/loop/run/rules.ts';
import { deadlines } from '../../../src/resilience/deadline.ts';
import { failureTable } from '../../../src/resilience/failure-table.ts';
import { retryPolicy } from '../../../src/resilience/retry.ts';

/** Rules of a run with every default, and some changed. */
export function rulesWith(changes: Partial<RunRules> = {}): RunRules {
  return {
    table: failureTable,
    retry: retryPolicy(),
    deadlines: deadlines(),
    limits: {
      turns: 25,
      toolCalls: Infinity,
      errorsInARow: 5,
      sameCallFailures: 2,
      toolFailures: 10,
      repeats: 4,
      totalTokens: Infinity,
      costUsd: Infinity,
    },
    onLimit: 'stop',
    slips: 'ladder',
    toolConcurrency: 10,
    models: [{ id: 'a', model: 'm' }],
    toolRules: new Map(),
    compacts: false,
    outputAttempts: undefined,
    hooked: { beforeModel: false, beforeTool: false, afterTool: false, onFailure: false, afterTurn: false },
    ...changes,
  };
}
