import { isRecord, type Json } from '../../core/json.ts';
import type { StandardIssue, StandardSchema } from '../../core/schema.ts';

/** One argument of a demo tool: how it is shown to a model, and whether a value fits. */
interface Field<Value> {
  readonly shown: { readonly [key: string]: Json };
  readonly wanted: string;
  readonly fits: (value: unknown) => value is Value;
}

type FieldsOf<Values> = { readonly [Key in keyof Values]: Field<Values[Key]> };

/** A text. */
export const text: Field<string> = {
  shown: { type: 'string' },
  wanted: 'expected string',
  fits: (value) => typeof value === 'string',
};

/** A number above 0. */
export const positiveNumber: Field<number> = {
  shown: { type: 'number', exclusiveMinimum: 0 },
  wanted: 'expected number above 0',
  fits: (value): value is number => typeof value === 'number' && value > 0,
};

/** One of a few words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): Field<Word> {
  return {
    shown: { type: 'string', enum: words },
    wanted: `expected one of ${words.map((word) => JSON.stringify(word)).join(', ')}`,
    fits: (value): value is Word => words.some((word) => word === value),
  };
}

/**
 * The schema of a flat object with every field required: all that the demos need, so that `npx oilcan demo` runs
 * without any other package. Real tools use Zod, Valibot or ArkType.
 */
export function fields<Values>(declared: FieldsOf<Values>): StandardSchema<unknown, Values> {
  const entries = Object.entries<Field<unknown>>(declared);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, field]) => [key, field.shown])),
    required: entries.map(([key]) => key),
    additionalProperties: false,
  };
  const fits = (value: unknown): value is Values =>
    isRecord(value) && entries.every(([key, field]) => field.fits(value[key]));
  return {
    '~standard': {
      version: 1,
      vendor: 'oilcan-demo',
      validate: (value) => (fits(value) ? { value } : { issues: issuesOf(value, entries) }),
      jsonSchema: { input: () => schema },
    },
  };
}

function issuesOf(value: unknown, entries: readonly [string, Field<unknown>][]): StandardIssue[] {
  if (!isRecord(value)) return [{ message: 'expected object' }];
  return entries
    .filter(([key, field]) => !field.fits(value[key]))
    .map(([key, field]) => ({ message: field.wanted, path: [key] }));
}
