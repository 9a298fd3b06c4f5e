import type { Agent, AgentOptions, Hooks, ResumeOptions, RunEvent, RunResult, SuspendedRun } from '../../src/index.ts';
import { createAgent, createLimiter } from '../../src/index.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import type { Dice } from './dice.ts';
import { diceOf } from './dice.ts';
import type { World } from './world.ts';
import { modelOf, newWorld, toolsOf } from './world.ts';

/** One stretch of a run: from its start or its resumption to its end. */
export interface Stretch {
  readonly events: readonly RunEvent[];
  readonly result: RunResult<unknown>;
  /** How long it took on the virtual clock. */
  readonly durationMs: number;
}

/** What a schedule left behind. */
export interface Played {
  readonly world: World;
  readonly limits: ScheduleLimits;
  readonly stretches: readonly Stretch[];
}

/** The limits that a schedule was played under. */
export interface ScheduleLimits {
  readonly turns: number;
  readonly toolCalls: number;
  readonly totalTokens: number;
  readonly toolConcurrency: number;
  readonly maxAttempts: number;
  readonly runMs: number;
  readonly onLimit: 'stop' | 'finish';
}

/** How often a run is resumed. Chosen: it ends by its turns long before. */
const MAX_STRETCHES = 40;

/** Plays one random schedule to its end: the same seed, the same schedule. */
export async function play(
  seed: number,
  journals?: (clock: World['clock']) => AgentOptions['journals'],
): Promise<Played> {
  const { agent, world, limits, dice, clock } = scheduleOf(seed, journals);
  const stretches: Stretch[] = [];
  let runId: string | undefined;
  for (let count = 0; count < MAX_STRETCHES; count += 1) {
    const stretch: Stretch = await playStretch(agent, world, runId, stretches.at(-1)?.result);
    stretches.push(stretch);
    if (stretch.result.status !== 'suspended') break;
    runId = stretch.result.runId;
    await clock.advance(dice.pick([0, 1000, 10_000_000]));
  }
  return { world, limits, stretches };
}

/** The agent of a schedule and the world that it is in: the same seed, the same options. */
export function scheduleOf(
  seed: number,
  journals?: (clock: World['clock']) => AgentOptions['journals'],
): { agent: Agent; options: AgentOptions; world: World; limits: ScheduleLimits; dice: Dice; clock: World['clock'] } {
  const dice = diceOf(seededRandom(seed));
  const clock = createVirtualClock();
  const world = newWorld(clock, dice);
  const limits: ScheduleLimits = {
    turns: dice.whole(1, 8),
    toolCalls: dice.pick([1, 3, 8, Infinity]),
    totalTokens: dice.pick([20, 50, Infinity, Infinity]),
    toolConcurrency: dice.whole(1, 4),
    maxAttempts: dice.whole(1, 4),
    runMs: dice.pick([8000, 60_000, 3_600_000]),
    onLimit: dice.pick(['stop', 'finish']),
  };
  const options: AgentOptions = {
    ...optionsOf(world, limits),
    provider: modelOf(world, dice.pick([0, 0.1, 0.4])),
    tools: toolsOf(world),
    clock,
    random: dice.random,
    journals: journals?.(clock),
  };
  return { agent: createAgent(options), options, world, limits, dice, clock };
}

function optionsOf({ dice, clock }: World, limits: ScheduleLimits): Omit<AgentOptions, 'provider'> {
  return {
    maxTurns: limits.turns,
    limits: {
      toolCalls: limits.toolCalls,
      totalTokens: limits.totalTokens,
      errorsInARow: dice.whole(2, 5),
      repeats: dice.whole(2, 4),
      sameCallFailures: dice.whole(1, 2),
    },
    onLimit: limits.onLimit,
    slips: dice.pick(['ladder', 'result', 'rewind']),
    toolConcurrency: limits.toolConcurrency,
    retry: { maxAttempts: limits.maxAttempts },
    deadlines: { firstByteMs: 3000, idleMs: 2000, totalMs: 6000, toolMs: 3000, runMs: limits.runMs },
    hooks: dice.chance(0.4) ? [hooksOf(dice)] : [],
    limiter: dice.chance(0.4)
      ? createLimiter({ concurrency: 1, requestsPerMinute: dice.pick([Infinity, 120]), clock })
      : undefined,
    breaker: dice.chance(0.3) ? { failures: 2, cooldownMs: 4000 } : undefined,
    compact: dice.chance(0.5) ? 'shorten' : undefined,
  };
}

/** Hooks with moods. None of them has a write run again: that would be the caller's own wish. */
function hooksOf(dice: Dice): Hooks {
  const mood = dice.pick([0.02, 0.1]);
  const seldom = <T>(act: () => T): T | undefined => (dice.chance(mood) ? act() : undefined);
  const boom = (): never => {
    throw new Error('a hook of the user');
  };
  return {
    beforeModel: () => seldom(() => dice.pick([() => ({ system: 'Be brief.' }), () => ({ stop: 'Enough.' }), boom])()),
    beforeTool: () => seldom(() => dice.pick([() => ({ deny: 'No.' }), () => ({ stop: 'Enough.' }), boom])()),
    afterTool: () =>
      seldom(() =>
        dice.pick([() => ({ output: 'changed' }), () => ({ isError: true }), () => ({ isError: false }), boom])(),
      ),
    onFailure: ({ failure }) =>
      seldom(() =>
        failure.toolName === undefined || failure.toolName === 'read'
          ? dice.pick(['model', 'retry', 'stop'])
          : dice.pick(['model', 'stop']),
      ),
    afterTurn: () => seldom(boom),
  };
}

async function playStretch(
  agent: Agent,
  world: World,
  runId: string | undefined,
  before: RunResult<unknown> | undefined,
): Promise<Stretch> {
  const { dice, clock } = world;
  const abort = new AbortController();
  const abortAt = dice.chance(0.15) ? dice.whole(0, 5000) : undefined;
  const cancelAbort =
    abortAt === undefined ? () => {} : clock.after(abortAt, () => abort.abort(new Error('the caller left')));
  const began = clock.monotonic();
  const handle =
    before?.status === 'suspended' && runId !== undefined
      ? agent.resumeStream(runId, { ...wordsOf(before, dice), signal: abort.signal })
      : agent.stream('Do it.', { signal: abort.signal });
  const events: RunEvent[] = [];
  let isOver = false;
  const reading = (async () => {
    for await (const event of handle) events.push(event);
  })();
  const ended = handle.result.then(async (result) => {
    isOver = true;
    return { result, durationMs: clock.monotonic() - began };
  });
  while (await goOn(() => isOver, clock)) {
    // Every turn of this loop is one timer.
  }
  const { result, durationMs } = await ended;
  cancelAbort();
  await reading;
  return { events, result, durationMs };
}

/** Goes to the next timer. False when the run is over. */
async function goOn(isOver: () => boolean, clock: World['clock']): Promise<boolean> {
  await clock.advance(0);
  if (isOver()) return false;
  if (await clock.next()) return !isOver();
  if (isOver()) return false;
  throw new Error('The run waits for something that will never come.');
}

/** What a person says to some or all of what is asked. */
function wordsOf(run: SuspendedRun, dice: Dice): ResumeOptions {
  const decisions: Record<string, 'approve' | 'deny' | { deny: string }> = {};
  const answers: Record<string, string> = {};
  for (const [index, request] of run.pending.entries()) {
    // At least one, so that the run gets somewhere.
    if (index > 0 && dice.chance(0.3)) continue;
    if (request.type === 'question' && dice.chance(0.8)) answers[request.toolCallId] = dice.pick(['The first.', '']);
    else
      decisions[request.toolCallId] =
        request.type === 'question' ? 'deny' : dice.pick(['approve', 'approve', 'deny', { deny: 'Too dear.' }]);
  }
  return { decisions, answers };
}
