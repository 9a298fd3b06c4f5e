import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { RunEvent, ScriptStep, SlipPolicy } from '../../../src/index.ts';
import { createAgent, scripted, tool } from '../../../src/index.ts';

const secret = 'supersecretvalue-42';

/** A schema that says a secret of every value. */
const strict = z.object({
  n: z.number().refine(() => false, `must be one of those in the vault ${secret}`),
  m: z.number().refine(() => false, `${'x'.repeat(150)} ${secret}`),
});
const slip: ScriptStep = { calls: [{ name: 'pay', input: { n: 1, m: 1 } }] };
const unknown: ScriptStep = { calls: [{ name: 'fly_away', input: {} }] };

describe('a secret in what a schema or a tool says', () => {
  const cases: readonly [SlipPolicy, string, readonly ScriptStep[]][] = [
    ['result', 'a slip', [slip, 'End.']],
    ['rewind', 'a slip', [slip, 'End.']],
    ['ladder', 'two slips', [slip, slip, 'End.']],
    ['rewind', 'two unknown tools', [unknown, unknown, 'End.']],
  ];
  test.each(cases)('is shown to nobody with `slips: %j` after %s', async (slips, _what, steps) => {
    const provider = scripted(steps);
    const pay = tool({ name: 'pay', description: `Pays with ${secret}.`, schema: strict, execute: () => 'paid' });
    const agent = createAgent({ provider, tools: [pay], secrets: [secret], slips });
    const events: RunEvent[] = [];
    agent.on('*', (event) => events.push(event));
    const result = await agent.stream('Pay.').result;
    expect(result.status).toBe('completed');
    const shown = JSON.stringify(provider.requests.map(({ system, messages }) => [system, messages]));
    expect(shown).not.toContain(secret);
    expect(JSON.stringify(events)).not.toContain(secret);
    if (slips !== 'result') expect(shown).toContain('[redacted]');
  });

  test('is cut in no note so that a half of it is left', async () => {
    // The place of the secret in the note goes over its edge, letter by letter.
    for (let length = 0; length < 40; length += 1) {
      const long = Object.fromEntries(
        ['a', 'b', 'c'].map((key) => [
          key,
          z.string().refine(() => false, `must be ${'y'.repeat(120 + length)} ${secret}`),
        ]),
      );
      const provider = scripted([{ calls: [{ name: 'pay', input: { a: '1', b: '1', c: '1' } }] }, 'End.']);
      const pay = tool({ name: 'pay', description: 'Pays.', schema: z.object(long), execute: () => 'paid' });
      await createAgent({ provider, tools: [pay], secrets: [secret], slips: 'rewind' }).run('Pay.');
      expect(provider.requests[1]?.system).toMatch(/\[redacted\]/);
      expect(provider.requests[1]?.system).not.toContain('supers');
    }
  });

  test('is neither in the question for a valid answer nor in the message of the stop', async () => {
    const provider = scripted(['{"n": 1, "m": 1}', '{"n": 2, "m": 2}', '{"n": 3, "m": 3}']);
    const agent = createAgent({ provider, secrets: [secret] });
    const result = await agent.stream('Which?', { output: strict }).result;
    expect(result).toMatchObject({ status: 'stopped', stopReason: 'invalid-output' });
    expect(JSON.stringify(result)).not.toContain(secret);
    expect(JSON.stringify(provider.requests.map(({ messages }) => messages))).not.toContain(secret);
    expect(provider.requests[1]?.messages.at(-1)).toMatchObject({
      content: [{ text: expect.stringContaining('the vault [redacted]') }],
    });
  });
});

describe('what the model said itself, and what the schema declares', () => {
  const password = 'hunter2-hunter2-aA9';
  const made = tool({
    name: 'log_in',
    description: 'Logs in.',
    schema: z.object({
      path: z.string(),
      password: z.string(),
      log: z.enum(['/var/log/syslog', '/var/log/auth.log']),
    }),
    execute: () => 'ok',
  });
  const wrong: ScriptStep = {
    calls: [{ name: 'log_in', input: { path: '/home/me/a.txt', password, log: 'kern' } }],
  };

  test.each<SlipPolicy>(['result', 'rewind'])('is shown to it as it is, with `slips: %j`', async (slips) => {
    const provider = scripted([wrong, 'End.']);
    const agent = createAgent({ provider, tools: [made], slips });
    const events: RunEvent[] = [];
    agent.on('*', (event) => events.push(event));
    await agent.run('Log in.');
    const shown = JSON.stringify([provider.requests[1]?.system, provider.requests[1]?.messages]);
    expect(shown).not.toMatch(/\[path\]|\[redacted\]/);
    expect(shown).toContain('/var/log/syslog');
    if (slips === 'result') for (const word of ['/home/me/a.txt', password]) expect(shown.split(word)).toHaveLength(3);
    // Listeners are no models; only the transcript in the last event holds what was said.
    expect(JSON.stringify(events.filter(({ type }) => type !== 'run-end'))).not.toContain(password);
  });
});
