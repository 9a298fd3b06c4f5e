import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { tool } from '../../../../src/core/define-tool.ts';
import type { StandardSchema } from '../../../../src/core/schema.ts';
import type { Tool } from '../../../../src/core/tool.ts';
import { capText } from '../../../../src/loop/output/cap.ts';
import { readOutput } from '../../../../src/loop/output/read-output.ts';

const toolOf = (output?: StandardSchema<unknown, unknown>): Tool =>
  tool({ name: 'use', description: 'x', schema: z.object({}), output, execute: () => 1 });

describe('readOutput', () => {
  test.each([
    { name: 'a value as text', value: { a: 1 }, content: [{ type: 'text', text: '{"a":1}' }] },
    {
      name: 'parts that the tool chose',
      value: {
        type: 'content',
        content: [
          { type: 'text', text: 'A map:' },
          { type: 'image', data: 'AAAA', mediaType: 'image/png' },
        ],
      },
      content: [
        { type: 'text', text: 'A map:' },
        { type: 'image', data: 'AAAA', mediaType: 'image/png' },
      ],
    },
    {
      name: 'parts that are none',
      value: { type: 'content', content: [{ type: 'sound' }] },
      content: [{ type: 'text', text: '{"type":"content","content":[{"type":"sound"}]}' }],
    },
    {
      name: 'no parts',
      value: { type: 'content', content: [] },
      content: [{ type: 'text', text: '{"type":"content","content":[]}' }],
    },
  ])('$name', async ({ value, content }) => {
    expect(await readOutput(toolOf(), value)).toEqual({ ok: true, content });
  });

  test('what is wrong with it is cut between words, since half a secret is not known as one', async () => {
    const output = z.string().refine(() => false, `${'x'.repeat(1980)} Zq8WkT2mVb7RxL4cJd9Hn3PfSy6Gu1Ea`);
    expect(await readOutput(toolOf(output), 'v')).toEqual({ ok: false, problem: `value: ${'x'.repeat(1980)} …` });
  });

  test('a declared output is checked, and what the schema makes of it is told', async () => {
    const output = z.object({
      ref: z.string(),
      secret: z
        .string()
        .optional()
        .transform(() => undefined),
    });
    expect(await readOutput(toolOf(output), { ref: 'r1', secret: 'x', extra: 1 })).toEqual({
      ok: true,
      content: [{ type: 'text', text: '{"ref":"r1"}' }],
    });
    expect(await readOutput(toolOf(output), { ref: 5 })).toEqual({
      ok: false,
      problem: 'ref: Invalid input: expected string, received number',
    });
    expect(await readOutput(toolOf(output), undefined)).toMatchObject({ ok: false, problem: /^value: / });
  });

  test('an output schema that throws is told apart', async () => {
    const output = z.string().refine(() => { throw new Error('oops'); }); // prettier-ignore
    expect(await readOutput(toolOf(output), 'x')).toMatchObject({ ok: false, error: { message: 'oops' } });
  });
});

describe('capText', () => {
  test('a text that is short enough is the same', () => {
    expect(capText('x'.repeat(200), 200)).toBe('x'.repeat(200));
  });

  test('head and tail are kept, and between them stands how much was left out', () => {
    const capped = capText(`${'h'.repeat(600)}${'t'.repeat(400)}`, 300);
    expect(capped).toMatch(/^h{180,}\n\[… \d+ of 1000 characters left out …\]\nt{60,}$/);
    expect(capped.length).toBeLessThanOrEqual(300);
    const out = Number(/… (\d+) of/.exec(capped)?.[1]);
    expect(capped.replace(/\n\[.*\]\n/, '').length).toBe(1000 - out);
  });

  test('no cap is exceeded and no pair is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', '😀', 'é', '\n'), { minLength: 150, maxLength: 400 }),
        fc.integer({ min: 0, max: 400 }),
        (pieces, max) => {
          const capped = capText(pieces.join(''), max);
          expect(capped.length).toBeLessThanOrEqual(max);
          expect(() => encodeURIComponent(capped)).not.toThrow();
        },
      ),
    );
  });
});
