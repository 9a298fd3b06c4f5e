import type { CallIdForm } from './call-id.ts';
import type { SchemaForm } from './wire-schema.ts';

/**
 * How one server departs from its wire, as data. A provider begins with what is known of the vendor (`vendors.ts`) and
 * learns the rest from what the server refuses (`refusals.ts`); what it has learnt holds for as long as the provider lives.
 * The writers of the wires read these fields, and nothing else tells one vendor from another.
 */
export interface Dialect {
  /** Top-level fields of the body that the server refuses: they are left out. */
  readonly leftOut: readonly string[];
  /** Chat: the name of the field that limits the output. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /**
   * Whether every assistant message must carry its thoughts, in which field (`thinking`: a block of the Messages wire).
   * A message that has none, or those of another model, carries empty ones.
   */
  readonly thoughtsIn: 'reasoning_content' | 'reasoning' | 'thinking' | undefined;
  readonly callIds: CallIdForm;
  /** True where a user's message must not stand directly behind a tool's result: an assistant's message goes between them. */
  readonly bridgesToolToUser: boolean;
  /** True where the first call of a message needs a thought signature (Gemini 3): one that is missing gets the placeholder. */
  readonly signsCalls: boolean;
  readonly schemas: SchemaForm;
  /** True where an assistant's message that only calls must carry an empty text, and not `null`. */
  readonly emptyText: boolean;
  /** True where the user must speak first: a history that begins with the model gets a first word. */
  readonly userFirst: boolean;
}

/** A server that follows its wire. */
export const PLAIN: Dialect = {
  leftOut: [],
  maxTokensField: 'max_tokens',
  thoughtsIn: undefined,
  callIds: 'any',
  bridgesToolToUser: false,
  signsCalls: false,
  schemas: 'common',
  emptyText: false,
  userFirst: false,
};

/** The fields of a body without those that the server refuses. */
export function withoutFields(fields: Record<string, unknown>, { leftOut }: Dialect): Record<string, unknown> {
  if (leftOut.length === 0) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !leftOut.includes(field)));
}

/** The names of the fields that are written: what a refusal can be about. */
export function fieldNames(fields: Record<string, unknown>): string[] {
  return Object.keys(fields).filter((field) => fields[field] !== undefined);
}
