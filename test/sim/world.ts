import { z } from 'zod';
import type {
  Failure,
  ModelReply,
  ModelRequest,
  Provider,
  ReplyToolCall,
  Tool,
  ToolContext,
  ToolOptions,
} from '../../src/index.ts';
import { NeedsUser, tool, ToolError, ToolUnavailableError } from '../../src/index.ts';
import { repairHistory } from '../../src/loop/history/history.ts';
import { PLAIN } from '../../src/providers/dialect/dialect.ts';
import { DialectMemory } from '../../src/providers/dialect/memory.ts';
import { chatWriter } from '../../src/providers/openai-chat/request.ts';
import { RequestBodies } from '../../src/providers/request-body.ts';
import { requestViolation } from '../../src/testing/strict-request.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import type { Dice } from './dice.ts';

/** What every reply of the model costs: the same always, so that the sum of a run can be foretold. */
export const REPLY_TOKENS = { inputTokens: 10, outputTokens: 5 } as const;

/** What happened outside of the run, as the world saw it. */
export interface World {
  readonly clock: VirtualClock;
  readonly dice: Dice;
  /** How often each write took place, by idempotency key. */
  readonly effects: Map<string, number>;
  /** The calls whose tool ran, by id, with their tries. */
  readonly runs: Map<string, number>;
  /** What was wrong with requests: a strict server would have refused them. */
  readonly violations: string[];
  requests: number;
  /** Requests that a reply came to. */
  replies: number;
  toolsNow: number;
  mostToolsAtOnce: number;
}

/** A world in which nothing has happened yet. */
export function newWorld(clock: VirtualClock, dice: Dice): World {
  return {
    clock,
    dice,
    effects: new Map(),
    runs: new Map(),
    violations: [],
    requests: 0,
    replies: 0,
    toolsNow: 0,
    mostToolsAtOnce: 0,
  };
}

/** Resolves after a while on the world's clock; rejects when the signal aborts, as well-behaved code does. */
function wait(world: World, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (): void => {
      cancel();
      reject(signal.reason as Error);
    };
    const cancel =
      ms === Infinity
        ? () => {}
        : world.clock.after(ms, () => {
            signal.removeEventListener('abort', fail);
            resolve();
          });
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}

/** A tool that behaves as the dice fall: at once, after a while, never, or with an error of some kind. */
function moody(
  world: World,
  name: string,
  more: Partial<ToolOptions>,
  act: (context: ToolContext) => void = () => {},
): Tool {
  const { dice } = world;
  return tool({
    name,
    description: `Does ${name}.`,
    schema: z.object({ n: z.number() }),
    ...more,
    execute: async (_input, context) => {
      world.runs.set(context.toolCallId, (world.runs.get(context.toolCallId) ?? 0) + 1);
      world.toolsNow += 1;
      world.mostToolsAtOnce = Math.max(world.mostToolsAtOnce, world.toolsNow);
      try {
        const actsFirst = dice.chance(0.5);
        if (actsFirst) act(context);
        if (dice.chance(0.5)) await wait(world, dice.pick([1, 50, 900, 4000, 20_000, Infinity]), context.signal);
        if (!actsFirst) act(context);
        return dice.pick([
          () => `result ${dice.whole(1, 3)}`,
          () => ({ n: dice.whole(1, 3) }),
          () => undefined,
          () => 'x'.repeat(3000),
          () => {
            throw new Error(`failed ${dice.whole(1, 3)}`);
          },
          () => {
            throw new ToolError('Not so.', { retryable: dice.chance(0.5) });
          },
          () => {
            throw new TypeError('x is not a function');
          },
          () => {
            throw new ToolUnavailableError('Down.');
          },
          () => {
            throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
          },
        ])();
      } finally {
        world.toolsNow -= 1;
      }
    },
  });
}

/** The tools of a schedule: one of each kind that the loop treats in its own way. */
export function toolsOf(world: World): Tool[] {
  const { dice, effects } = world;
  const take = ({ idempotencyKey }: ToolContext): void => {
    effects.set(idempotencyKey, (effects.get(idempotencyKey) ?? 0) + 1);
  };
  const verify: ToolOptions['verify'] = (_input, { idempotencyKey }) => {
    if (dice.chance(0.2)) throw new Error('can not tell');
    return effects.has(idempotencyKey)
      ? { status: 'done', output: 'done before' }
      : { status: dice.pick(['not-done', 'unknown']) };
  };
  const breaker = dice.chance(0.3) ? { failures: 2, cooldownMs: 5000 } : undefined;
  return [
    moody(world, 'read', {
      effect: 'read',
      retry: { maxAttempts: dice.whole(1, 3) },
      fallback: dice.chance(0.3) ? () => ({ value: 'old', ageMs: 1000 }) : undefined,
    }),
    moody(world, 'put', { effect: 'idempotent', retry: { maxAttempts: 3 }, breaker }),
    moody(
      world,
      'write',
      {
        verify: dice.chance(0.5) ? verify : undefined,
        timeoutMs: dice.pick([500, 10_000]),
        exclusive: dice.chance(0.3),
      },
      take,
    ),
    moody(
      world,
      'pay',
      { approve: dice.chance(0.5) ? true : (input) => (input as { readonly n: number }).n > 2, breaker },
      take,
    ),
    tool({
      name: 'ask',
      description: 'Asks the user.',
      schema: z.object({ n: z.number() }),
      execute: (_input, { toolCallId }) => {
        world.runs.set(toolCallId, (world.runs.get(toolCallId) ?? 0) + 1);
        throw new NeedsUser('Which one?');
      },
    }),
  ];
}

const FAILURES: readonly Failure[] = [
  { kind: 'rate-limited', message: 'Slow down.', status: 429, retryAfterMs: 2000 },
  { kind: 'overloaded', message: 'Busy.', status: 503 },
  { kind: 'server-error', message: 'Oops.', status: 500 },
  { kind: 'network', message: 'Reset.' },
  { kind: 'cut-reply', message: 'Cut.' },
  { kind: 'empty-reply', message: 'Empty.' },
  { kind: 'context-overflow', message: 'Too long.' },
  { kind: 'unauthorized', message: 'No key.', status: 401 },
];

/** A model that does what the dice say, over a server that does as well. Each request is looked at as a strict server would. */
export function modelOf(world: World, troubles: number): Provider {
  const { dice } = world;
  const bodies = new RequestBodies(
    chatWriter(
      {
        model: 'demo',
        stream: true,
        body: {},
        maxOutputTokens: undefined,
        temperature: undefined,
        imageResults: true,
        issuer: 'sim',
        hidesToolsForNone: false,
      },
      new DialectMemory(PLAIN, 'sim'),
    ),
  );
  const inspect = (request: ModelRequest): void => {
    const { changes } = repairHistory(request.messages);
    if (changes.length > 0) world.violations.push(`not repaired: ${changes.join('; ')}`);
    const violation = requestViolation('openai', JSON.parse(new TextDecoder().decode(bodies.build(request))));
    if (violation !== undefined) world.violations.push(violation);
  };
  return {
    id: 'sim',
    model: 'demo',
    capabilities: { toolChoice: ['auto', 'required', 'none', 'tool'], parallelToolCalls: true, imageResults: true },
    async *stream(request, { signal }) {
      world.requests += 1;
      inspect(request);
      yield { type: 'progress', phase: 'headers' };
      const isTroubled = dice.chance(troubles);
      if (isTroubled && dice.chance(0.2)) {
        await wait(world, Infinity, signal).catch(() => {});
        return;
      }
      if (dice.chance(0.5)) await wait(world, dice.pick([10, 800, 2500]), signal);
      if (dice.chance(0.3)) yield { type: 'text-delta', text: 'Well, ' };
      if (isTroubled) {
        yield { type: 'failure', failure: dice.pick(FAILURES) };
        return;
      }
      world.replies += 1;
      yield { type: 'reply', reply: replyOf(world) };
    },
  };
}

function replyOf(world: World): ModelReply {
  const { dice } = world;
  const count = dice.pick([0, 0, 1, 1, 1, 2, 3, 5]);
  const calls = Array.from({ length: count }, (_none, index): ReplyToolCall => {
    const isSlip = dice.chance(0.15);
    const name = dice.pick(['read', 'put', 'write', 'pay', 'ask', ...(isSlip ? ['no_such tool!'] : [])]);
    const written = isSlip
      ? dice.pick(['{"n": ', '{"m": 1}', 'n = 1', '"{\\"n\\": 1}"'])
      : `{"n": ${dice.whole(1, 4)}}`;
    const id = dice.pick([undefined, '', 'call_same', `call_${world.replies}_${index}`]);
    return { type: 'tool-call', id, name, arguments: { text: written }, isComplete: !dice.chance(0.03) };
  });
  const text = count === 0 || dice.chance(0.3) ? 'So it is.' : '';
  const finishReason =
    count > 0
      ? dice.pick(['tool-calls', 'stop', 'other'] as const)
      : dice.pick(['stop', 'stop', 'stop', 'length', 'pause'] as const);
  return {
    content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls],
    finishReason,
    rawFinishReason: finishReason,
    usage: REPLY_TOKENS,
  };
}
