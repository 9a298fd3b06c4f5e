import type { Failure } from '../core/failure.ts';
import { isRecord } from '../core/json.ts';
import { noSuch } from '../core/option-check.ts';
import type { OptionGroup, OptionPlace, OptionRule, OptionRules } from '../core/option-rules.ts';
import { aString, checkGroup, needed, notNegative, oneOf } from '../core/option-rules.ts';
import type { FinishReason } from '../core/provider.ts';
import type { Usage } from '../core/usage.ts';
import { failureTable } from '../resilience/failure-table.ts';

// What the steps of a script are made of, wherever it is played.

/** A text, or the pieces in which it comes. */
export const aTextOrPieces: OptionRule = {
  wanted: 'a string or an array of strings',
  fits: (value) =>
    typeof value === 'string' || (Array.isArray(value) && value.every((piece) => typeof piece === 'string')),
};

/** Any list; what stands in it is looked at elsewhere. */
export const anArray: OptionRule = { wanted: 'an array', fits: Array.isArray };

/** Any object; what stands in it is looked at elsewhere, or by nobody. */
export const anObject: OptionRule = { wanted: 'an object', fits: isRecord };

const FINISH_REASONS = {
  stop: true,
  length: true,
  'tool-calls': true,
  'content-filter': true,
  pause: true,
  error: true,
  other: true,
} satisfies Record<FinishReason, true>;

/** Why a reply ended, in our words. */
export const aFinishReason: OptionRule = oneOf(...Object.keys(FINISH_REASONS));

/** A call that a scripted model makes. */
export const callOptions: OptionGroup = {
  example: "{ name: 'look', input: {} }",
  rules: { name: needed(aString), input: true, rawArguments: aTextOrPieces, id: aString },
  otherNames: {
    args: 'input',
    arguments: 'input',
    parameters: 'input',
    tool: 'name',
    toolName: 'name',
    function: '`name` and `input`',
    toolCallId: 'id',
  },
};

/** Checks each call of a step; `place` is how an error names it. */
export function checkCalls(calls: unknown, options: OptionGroup, place: OptionPlace): void {
  for (const [index, call] of ((calls ?? []) as unknown[]).entries())
    checkGroup(`calls[${index}]`, call ?? null, options, place);
}

/** Tokens that a scripted model has used. */
export const usageOptions: OptionGroup = {
  example: '{ inputTokens: 120, outputTokens: 20 }',
  rules: {
    inputTokens: notNegative,
    outputTokens: notNegative,
    cachedInputTokens: notNegative,
    reasoningTokens: notNegative,
  } satisfies Record<keyof Usage, OptionRule>,
};

const FAILURE_RULES = {
  kind: needed(aString),
  message: needed(aString),
  status: notNegative,
  vendorCode: aString,
  retryAfterMs: notNegative,
  rateLimit: anObject,
  deadline: oneOf('first-byte', 'idle', 'total', 'tool', 'run'),
  hint: aString,
  advice: anObject,
  tokens: anObject,
  providerId: aString,
  toolName: aString,
  reference: aString,
  remedy: oneOf('at-once', 'never'),
  cause: true,
} satisfies Record<keyof Failure, OptionRule | true> & OptionRules;

/**
 * Asks for a failure, of a kind that the table knows.
 * @throws OilcanError `invalid-option`
 */
export function checkFailure(given: unknown, where: string, place: OptionPlace): void {
  const example = "{ kind: 'overloaded', message: 'Too many at once.' }";
  checkGroup('failure', given, { example, rules: FAILURE_RULES, otherNames: { code: 'vendorCode' } }, place);
  const { kind } = given as Failure;
  if (!Object.hasOwn(failureTable, kind))
    throw noSuch('kind of failure', kind, Object.keys(failureTable), (kinds) => `Kinds are ${kinds}.`, ` in ${where}`);
}
