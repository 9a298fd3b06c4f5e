import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { tool } from '../../../../src/core/define-tool.ts';
import type { Tool } from '../../../../src/core/tool.ts';
import * as texts from '../../../../src/loop/words/for-models.ts';
import { prepareInput } from '../../../../src/loop/input/prepare-input.ts';
import type { PreparedInput } from '../../../../src/loop/input/prepared-input.ts';

const toolOf = (name: string, schema: z.ZodType = z.object({})): Tool =>
  tool({ name, description: `The ${name} tool. It does more.`, schema, execute: () => 1 });
const many = Array.from({ length: 100 }, (_, index) => `tool_${index}`);

const rows = [
  { name: 'unknown tool', text: texts.unknownTool(['get_weather'], ['get_time', 'get_weather']) },
  { name: 'unknown tool, nothing near', text: texts.unknownTool([], many) },
  { name: 'unknown tool, no tools', text: texts.unknownTool([], []) },
  { name: 'unreadable', text: texts.unreadableArguments('use', 'a "," or "}" is missing', '{"a":1 "b"') },
  { name: 'cut', text: texts.cutArguments('use') },
  {
    name: 'invalid',
    text: texts.invalidArguments('use', {
      sentences: ['"a" is missing: it must be a string.'],
      brief: ['"a" is missing: it must be a string.'],
      template: '{"a": <a string>}',
    }),
  },
  { name: 'failed', text: texts.toolFailed('use', 'The lock is rusted shut') },
  { name: 'failed without words', text: texts.toolFailed('use', ' ') },
  { name: 'unavailable', text: texts.toolUnavailable('use', 'The geocoder is down', undefined, undefined) },
  { name: 'unavailable by its breaker', text: texts.toolUnavailable('use', undefined, undefined, 30_000) },
  { name: 'timeout of a read', text: texts.toolTimeout('use', 500, 'no-effect') },
  { name: 'timeout of a write', text: texts.toolTimeout('use', 10_000, 'unknown') },
  { name: 'timeout, checked', text: texts.toolTimeout('use', 10_000, 'not-done') },
  { name: 'timeout after no time at all', text: texts.toolTimeout('use', 15, 'unknown') },
  ...(['connection', 'wait', 'interruption', 'gateway'] as const).map((lostBy) => ({
    name: `lost by ${lostBy}`,
    text: texts.outcomeUnknown('use', lostBy, 'The bank hung up'),
  })),
  { name: 'bug', text: texts.toolBug('use', 'ab12cd34') },
  { name: 'bad output of a read', text: texts.badOutput('use', 'read') },
  { name: 'bad output of a write', text: texts.badOutput('use', 'write') },
  { name: 'repeated failure', text: texts.repeatedCall('use', 'failed-before', 2) },
  { name: 'no progress', text: texts.repeatedCall('use', 'no-progress', 3) },
  { name: 'denied', text: texts.denied('use', 'Read-only: use SELECT') },
  { name: 'cancelled before', text: texts.cancelledBeforeStart('use') },
  { name: 'cancelled in a read', text: texts.cancelledInFlight('use', 'read') },
  { name: 'cancelled in a write', text: texts.cancelledInFlight('use', 'write') },
  { name: 'interrupted', text: texts.cancelledUnknown('use') },
  { name: 'over the limit', text: texts.overToolLimit('use') },
];

describe('every text', () => {
  test.each(rows)('$name reads as an error without a mark, is short and has no stack', ({ text }) => {
    expect(text).toMatch(/failed|not run|no result|no such tool|can't|not valid/);
    expect(text.length).toBeLessThanOrEqual(1000);
    expect(text).not.toMatch(/\n\s+at |undefined|null|NaN|\.\.|  /);
    expect(text).toMatch(/[.}]$/);
  });

  test.each(rows)('$name calls no outcome that is not known failed or cancelled', ({ text }) => {
    if (/outcome is unknown/i.test(text)) expect(text).not.toMatch(/failed|cancelled|canceled|aborted|was not run/i);
  });

  test.each(rows)('$name names no wait of 0 seconds', ({ text }) => {
    expect(text).not.toMatch(/\b0 (milli)?seconds?/);
  });
});

describe('what each says', () => {
  test.each([
    [
      texts.unknownTool(['get_weather'], ['get_time', 'get_weather']),
      'There is no such tool, so nothing was run. The tool is called get_weather: call get_weather with its own arguments. All tools: get_weather, get_time.',
    ],
    [
      texts.toolFailed('request_return', 'No order 4417.', {
        hint: 'Ask the user to check the number.',
        retryable: false,
      }),
      'request_return failed: No order 4417. Ask the user to check the number. Do not make the same call again: it would fail again.',
    ],
    [texts.toolFailed('use', 'Busy', { retryable: true }), 'use failed: Busy. You may make the same call again.'],
    [
      texts.toolTimeout('pay', 10_000, 'unknown'),
      'pay gave no result: it did not finish within 10 seconds. Its outcome is unknown: it may have taken effect. Check before repeating it.',
    ],
    [
      texts.cached('18 degrees', 300_000),
      '[cached] 18 degrees\n(This is a stored value, 5 minutes old: the live source did not answer.)',
    ],
    [
      texts.cached('18 degrees', undefined),
      '[cached] 18 degrees\n(This is a stored value, which may be out of date: the live source did not answer.)',
    ],
    [
      texts.cached('x', 20),
      '[cached] x\n(This is a stored value, less than a second old: the live source did not answer.)',
    ],
    [texts.cached('x', 1000), '[cached] x\n(This is a stored value, 1 second old: the live source did not answer.)'],
    [
      texts.cached('x', 3 * 86_400_000),
      '[cached] x\n(This is a stored value, 3 days old: the live source did not answer.)',
    ],
  ])('%s', (text, says) => {
    expect(text).toBe(says);
  });

  test('a list of tools ends after 20', () => {
    const text = texts.unknownTool([], many);
    expect(text).toContain('tool_19 and 80 more');
    expect(text).not.toContain('tool_20');
  });

  test('an effect that happened is not called failed', () => {
    expect(texts.badOutput('pay', 'write')).toContain('was done');
    expect(texts.badOutput('pay', 'write')).not.toContain('failed');
  });

  test('a tool that is down is told apart from a wrong call', () => {
    expect(texts.toolUnavailable('use', undefined, undefined, 30_000)).toContain(
      'Your call was right; the same call may work in 30 seconds.',
    );
  });
});

describe('notes after a rewind', () => {
  const note = (own: Tool, text: string): string => {
    const prepared = prepareInput(own, {
      type: 'tool-call',
      id: '1',
      name: own.name,
      arguments: { text },
      isComplete: true,
    });
    if (prepared instanceof Promise || prepared.ok) throw new Error('It should be refused at once.');
    return texts.noteText(texts.slipNote(own, prepared satisfies PreparedInput), 0);
  };
  const weather = toolOf(
    'get_weather',
    z.object({ city: z.string(), units: z.enum(['C', 'F']), days: z.number().optional() }),
  );

  test('a missing key', () => {
    expect(note(weather, '{"city":"Paris"}')).toBe(
      'When you call get_weather: its arguments are an object with "city" (a string), "units" (one of "C", "F"), "days" (a number, optional). "units" must be given.',
    );
  });

  test('a refinement is told in the place of the type', () => {
    const remind = toolOf('remind', z.object({ at: z.string().refine(() => false, 'Must be a time written HH:MM') }));
    expect(note(remind, '{"at":"noon-ish"}')).toBe(
      'When you call remind: its arguments are an object with "at" (a time written HH:MM). "at" must be a time written HH:MM.',
    );
  });

  test.each(['{"city":4711,"units":"rejected"}', '{"city":rejected}', '["rejected"]', 'rejected'])(
    '%s is not repeated',
    (text) => {
      expect(note(weather, text)).not.toContain('rejected');
      expect(note(weather, text)).not.toContain('4711');
      expect(note(weather, text)).toContain('"city" (a string)');
    },
  );

  test('the tools that there are', () => {
    expect(texts.noteText(texts.unknownToolNote(['get_time'], [toolOf('get_weather'), toolOf('get_time')]), 0)).toBe(
      'Call only these tools, by exactly these names:\n- get_time: The get_time tool\n- get_weather: The get_weather tool',
    );
    expect(
      texts.unknownToolNote(
        [],
        many.map((name) => toolOf(name)),
      ).takes.length,
    ).toBeLessThan(1000);
  });
});
