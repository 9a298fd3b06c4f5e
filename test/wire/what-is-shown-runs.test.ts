import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Json, StandardSchema, SuspendedRun, Tool } from '../../src/index.ts';
import { createAgent, scripted, tool } from '../../src/index.ts';
import { eventsOf, resultsOf, watch } from './wire-agent.ts';

/** What everybody was shown of one call that waited for a person, and what ran in the end. */
interface Seen {
  readonly pending: Json;
  readonly event: Json;
  readonly hook: Json;
  readonly started: Json;
  readonly ran: unknown;
}

async function seen(schema: StandardSchema<unknown, unknown>, input: object): Promise<Seen> {
  const ran: unknown[] = [];
  const hooked: Json[] = [];
  const order = tool({
    name: 'order',
    description: 'Orders.',
    schema,
    approve: true,
    execute: (parsed) => {
      ran.push(parsed);
      return 'ordered';
    },
  });
  const agent = createAgent({
    provider: scripted([{ calls: [{ name: 'order', input }] }, 'Done.']),
    tools: [order],
    hooks: [{ beforeTool: ({ call }) => void hooked.push(call.input) }],
  });
  const first = await watch(agent.stream('Order.'));
  const run = first.result as SuspendedRun;
  const [request] = run.pending;
  if (request?.type !== 'approval') throw new Error(`Expected an approval, got ${JSON.stringify(first.result)}`);
  const rest = await watch(agent.resumeStream(run.runId, { decisions: { [request.toolCallId]: 'approve' } }));
  const told = eventsOf(first.events, 'pending')[0]?.request;
  expect(ran).toHaveLength(1);
  return {
    pending: request.input,
    event: told?.type === 'approval' ? told.input : null,
    hook: hooked[0] ?? null,
    started: eventsOf(rest.events, 'tool-start')[0]?.input ?? null,
    ran: ran[0],
  };
}

describe('what a person is shown is what runs', () => {
  const cases: readonly {
    readonly name: string;
    readonly schema: StandardSchema<unknown, unknown>;
    readonly input: object;
    readonly shown: Json;
    readonly runs?: unknown;
  }[] = [
    {
      name: 'a default',
      schema: z.object({ item: z.string(), count: z.number().default(12) }),
      input: { item: 'oil' },
      shown: { item: 'oil', count: 12 },
    },
    {
      name: 'a transform',
      schema: z.object({ euros: z.number().transform((euros) => euros * 100) }),
      input: { euros: 5 },
      shown: { euros: 500 },
    },
    {
      name: 'a transform of the whole',
      schema: z.object({ euros: z.number() }).transform(({ euros }) => ({ cents: euros * 100, to: 'ACME' })),
      input: { euros: 5 },
      shown: { cents: 500, to: 'ACME' },
    },
    {
      name: 'a stripped key',
      schema: z.object({ item: z.string() }),
      input: { item: 'oil', note: 'free of charge' },
      shown: { item: 'oil' },
    },
    {
      name: 'a stripped key of a nested object',
      schema: z.object({ to: z.object({ name: z.string() }) }),
      input: { to: { name: 'Ana', confirmed: true } },
      shown: { to: { name: 'Ana' } },
    },
    {
      name: 'a coerced value',
      schema: z.object({ count: z.coerce.number(), at: z.string().transform((day) => new Date(day)) }),
      input: { count: '7', at: '2026-12-01' },
      shown: { count: 7, at: '2026-12-01T00:00:00.000Z' },
      runs: { count: 7, at: new Date('2026-12-01') },
    },
    {
      name: 'what JSON has no word for',
      schema: z
        .object({ ids: z.array(z.string()) })
        .transform(({ ids }) => ({ ids: new Set(ids), sum: 10n, by: new Map([['a', 1]]), rate: NaN })),
      input: { ids: ['a', 'a', 'b'] },
      shown: { ids: ['a', 'b'], sum: '10', by: { a: 1 }, rate: 'NaN' },
      runs: { ids: new Set(['a', 'b']), sum: 10n, by: new Map([['a', 1]]), rate: NaN },
    },
    {
      name: 'arguments that become a text',
      schema: z.object({ item: z.string() }).transform(({ item }) => `order ${item}`),
      input: { item: 'oil' },
      shown: 'order oil',
    },
  ];
  test.each(cases)('$name', async ({ schema, input, shown, runs }) => {
    expect(await seen(schema, input)).toEqual({
      pending: shown,
      event: shown,
      hook: shown,
      started: shown,
      ran: runs ?? shown,
    });
  });

  test('a default that is another one each time is drawn once', async () => {
    let drawn = 0;
    const ticket = z.number().default(() => (drawn += 1));
    const { ran, ...shown } = await seen(z.object({ item: z.string(), ticket }), { item: 'oil' });
    expect(shown).toEqual({ pending: ran, event: ran, hook: ran, started: ran });
  });

  test('arguments that were changed after they were shown are asked about again', async () => {
    const kept: { cents: number }[] = [];
    const ran: number[] = [];
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      schema: z.object({ cents: z.number() }),
      approve: (input) => {
        kept.push(input);
        return true;
      },
      execute: ({ cents }) => ran.push(cents),
    });
    const provider = scripted([{ calls: [{ name: 'pay', input: { cents: 1 } }] }, 'Done.']);
    const agent = createAgent({ provider, tools: [pay] });
    const run = (await agent.stream('Pay.').result) as SuspendedRun;
    for (const input of kept) input.cents = 1_000_000;
    const id = run.pending[0]?.toolCallId ?? '';
    const again = (await agent.resumeStream(run.runId, { decisions: { [id]: 'approve' } }).result) as SuspendedRun;
    expect(again.pending).toMatchObject([{ input: { cents: 1_000_000 } }]);
    expect(ran).toEqual([]);
  });

  test('a hook that edits what it is shown changes neither what runs nor what the next one sees', async () => {
    const ran: number[] = [];
    const saw: Json[] = [];
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      schema: z.object({ cents: z.number() }),
      execute: ({ cents }) => ran.push(cents),
    });
    const edit = ({ call }: { readonly call: { readonly input: Json } }): void => {
      (call.input as { cents: number }).cents = 7;
    };
    const agent = createAgent({
      provider: scripted([{ calls: [{ name: 'pay', input: { cents: 1 } }] }, 'Done.']),
      tools: [pay],
      hooks: [{ beforeTool: edit }, { beforeTool: ({ call }) => void saw.push(call.input) }],
    });
    const { messages } = await agent.run('Pay.');
    expect({ ran, saw }).toEqual({ ran: [1], saw: [{ cents: 1 }] });
    expect(JSON.stringify(messages)).toContain('"cents":1');
  });
});

describe('a call that differs only in what the tool never sees', () => {
  const failing = (schema: StandardSchema<unknown, unknown>): Tool =>
    tool({
      name: 'open',
      description: 'Opens.',
      schema,
      execute: () => {
        throw new Error('It is locked.');
      },
    });
  const ranAgain = async (
    schema: StandardSchema<unknown, unknown>,
    make: (index: number) => object,
  ): Promise<number> => {
    const calls = Array.from({ length: 4 }, (_none, index) => ({ calls: [{ name: 'open', input: make(index) }] }));
    const agent = createAgent({ provider: scripted([...calls, 'Done.']), tools: [failing(schema)] });
    const result = await agent.stream('Open.').result;
    return resultsOf(result).filter((text) => text.includes('It is locked')).length;
  };

  const same: readonly {
    readonly name: string;
    readonly schema: StandardSchema<unknown, unknown>;
    readonly make: (index: number) => object;
  }[] = [
    {
      name: 'an undeclared key',
      schema: z.object({ door: z.string() }),
      make: (index) => ({ door: 'north', attempt: index }),
    },
    {
      name: 'another undeclared key each time',
      schema: z.object({ door: z.string() }),
      make: (index) => ({ door: 'north', [`try_${index}`]: true }),
    },
    { name: 'a key where none is taken', schema: z.object({}), make: (index) => ({ attempt: index }) },
    {
      name: 'an undeclared key in a nested object',
      schema: z.object({ door: z.object({ side: z.string() }) }),
      make: (index) => ({ door: { side: 'north', attempt: index } }),
    },
    {
      name: 'an undeclared key in a list',
      schema: z.object({ doors: z.array(z.object({ side: z.string() })) }),
      make: (index) => ({ doors: [{ side: 'north', attempt: index }] }),
    },
    {
      name: 'an undeclared key of a union',
      schema: z.object({ at: z.union([z.object({ door: z.string() }), z.object({ gate: z.string() })]) }),
      make: (index) => ({ at: { door: 'north', attempt: index } }),
    },
    {
      name: 'an undeclared key before a transform',
      schema: z.object({ door: z.string() }).transform(({ door }) => door),
      make: (index) => ({ door: 'north', attempt: index }),
    },
  ];
  test.each(same)('$name: is the same call', async ({ schema, make }) => {
    expect(await ranAgain(schema, make)).toBe(2);
  });

  const others: typeof same = [
    { name: 'a declared key', schema: z.object({ door: z.number() }), make: (index) => ({ door: index }) },
    { name: 'a key of a loose object', schema: z.looseObject({}), make: (index) => ({ attempt: index }) },
    { name: 'a key of a record', schema: z.record(z.string(), z.number()), make: (index) => ({ [`k${index}`]: 1 }) },
    {
      name: 'an optional key',
      schema: z.object({ door: z.string(), force: z.number().optional() }),
      make: (index) => ({ door: 'north', force: index }),
    },
    {
      name: 'a key that a transform renames',
      schema: z.object({ door: z.number() }).transform(({ door }) => ({ gate: door })),
      make: (index) => ({ door: index }),
    },
  ];
  test.each(others)('$name: is another call', async ({ schema, make }) => {
    expect(await ranAgain(schema, make)).toBe(4);
  });
});
