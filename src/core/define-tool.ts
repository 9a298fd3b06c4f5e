import { inputSchemaOf } from './json-schema.ts';
import { isRecord } from './json.ts';
import {
  checkNames,
  describeValue,
  expected,
  invalidOption,
  isStandardSchema,
  OTHER_RETRY_NAMES,
} from './option-check.ts';
import type { OptionGroup, OptionPlace, OptionRule } from './option-rules.ts';
import {
  aFunction,
  checkGroup,
  checkRules,
  integerFrom,
  needed,
  notNegative,
  oneOf,
  positive,
  trueOrFalse,
} from './option-rules.ts';
import type { StandardSchema } from './schema.ts';
import type { Tool, ToolOptions, ToolRetryOptions } from './tool.ts';

/** What every vendor accepts as a tool's name (OpenAI's rule; Anthropic allows 128 characters, others follow OpenAI). */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Chosen: below this, head and tail of a result and the note between them say nothing. */
const MIN_OUTPUT_CHARS = 200;

const OPTIONS = {
  name: true,
  description: {
    wanted: 'a text that says what the tool does and when to use it',
    fits: (value) => typeof value === 'string' && value.trim() !== '',
    isNeeded: true,
  },
  schema: { wanted: 'a Standard Schema (Zod 4, Valibot, ArkType …)', fits: isStandardSchema, isNeeded: true },
  jsonSchema: { wanted: 'an object', fits: isRecord },
  output: { wanted: 'a Standard Schema', fits: isStandardSchema },
  effect: oneOf('read', 'idempotent', 'write'),
  timeoutMs: { ...positive, wanted: 'a number > 0 (milliseconds)' },
  retry: true,
  fallback: aFunction,
  verify: aFunction,
  maxOutputChars: integerFrom(MIN_OUTPUT_CHARS),
  redact: oneOf('all', 'errors'),
  exclusive: trueOrFalse,
  polls: trueOrFalse,
  approve: {
    wanted: 'true, false or a function',
    fits: (value) => typeof value === 'boolean' || typeof value === 'function',
  },
  breaker: true,
  execute: needed(aFunction),
} satisfies Record<keyof ToolOptions, OptionRule | true>;

const RETRY: OptionGroup = {
  example: '{ maxAttempts: 3 }',
  rules: {
    maxAttempts: needed(integerFrom(1)),
    baseDelayMs: notNegative,
    maxDelayMs: notNegative,
  } satisfies Record<keyof ToolRetryOptions, OptionRule>,
  otherNames: OTHER_RETRY_NAMES,
};

const BREAKER: OptionGroup = {
  example: '{ failures: 5, cooldownMs: 30_000 }',
  rules: {
    failures: needed(integerFrom(1)),
    cooldownMs: needed(positive),
  } satisfies Record<keyof NonNullable<ToolOptions['breaker']>, OptionRule>,
  otherNames: { threshold: 'failures' },
};

/** Names that other libraries use. */
const OTHER_NAMES = {
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
  if (!isRecord(given)) throw expected('the argument of `tool()`', 'an object of options', describeValue(given));
  const { name, description, schema, jsonSchema } = options;
  if (typeof name !== 'string' || !NAME.test(name)) {
    const got = typeof name === 'string' ? JSON.stringify(name.slice(0, 80)) : describeValue(name);
    throw expected("a tool's `name`", '1 to 64 characters of a-z, A-Z, 0-9, _ and -', got);
  }
  const place: OptionPlace = (option) => `\`${option}\` of tool "${name}"`;
  checkNames(`tool "${name}"`, given, OPTIONS, OTHER_NAMES);
  checkRules(given, OPTIONS, place);
  checkGroup('retry', options.retry, RETRY, place);
  checkGroup('breaker', options.breaker, BREAKER, place);
  refuseRetryOfWrite(options);
  return { name, description, inputSchema: inputSchemaOf(name, schema, jsonSchema), options };
}

function refuseRetryOfWrite({ name, effect, retry }: ToolOptions<any, any>): void {
  if (retry === undefined || retry.maxAttempts === 1 || (effect ?? 'write') !== 'write') return;
  throw invalidOption(
    `Tool "${name}" has \`retry\`, but its effect is 'write'${effect === undefined ? ' (the default)' : ''}, and a write is never re-run automatically. Set \`effect: 'read'\` or \`effect: 'idempotent'\` where running it again does no harm, or leave \`retry\` out.`,
  );
}
