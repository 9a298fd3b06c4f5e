import { jsonSchemaOf } from '../../core/json-schema.ts';
import { describeValue, invalidOption, isStandardSchema } from '../../core/option-check.ts';
import type { StandardSchema } from '../../core/schema.ts';
import type { OutputConfig } from '../input/read-answer.ts';

/**
 * Checks what a run says about its structured answer.
 * @throws OilcanError `invalid-option`
 */
export function outputConfig(schema: StandardSchema | undefined, maxAttempts = 3): OutputConfig | undefined {
  if (schema === undefined) return undefined;
  if (!isStandardSchema(schema))
    throw invalidOption(
      `Expected \`output\` of the run to be a Standard Schema (Zod 4, Valibot, ArkType …), got ${describeValue(schema)}.`,
    );
  if (!Number.isInteger(maxAttempts) || maxAttempts < 1)
    throw invalidOption(`Expected \`outputAttempts\` to be an integer >= 1, got ${describeValue(maxAttempts)}.`);
  return { schema, jsonSchema: jsonSchemaOf('`output` of the run', schema), maxAttempts };
}
