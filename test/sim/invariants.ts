import { isDeepStrictEqual } from 'node:util';
import { repairHistory } from '../../src/loop/history/history.ts';
import type { Played, Stretch } from './schedule.ts';
import { REPLY_TOKENS } from './world.ts';

/** Everything that must hold whatever happened, one sentence for each thing that does not. */
export function broken(played: Played): string[] {
  const problems: string[] = [];
  const check = (holds: boolean, problem: string): void => {
    if (!holds) problems.push(problem);
  };
  const { world, limits, stretches } = played;
  const last = stretches.at(-1);
  if (last === undefined) return ['nothing was played'];
  const { result } = last;
  check(result.status !== 'suspended', 'the run never ended');
  check(world.violations.length === 0, `a strict server would refuse: ${world.violations[0]}`);

  // One result for each call, in call order, in a history that needs no repair.
  const { changes } = repairHistory(result.messages);
  check(changes.length === 0, `the transcript is not valid: ${changes.join('; ')}`);
  const asked = result.messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
      : [],
  );
  const told = result.messages.flatMap((message) =>
    message.role === 'tool' ? message.content.map((part) => part.toolCallId) : [],
  );
  check(asked.join() === told.join(), `calls ${asked.join()} have results ${told.join()}`);
  check(new Set(asked).size === asked.length, 'two calls have the same id');
  const ends = stretches.flatMap(({ events }) =>
    events.flatMap((event) => (event.type === 'tool-end' ? [event.toolCallId] : [])),
  );
  check([...ends].sort().join() === [...told].sort().join(), `results ${told.join()} were told as ${ends.join()}`);

  // At most one effect for each key of a write, and no second run of one.
  for (const [key, count] of world.effects) check(count <= 1, `${key} took effect ${count} times`);

  // Limits.
  const lastTurn = limits.onLimit === 'finish' ? 1 : 0;
  check(result.turns <= limits.turns + lastTurn, `${result.turns} turns of ${limits.turns}`);
  check(world.runs.size <= limits.toolCalls, `${world.runs.size} tools ran, of ${limits.toolCalls}`);
  check(
    world.mostToolsAtOnce <= limits.toolConcurrency,
    `${world.mostToolsAtOnce} tools at once, of ${limits.toolConcurrency}`,
  );
  const tokens = (result.usage.inputTokens ?? 0) + (result.usage.outputTokens ?? 0);
  check(tokens <= limits.totalTokens, `${tokens} tokens of ${limits.totalTokens}`);
  const tokensOfReply = REPLY_TOKENS.inputTokens + REPLY_TOKENS.outputTokens;
  check(tokens <= world.replies * tokensOfReply, `${tokens} tokens for ${world.replies} replies`);
  check(
    world.requests <= (limits.turns + lastTurn + 1) * (limits.maxAttempts + 1),
    `${world.requests} requests in ${result.turns} turns of ${limits.maxAttempts} attempts`,
  );
  const tookMs = stretches.reduce((sum, { durationMs }) => sum + durationMs, 0);
  check(tookMs <= limits.runMs, `it took ${tookMs} ms of ${limits.runMs}`);

  // Outcomes.
  if (result.status === 'completed') check(result.text !== '', 'an answer is empty');
  if (result.status === 'stopped') check(result.message !== '', 'a stop says nothing');
  for (const stretch of stretches) problems.push(...brokenEvents(stretch));
  check(world.clock.pending === 0, `${world.clock.pending} timers are left`);
  return problems;
}

/** Exactly one start and one end, the end last, and nothing told of another run. */
function brokenEvents({ events, result }: Stretch): string[] {
  const problems: string[] = [];
  const count = (type: string): number => events.filter((event) => event.type === type).length;
  if (count('run-start') !== 1 || events[0]?.type !== 'run-start')
    problems.push('the run-start is not one, or not first');
  const last = events.at(-1);
  if (count('run-end') !== 1 || last?.type !== 'run-end')
    problems.push(`there are ${count('run-end')} run-ends, the last event is ${last?.type}`);
  else if (!isDeepStrictEqual(last.result, result)) problems.push('the run-end tells another result');
  if (events.some((event) => event.runId !== result.runId)) problems.push('an event names another run');
  // Text of an attempt that failed is declared void.
  let hasText = false;
  for (const event of events) {
    if (event.type === 'attempt-start') {
      if (hasText) problems.push('text of a failed attempt was not declared void');
      hasText = false;
    } else if (event.type === 'text-delta') hasText = true;
    else if (event.type === 'text-void' || event.type === 'reply') hasText = false;
  }
  return problems;
}
