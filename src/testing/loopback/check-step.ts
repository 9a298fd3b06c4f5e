import { isRecord } from '../../core/json.ts';
import { checkNames, expected, invalidOption, kindOf } from '../../core/option-check.ts';
import type { OptionGroup, OptionPlace } from '../../core/option-rules.ts';
import { checkGroup, checkRules } from '../../core/option-rules.ts';
import { checkCalls, usageOptions } from '../../providers/script-rules.ts';
import type { DeliveryFault } from './step-rules.ts';
import {
  deliveryFaults,
  faultStep,
  quirkOptions,
  rawStep,
  replyCallOptions,
  replyStep,
  statusStep,
} from './step-rules.ts';
import type { LoopbackStep } from './step.ts';

/**
 * Checks one step of a script. `where` is how an error names it.
 * @throws OilcanError `invalid-option`
 */
export function checkStep(step: unknown, where: string): asserts step is LoopbackStep {
  if (!isRecord(step)) throw expected(where, `an object such as ${replyStep.example}`, kindOf(step));
  const place: OptionPlace = (option) => `\`${option}\` of ${where}`;
  const { rules, otherNames } = groupOf(step);
  checkNames(where, step, rules, otherNames);
  checkRules(step, rules, place);
  const faults = (Object.keys(deliveryFaults) as DeliveryFault[]).filter((fault) => step[fault] !== undefined);
  if (faults.length > 1) {
    const names = faults.map((fault) => `\`${fault}\``).join(' and ');
    throw invalidOption(`Only one of ${names} can strike in ${where}. Leave the others out.`);
  }
  for (const fault of faults) checkGroup(fault, step[fault], deliveryFaults[fault], place);
  checkGroup('quirks', step['quirks'], quirkOptions, place);
  checkGroup('usage', step['usage'] ?? undefined, usageOptions, place);
  checkCalls(step['calls'], replyCallOptions, place);
}

/** What the step is, by the field that makes it so. */
function groupOf(step: object): OptionGroup {
  if ('fault' in step) return faultStep;
  if ('raw' in step) return rawStep;
  return 'status' in step ? statusStep : replyStep;
}
