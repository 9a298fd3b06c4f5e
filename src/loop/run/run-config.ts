import type { Clock, Random } from '../../core/clock.ts';
import type { Provider, ToolChoice, ToolDeclaration } from '../../core/provider.ts';
import type { JsonSchema, StandardSchema } from '../../core/schema.ts';
import type { Tool } from '../../core/tool.ts';
import type { Breaker } from '../../core/breaker.ts';
import type { Deadlines } from '../../resilience/deadline.ts';
import type { FailureTable } from '../../resilience/failure-table.ts';
import type { Limiter } from '../../resilience/limiter.ts';
import type { RetryPolicy } from '../../resilience/retry.ts';
import type { Compactor } from '../history/compact.ts';
import type { HookList } from '../hooks/hooks.ts';
import type { LateRedactor } from '../agent/late-redactor.ts';
import type { SlipPolicy } from './slips.ts';
import type { Price } from '../../resilience/price.ts';

/** The limits of a run, with every default filled in. */
export interface Limits {
  readonly turns: number;
  readonly toolCalls: number;
  readonly errorsInARow: number;
  readonly sameCallFailures: number;
  readonly toolFailures: number;
  readonly repeats: number;
  readonly totalTokens: number;
  readonly costUsd: number;
}

/** The structured answer that a run asks for. */
export interface OutputConfig {
  readonly schema: StandardSchema;
  /** Shown to the model. */
  readonly jsonSchema: JsonSchema;
  /** Answers in all, the first one included. */
  readonly maxAttempts: number;
}

/** Everything that a run looks up and never changes: the options of its agent, checked and filled in. */
export interface RunConfig {
  readonly name: string | undefined;
  readonly providers: readonly Provider[];
  /** Whether a refusal may be answered by the next provider. */
  readonly fallBackOnRefusal: boolean;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly declarations: readonly ToolDeclaration[];
  readonly system: string | undefined;
  readonly toolChoice: ToolChoice;
  readonly parallelToolCalls: boolean | undefined;
  readonly toolConcurrency: number;
  readonly table: FailureTable;
  readonly retry: RetryPolicy;
  readonly deadlines: Deadlines;
  readonly limits: Limits;
  readonly onLimit: 'stop' | 'finish';
  readonly slips: SlipPolicy;
  readonly hooks: HookList;
  readonly compactor: Compactor | undefined;
  readonly limiter: Limiter | undefined;
  /** The breaker of a provider, if it has one. */
  readonly breakerOf: (provider: Provider) => Breaker | undefined;
  readonly toolBreakers: ReadonlyMap<string, Breaker>;
  readonly price: ((provider: Provider) => Price | undefined) | undefined;
  readonly redactor: LateRedactor;
  readonly redactOutputs: boolean;
  readonly maxOutputChars: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly output: OutputConfig | undefined;
}
