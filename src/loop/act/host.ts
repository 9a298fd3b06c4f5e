import type { Clock, Random } from '../../core/clock.ts';
import type { Journals } from '../../core/journal.ts';
import type { Provider, ToolChoice, ToolDeclaration } from '../../core/provider.ts';
import type { OutputConfig } from '../input/read-answer.ts';
import type { Tool } from '../../core/tool.ts';
import type { Breaker } from '../../core/breaker.ts';
import type { Limiter } from '../../resilience/limiter.ts';
import type { Compactor } from '../history/compact.ts';
import type { Outcome } from '../run/state.ts';
import type { RunRules } from '../run/rules.ts';
import type { HookList } from './hooks.ts';
import type { LateRedactor } from './late-redactor.ts';
import type { Price } from '../../resilience/price.ts';

/** Everything that a run looks up and never changes: its rules, which are data, and all that acts. */
export interface RunConfig extends RunRules {
  readonly name: string | undefined;
  readonly providers: readonly Provider[];
  readonly tools: ReadonlyMap<string, Tool>;
  readonly declarations: readonly ToolDeclaration[];
  readonly system: string | undefined;
  readonly toolChoice: ToolChoice;
  readonly parallelToolCalls: boolean | undefined;
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
  readonly journals: Journals<Outcome> | undefined;
}
