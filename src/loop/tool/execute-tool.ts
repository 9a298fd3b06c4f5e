import type { Abort } from '../../core/abort.ts';
import type { Failure } from '../../core/failure.ts';
import type { Tool } from '../../core/tool.ts';
import { backoffMs } from '../../resilience/backoff.ts';
import { askOnFailure } from '../hooks/ask-hooks.ts';
import { failed } from './call-results.ts';
import type { Call, Told } from './call.ts';
import type { Thrown } from './classify-thrown.ts';
import { classifyThrown, questionOf } from './classify-thrown.ts';
import type { Reowned } from '../hooks/hook-results.ts';
import type { Invocation } from './invoke-tool.ts';
import { invocationContext, invokeTool, timeoutMsOf } from './invoke-tool.ts';
import { maskedFailure } from '../run/masked-failure.ts';
import type { RunContext } from '../run/run-context.ts';
import { safeOutput } from './safe-text.ts';
import { shownInput } from './shown-input.ts';
import * as texts from '../texts.ts';
import { readOutput } from '../tool-output/read-output.ts';
import { unavailable } from './unavailable-tool.ts';
import { schemaUntilAborted } from '../run/until-aborted.ts';
import type { Verdict } from './verify-effect.ts';
import { verifyEffect } from './verify-effect.ts';
import type { WatchedBreaker } from '../run/watch-breaker.ts';
import { watchBreaker } from '../run/watch-breaker.ts';

/** A tool that needs a person's word before it can go on. */
export interface Question {
  readonly question: string;
}

/** However often a hook says "retry". Chosen: far beyond what helps. */
const MAX_ATTEMPTS = 20;

/**
 * Runs the tool of a call, as often as its retry allows, and puts what came of it into words.
 *
 * 1. A write is run once. Only a hook can have it run again.
 * 2. Every try has the same idempotency key.
 * 3. Where it is not known whether an effect took place, `verify` is asked; else the model is told that it is not known.
 * 4. Of a call that an abort kept from beginning nothing is unknown: it changed nothing, and that is what is told.
 */
export async function executeTool(context: RunContext, call: Call): Promise<Told | Question> {
  const { tool, slot, turn } = call;
  const { config, steps } = context;
  const { retry, effect = 'write' } = tool.options;
  const maxAttempts = effect === 'write' ? 1 : (retry?.maxAttempts ?? 1);
  const breaker = watchBreaker(context, turn, tool.name, config.toolBreakers.get(tool.name));
  for (let attempt = 1; ; attempt += 1) {
    const cancelled = attempt === 1 ? neverBegun : cutOff;
    if (context.abort.aborted) return cancelled(context, call);
    if (breaker !== undefined && !breaker.tryPass())
      return unavailable(context, call, attempt, { remainingMs: breaker.remainingMs() });
    if (context.wants('tool-start')) {
      const input = config.redactor.redactValue(shownInput(call.input));
      context.emit({ type: 'tool-start', turn, toolCallId: slot.toolCallId, toolName: tool.name, input, attempt });
    }
    const key = `tool/${slot.toolCallId}#${attempt}`;
    const invocation = await steps.step({
      key,
      perform: async () =>
        invokeTool(
          (toolContext) => tool.options.execute(call.input, toolContext),
          invocationContext(context, call, attempt),
        ),
    });
    if (invocation.status === 'value') {
      breaker?.succeeded();
      return readValue(context, call, invocation.value);
    }
    if (invocation.status === 'aborted') {
      breaker?.abandoned();
      return invocation.when === 'before-start' ? cancelled(context, call) : cutOff(context, call);
    }
    const question = invocation.status === 'threw' ? questionOf(invocation.error) : undefined;
    if (question !== undefined) {
      breaker?.abandoned();
      return { question };
    }
    const thrown = invocation.status === 'threw' ? classifyThrown(invocation.error) : undefined;
    tellBreaker(breaker, thrown);
    const failure = failureOf(context, call, invocation, thrown);
    // A write is verified before anybody may have it run again.
    const verified = effect === 'write' && isLost(thrown) ? await verifyEffect(context, call, attempt) : undefined;
    if (verified?.status === 'done') return readValue(context, call, verified.output);
    const say = await askOnFailure(context, turn, failure, attempt, call.ledger);
    if (attempt < MAX_ATTEMPTS && mayRetry(say, attempt < maxAttempts, thrown) && call.ledger.errors.length === 0) {
      const waits = { baseDelayMs: retry?.baseDelayMs ?? 200, maxDelayMs: retry?.maxDelayMs ?? 5000 };
      const delayMs = backoffMs(attempt, waits, () => steps.random(key));
      const { toolCallId } = slot;
      call.retried.push(failure);
      context.emit({ type: 'failure', turn, failure, owner: 'code', action: 'retry', toolCallId });
      context.emit({
        type: 'tool-retry',
        turn,
        toolCallId,
        toolName: tool.name,
        attempt: attempt + 1,
        maxAttempts,
        delayMs,
        failure,
      });
      try {
        await steps.sleepUntil(`${key}/wait`, steps.now() + delayMs);
        continue;
      } catch {
        return cutOff(context, call);
      }
    }
    const told = await tellFailure(context, call, attempt, failure, { invocation, thrown, verified });
    return { ...told, asked: { say } };
  }
}

/** The run was aborted before any try of the tool. */
function neverBegun({ config }: RunContext, { tool }: Call): Told {
  const text = texts.cancelledBeforeStart(tool.name);
  return failed(config, 'not-run', text, { message: text }, false);
}

/** The run was aborted while the tool ran, between two tries of it, or before its value was checked. */
function cutOff({ config }: RunContext, { tool }: Call): Told {
  const text = texts.cancelledInFlight(tool.name, tool.options.effect ?? 'write');
  return failed(config, 'not-run', text, { message: `The run ended before ${tool.name} had a result.` }, true);
}

function mayRetry(say: Reowned, hasTries: boolean, thrown: Thrown | undefined): boolean {
  if (say !== undefined) return say === 'retry';
  return hasTries && thrown?.kind !== 'tool-bug' && thrown?.retryable !== false;
}

/** A tool that answers, even with an error of its own, is up. */
function tellBreaker(breaker: WatchedBreaker | undefined, thrown: Thrown | undefined): void {
  if (thrown === undefined || thrown.kind === 'tool-unavailable') breaker?.failed();
  else breaker?.succeeded();
}

/** A good value: checked against the declared schema, serialised, made safe. */
async function readValue(context: RunContext, call: Call, value: unknown): Promise<Told> {
  const { tool } = call;
  const { config } = context;
  const read = await readOutput(hearing(tool, context.abort), value);
  if (!read.ok) {
    if (context.abort.aborted && 'error' in read) return cutOff(context, call);
    const failure = {
      message: `${tool.name} gave a value that does not fit its \`output\` schema: ${read.problem}`,
      cause: read.error,
    };
    return failed(config, 'bad-output', texts.badOutput(tool.name, tool.options.effect ?? 'write'), failure, true);
  }
  const content = read.content.map((part) =>
    part.type === 'text' ? { ...part, text: safeOutput(config, tool, part.text) } : part,
  );
  return { content, hasRun: true };
}

/** The tool, with an `output` schema that is waited for no longer than the run lasts. */
function hearing(tool: Tool, abort: Abort): Tool {
  const { options } = tool;
  if (options.output === undefined) return tool;
  return { ...tool, options: { ...options, output: schemaUntilAborted(options.output, abort) } };
}

/** Of a timeout and of a connection that broke nobody can say whether the effect took place. */
function isLost(thrown: Thrown | undefined): boolean {
  return thrown === undefined || thrown.lostBy !== undefined;
}

interface FailedTry {
  readonly invocation: Exclude<Invocation, { status: 'value' | 'aborted' }>;
  /** Undefined for a timeout. */
  readonly thrown: Thrown | undefined;
  /** What `verify` said, where it was asked already. */
  readonly verified: Verdict | undefined;
}

/** The last try has failed: what the model is told. */
async function tellFailure(
  context: RunContext,
  call: Call,
  attempt: number,
  failure: Failure,
  failedTry: FailedTry,
): Promise<Told> {
  const { tool } = call;
  const { config } = context;
  const { thrown, invocation } = failedTry;
  const { effect = 'write', fallback } = tool.options;
  const error = invocation.status === 'threw' ? invocation.error : new Error(failure.message);
  const verdict =
    effect !== 'read' && isLost(thrown)
      ? (failedTry.verified ?? (await verifyEffect(context, call, attempt)))
      : undefined;
  if (verdict?.status === 'done') return readValue(context, call, verdict.output);
  if (thrown === undefined) {
    if (effect === 'read' && fallback !== undefined)
      return unavailable(context, call, attempt, { error, failure, orElse: timeoutText(context, call, 'no-effect') });
    const outcome = effect === 'read' ? 'no-effect' : (verdict?.status ?? 'unknown');
    return failed(config, 'tool-timeout', timeoutText(context, call, outcome), failure, true);
  }
  if (verdict?.status === 'unknown')
    return failed(
      config,
      failure.kind === 'tool-failed' ? 'tool-failed' : 'tool-unavailable',
      texts.outcomeUnknown(tool.name, thrown.lostBy ?? 'connection', thrown.message),
      failure,
      true,
    );
  if (thrown.kind === 'tool-unavailable') return unavailable(context, call, attempt, { error, failure, thrown });
  if (thrown.kind === 'tool-bug')
    return failed(config, 'tool-bug', texts.toolBug(tool.name, failure.reference ?? ''), failure, true);
  const text = texts.toolFailed(tool.name, thrown.message, { hint: thrown.hint, retryable: thrown.retryable });
  return failed(config, 'tool-failed', text, failure, true, thrown.isForModels ? 'for-models' : 'any');
}

function timeoutText(context: RunContext, call: Call, outcome: 'no-effect' | 'not-done' | 'unknown'): string {
  return texts.toolTimeout(call.tool.name, timeoutMsOf(context, call), outcome);
}

/** The failure of one try, for hooks, events and the result. */
function failureOf(context: RunContext, call: Call, invocation: Invocation, thrown: Thrown | undefined): Failure {
  const { name } = call.tool;
  if (thrown === undefined) {
    const message = `${name} did not finish within ${timeoutMsOf(context, call)} ms (\`timeoutMs\` of the tool, or \`deadlines.toolMs\`).`;
    return { kind: 'tool-timeout', message, deadline: 'tool', toolName: name };
  }
  const reference = thrown.kind === 'tool-bug' ? call.slot.toolCallId.slice(-8) : undefined;
  const cause = invocation.status === 'threw' ? invocation.error : undefined;
  return maskedFailure(
    { kind: thrown.kind, message: thrown.detail, toolName: name, reference, cause },
    context.config.redactor,
  );
}
