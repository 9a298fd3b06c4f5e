import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import { tool } from '../../src/core/define-tool.ts';
import type { StandardSchema } from '../../src/core/schema.ts';
import type { Tool } from '../../src/core/tool.ts';

// Checked by the compiler alone: the argument of `execute` is what the schema gives, for each of the three libraries.

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(isSame: Equal<A, B>): boolean => isSame;

export const ofZod: Tool = tool({
  name: 'zod',
  description: 'Infers from Zod.',
  schema: z.object({ city: z.string(), days: z.number().default(1), unit: z.enum(['C', 'F']).optional() }),
  output: z.object({ degrees: z.number() }),
  effect: 'read',
  retry: { maxAttempts: 2 },
  approve: ({ city }) => city === 'Rome',
  fallback: ({ city }) => ({ value: city, ageMs: 1000 }),
  verify: ({ days }, { idempotencyKey }) => ({ status: 'done', output: { degrees: days + idempotencyKey.length } }),
  execute: (input, { signal }) => {
    same<typeof input, { city: string; days: number; unit?: 'C' | 'F' | undefined }>(true);
    same<typeof signal, AbortSignal>(true);
    return { degrees: input.days };
  },
});

export const ofZodAsync: Tool = tool({
  name: 'zod_async',
  description: 'A promise of anything is fine without an output schema.',
  schema: z.object({ at: z.string().transform((text) => text.length) }),
  execute: async ({ at }) => {
    same<typeof at, number>(true);
    return at;
  },
});

export const ofValibot: Tool = tool({
  name: 'valibot',
  description: 'Infers from Valibot.',
  schema: toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number(), 1) })),
  execute: (input) => {
    same<typeof input, { city: string; days: number }>(true);
    return input.city;
  },
});

export const ofPlainValibot: Tool = tool({
  name: 'plain_valibot',
  description: 'Valibot with a JSON Schema beside it.',
  schema: v.object({ city: v.string() }),
  jsonSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: ({ city }) => city.toUpperCase(),
});

export const ofArkType: Tool = tool({
  name: 'arktype',
  description: 'Infers from ArkType.',
  schema: type({ city: 'string', 'days?': 'number.integer' }),
  execute: (input) => {
    same<typeof input, { city: string; days?: number }>(true);
    return input.city;
  },
});

export const wrongOutput: Tool = tool({
  name: 'wrong',
  description: 'The value has to fit the output schema.',
  schema: z.object({}),
  output: z.object({ degrees: z.number() }),
  // @ts-expect-error: `degrees` is a number.
  execute: () => ({ degrees: 'warm' }),
});

export const wrongArgument: Tool = tool({
  name: 'wrong_argument',
  description: 'The arguments are those of the schema.',
  schema: z.object({ city: z.string() }),
  // @ts-expect-error: there is no `town`.
  execute: ({ town }) => town,
});

export const anySchema: StandardSchema = z.object({ city: z.string() });
