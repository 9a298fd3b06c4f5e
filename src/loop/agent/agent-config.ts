import { systemClock, systemRandom } from '../../core/clock.ts';
import { deadlines } from '../../resilience/deadline.ts';
import { withOverrides } from '../../resilience/failure-table.ts';
import { retryPolicy } from '../../resilience/retry.ts';
import { breakersFor, toolBreakers } from './agent-breakers.ts';
import { checkAgentOptions } from './agent-option-checks.ts';
import type { AgentOptions } from './agent-options.ts';
import { checkParallelToolCalls, checkToolChoice, declarationsOf, toolMap } from './agent-tools.ts';
import { limitsOf, priceOf } from './agent-limits.ts';
import { shortenToolResults } from '../history/compact.ts';
import type { ToolRules } from '../run/rules.ts';
import type { RunConfig } from '../act/host.ts';
import { hookList } from '../act/hooks.ts';
import { lateRedactor } from '../act/late-redactor.ts';

/**
 * What the runs of an agent look up: its options, checked, with every default filled in.
 * @throws OilcanError `invalid-option`, in one sentence that says what was expected.
 */
export function configOf(options: AgentOptions): RunConfig {
  checkAgentOptions(options);
  const { provider, toolChoice = 'auto', parallelToolCalls, clock = systemClock } = options;
  const providers = provider.candidates ?? [provider];
  const tools = toolMap(options.tools ?? []);
  checkToolChoice(toolChoice, tools, providers);
  checkParallelToolCalls(parallelToolCalls, providers);
  const price = priceOf(options.prices, providers);
  const hooks = hookList(options.hooks ?? []);
  const compactor = options.compact === 'shorten' ? shortenToolResults : options.compact;
  return {
    name: options.name,
    providers,
    tools,
    declarations: declarationsOf(tools),
    system: options.system,
    toolChoice,
    parallelToolCalls,
    toolConcurrency: options.toolConcurrency ?? 10,
    table: tableOf(options),
    retry: retryPolicy(options.retry),
    deadlines: deadlines(options.deadlines),
    limits: limitsOf(options, providers, price),
    onLimit: options.onLimit ?? 'stop',
    slips: options.slips ?? 'ladder',
    hooks,
    hooked: hooks.has,
    compactor,
    compacts: compactor !== undefined,
    models: providers.map(({ id, model }) => ({ id, model })),
    toolRules: toolRulesOf(tools),
    outputAttempts: undefined,
    limiter: options.limiter,
    breakerOf: breakersFor(options.breaker, provider),
    toolBreakers: toolBreakers(tools),
    price,
    redactor: lateRedactor(providers, options.secrets ?? []),
    redactOutputs: options.redact !== 'errors',
    maxOutputChars: options.maxOutputChars ?? 50_000,
    clock,
    random: options.random ?? systemRandom,
    output: undefined,
    journals: options.journals,
  };
}

/** The failure table of the agent. A fallback that puts refusals to the next provider has a row of its own for them. */
function tableOf({ failures, provider }: AgentOptions): RunConfig['table'] {
  const table = withOverrides(failures);
  return provider.fallBackOnRefusal === true ? { ...table, refused: { ...table.refused, mayFallBack: true } } : table;
}

/** What the rules know of the tools. */
function toolRulesOf(tools: RunConfig['tools']): RunConfig['toolRules'] {
  return new Map(
    Array.from(tools, ([name, { options }]): [string, ToolRules] => {
      const { effect = 'write', retry, approve = false } = options;
      return [
        name,
        {
          effect,
          maxAttempts: effect === 'write' ? 1 : (retry?.maxAttempts ?? 1),
          backoff: { baseDelayMs: retry?.baseDelayMs ?? 200, maxDelayMs: retry?.maxDelayMs ?? 5000 },
          polls: options.polls === true,
          verifies: options.verify !== undefined,
          fallsBack: options.fallback !== undefined,
          asksPerson: approve !== false,
        },
      ];
    }),
  );
}
