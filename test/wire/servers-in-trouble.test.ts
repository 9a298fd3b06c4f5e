import { describe, expect, test } from 'vitest';
import type { AgentOptions, Failure, RunEvent } from '../../src/index.ts';
import { createAgent, createBreaker, createLimiter, fallback, openai, scripted } from '../../src/index.ts';
import { startLoopbackServer } from '../../src/testing/loopback-server.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { answer, anyTool, call, onWire, watch } from './wire-agent.ts';
import { quick } from './run-on-wire.ts';

const down: Failure = { kind: 'overloaded', message: 'Overloaded.', status: 503 };

describe('the breaker of a provider', () => {
  test('opens after failures in a row, is shared by runs and by agents that were handed it, lets one probe through and tells each change', async () => {
    const clock = createVirtualClock();
    const provider = scripted([{ failure: down }, { failure: down }, { failure: down }, 'Here again.', 'Still here.']);
    const options: AgentOptions = {
      provider,
      clock,
      breaker: createBreaker({ failures: 3, cooldownMs: 30_000 }),
      retry: { maxAttempts: 3, baseDelayMs: 0, budgetMs: 10_000 },
    };
    const states: string[] = [];
    const agentOf = (name: string): ReturnType<typeof createAgent> => {
      const agent = createAgent({ ...options, name });
      agent.on('breaker', (event) => states.push(`${name}: ${event.name} ${event.state}`));
      return agent;
    };
    const [first, second] = [agentOf('first'), agentOf('second')];
    expect((await first.stream('Hello?').result).status).toBe('failed');
    expect(states).toEqual(['first: scripted/script open']);
    // Another agent of the same provider asks nobody: the wait for the probe is longer than it may wait.
    expect(await second.stream('Hello?').result).toMatchObject({
      status: 'failed',
      failure: { kind: 'not-asked' },
    });
    expect(provider.requests).toHaveLength(3);
    await clock.advance(30_000);
    const runs = Promise.all([second.stream('Hello?').result, first.stream('Hello?').result]);
    await clock.advance(1000);
    expect((await runs).map((run) => run.status)).toEqual(['completed', 'completed']);
    expect(states.slice(1)).toEqual(['second: scripted/script half-open', 'second: scripted/script closed']);
  });

  test('belongs to its agent: the options and the clock of another agent of the same provider do not count', async () => {
    const provider = scripted([() => ({ failure: down })]);
    const options = { provider, retry: { maxAttempts: 1 } };
    await createAgent({ ...options, breaker: { failures: 50 } }).stream('Hello?').result;
    const strict = createAgent({ ...options, breaker: { failures: 1 } });
    for (let run = 0; run < 3; run += 1) await strict.stream('Hello?').result;
    expect(provider.requests).toHaveLength(1 + 1);
  });

  test('made by hand is refused where it would stand for several providers', () => {
    const provider = fallback([scripted(['a']), scripted(['b'])]);
    expect(() => createAgent({ provider, breaker: createBreaker() })).toThrow(/^One breaker cannot tell several/);
  });

  const harmless: readonly Failure[] = [
    { kind: 'unauthorized', message: 'No.' },
    { kind: 'bad-request', message: 'No.' },
    { kind: 'context-overflow', message: 'Too long.' },
    { kind: 'refused', message: 'No.' },
  ];
  test.each(harmless)('$kind says nothing about the health of a server', async (failure) => {
    const provider = scripted([{ failure }, { failure }, 'Hello.']);
    const agent = createAgent({ provider, breaker: { failures: 1 } });
    await agent.stream('Hello?').result;
    await agent.stream('Hello?').result;
    expect((await agent.stream('Hello?').result).status).toBe('completed');
  });

  test('a fallback goes on to the next provider without asking one whose breaker is open', async () => {
    const clock = createVirtualClock();
    const first = scripted([{ failure: down }, { failure: down }], { id: 'first' });
    const second = scripted(['One.', 'Two.'], { id: 'second' });
    const provider = fallback([first, second], { breaker: { failures: 2 } });
    const agent = createAgent({ provider, clock, retry: { maxAttempts: 2, baseDelayMs: 0 } });
    const events: RunEvent[] = [];
    agent.on('*', (event) => events.push(event));
    expect((await agent.run('Hello?')).text).toBe('One.');
    expect((await agent.run('Hello?')).text).toBe('Two.');
    expect(first.requests).toHaveLength(2);
    expect(events.filter((event) => event.type === 'fall-back')).toHaveLength(2);
  });

  test('the last provider of a fallback waits for its probe rather than giving up', async () => {
    const clock = createVirtualClock();
    const first = scripted([{ failure: { kind: 'quota-exhausted', message: 'Empty.' } }], { id: 'first' });
    const second = scripted([{ failure: down }, 'Hello.'], { id: 'second' });
    const agent = createAgent({
      provider: fallback([first, second], { breaker: { failures: 1, cooldownMs: 5000 } }),
      clock,
      random: seededRandom(1),
    });
    const run = agent.stream('Hello?').result;
    await clock.advance(60_000);
    expect((await run).status).toBe('completed');
  });
});

describe('many runs and one server', () => {
  test('twenty runs that are told `Retry-After: 1` do not come back in the same instant', async () => {
    const clock = createVirtualClock();
    const returns: number[] = [];
    const asked = new Set<unknown>();
    const provider = scripted([
      (request) => {
        const who = request.messages[0];
        if (!asked.has(who)) {
          asked.add(who);
          return { failure: { kind: 'rate-limited', message: 'Slow down.', status: 429, retryAfterMs: 1000 } };
        }
        returns.push(clock.monotonic());
        return 'Done.';
      },
    ]);
    const random = seededRandom(7);
    const agent = createAgent({ provider, clock, random });
    const runs = Array.from({ length: 20 }, () => agent.stream('Go.').result);
    await clock.advance(5000);
    expect((await Promise.all(runs)).every((run) => run.status === 'completed')).toBe(true);
    expect(Math.min(...returns)).toBeGreaterThanOrEqual(1000);
    const perInstant = new Map<number, number>();
    for (const at of returns) perInstant.set(Math.floor(at / 50), (perInstant.get(Math.floor(at / 50)) ?? 0) + 1);
    expect(Math.max(...perInstant.values())).toBeLessThanOrEqual(6);
    expect(Math.max(...returns) - Math.min(...returns)).toBeGreaterThan(250);
  });

  test('the same on the wire, with the header of a real answer', async () => {
    const server = await startLoopbackServer({
      script: ({ requestIndex }) =>
        requestIndex < 20 ? { status: 429, headers: { 'retry-after-ms': '200' } } : answer,
    });
    try {
      const random = seededRandom(3);
      const agent = createAgent({ provider: openai({ model: 'demo', baseURL: `${server.origin}/v1` }), random });
      await Promise.all(Array.from({ length: 20 }, () => agent.run('Go.')));
      const arrivals = server.requests.map((request) => request.receivedAt);
      const refusedAt = Math.max(...arrivals.slice(0, 20));
      const returns = arrivals.slice(20).map((at) => at - refusedAt);
      expect(Math.min(...returns)).toBeGreaterThan(100);
      expect(Math.max(...returns) - Math.min(...returns)).toBeGreaterThan(150);
    } finally {
      await server.close();
    }
  });

  test('a shared limiter holds for all runs, is not held while a tool runs, and a run that is aborted leaves its place', async () => {
    const abort = new AbortController();
    const limiter = createLimiter({ concurrency: 1 });
    let isToolRunning: (() => void) | undefined;
    const toolRuns = new Promise<void>((resolve) => (isToolRunning = resolve));
    let release: (() => void) | undefined;
    const slow = anyTool('look', () => {
      isToolRunning?.();
      return new Promise<string>((resolve) => (release = () => resolve('a door')));
    });
    await onWire(
      ({ view, lastResults }) =>
        view.messages[0]?.text === 'Look.' && lastResults.length === 0 ? call('look') : answer,
      async (wire) => {
        const agent = wire.agent({ tools: [slow], limiter });
        const first = watch(agent.stream('Look.'));
        await toolRuns;
        // The tool still runs; another run is served meanwhile.
        expect((await agent.run('Answer.')).status).toBe('completed');
        const gone = agent.stream('Answer.', { signal: abort.signal });
        abort.abort(new Error('gone'));
        expect((await gone.result).status).toBe('aborted');
        release?.();
        expect((await first).result.status).toBe('completed');
      },
    );
  });

  test('a limiter heeds what the server says of its limits, before it has to refuse anybody', async () => {
    const headers = {
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '250ms',
    };
    await onWire([{ text: 'One.', headers }, answer], async (wire) => {
      const agent = wire.agent({ limiter: createLimiter() });
      await agent.run('One.');
      await agent.run('Two.');
      const [first, second] = wire.server.requests.map((request) => request.receivedAt);
      expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(240);
    });
  });

  test('no permit is lost to whatever goes wrong', async () => {
    const limiter = createLimiter({ concurrency: 1 });
    await onWire(
      [{ status: 401 }, { fault: 'reset' }, { text: '' }, { fault: 'hang' }, answer, answer],
      async (wire) => {
        const agent = wire.agent({ limiter, retry: { ...quick, maxAttempts: 1 }, deadlines: { firstByteMs: 60 } });
        for (let run = 0; run < 4; run += 1) expect((await agent.stream('Go.').result).status).toBe('failed');
        const throwing = wire.agent({ limiter, hooks: [{ beforeModel: () => Promise.reject(new Error('mine')) }] });
        expect((await throwing.stream('Go.').result).status).toBe('failed');
        expect((await agent.run('Go.')).status).toBe('completed');
      },
    );
  });
});
