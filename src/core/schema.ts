import type { JsonObject } from './json.ts';

/**
 * A schema of any library that follows Standard Schema (https://standardschema.dev): Zod 4, Valibot, ArkType
 * and others. `jsonSchema` is its sister specification, Standard JSON Schema; where a library lacks it, see `tool({ jsonSchema })`.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: { readonly input: (options: { target: string }) => Record<string, unknown> } | undefined;
  };
}

/** What a validation gives: the value, or the issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that is wrong with a value, and where. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What `schema` gives after validation. */
export type InferOutput<S> = S extends StandardSchema<infer _I, infer O> ? O : never;

/** A JSON Schema (draft 2020-12 or 7), as tools declare their input to a model. */
export type JsonSchema = JsonObject;
