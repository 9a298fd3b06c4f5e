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
import type { RunConfig } from '../run/run-config.ts';
import { hookList } from '../hooks/hooks.ts';
import { lateRedactor } from './late-redactor.ts';

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
  return {
    name: options.name,
    providers,
    fallBackOnRefusal: provider.fallBackOnRefusal === true,
    tools,
    declarations: declarationsOf(tools),
    system: options.system,
    toolChoice,
    parallelToolCalls,
    toolConcurrency: options.toolConcurrency ?? 10,
    table: withOverrides(options.failures),
    retry: retryPolicy(options.retry),
    deadlines: deadlines(options.deadlines),
    limits: limitsOf(options, providers, price),
    onLimit: options.onLimit ?? 'stop',
    slips: options.slips ?? 'ladder',
    hooks: hookList(options.hooks ?? []),
    compactor: options.compact === 'shorten' ? shortenToolResults : options.compact,
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
  };
}
