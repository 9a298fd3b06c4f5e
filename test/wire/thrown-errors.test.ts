import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ToolEffect } from '../../src/index.ts';
import { createAgent, scripted, tool } from '../../src/index.ts';
import { answer, anyTool, call, eventsOf, onWire, watch } from './wire-agent.ts';
import type { Watched } from './wire-agent.ts';

const pay = call('pay', { cents: 100 });

async function payOnce(execute: () => unknown, more: object = {}): Promise<Watched> {
  return onWire([pay, answer], (wire) => watch(wire.agent({ tools: [anyTool('pay', execute, more)] }).stream('Pay.')));
}

const throwing = (error: unknown) => (): never => {
  throw error;
};
const errorWith = (message: string, fields: object): Error => Object.assign(new Error(message), fields);
const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });

describe('what a tool throws reaches the model in its own words', () => {
  const cases: readonly {
    readonly name: string;
    readonly error: unknown;
    readonly effect?: ToolEffect;
    readonly kind: string;
    readonly told: RegExp;
    readonly not?: RegExp;
  }[] = [
    {
      name: 'a 429 is unavailable',
      error: errorWith('Too many payments today.', { status: 429 }),
      kind: 'tool-unavailable',
      told: /temporarily unavailable\. Too many payments today\./,
      not: /outcome|connection/,
    },
    {
      name: 'a 503 of axios is unavailable',
      error: errorWith('Request failed with status code 503', { code: 'ERR_BAD_RESPONSE', response: { status: 503 } }),
      kind: 'tool-unavailable',
      told: /temporarily unavailable\. Request failed with status code 503/,
      not: /outcome/,
    },
    {
      name: 'a 404 is for the model',
      error: errorWith('No such account.', { statusCode: 404 }),
      kind: 'tool-failed',
      told: /^pay failed: No such account\.$/,
    },
    {
      name: 'a 409 of the AWS SDK is for the model',
      error: errorWith('The order changed.', { $metadata: { httpStatusCode: 409 } }),
      kind: 'tool-failed',
      told: /^pay failed: The order changed\.$/,
    },
    {
      name: 'a status wins over a connection that closed after the answer',
      error: errorWith('Over the limit.', { status: 429, cause: errorWith('read', { code: 'ECONNRESET' }) }),
      kind: 'tool-unavailable',
      told: /Over the limit\./,
      not: /connection broke|outcome/,
    },
    {
      name: 'a status wins over the name of a wait that ended',
      error: Object.assign(named('TimeoutError', 'The bank took too long.'), { status: 408 }),
      kind: 'tool-unavailable',
      told: /The bank took too long\./,
      not: /outcome/,
    },
    {
      name: 'a status in a cause counts',
      error: new Error('Could not pay.', { cause: errorWith('Teapot.', { status: 418 }) }),
      kind: 'tool-failed',
      told: /^pay failed: Could not pay\.$/,
    },
    {
      name: 'a gateway without an answer leaves the outcome unknown',
      error: errorWith('Gateway time-out.', { status: 504 }),
      kind: 'outcome-unknown',
      told: /server in between.*Gateway time-out\. Its outcome is unknown/,
      not: /failed|cancel/,
    },
    {
      name: 'a gateway without an answer to a read is unavailable, no more',
      error: errorWith('Gateway time-out.', { status: 504 }),
      effect: 'read',
      kind: 'tool-unavailable',
      told: /temporarily unavailable\. Gateway time-out\./,
      not: /outcome/,
    },
    {
      name: 'the exit code of a process is no status',
      error: errorWith('Command failed: make', { status: 127 }),
      kind: 'tool-failed',
      told: /^pay failed: Command failed: make\.$/,
    },
    {
      name: 'an AbortError of a signal that nobody aborted',
      error: named('AbortError', 'The bank closed the session.'),
      kind: 'outcome-unknown',
      told: /The bank closed the session\. Its outcome is unknown/,
      not: /failed|cancel/,
    },
    {
      name: 'an AbortError of a read',
      error: named('AbortError', 'The bank closed the session.'),
      effect: 'read',
      kind: 'tool-failed',
      told: /^pay failed: The bank closed the session\.$/,
    },
    {
      name: 'a TimeoutError',
      error: named('TimeoutError', 'No word from the bank.'),
      kind: 'outcome-unknown',
      told: /stopped waiting.*No word from the bank\. Its outcome is unknown/,
      not: /failed|cancel|connection/,
    },
    {
      name: 'a connection that broke',
      error: errorWith('The bank hung up.', { code: 'ECONNRESET' }),
      kind: 'outcome-unknown',
      told: /connection broke.*The bank hung up\. Its outcome is unknown/,
      not: /failed|cancel/,
    },
    {
      name: 'a connection that was refused',
      error: errorWith('The bank is offline.', { code: 'ECONNREFUSED' }),
      kind: 'tool-unavailable',
      told: /temporarily unavailable\. The bank is offline\./,
      not: /outcome/,
    },
    {
      name: 'but a bug does not: its words are about code',
      error: new TypeError("Cannot read properties of undefined (reading 'iban')"),
      kind: 'tool-bug',
      told: /internal error of the tool/,
      not: /iban/,
    },
  ];

  test.each(cases)('$name', async ({ error, effect, kind, told, not }) => {
    const { results, events } = await payOnce(throwing(error), { effect });
    expect(results[0]).toMatch(told);
    if (not !== undefined) expect(results[0]).not.toMatch(not);
    expect(eventsOf(events, 'tool-end')[0]?.failureKind).toBe(kind);
  });

  test('no secret is in those words', async () => {
    const { results } = await payOnce(throwing(errorWith('Denied for sk-wire-test-key.', { status: 429 })));
    expect(results[0]).not.toContain('sk-wire-test-key');
  });
});

describe('a value that fights back when it is looked at', () => {
  const trap = (): never => {
    throw new Error('hands off');
  };
  const everyTrap = { get: trap, has: trap, getPrototypeOf: trap, ownKeys: trap, getOwnPropertyDescriptor: trap };
  const hostile = (): object => new Proxy({}, everyTrap);
  const badThen = (): object => new Proxy({}, { get: (_target, key) => (key === 'then' ? trap() : undefined) });
  const badPrototype = (): object => new Proxy({}, { getPrototypeOf: trap });
  const revoked = (): object => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };
  const badError = (): Error => Object.defineProperty(new Error('x'), 'message', { get: trap });
  const badMessage = (): unknown => ({
    type: 'content',
    content: [Object.defineProperty({ type: 'text' }, 'text', { get: trap })],
  });
  const values = { hostile, badThen, badPrototype, revoked, badError, badMessage };

  for (const [name, make] of Object.entries(values)) {
    test.each([
      ['returned', () => make()],
      ['returned by a promise', async () => Promise.resolve({}).then(() => make())],
      ['thrown', () => throwing(make())()],
      ['rejected', () => Promise.reject(make() as Error)],
    ] as const)(`${name}, %s: the call has its result and the run goes on`, async (_how, execute) => {
      let ran = 0;
      const { result, results, events } = await payOnce(() => ((ran += 1), execute()));
      expect(result.status).toBe('completed');
      expect(ran).toBe(1);
      expect(results).toHaveLength(1);
      expect(results[0]).not.toBe('');
      expect(eventsOf(events, 'tool-end')).toHaveLength(1);
    });

    test(`${name} from \`verify\` leaves the outcome unknown`, async () => {
      const { result, results } = await payOnce(throwing(named('TimeoutError', 'Slow.')), { verify: () => make() });
      expect(result.status).toBe('completed');
      expect(results[0]).toMatch(/outcome is unknown/);
    });

    test(`${name} from \`fallback\` harms nothing`, async () => {
      const { result } = await payOnce(throwing(errorWith('Down.', { status: 503 })), { fallback: () => make() });
      expect(result.status).toBe('completed');
    });

    test(`${name} where an output schema is declared is a bad output, and what was done is not called failed`, async () => {
      const { result, results } = await payOnce(() => make(), { output: z.object({ ref: z.string() }) });
      expect(result.status).toBe('completed');
      expect(results).toHaveLength(1);
    });

    test(`${name} thrown by a provider of your own ends the run typed`, async () => {
      const provider = { ...scripted(['Hello.']), stream: () => throwing(make())() };
      const { status } = await createAgent({ provider, retry: { maxAttempts: 1 } }).stream('Hello.').result;
      expect(status).toBe('failed');
    });
  }

  test('parts that a tool chose are copied: what it keeps of them changes no result', async () => {
    const part = { type: 'text', text: 'paid' };
    const own = tool({
      name: 'pay',
      description: 'Pays.',
      schema: z.looseObject({}),
      execute: () => ({ type: 'content', content: [part] }),
    });
    await onWire([pay, answer], async (wire) => {
      const { result } = await watch(wire.agent({ tools: [own] }).stream('Pay.'));
      part.text = 'stolen';
      expect(JSON.stringify(result.messages)).toContain('"paid"');
    });
  });
});
