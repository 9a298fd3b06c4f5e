import { inputSchemaOf } from './json-schema.ts';
import { isRecord } from './json.ts';
import {
  checkNames,
  describeValue,
  OTHER_RETRY_NAMES,
  invalidOption as invalid,
  isStandardSchema,
} from './option-check.ts';
import type { StandardSchema } from './schema.ts';
import type { Tool, ToolOptions, ToolRetryOptions } from './tool.ts';

/** What every vendor accepts as a tool's name (OpenAI's rule; Anthropic allows 128 characters, others follow OpenAI). */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Chosen: below this, head and tail of a result and the note between them say nothing. */
const MIN_OUTPUT_CHARS = 200;

/** Every option, so that a misspelled one is not ignored in silence; the compiler keeps the list whole. */
const OPTIONS = {
  name: true,
  description: true,
  schema: true,
  jsonSchema: true,
  output: true,
  effect: true,
  timeoutMs: true,
  retry: true,
  fallback: true,
  verify: true,
  maxOutputChars: true,
  exclusive: true,
  polls: true,
  approve: true,
  breaker: true,
  execute: true,
} satisfies Record<keyof ToolOptions, true>;

const RETRY_OPTIONS = {
  maxAttempts: true,
  baseDelayMs: true,
  maxDelayMs: true,
} satisfies Record<keyof ToolRetryOptions, true>;

const BREAKER_OPTIONS = { failures: true, cooldownMs: true } satisfies Record<
  keyof NonNullable<ToolOptions['breaker']>,
  true
>;

/** Names that other libraries use for what is called `schema` here. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  inputSchema: 'schema',
  parameters: 'schema',
  input: 'schema',
  args: 'schema',
  outputSchema: 'output',
  timeout: 'timeoutMs',
  handler: 'execute',
  run: 'execute',
  func: 'execute',
  needsApproval: 'approve',
};

/**
 * Makes a tool, checking every option at once. `execute` gets the validated arguments and returns what the model is told;
 * what it throws, the model is told as an error.
 *
 * @throws OilcanError `invalid-option`, naming the tool, the option and the fix.
 * @example
 * const getWeather = tool({
 *   name: 'get_weather',
 *   description: 'Current weather of a city.',
 *   schema: z.object({ city: z.string() }),
 *   effect: 'read',
 *   execute: ({ city }) => `18 degrees in ${city}`,
 * });
 */
export function tool<S extends StandardSchema<any, any>, Output>(options: ToolOptions<S, Output>): Tool {
  const given: unknown = options;
  if (!isRecord(given)) throw invalid(`Expected \`tool()\` to get an object of options, got ${describeValue(given)}.`);
  const { name, description } = options;
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw invalid(
      `Expected a tool's \`name\` to be 1 to 64 characters of a-z, A-Z, 0-9, _ and -, got ${typeof name === 'string' ? JSON.stringify(name.slice(0, 80)) : describeValue(name)}.`,
    );
  }
  checkNames(`tool "${name}"`, given, OPTIONS, OTHER_NAMES);
  if (typeof description !== 'string' || description.trim() === '') {
    throw invalid(
      `Expected the \`description\` of tool "${name}" to say what the tool does and when to use it, got ${describeValue(description)}.`,
    );
  }
  if (!isStandardSchema(options.schema)) {
    throw invalid(
      `Expected the \`schema\` of tool "${name}" to be a Standard Schema (Zod 4, Valibot, ArkType …), got ${describeValue(options.schema)}.`,
    );
  }
  if (typeof options.execute !== 'function') {
    throw invalid(`Expected \`execute\` of tool "${name}" to be a function, got ${describeValue(options.execute)}.`);
  }
  checkBehaviour(name, options);
  return { name, description, inputSchema: inputSchemaOf(name, options.schema, options.jsonSchema), options };
}

function checkBehaviour(name: string, options: ToolOptions<any, any>): void {
  const { effect, retry, breaker, output, jsonSchema } = options;
  if (jsonSchema !== undefined && !isRecord(jsonSchema)) {
    throw invalid(`Expected \`jsonSchema\` of tool "${name}" to be an object, got ${describeValue(jsonSchema)}.`);
  }
  if (output !== undefined && !isStandardSchema(output)) {
    throw invalid(`Expected \`output\` of tool "${name}" to be a Standard Schema, got ${describeValue(output)}.`);
  }
  if (effect !== undefined && effect !== 'read' && effect !== 'idempotent' && effect !== 'write') {
    throw invalid(
      `Expected \`effect\` of tool "${name}" to be 'read', 'idempotent' or 'write', got ${describeValue(effect)}.`,
    );
  }
  checkNumber(name, 'timeoutMs', options.timeoutMs, 'a number > 0 (milliseconds)', (value) => value > 0);
  checkNumber(name, 'maxOutputChars', options.maxOutputChars, `an integer >= ${MIN_OUTPUT_CHARS}`, (value) =>
    isInteger(value, MIN_OUTPUT_CHARS),
  );
  for (const option of ['fallback', 'verify'] as const) {
    const value = options[option];
    if (value !== undefined && typeof value !== 'function') {
      throw invalid(`Expected \`${option}\` of tool "${name}" to be a function, got ${describeValue(value)}.`);
    }
  }
  for (const option of ['exclusive', 'polls'] as const) {
    const value = options[option];
    if (value !== undefined && typeof value !== 'boolean') {
      throw invalid(`Expected \`${option}\` of tool "${name}" to be true or false, got ${describeValue(value)}.`);
    }
  }
  const { approve } = options;
  if (approve !== undefined && typeof approve !== 'boolean' && typeof approve !== 'function') {
    throw invalid(
      `Expected \`approve\` of tool "${name}" to be true, false or a function, got ${describeValue(approve)}.`,
    );
  }
  if (retry !== undefined) checkRetry(name, effect, retry);
  if (breaker !== undefined) {
    if (!isRecord(breaker))
      throw invalid(`Expected \`breaker\` of tool "${name}" to be an object, got ${describeValue(breaker)}.`);
    checkNames(`\`breaker\` of tool "${name}"`, breaker, BREAKER_OPTIONS, { threshold: 'failures' });
    checkNumber(name, 'breaker.failures', breaker.failures, 'an integer >= 1', (value) => isInteger(value, 1), true);
    checkNumber(name, 'breaker.cooldownMs', breaker.cooldownMs, 'a number > 0', (value) => value > 0, true);
  }
}

function checkRetry(name: string, effect: ToolOptions['effect'], retry: NonNullable<ToolOptions['retry']>): void {
  if (!isRecord(retry)) {
    throw invalid(`Expected \`retry\` of tool "${name}" to be { maxAttempts: … }, got ${describeValue(retry)}.`);
  }
  checkNames(`\`retry\` of tool "${name}"`, retry, RETRY_OPTIONS, OTHER_RETRY_NAMES);
  checkNumber(name, 'retry.maxAttempts', retry.maxAttempts, 'an integer >= 1', (value) => isInteger(value, 1), true);
  checkNumber(name, 'retry.baseDelayMs', retry.baseDelayMs, 'a number >= 0', (value) => value >= 0);
  checkNumber(name, 'retry.maxDelayMs', retry.maxDelayMs, 'a number >= 0', (value) => value >= 0);
  if (retry.maxAttempts > 1 && (effect ?? 'write') === 'write') {
    throw invalid(
      `Tool "${name}" has \`retry\`, but its effect is 'write'${effect === undefined ? ' (the default)' : ''}, and a write is never run twice by itself. Set \`effect: 'read'\` or \`effect: 'idempotent'\` where running it again does no harm, or leave \`retry\` out.`,
    );
  }
}

function checkNumber(
  name: string,
  option: string,
  value: unknown,
  wanted: string,
  isRight: (value: number) => boolean,
  isNeeded = false,
): void {
  if (value === undefined && !isNeeded) return;
  if (typeof value === 'number' && Number.isFinite(value) && isRight(value)) return;
  const got = typeof value === 'number' ? String(value) : describeValue(value);
  throw invalid(`Expected \`${option}\` of tool "${name}" to be ${wanted}, got ${got}.`);
}

function isInteger(value: number, min: number): boolean {
  return Number.isInteger(value) && value >= min;
}
