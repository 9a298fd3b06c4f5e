import { OilcanError } from '../core/error.ts';
import { jsonSchemaOf } from '../core/json-schema.ts';
import type { StandardSchema } from '../core/schema.ts';
import type { OutputConfig } from './config.ts';

/** Checks what a run says about its structured answer. */
export function outputConfig(schema: StandardSchema | undefined, maxAttempts = 3): OutputConfig | undefined {
  if (schema === undefined) return undefined;
  if (!Number.isInteger(maxAttempts) || maxAttempts < 1) {
    throw new OilcanError(
      'invalid-option',
      `Expected \`outputAttempts\` to be an integer >= 1, got ${String(maxAttempts)}.`,
    );
  }
  return { schema, jsonSchema: jsonSchemaOf('`output` of the run', schema), maxAttempts };
}
