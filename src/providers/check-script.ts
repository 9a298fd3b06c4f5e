import { isRecord } from '../core/json.ts';
import { checkNames, expected, invalidOption, kindOf } from '../core/option-check.ts';
import type { OptionPlace, OptionRule } from '../core/option-rules.ts';
import { checkGroup, checkRules } from '../core/option-rules.ts';
import {
  aFinishReason,
  anArray,
  aTextOrPieces,
  callOptions,
  checkCalls,
  checkFailure,
  usageOptions,
} from './script-rules.ts';
import type { ScriptStep } from './script-step.ts';

type StepName = keyof Extract<ScriptStep, { readonly calls?: unknown }>;

/** What a reply may say; its groups have checks of their own. */
const REPLY_RULES = {
  text: aTextOrPieces,
  calls: anArray,
  finishReason: aFinishReason,
  usage: true,
  failure: true,
} satisfies Record<StepName, OptionRule | true>;

/** What may stand beside a failure. */
const FAILED_RULES = { text: aTextOrPieces, failure: true } as const;

const OTHER_NAMES = { toolCalls: 'calls', tool_calls: 'calls', content: 'text', finish: 'finishReason' };

/** Nothing is run of a reply that failed, so what else it had is nobody's. */
const BESIDE_A_FAILURE = { calls: '`text`, or another step: a reply that fails has nothing but its beginning' };

/**
 * Checks a script when it is made. What its functions give is checked when they have given it.
 * @throws OilcanError `invalid-option`
 */
export function checkSteps(steps: unknown): asserts steps is readonly ScriptStep[] {
  if (!Array.isArray(steps))
    throw invalidOption(
      `Expected \`scripted\` to get an array of steps, as in scripted(['Hello.']), got ${kindOf(steps)}.`,
    );
  // By index, for a hole in the array is no step either.
  for (let index = 0; index < steps.length; index += 1) checkStep(steps[index], `step ${index} of \`scripted\``);
}

/** Checks one step. `where` is how an error names it. */
export function checkStep(step: unknown, where: string): asserts step is ScriptStep {
  if (typeof step === 'string' || typeof step === 'function') return;
  if (!isRecord(step))
    throw expected(where, "a text, an object such as { calls: [{ name: 'look' }] } or a function", kindOf(step));
  const place: OptionPlace = (option) => `\`${option}\` of ${where}`;
  if (step['failure'] !== undefined) {
    checkNames(where, step, FAILED_RULES, { ...OTHER_NAMES, ...BESIDE_A_FAILURE });
    checkRules(step, FAILED_RULES, place);
    checkFailure(step['failure'], where, place);
    return;
  }
  checkNames(where, step, REPLY_RULES, OTHER_NAMES);
  checkRules(step, REPLY_RULES, place);
  checkGroup('usage', step['usage'], usageOptions, place);
  checkCalls(step['calls'], callOptions, place);
}
